"""Write `api.md` from what the rooms say is public: ``python docs/make_api.py``."""

from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from types import ModuleType

import seamark

PAGE = Path(__file__).parent / "api.md"
INTRODUCTION = """\
# API reference

Everything public, room by room. After `import seamark as sm` all of it is there, as
`sm.LandmarkClassifier` or `sm.landmarks.Diverse`. Names that are not here may change at any time.

% Written by docs/make_api.py from `__all__` of the rooms; `make api` writes it again.
"""
SECTION = """
## {title}

{summary}

```{{eval-rst}}
.. currentmodule:: {module}
.. autosummary::
   :toctree: generated

{names}
```
"""


def rooms() -> list[ModuleType]:
    """Return the top level, then every room by name."""
    names = [name for name in seamark.__all__ if isinstance(getattr(seamark, name), ModuleType)]
    return [seamark, *(import_module(f"seamark.{name}") for name in sorted(names))]


def members(room: ModuleType) -> dict[str, object]:
    """Return what a room calls public, that of its modules under dotted names; rooms apart."""
    found: dict[str, object] = {}
    for name in sorted(room.__all__, key=lambda name: (name.lower(), name)):
        member = getattr(room, name)
        if not isinstance(member, ModuleType):
            found[name] = member
        elif room is not seamark:
            found |= {f"{name}.{inner}": one for inner, one in members(member).items()}
    return {name: one for name, one in found.items() if not name.startswith("__")}


def page() -> str:
    """Return the page; what several rooms offer stands in the first of them."""
    text, listed = INTRODUCTION, set()
    for room in rooms():
        own = {name: one for name, one in members(room).items() if id(one) not in listed}
        listed |= {id(one) for one in own.values()}
        if own:
            text += SECTION.format(
                title=room.__name__.removeprefix("seamark."),
                summary=cleandoc(room.__doc__ or "").split("\n\n")[0],
                module=room.__name__,
                names="\n".join(f"   {name}" for name in own),
            )
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
