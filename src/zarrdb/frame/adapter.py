"""A source as a range reader: what a frame reads through, over what a subclass supplies."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from zarrdb.errors import FrameError, PartsMissingError
from zarrdb.transport import spans as arithmetic

if TYPE_CHECKING:
    from zarrdb.frame.source import ByteRangeNDSource

# A hole of a page costs less than a range; larger ones would add bytes that blosc2's own
# reader does not fetch.
BLOCK_GAP = 4 << 10

# 30 chunks of 7 MB came as fast one by one, eight at once, as in longer runs.
MAX_RUN = 8 << 20


class SourceReader:
    """A source as a range reader: near spans merged, several requests at once."""

    size = None

    def __init__(self, source: "ByteRangeNDSource") -> None:
        self.name = source.urlpath
        self._source = source

    def head_tail(self, head: int, tail: int) -> tuple[bytes, bytes]:  # noqa: ARG002
        """The head alone: where the file ends is not known."""
        return self._source.read_ranges([(0, head)])[0], b""

    def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of each span; raises FrameError where the file ends before one does."""
        source = self._source
        runs = arithmetic.requests(spans, gap=BLOCK_GAP, limit=MAX_RUN)
        groups = [runs[i : i + source.max_ranges] for i in range(0, len(runs), source.max_ranges)]
        if len(groups) < 2 or source.max_concurrency < 2:
            answers = [self._group(group) for group in groups]
        else:
            workers = min(source.max_concurrency, len(groups))
            with ThreadPoolExecutor(workers, "zarrdb-source") as pool:
                answers = list(pool.map(self._group, groups))
        bodies = [body for answer in answers for body in answer]
        for run, body in zip(runs, bodies, strict=True):
            if len(body) < run.size:
                end = run.offset + len(body)
                raise FrameError(f"{self.name} ends at byte {end}", reason="truncated")
        return [arithmetic.assemble(span, runs, bodies) for span in spans]

    def _group(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """One request; one for each span where an answer to several did not hold all."""
        try:
            return self._source.read_ranges(spans)
        except PartsMissingError:
            if len(spans) == 1:
                raise
            return [body for span in spans for body in self._source.read_ranges([span])]
