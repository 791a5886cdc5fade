"""Work done by several threads, its results in order."""

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.inorder import in_order


@given(st.lists(st.integers()), st.integers(1, 5))
def test_results_come_in_the_order_of_the_work(work: list[int], threads: int) -> None:
    assert list(in_order(str, work, threads=threads)) == list(map(str, work))


def test_no_more_is_under_way_than_there_are_threads() -> None:
    asked = 0

    def work() -> Iterator[int]:
        nonlocal asked
        for number in range(50):
            asked = number + 1
            yield number

    for done, number in enumerate(in_order(abs, work(), threads=3), 1):
        assert number == done - 1
        assert asked <= done + 3


def test_the_work_is_asked_for_in_one_thread_and_done_in_others() -> None:
    askers, workers = set(), set()

    def work() -> Iterator[int]:
        for number in range(20):
            askers.add(threading.get_ident())
            yield number

    def do(number: int) -> int:
        workers.add(threading.get_ident())
        return number

    assert list(in_order(do, work(), threads=2)) == list(range(20))
    assert askers == {threading.get_ident()}
    assert threading.get_ident() not in workers
    workers.clear()
    assert list(in_order(do, work(), threads=1)) == list(range(20))
    assert workers == askers


def test_a_failure_comes_in_its_turn() -> None:
    def fail(number: int) -> float:
        return 1 / (number - 3)

    results = in_order(fail, range(10), threads=4)
    assert [next(results) for _ in range(3)] == [1 / -3, 1 / -2, 1 / -1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_who_stops_early_does_not_wait() -> None:
    held, seen = threading.Event(), threading.Event()

    def do(number: int) -> int:
        if number:
            seen.set()
            held.wait(30)
        return number

    results = in_order(do, range(5), threads=2)
    assert next(results) == 0
    assert seen.wait(30)
    results.close()  # type: ignore[attr-defined]
    assert not held.is_set()
    held.set()
