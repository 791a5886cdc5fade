"""Timings side by side: candidates in turn, so that a machine's moods meet all of them."""

import json
import os
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

BOUNDS_FILE: Final = "ZARRDB_BENCH_BOUNDS"
"""Environment: where `bound` leaves a line of JSON for the table of all benchmarks."""


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


def ratio(timings: Mapping[str, Timing], name: str, base: str) -> float:
    """How many times as long as `base` one of the candidates takes."""
    return timings[name].median / timings[base].median


def bound(
    what: str,
    measured: float,
    unit: str,
    *,
    at_most: float | None = None,
    at_least: float | None = None,
) -> bool:
    """Print whether a figure is as good as is wanted; it is never an error by itself."""
    met = (at_most is None or measured <= at_most) and (at_least is None or measured >= at_least)
    wanted = f"at most {at_most:,g}" if at_most is not None else f"at least {at_least:,g}"
    print(f"  {what}: {measured:,.3g} {unit} ({wanted}) {'met' if met else 'MISSED'}", flush=True)
    if BOUNDS_FILE in os.environ:
        with open(os.environ[BOUNDS_FILE], "a", encoding="utf-8") as file:
            print(json.dumps([what, f"{measured:,.3g} {unit}", wanted, met]), file=file)
    return met
