"""Rules on stored chunks: their lengths, headers and shard indexes, held against the document.

The subject is the watch over one array, when the last of its keys has passed.
"""

from collections.abc import Iterator

from zarrdb.lint.chunkwatch import ChunkWatch
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import rule
from zarrdb.lint.rules.chunk import tallied

_CODEC = ("json/*", "array/*", "dtype/invalid", "codec/*")


@rule("chunk/wrong-length", level="error", subject="array", requires=_CODEC)
def wrong_length(array: ChunkWatch) -> Iterator[Hit]:
    """A chunk is not as long as its array's document says.

    Why: without compression the length of a chunk follows from its shape and data type; a
    shard cannot be shorter than its index. Readers fail, or read other items.

    Fix: correct the document if it is wrong, or write the chunk again.
    """
    values = array.values
    if values is None or not values.length.count:
        return
    expected = values.expected
    wanted = (
        f"{expected.length:,} bytes"
        if expected.length is not None
        else f"at least the {expected.shard.size:,} bytes of the index"
        if expected.shard is not None
        else ""
    )
    yield tallied(
        array, values.length, f"{values.length.text('chunk')} of another length than {wanted}"
    )


@rule("chunk/wrong-header", level="error", subject="array", requires=_CODEC)
def wrong_header(array: ChunkWatch) -> Iterator[Hit]:
    """A chunk's own header says something else than its array's document.

    Why: the value was written by another codec, with another chunk shape or data type, or
    was cut; decoding fails or gives other items.

    Fix: correct the document if it is wrong, or write the chunk again.
    """
    values = array.values
    if values is not None and values.header.count:
        text = f"{values.header.text('chunk')} with a wrong header: {values.header_fault}"
        yield tallied(array, values.header, text)


@rule("chunk/bad-shard", level="error", subject="array", requires=_CODEC)
def bad_shard(array: ChunkWatch) -> Iterator[Hit]:
    """The index of a shard is broken.

    Why: it tells where the inner chunks are; with a wrong checksum readers refuse the shard,
    with wrong entries they read other bytes.

    Fix: write the shard again; check `index_location` if all of them are broken.
    """
    values = array.values
    if values is not None and values.shard.count:
        text = f"{values.shard.text('shard')} with a broken index: {values.shard_fault}"
        yield tallied(array, values.shard, text)
