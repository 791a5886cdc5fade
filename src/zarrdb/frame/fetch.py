"""Pieces of chunks brought here in batches of bounded size, the next while one is decoded."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from math import prod
from typing import NamedTuple, TypeAlias

from zarrdb.frame import policy
from zarrdb.frame.geometry import Geometry, Piece, cut, pieces
from zarrdb.frame.index import Index
from zarrdb.frame.plan import Parts, Whole


class Batch(NamedTuple):
    """What one fetch brings: chunks to read whole, and the blocks wanted of others."""

    pieces: list[Piece]
    whole: list[int]
    parts: dict[int, list[int]]


Fetched: TypeAlias = dict[int, Whole | Parts]


def batches(index: Index, geometry: Geometry, wanted: Iterable[Piece]) -> Iterator[Batch]:
    """The pieces of stored chunks in batches, in the order given."""
    batch, size = Batch([], [], {}), 0
    for piece in wanted:
        extent = index.extent(piece.number)
        blocks = _blocks(geometry, piece, extent)
        cost = extent if blocks is None else extent * len(blocks) // geometry.nblocks
        if batch.pieces and size + cost > policy.BATCH:
            yield batch
            batch, size = Batch([], [], {}), 0
        batch.pieces.append(piece)
        size += cost
        if blocks is None:
            batch.whole.append(piece.number)
        else:
            batch.parts[piece.number] = blocks
    if batch.pieces:
        yield batch


def _blocks(geometry: Geometry, piece: Piece, extent: int) -> list[int] | None:
    """The blocks that a piece wants, or None if the chunk had better come whole."""
    if extent < policy.MIN_CHUNK:
        return None
    count = prod(
        sum(1 for _ in cut(inside, size))
        for inside, size in zip(piece.inside, geometry.blocks, strict=True)
    )
    if count * policy.MAX_FRACTION > geometry.nblocks:
        return None
    numbers = [part.number for part in pieces(piece.inside, geometry.blocks, geometry.block_grid)]
    runs = policy.count_runs(numbers)
    return numbers if policy.worth_taking_apart(extent, geometry.nblocks, count, runs) else None


def fetch_ahead(
    work: Iterable[Batch], fetch: Callable[[Batch], Fetched]
) -> Iterator[tuple[Batch, Fetched]]:
    """Each batch with what came for it, while those after it are on their way."""
    coming = iter(work)
    ahead = list(islice(coming, policy.BATCHES_AHEAD))
    if len(ahead) < 2:
        yield from ((batch, fetch(batch)) for batch in ahead)
        return
    with ThreadPoolExecutor(policy.BATCHES_AHEAD, "zarrdb-frame") as pool:
        pending = deque((batch, pool.submit(fetch, batch)) for batch in ahead)
        try:
            while pending:
                batch, future = pending.popleft()
                fetched = future.result()
                pending.extend((more, pool.submit(fetch, more)) for more in islice(coming, 1))
                yield batch, fetched
        finally:
            for _, future in pending:
                future.cancel()
