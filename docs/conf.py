"""How the documentation is built: ``make docs``."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import greedag

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "greedag"
author = "The greedag developers"
copyright = author
version = release = greedag.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "command_help",
    "drawing",
    "results",
]
exclude_patterns = ["_templates", "paper/README.md", "gallery/**/*.md5"]
templates_path = ["_templates"]
# Every name that the text refers to must be there.
nitpicky = True
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "deflist"]
# Headings can be linked to, as on any forge that shows Markdown.
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "gallery_order.Order",
    "default_thumb_file": str(HERE / "_static" / "graph.svg"),
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "copyfile_regex": "",
    "image_srcset": ["2x"],
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"matplotlib",
}
# Scripts that draw on figures of their own warn that nothing will be shown here.
warnings.filterwarnings("ignore", message=".*non-interactive.*")

html_theme = "pydata_sphinx_theme"
html_title = "greedag"
html_static_path = ["_static"]
html_css_files = ["greedag.css"]
html_favicon = LOGO = "_static/logo.svg"
# Pages without pages below them have nothing to show at the side.
html_sidebars = {page: [] for page in ("quickstart", "tutorial", "faq")}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "greedag", "image_light": LOGO, "image_dark": LOGO},
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}


def without_private(
    app: Sphinx, what: str, name: str, thing: object, options: object, signature: str, *_: Any
) -> tuple[str, None] | None:
    """Hide the signature of a class that is made by its class methods."""
    is_private = what == "class" and ", _" in (signature or "")
    return ("", None) if is_private else None


def setup(app: Sphinx) -> None:
    """Connect what is above."""
    app.connect("autodoc-process-signature", without_private)
