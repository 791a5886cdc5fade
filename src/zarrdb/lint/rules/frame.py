"""Rules on Blosc2 frames.

The subject is what `zarrdb.frame.inspect` found; its problems carry the name of the rule as
their reason.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from zarrdb.errors import FrameError
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import rule

if TYPE_CHECKING:
    from zarrdb.frame import FrameFacts

_TRUNCATED: Final = ("container/unreadable", "frame/truncated")
_SHOWN: Final = 3


@rule("frame/truncated", level="error", subject="frame", requires=("container/unreadable",))
def truncated(facts: "FrameFacts") -> Iterator[Hit]:
    """A Blosc2 frame whose header, trailer and file length disagree.

    Why: the end of the file is missing, or its header is damaged; the chunks cannot be found.

    Fix: copy or download the file again and compare sizes.
    """
    return _told(facts, "truncated")


@rule("frame/not-an-array", level="error", subject="frame", requires=_TRUNCATED)
def not_an_array(facts: "FrameFacts") -> Iterator[Hit]:
    """A Blosc2 frame that holds no array, or not in one file.

    Why: without the `b2nd` metalayer a frame is a row of compressed bytes without shape and
    data type; a sparse frame is a directory with a file for each chunk, which nothing that
    reads ranges of a file can use, and of which files get lost.

    Fix: write it as an NDArray with `contiguous=True`.
    """
    return _told(facts, "not-an-array")


@rule("frame/bad-metalayer", level="error", subject="frame", requires=_TRUNCATED)
def bad_metalayer(facts: "FrameFacts") -> Iterator[Hit]:
    """A metalayer or attribute of a frame that cannot be read.

    Why: shape, chunks, blocks or data type contradict one another or are none that exist, so
    there is no array to read; or an attribute is lost.

    Fix: restore a copy.
    """
    return _told(facts, "bad-metalayer")


@rule("frame/bad-index", level="error", subject="frame", requires=_TRUNCATED)
def bad_index(facts: "FrameFacts") -> Iterator[Hit]:
    """Offsets of the chunks of a frame that cannot be right.

    Why: there are more or fewer than chunks, two chunks are at one place, or one is outside
    of the frame; readers give wrong items without an error, or crash.

    Fix: restore a copy.
    """
    return _told(facts, "bad-index")


@rule("frame/bad-chunk", level="error", subject="frame", requires=(*_TRUNCATED, "frame/bad-index"))
def bad_chunk(facts: "FrameFacts") -> Iterator[Hit]:
    """A chunk of a frame whose header has wrong sizes or, with `--data`, that does not decode.

    Why: reading that part of the array fails; some readers crash on such a header, or give
    other items. Chunks have no checksum: with `--data` every stream is as long as its place,
    and none is stored as it is that its codec would have shortened, as a hole in a file is.

    Fix: restore a copy.
    """
    hits = list(_told(facts, "bad-chunk"))
    if len(hits) < 2:
        yield from hits
        return
    numbers = [hit.message.partition(":")[0].removeprefix("chunk ") for hit in hits[:_SHOWN]]
    shown = ", ".join(numbers) + (", …" if len(hits) > _SHOWN else "")
    message = f"{len(hits):,} chunks are damaged ({shown}); {hits[0].message}"
    yield Hit(message, hits[0].hint, count=len(hits))


@rule(
    "frame/unwritten-chunk",
    level="info",
    subject="frame",
    requires=(*_TRUNCATED, "frame/not-an-array", "frame/bad-index"),
)
def unwritten_chunk(facts: "FrameFacts") -> Iterator[Hit]:
    """Chunks of a frame that were never written.

    Why: what they hold is nowhere defined: this library reads zeros, others whatever was in
    memory.

    Fix: none is needed where nobody reads them; otherwise write them.
    """
    if facts.nunwritten and facts.header is not None:
        total = facts.header.geometry.nchunks
        message = f"{facts.nunwritten:,} of {total:,} chunks were never written"
        yield Hit(message, count=facts.nunwritten)


def _told(facts: "FrameFacts", reason: str) -> Iterator[Hit]:
    return (hit_of(facts, each) for each in facts.problems if each.reason == reason)


def hit_of(facts: "FrameFacts", problem: FrameError) -> Hit:
    """A problem of a frame as a hit."""
    return Hit(problem.message.removeprefix(f"{facts.name}: "), problem.hint)
