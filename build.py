#!/usr/bin/env python3
"""Entry point of the benchmark: ``python build.py --help``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from common import heap
    from common.cli import main

    heap.keep()
    sys.exit(main())
