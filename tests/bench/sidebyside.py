"""Timings side by side: candidates in turn, so that a machine's moods meet all of them."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Timing(NamedTuple):
    """Seconds of one candidate over all rounds."""

    name: str
    median: float
    low: float
    high: float


def alternate(
    candidates: Mapping[str, Callable[[], float | None]], *, rounds: int = 7, warm_up: int = 1
) -> dict[str, Timing]:
    """Run all candidates in turn, `rounds` times after the warm-up.

    A candidate returns its own seconds, or None to be timed as a whole.
    """
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(warm_up + rounds):
        for name, run in candidates.items():
            start = time.perf_counter()
            own = run()
            taken = time.perf_counter() - start if own is None else own
            if number >= warm_up:
                seconds[name].append(taken)
    return {
        name: Timing(name, statistics.median(each), min(each), max(each))
        for name, each in seconds.items()
    }


def show(title: str, timings: Mapping[str, Timing], *, base: str) -> None:
    """Print a table with the ratio to one of the candidates."""
    print(f"\n{title}")
    reference = timings[base].median
    for name, timing in timings.items():
        print(
            f"  {name:<28} {timing.median * 1e3:9.2f} ms"
            f"  ({timing.low * 1e3:.2f} to {timing.high * 1e3:.2f})"
            f"  {timing.median / reference:6.2f} x {base}"
        )
