"""Damaged parquet files are refused; none of them ends the process."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from common.core import parquet
from common.core.paths import REPOSITORY

#: reads a file once for each bit of the first bytes of its description that is turned over
TURNS = """
import sys
from pathlib import Path

from common.core import parquet
from common.predictions import parts

place = Path(sys.argv[1])
content = place.read_bytes()
start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
refused = 0
for byte in range(start, start + 300):
    for bit in range(8):
        damaged = bytearray(content)
        damaged[byte] ^= 1 << bit
        place.write_bytes(damaged)
        parts.overlaps(place, "a.wav", "b.wav")
        try:
            parquet.table(bytes(damaged))
        except (OSError, ValueError):
            refused += 1
print(refused)
"""


@pytest.fixture
def content() -> bytes:
    table = pd.DataFrame({"file": ["a.wav", "b.wav"], "start": [0, 1], "emotion": ["joy", None]})
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False)
    return buffer.getvalue()


def test_no_bit_of_a_description_ends_the_process(content: bytes, tmp_path: Path) -> None:
    place = tmp_path / "part.parquet"
    place.write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", TURNS, str(place)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


def test_a_file_without_rows_is_read() -> None:
    buffer = io.BytesIO()
    pd.DataFrame({"file": []}).to_parquet(buffer, index=False)
    assert parquet.table(buffer.getvalue()).num_rows == 0


@pytest.mark.parametrize(("asked", "raised"), [(10**9, MemoryError), (10**12, ValueError)])
def test_too_little_memory_is_no_fault_of_a_file(
    content: bytes, tmp_path: Path, monkeypatch, asked: int, raised: type[Exception]
) -> None:
    """A part is refused only if it says to be larger than all that is read of a file of its size."""
    place = tmp_path / "part.parquet"
    place.write_bytes(content)

    def read(self, *args, **options):
        raise pyarrow.lib.ArrowMemoryError(f"malloc of size {asked} failed")

    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "read", read)
    monkeypatch.setattr(parquet, "LARGEST", 10**10)
    for source in (place, content):
        with pytest.raises(raised, match=r"malloc of size|is larger than 953674 MiB"):
            parquet.table(source)
