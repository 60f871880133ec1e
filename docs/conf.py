"""The site: `sphinx-build -W -n docs OUT` makes it, without the network.

Pages are Markdown whose code was run by docs/build.py; nothing is executed here but the
pictures of the gallery. Mathematics becomes MathML, so that no script or font is fetched.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

import betaroc  # noqa: E402 - after the path

project = "betaroc"
author = "the betaroc developers"
project_copyright = author
version = release = betaroc.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
exclude_patterns = ["_templates", "gallery_scripts", "gallery/*.py", "gallery/*.ipynb"]
templates_path = ["_templates"]
nitpicky = True
default_role = "code"  # of docstrings: `x` is a name

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["config.cache"]

# ------------------------------------------------------------------ the reference
has_sklearn = importlib.util.find_spec("sklearn") is not None
autosummary_generate = [
    str(page.relative_to(HERE))
    for page in sorted((HERE / "reference").glob("*.md"))
    if has_sklearn or page.stem != "sklearn"
]
autosummary_imported_members = False
autodoc_typehints = "none"  # parameters and their domains stand in the docstrings
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
#: Pages of classes whose names differ from a function's in the case alone.
autosummary_filename_map = {
    f"{module}.{name}": f"{module}.{name}-class"
    for module, names in (
        ("betaroc", betaroc.__all__),
        ("betaroc.results", betaroc.results.__all__),
    )
    for name in names
    if name != name.lower()
}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False

# ------------------------------------------------------------------ the gallery
sphinx_gallery_conf = {
    "examples_dirs": "gallery_scripts",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"__init__\.py" if has_sklearn else r"__init__\.py|sklearn",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("matplotlib",),
    "default_thumb_file": None,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "download_all_examples": False,
    "abort_on_example_error": True,
    "copyfile_regex": r".*\.css",
    "plot_gallery": True,
}

# ------------------------------------------------------------------ the look
html_sidebars = {"index": [], "tutorial": []}  # they have no pages beside them
html_theme = "pydata_sphinx_theme"
html_title = "betaroc"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_sourcelink_suffix = ""
html_theme_options = {
    "logo": {"text": "betaroc"},
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_math_renderer = "mathml"

# ------------------------------------------------------------------ the links out of the site
linkcheck_allowed_redirects = {r"doi\.org/": r".*"}  # a DOI leads elsewhere by design
linkcheck_timeout = 20
linkcheck_retries = 2
linkcheck_workers = 2

#: Pages of the site that are files of the repository.
COPIES = {
    "changes": "CHANGELOG.md",
    "contributing": "CONTRIBUTING.md",
    "data": "examples/data/README.md",
}
#: What a field of a named tuple is on its class.
_Field = type(NamedTuple("_Pair", [("first", int)]).first)
_LINK = re.compile(r"\[([^\]\[]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def here_instead(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the files of the repository in, and let links out of docs/ lead to a copy."""
    page = HERE / f"{docname}.md"
    if docname == "reference/sklearn" and not has_sklearn:
        source[0] = (
            "# scikit-learn\n\nscikit-learn was not installed where these pages were built, so that"
            " this page is empty. `pip install betaroc[docs]` and build them again.\n"
        )
    elif docname in COPIES:
        page = ROOT / COPIES[docname]
        source[0] = page.read_text(encoding="utf-8")
    if page.exists():
        source[0] = _LINK.sub(lambda link: _on_the_site(link, docname, page), source[0])


def _on_the_site(link: re.Match[str], docname: str, page: Path) -> str:
    """The link, as it must be written in a page of the site.

    A page stays a page, a file that is copied into the site leads there, any other file of the
    repository can be downloaded.
    """
    text, target, anchor = link[1], (page.parent / link[2]).resolve(), link[3] or ""
    if not target.exists() or link.string[link.start() - 1] == "!":
        return link[0]
    copies = {ROOT / outside: HERE / f"{inside}.md" for inside, outside in COPIES.items()}
    target = copies.get(target, target)
    here = (HERE / docname).parent
    way = Path(os.path.relpath(target, here)).as_posix()
    if target.is_dir() or (target.is_relative_to(HERE) and target.suffix == ".md"):
        return f"[{text}]({way}{anchor})" if target.is_file() else f"`{text}`"
    return f"{{download}}`{text.replace('`', '')} <{way}>`"


def docstring_as_page(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Indented formulas of docstrings stay as they are laid out; pages that they name are links."""
    lines[:] = [re.sub(r"\bdocs/(\w+)\.md\b", r":doc:`/\1`", line) for line in lines]
    for k in range(len(lines) - 1, 1, -1):
        before = next((line for line in reversed(lines[:k]) if line.strip()), "")
        opens = lines[k].startswith("    ") and not lines[k - 1].strip()
        if opens and before and not before.startswith((" ", ">>>", "..")) and before[-2:] != "::":
            lines[k:k] = [".. code-block:: text", ""]


def not_alias(
    app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Fields of named tuples stand among the parameters, and are no "alias for field number 0"."""
    return True if isinstance(obj, _Field) else None


def public_name(app: Sphinx, env: Any, node: Any, contnode: nodes.Element) -> Any:
    """See-also entries name what users import from the top."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or target not in betaroc.__all__:
        return None
    where = (env, node["refdoc"], app.builder, "obj", f"betaroc.{target}", node, contnode)
    return env.get_domain("py").resolve_xref(*where)


def inline_math(self: Any, node: nodes.math) -> None:
    """A formula in a line of text, as MathML."""
    self.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def block_math(self: Any, node: nodes.math_block) -> None:
    """A formula of its own, with its number and a link to it."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(tex2mathml(node.astext(), as_block=True))
    if node["number"]:
        self.body.append(f'<span class="eqno">({node["number"]})')
        self.add_permalink_ref(node, "link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer of formulas and the links."""
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
    app.connect("source-read", here_instead)
    app.connect("autodoc-process-docstring", docstring_as_page, priority=100)  # before numpydoc
    app.connect("autodoc-skip-member", not_alias)
    app.connect("missing-reference", public_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
