"""The documentation site: `make site` builds it into build/site, `make docs` also opens it.

Pages are Markdown (MyST). The guides are notebooks in Markdown and are executed while the site is built; the Python blocks
of all other pages are tests (conftest.py of the root). The API reference is made from the docstrings.
"""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path

from sparsecut import __version__, datasets

project = "sparsecut"
author = "the sparsecut authors"
project_copyright = author
version = release = __version__
language = "en"

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["results.html", "results"]
templates_path = ["_templates"]
smartquotes = False  # in the docstrings, what stands in quotes is a value to type

# Markdown. Headings get the anchors that GitHub gives them, so that one link works in both places.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

# Guides. One whose graph is not on this machine is shown without its results.
NEEDS_DATA = {"guides/citation_network.md": "cora"}
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_merge_streams = True
nb_execution_excludepatterns = [
    page for page, name in NEEDS_DATA.items() if datasets.locate(datasets.find_dataset(name)) is None
]
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"

# The kernels read no settings of the user's, and keep quiet about running without encryption on this machine.
_settings = Path(tempfile.mkdtemp(prefix="sparsecut-site-"))
(_settings / "profile_default").mkdir()
(_settings / "profile_default/ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n", "utf-8")
os.environ["IPYTHONDIR"] = str(_settings)
os.environ["NUMBA_DISABLE_JIT"] = "1"  # scanpy's loops over 700 cells take less time than compiling them

# The lists of choices on the API page are those of the classes.
runpy.run_path(str(Path(__file__).with_name("api_page.py")), run_name="__main__")

# The reference: numpydoc's sections; words between single backticks are code, as in Markdown.
default_role = "literal"
autosummary_generate = True
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "inherited-members": "Exception, Generic, Protocol, tuple, dict, object"}
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# Looks. No page asks the network for anything, and the search works from the file system.
html_theme = "furo"
html_title = f"sparsecut {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_search_summary = False  # a summary is fetched, which a browser refuses for files
html_copy_source = False
html_show_sphinx = False
html_js_files = ["site.js"]
pygments_style, pygments_dark_style = "xcode", "monokai"  # every colour can be read on its ground
copybutton_prompt_text, copybutton_prompt_is_regexp = r">>> |\.\.\. |\$ ", True
