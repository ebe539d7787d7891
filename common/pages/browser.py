"""The browser of this machine, which prints reports and in which pages are measured."""

from __future__ import annotations

import os
import shutil

#: browsers that print without a window
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")


def browser_path() -> str:
    """Path of the first browser that is here; empty if there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), "")


def browser_settings() -> list[str]:
    """What such a browser needs to run here: root has no sandbox."""
    return ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
