"""Reading parquet files in the thread that asks.

The default reader of pyarrow reads ahead in threads of its own. What these still hold when Python
ends is released without Python, which aborts the process: about one command in ten that ended soon
after reading ended with signal 6. Small files are read in half of the processor time without them.

A short file can stand for much more than memory holds: a value that a million rows repeat is written once.
What a file becomes is counted before it is put together.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow
    import pyarrow.parquet

#: what is read of a file: so many bytes, or so many times its own size if that is more
LARGEST, TIMES = 256 * 2**20, 500
_TEXT, _FIXED = "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"
#: types of values -> bytes of each
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}


def table(source: Path | bytes, columns: list[str] | None = None) -> pyarrow.Table:
    """Content of a file, or of its bytes.

    Args:
        source: the file, or what it holds
        columns: columns that are read; None: all

    Raises:
        OSError: if it cannot be read
        ValueError: if it is no parquet file, or one that becomes far larger than any honest content
    """
    import pyarrow

    place = pyarrow.BufferReader(source) if isinstance(source, bytes) else source
    most = _most(place)
    with opened(place) as file:
        repeated = _repeated(file.metadata, file.schema, most)
        if repeated:
            _count(source, repeated, most)
        content = file.read(columns, use_threads=False)
        # what is no text in a column of texts would be found later, by whoever asks for that row
        content.validate(full=True)
    return content


@contextmanager
def opened(
    place: Path | pyarrow.NativeFile, columns: list[str] | None = None
) -> Iterator[pyarrow.parquet.ParquetFile]:
    """A file whose parts can be asked about their columns.

    Where Python asks pyarrow (26.0) about a column whose description contradicts itself, no exception
    comes back, but the process aborts. So one row of each part is read first: what reads rows looks at
    the descriptions before, and raises.

    Args:
        place: the file
        columns: columns that are asked about; None: all

    Raises:
        OSError: if it cannot be read
        ValueError: if it is no parquet file
    """
    import pyarrow.parquet

    with _refused(_most(place)), pyarrow.parquet.ParquetFile(place) as file:
        for number in range(file.metadata.num_row_groups):
            next(file.iter_batches(1, [number], columns, use_threads=False), None)
        yield file


def _most(place: Path | pyarrow.NativeFile) -> int:
    """How many bytes the content of a file may have."""
    return max(LARGEST, TIMES * (place.stat().st_size if isinstance(place, Path) else place.size()))


def _too_large(size: float, most: float) -> ValueError:
    return ValueError(
        f"its content is larger than {size / 2**20:.0f} MiB; of a file of its size {most / 2**20:.0f} MiB are read"
    )


def _repeated(metadata: Any, schema: Any, most: int) -> list[str]:
    """Columns of texts that may be larger than all that is read, as they say each text once.

    Raises:
        ValueError: if the other columns are larger
    """
    total = 0
    columns: dict[str, None] = {}
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for place in range(metadata.num_columns):
            chunk = group.column(place)
            kind = chunk.physical_type
            if kind != _TEXT:
                width = schema.column(place).length if kind == _FIXED else _WIDTHS.get(kind, 8)
                total += chunk.num_values * width
                continue
            total += chunk.total_uncompressed_size
            is_listed = any("DICTIONARY" in encoding for encoding in chunk.encodings)
            if is_listed and chunk.num_values * chunk.total_uncompressed_size > LARGEST:
                columns[chunk.path_in_schema] = None
    if total > most:
        raise _too_large(total, most)
    return list(columns)


def _count(source: Path | bytes, names: list[str], most: int) -> None:
    """Refuse columns of texts that are larger than all that is read; here no text is repeated.

    Texts in lists cannot be counted so: few rows at a time are put together.

    Raises:
        ValueError: if they are larger
    """
    import pyarrow.parquet

    place = io.BytesIO(source) if isinstance(source, bytes) else source
    within = sorted({name.partition(".")[0] for name in names})
    flat = set(within) == set(names)
    with pyarrow.parquet.ParquetFile(place, read_dictionary=names if flat else None) as file:
        rows = 2**16 if flat else max(1, LARGEST // _largest(file.metadata, names))
        total = 0
        for batch in file.iter_batches(rows, columns=within, use_threads=False):
            total += sum(map(_size, batch.columns))
            if total > most:
                raise _too_large(total, most)


def _largest(metadata: Any, names: Sequence[str]) -> int:
    """Bytes of the largest part of a file that belongs to one of some columns."""
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    chunks = (group.column(n) for group in groups for n in range(metadata.num_columns))
    return max(1, *(c.total_uncompressed_size for c in chunks if c.path_in_schema in names))


def _size(column: Any) -> int:
    """Bytes of a column once its texts are repeated."""
    import pyarrow
    import pyarrow.compute

    if not pyarrow.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pyarrow.compute.binary_length(column.dictionary).cast(pyarrow.int64())
    return int(pyarrow.compute.sum(lengths.take(column.indices.drop_null())).as_py() or 0)


@contextmanager
def _refused(most: float = math.inf) -> Iterator[None]:
    """Turn what a damaged file makes pyarrow raise besides OSError and ValueError into the latter.

    Args:
        most: bytes that its content may have; a part of it may say that it has more
    """
    try:
        yield
    except (NotImplementedError, LookupError, TypeError) as error:  # such as integers of 99 bits
        raise ValueError(error) from None
    except MemoryError as error:  # that there is too little memory is no fault of the file
        size = int((re.search(r"size (\d+)", str(error)) or [0, 0])[1])
        if size <= most:
            raise
        raise _too_large(size, most) from None


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
