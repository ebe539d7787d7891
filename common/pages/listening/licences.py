"""Which samples may be played on a website.

A sample is copied, cut and changed, and a website is open to everybody. So a licence must allow
everyone to copy, to change and to pass on, for any purpose. Licences without changes (ND) or for
some purposes only (NC, research) do not. An entry without licence is not played.
"""

from __future__ import annotations

from ...spec import Dataset

#: SPDX ids of licences that allow it; those of the second group want the authors named
FREE = ("CC0-1.0", "PDDL-1.0", "Unlicense", "0BSD", "MIT-0")
WITH_CREDIT = (
    "CC-BY-2.0",
    "CC-BY-2.5",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-SA-2.0",
    "CC-BY-SA-2.5",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "ODC-By-1.0",
    "ODbL-1.0",
    "CDLA-Permissive-1.0",
    "CDLA-Permissive-2.0",
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
)


def silent(dataset: Dataset) -> str:
    """Why samples of a dataset are not played; empty if they may be."""
    licence = dataset.license
    if licence in FREE or licence in WITH_CREDIT:
        return ""
    if not licence or licence == "unknown":
        said = "Its entry in the catalog names no licence"
    elif licence == "restricted":
        said = "Its users sign an agreement"
    else:
        said = f"Its licence is {licence}"
    return f"{said}. Only samples that everybody may copy and change are played here."
