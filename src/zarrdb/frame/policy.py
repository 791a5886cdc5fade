"""When blocks of a chunk are worth more requests than the chunk, and how much to read at once."""

from collections.abc import Mapping, Sequence

# An extra round trip of 20 ms is worth 500 KB at 25 MB/s: the one that reads the layout.
ROUND_TRIP = 512 << 10
# Ranges are read eight at once, so each costs an eighth of a round trip.
RANGE = 64 << 10

# Smaller chunks come as soon in one piece, whatever is wanted of them.
MIN_CHUNK = 1 << 20
# Past half of the blocks nearly all of the bytes come anyway, in more requests.
MAX_FRACTION = 2

# What is fetched before it is decoded: eight requests of 4 MiB side by side, or of one chunk.
BATCH = 32 << 20
BATCHES_AHEAD = 3


def worth_taking_apart(extent: int, nblocks: int, nwanted: int, nruns: int = 1) -> bool:
    """Whether `nwanted` blocks in `nruns` ranges beat all of a chunk of `extent` bytes."""
    if extent < MIN_CHUNK or nwanted * MAX_FRACTION > nblocks:
        return False
    return saved(extent, nblocks, nwanted) >= ROUND_TRIP + nruns * RANGE


def saved(extent: int, nblocks: int, nwanted: int) -> int:
    """About how many bytes of a chunk are left out when only some of its blocks come."""
    return extent - extent * nwanted // nblocks


def wave_is_worth_it(
    wave: Mapping[int, int], extents: Mapping[int, int], nblocks: int, max_ranges: int
) -> bool:
    """Whether all blocks of a fetch together pay for the round that reads their layouts.

    For a transport that carries `max_ranges` ranges in a request, requests are nearly free
    and the extra round is paid once, however small each chunk is.
    """
    left_out = sum(
        saved(extents[n], nblocks, wanted)
        for n, wanted in wave.items()
        if n in extents and wanted * MAX_FRACTION <= nblocks
    )
    requests = -(-len(wave) // max_ranges)
    return left_out >= ROUND_TRIP + requests * RANGE


def count_runs(numbers: Sequence[int]) -> int:
    """How many runs of consecutive numbers there are among ascending ones."""
    return sum(i == 0 or n != numbers[i - 1] + 1 for i, n in enumerate(numbers))
