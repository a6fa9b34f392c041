"""Public names, their parameters, defaults and fitted attributes are those of the list beside this.

A change of the list is a change for users: it needs a line in the changelog, and after release 1.0
an old name goes on working, with a warning, for one minor version. ``python
tests/test_public_api.py`` writes the list again.
"""

import inspect
import re
import sys
from pathlib import Path

import seamark as sm

LIST = Path(__file__).parent / "public_api.txt"
ATTRIBUTES = re.compile(r"^Attributes\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)


def attributes(documented):
    """Return the names that the section "Attributes" of a docstring lists."""
    section = ATTRIBUTES.search(inspect.cleandoc(documented.__doc__ or ""))
    heads = re.findall(r"^(\w[\w, ]*?) *(?::.*)?$", section[1] if section else "", re.MULTILINE)
    return sorted(name.strip() for head in heads for name in head.split(","))


def parameters(member):
    """Return the signature without annotations, or nothing of what has none."""
    try:
        signature = inspect.signature(member)
    except (TypeError, ValueError):
        return ""
    plain = [
        each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()
    ]
    text = str(inspect.Signature(plain))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def lines():
    """Return a line for each public name, and one for each public method and attribute of it."""
    rooms = [name for name in sm.__all__ if inspect.ismodule(getattr(sm, name))]
    for room in ["", *sorted(rooms)]:
        module = getattr(sm, room) if room else sm
        for name in sorted(module.__all__):
            member = getattr(module, name)
            full = ".".join(filter(None, ["seamark", room, name]))
            if inspect.ismodule(member) or name.startswith("__"):
                continue
            if not callable(member):
                yield full
                continue
            yield full + parameters(member)
            if inspect.isclass(member) and (member.__module__.startswith("seamark")):
                yield from (f"{full}.{name} (attribute)" for name in attributes(member))
                yield from (
                    f"{full}.{method}{parameters(function)}"
                    for method, function in inspect.getmembers(member, inspect.isfunction)
                    if not method.startswith("_") and function.__module__.startswith("seamark")
                )


def test_the_public_surface_is_what_the_list_says():
    listed, found = set(LIST.read_text("utf-8").splitlines()), set(lines())
    assert not listed - found, "gone or changed; a user may rely on it"
    assert not found - listed, "new; add it with: python tests/test_public_api.py"


if __name__ == "__main__":
    sys.stdout.write(f"{LIST.write_text(chr(10).join(lines()) + chr(10), 'utf-8')} characters\n")
