"""Reading ahead: in order, bounded, with as many threads as it takes."""

import threading
import time
from collections.abc import Iterator

import pytest

from zarrdb.transfer import readahead
from zarrdb.transfer.readahead import ReadAhead, Work


def numbers(count: int, *, size: int = 10, seconds: float = 0.0) -> Iterator[Work[int]]:
    def one(number: int) -> int:
        if seconds:
            time.sleep(seconds)
        return number

    return (Work(lambda n=n: one(n), 1, size) for n in range(count))  # type: ignore[misc]


@pytest.mark.parametrize("readers", [0, 1, 5])
@pytest.mark.parametrize("size", [10, 1 << 20])
@pytest.mark.parametrize("seconds", [0, 0.002])
def test_results_come_in_order(readers: int, size: int, seconds: float) -> None:
    with ReadAhead(numbers(60, size=size, seconds=seconds), readers=readers) as ahead:
        assert list(ahead) == list(range(60))


def test_quick_small_values_take_no_thread() -> None:
    seen = set()

    def here() -> int:
        seen.add(threading.get_ident())
        return 0

    with ReadAhead((Work(here, 32, 1000) for _ in range(200)), readers=8) as ahead:
        list(ahead)
    assert seen == {threading.get_ident()}


def test_slow_values_are_read_side_by_side() -> None:
    running = most = 0
    lock = threading.Lock()

    def slow() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.005)
        with lock:
            running -= 1

    with ReadAhead((Work(slow, 1, 10) for _ in range(150)), readers=6) as ahead:
        list(ahead)
    assert 3 <= most <= 6


def test_bytes_ahead_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readahead, "AHEAD_BYTES", 5000)
    begun: list[int] = []

    def work() -> Iterator[Work[int]]:
        for number in range(100):

            def one(number: int = number) -> int:
                begun.append(number)
                time.sleep(0.001)
                return number

            yield Work(one, 1, 1000)

    with ReadAhead(work(), readers=8) as ahead:
        for result in ahead:
            assert len(begun) <= result + 1 + 6


def test_an_error_comes_where_it_belongs() -> None:
    def fail() -> int:
        raise ValueError("five")

    def work() -> Iterator[Work[int]]:
        for number in range(10):
            yield Work(fail if number == 5 else lambda n=number: n, 1, 1 << 20)  # type: ignore[misc]

    got: list[int] = []

    def read() -> None:
        with ReadAhead(work(), readers=4) as ahead:
            got.extend(ahead)

    with pytest.raises(ValueError, match="five"):
        read()
    assert got in ([], [0, 1, 2, 3, 4])


def test_threads_end_when_it_is_left_early() -> None:
    before = set(threading.enumerate())
    with ReadAhead(numbers(1000, size=1 << 20, seconds=0.001), readers=4) as ahead:
        for _ in zip(range(3), ahead, strict=False):
            pass
        started = set(threading.enumerate()) - before
    assert started
    for thread in started:
        thread.join(10)
    assert not any(thread.is_alive() for thread in started)
