"""Pictures of the gallery are whole: no empty axes, no cut labels."""

import ast
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


def figures(cell):
    """Yield the names that ``plt.subplots`` is unpacked to in a cell, and its keywords."""
    for node in ast.walk(ast.parse(cell)):
        call = node.value if isinstance(node, ast.Assign) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "plt.subplots":
            names = {one.id for one in ast.walk(node.targets[0]) if isinstance(one, ast.Name)}
            yield names, {word.arg: ast.unparse(word.value) for word in call.keywords}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_a_figure_is_drawn_in_its_cell_and_fits(path):
    cells = path.read_text().split("# %%")
    for k, cell in enumerate(cells):
        for names, keywords in figures(cell):
            assert keywords.get("layout") == "'constrained'"
            later = ast.walk(ast.parse("".join(cells[k + 1 :])))  # whose drawing nobody sees
            assert not names & {node.id for node in later if isinstance(node, ast.Name)}


def test_the_gallery_is_one():
    assert len(EXAMPLES) >= 12
    for path in EXAMPLES:
        title, line = ast.get_docstring(ast.parse(path.read_text()), clean=True).splitlines()[:2]
        assert set(line) == {"="}, path.name
        assert len(line) >= len(title), path.name


def test_all_data_of_the_gallery_say_where_they_are_from():
    folder = EXAMPLES[0].parent / "data"
    table = (folder / "SOURCES.md").read_text()
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md"]
    assert files
    for path in files:
        assert f"`{path.relative_to(folder).as_posix()}`" in table
        assert path.stat().st_size < 100_000


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_does_not_ask_where_its_file_is(path):
    """Where the site is built it has none."""
    names = [
        node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)
    ]
    assert "__file__" not in names
