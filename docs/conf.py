"""Settings of the website; everything that is computed lives in ``_ext/`` and ``common/``.

Sphinx is called by :func:`common.pages.site.build` with this folder as its configuration folder and
``build/source`` as its source folder, which holds these pages, the generated ones, and the
result tables and media that pages may refer to.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

project = "speechproof"
author = "the speechproof authors"
copyright = author
language = "en"

extensions = [
    "benchmark_site",
    "local_math",
    "site_frame",
    "matplotlib.sphinxext.plot_directive",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["extra", "method-tests", "decisions", "**/README*"]
templates_path = ["_templates"]
nitpicky = True
smartquotes = False

# -- citations and figures of the prose pages ---------------------------------------------
bibtex_bibfiles = ["refs.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"
plot_formats = [("webp", 144)]  # a spectrogram takes a seventh of its PNG
plot_html_show_formats = False
plot_html_show_source_link = False
plot_include_source = False

# -- HTML: no third party host, no date, nothing that changes without a reason --------------
html_theme = "basic"  # docs/_templates/layout.html has the frame
html_title = project
html_baseurl = os.environ.get("SPEECHPROOF_URL", "")  # for previews and the list of all pages
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = [
    "frame.css",
    "site.css",
    "field.css",
    "listen.css",
    "events.css",
    "boards.css",
]
html_js_files = [
    ("frame.js", {"defer": "defer"}),
    ("site.js", {"defer": "defer"}),
    ("export.js", {"defer": "defer"}),
    ("hints.js", {"defer": "defer"}),
    ("listen.js", {"defer": "defer"}),
    ("events.js", {"defer": "defer"}),
    ("scoring.js", {"defer": "defer"}),
    ("boards.js", {"defer": "defer"}),
    ("compare.js", {"defer": "defer"}),
    ("hear.js", {"defer": "defer"}),
    ("predictions.js", {"defer": "defer"}),
    ("own.js", {"defer": "defer"}),
]
html_last_updated_fmt = None
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
html_permalinks_icon = "#"
