"""Reading parquet files in the thread that asks.

The default reader of pyarrow reads ahead in threads of its own. What these still hold when Python
ends is released without Python, which aborts the process: about one command in ten that ended soon
after reading ended with signal 6. Small files are read in half of the processor time without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow


def table(source: Path | bytes, columns: list[str] | None = None) -> pyarrow.Table:
    """Content of a file, or of its bytes.

    Args:
        source: the file, or what it holds
        columns: columns that are read; None: all

    Raises:
        OSError: if it cannot be read
        ValueError: if it is no parquet file
    """
    import pyarrow
    import pyarrow.parquet

    place = pyarrow.BufferReader(source) if isinstance(source, bytes) else source
    with _refused(), pyarrow.parquet.ParquetFile(place) as file:
        content = file.read(columns, use_threads=False)
        # what is no text in a column of texts would be found later, by whoever asks for that row
        content.validate(full=True)
    return content


@contextmanager
def _refused() -> Iterator[None]:
    """Turn what a damaged file makes pyarrow raise besides OSError and ValueError into the latter."""
    try:
        yield
    except (NotImplementedError, LookupError, TypeError) as error:  # such as integers of 99 bits
        raise ValueError(error) from None


def frame(source: Path | bytes) -> pd.DataFrame:
    """As :func:`table`, with the index and the types that pandas noted in the file.

    Raises:
        OSError: if it cannot be read
        ValueError: if it is no parquet file, or what pandas noted makes no sense
    """
    content = table(source)
    try:
        return content.to_pandas(use_threads=False)
    # the note is JSON that anybody may have written; pyarrow looks at nothing of it first
    except (LookupError, TypeError, AttributeError, NotImplementedError) as error:
        raise ValueError(f"its note for pandas is damaged: {error!r}") from None


def names(path: Path) -> list[str]:
    """Names of the columns of a file, without reading its rows; raises as :func:`table`."""
    import pyarrow.parquet

    with _refused():
        return [str(name) for name in pyarrow.parquet.read_schema(path).names]
