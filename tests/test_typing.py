"""What type checkers see: every public name is annotated, and the native module has a stub."""

import ast
import inspect
from pathlib import Path

import pytest

import seamark as sm

SOURCE = Path(sm.__file__).parent
ROOMS = [getattr(sm, name) for name in sm.__all__ if inspect.ismodule(getattr(sm, name))]
STUB = ast.parse((SOURCE / "engine/_native.pyi").read_text("utf-8"))


def public():
    """Every public function, and every method of a public class that stands in this package."""
    for room in (sm, *ROOMS):
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isfunction(thing):
                yield f"{room.__name__}.{name}", thing
            if not inspect.isclass(thing):
                continue
            for base in thing.__mro__:
                for own, member in vars(base).items():
                    function = getattr(member, "__func__", getattr(member, "fget", member))
                    if base.__module__.startswith("seamark") and inspect.isfunction(function):
                        yield f"{base.__module__}.{base.__name__}.{own}", function


def test_every_parameter_and_every_result_is_annotated():
    lacking = []
    for name, function in dict(public()).items():
        if function.__name__.startswith(("__", "<")) or "seamark" not in function.__module__:
            continue  # what dataclasses write, from fields that are annotated; `stated` facts
        known = function.__annotations__
        asked = set(inspect.signature(function).parameters) - {"self", "cls"}
        lacking += [f"{name}({one})" for one in sorted(asked - set(known))]
        lacking += [name] if "return" not in known else []
    assert not lacking
    assert (SOURCE / "py.typed").exists()


def members(node):
    """Names of a stub's functions and classes, and of what these have."""
    for one in node.body:
        if isinstance(one, (ast.FunctionDef, ast.ClassDef)):
            yield one.name
            if isinstance(one, ast.ClassDef):
                yield from (f"{one.name}.{own}" for own in members(one))


def test_the_stub_of_the_native_module_is_that_of_its_bindings():
    native = pytest.importorskip("seamark.engine._native")
    found = set()
    for name, thing in vars(native).items():
        if name.startswith("_"):
            continue
        found.add(name)
        if inspect.isclass(thing):
            own = {f"{name}.{one}" for one in vars(thing) if one == "__init__" or one[0] != "_"}
            found |= own
    assert set(members(STUB)) == found, "write it again: python -m nanobind.stubgen -m …_native"
