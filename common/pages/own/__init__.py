"""What a reader's own predictions are scored against in the browser.

A run writes the truth of each dataset that everybody may copy, with the samples and groups of its
tests, as a script that sets one entry of a global; a page loads it when a reader brings a file.
"""

from __future__ import annotations

#: folder of the scripts below ``extra/media``
FOLDER = "own"
#: which scripts there are
INDEX = "index.json"
FORMAT = 1
