"""How the documentation is built: ``sphinx-build -W docs build/docs``, without a network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import gops_lab  # noqa: E402

project = "GOPS Lab"
author = "The GOPS Lab developers"
project_copyright = author
version = release = gops_lab.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "mathml",  # docs/extensions: formulas
    "computed",  # docs/extensions: numbers, tables, the command line, the reference
]
exclude_patterns = ["generated/*.md"]
templates_path = ["templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

myst_enable_extensions = ["dollarmath", "substitution", "deflist"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

smartquotes = False  # "--out" stays as it is typed
default_role = "py:obj"  # single backticks in docstrings
autodoc_typehints = "none"  # numpydoc lists the types
autodoc_member_order = "bysource"
autosummary_generate = True
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"GOPS Lab {release}"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_copy_source = False
html_show_sphinx = False
