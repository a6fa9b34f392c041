"""How the site is built: Markdown pages, docstrings, and examples that are run."""

import warnings
from typing import Any

import numpy as np
from docutils import nodes

import seamark

project = "seamark"
author = "The seamark developers"
copyright = "the seamark developers"
version = release = seamark.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/README.md"]
nitpicky = False

html_theme = "furo"
html_title = "seamark"
html_static_path = ["_static"]
html_css_files = ["seamark.css"]
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5d7a",
        "color-brand-content": "#0b5d7a",
        "font-stack": "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6cc5e0",
        "color-brand-content": "#6cc5e0",
    },
}

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
# Docstrings inherited from scikit-learn refer to labels of its own site.
suppress_warnings = ["config.cache", "ref.ref", "ref.term"]
templates_path = ["_templates"]

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections say it
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# `>>>` is for doctests; readers copy without it.
copybutton_prompt_text = ">>> |\\.\\.\\. "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"__init__\.py|demo\.py",
    "download_all_examples": True,  # as scripts and as notebooks
    "show_memory": False,
    "write_computation_times": False,  # a page that asks a foreign server for scripts
    "min_reported_time": 1,
    "remove_config_comments": True,
    "abort_on_example_error": True,
}
warnings.filterwarnings("ignore", message=".*non-interactive.*")


def skip_routing(
    app: object, what: str, name: str, obj: object, skip: bool, options: object
) -> bool:
    """Leave out methods made for metadata routing, and ufuncs, which have no signature."""
    routing = name.startswith("set_") and name.endswith("_request")
    return skip or routing or isinstance(obj, np.ufunc)


def escape_bars(
    app: object, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Keep |x| an absolute value: to docutils it is a name to be replaced."""
    for i, line in enumerate(lines):
        if "``" not in line and ">>>" not in line:
            lines[i] = line.replace("|", r"\|")


def shorten_navigation(
    app: object, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Open the tree beside a page where the page is, and not the list of all public names.

    The theme wants everything open: 320 names beside each of as many pages took most of the time
    that the site takes, and most of its bytes.
    """
    whole = context.get("toctree")
    if whole is not None:
        less = {"collapse": True, "maxdepth": 1 if page.startswith("generated/") else -1}
        context["toctree"] = lambda **options: whole(**options | less)


def trim_code(app: object, doctree: Any) -> None:
    """Drop the blank line that ends an example: doctest needs it before a fence, readers do not."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = block.rawsource.rstrip()
        block.children = [nodes.Text(text)]


def setup(app: object) -> None:
    """Tell Sphinx; bars are escaped after numpydoc has read its sections."""
    app.connect("doctree-read", trim_code)  # type: ignore[attr-defined]
    app.connect("html-page-context", shorten_navigation, priority=400)  # type: ignore[attr-defined]
    app.connect("autodoc-skip-member", skip_routing)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", escape_bars, priority=900)  # type: ignore[attr-defined]
