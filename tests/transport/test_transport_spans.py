"""The arithmetic of spans: nothing lost, nothing doubled, nothing far more than asked for."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from zarrdb.transport import spans
from zarrdb.transport.reader import Span

SPANS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 400)), max_size=30)


@given(SPANS)
def test_union_covers_each_byte_once(wanted: list[tuple[int, int]]) -> None:
    merged = spans.union(wanted)
    assert {b for o, n in wanted for b in range(o, o + n)} == {
        b for span in merged for b in range(span.offset, span.end)
    }
    assert all(a.end < b.offset for a, b in pairwise(merged))


@given(SPANS, st.integers(0, 300), st.integers(1, 500))
def test_requests_cover_what_is_wanted_without_doubling_it(
    wanted: list[tuple[int, int]], gap: int, limit: int
) -> None:
    asked = spans.requests(wanted, gap=gap, limit=limit)
    distinct = sum(span.size for span in spans.union(wanted))
    assert sum(span.size for span in asked) <= spans.MAX_GROWTH * distinct
    assert all(0 < span.size <= limit for span in asked)
    assert all(a.end <= b.offset for a, b in pairwise(asked))
    assert len(spans.merge(wanted, gap=gap)) <= len(spans.union(wanted))


@given(SPANS, st.integers(0, 300), st.integers(1, 500))
def test_every_span_is_assembled_from_the_answers(
    wanted: list[tuple[int, int]], gap: int, limit: int
) -> None:
    data = bytes(i * 7 % 251 for i in range(5400))
    asked = spans.requests(wanted, gap=gap, limit=limit)
    bodies = [data[span.offset : span.end] for span in asked]
    for offset, size in wanted:
        assert spans.assemble((offset, size), asked, bodies) == data[offset : offset + size]


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 10**5))
def test_pieces_of_a_span_are_about_equal(offset: int, size: int, limit: int) -> None:
    pieces = spans.split(Span(offset, size), limit)
    assert pieces[0].offset == offset
    assert pieces[-1].end == offset + size
    assert max(p.size for p in pieces) - min(p.size for p in pieces) <= 1
    assert len(pieces) == max(1, -(-size // limit))


def test_near_neighbours_share_a_request_and_far_ones_do_not() -> None:
    assert spans.merge([(0, 100), (150, 100)], gap=50) == [(0, 250)]
    assert spans.merge([(0, 100), (150, 100)], gap=49) == [(0, 100), (150, 100)]
    # A hole within the gap, but more bytes than the spans have together.
    assert spans.merge([(0, 10), (60, 10)], gap=50) == [(0, 10), (60, 10)]


def test_a_chain_of_small_spans_never_grows_past_the_bound() -> None:
    wanted = [(i * 300, 100) for i in range(100)]
    assert sum(span.size for span in spans.merge(wanted, gap=1 << 20)) <= 2 * 100 * 100


@given(st.integers(0, 10**6), st.integers(0, 10**4), st.integers(1, 5000))
def test_aligned_blocks_hold_the_span(offset: int, size: int, unit: int) -> None:
    blocks = spans.align((offset, size), unit)
    if size:
        assert blocks.start * unit <= offset < (blocks.start + 1) * unit
        assert (blocks.stop - 1) * unit < offset + size <= blocks.stop * unit
    else:
        assert len(blocks) == 0


@given(st.lists(st.integers(0, 60)))
def test_runs_hold_each_number_once_and_are_as_few_as_can_be(numbers: list[int]) -> None:
    runs = spans.runs_of(numbers)
    assert [n for run in runs for n in run] == sorted(set(numbers))
    assert all(a.stop < b.start for a, b in pairwise(runs))
