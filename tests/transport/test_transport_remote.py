"""The reader over a link: waves, counts, retries, one stamp, and a cap."""

import threading
from collections.abc import Sequence

import pytest

from helpers_transport import Naps, counting_reader
from zarrdb.errors import (
    ClosedError,
    RangeNotSupportedError,
    RemoteBusyError,
    RemoteMissingError,
    ShortAnswerError,
    StampChangedError,
    TrafficLimitError,
)
from zarrdb.transport.filesystem import FilesystemLink
from zarrdb.transport.link import Answer
from zarrdb.transport.reader import RangeReader, Span
from zarrdb.transport.remote import RemoteReader

DATA = bytes(i * 31 % 256 for i in range(500_000))


class Script:
    """A link that answers from DATA after what the script says: exceptions and answers."""

    name = "scripted"

    def __init__(self, *script: Exception | Answer | None, max_ranges: int = 1) -> None:
        self.script = list(script)
        self.max_ranges = max_ranges
        self.asked: list[list[tuple[int, int]]] = []
        self.closed = 0

    def _next(self, spans: list[tuple[int, int]], data: Answer) -> Answer:
        self.asked.append(spans)
        step = self.script.pop(0) if self.script else None
        if isinstance(step, Exception):
            raise step
        return step or data

    def fetch(self, offset: int, size: int) -> Answer:
        data = DATA[offset : offset + size]
        return self._next([(offset, size)], Answer(data, offset, len(DATA), "one"))

    def fetch_tail(self, size: int) -> Answer:
        offset = len(DATA) - size
        return self._next([(-size, size)], Answer(DATA[-size:], offset, len(DATA), "one"))

    def fetch_parts(self, spans: Sequence[Span]) -> list[Answer]:
        self._next(list(spans), Answer(b"", 0))
        return [Answer(DATA[s.offset : s.end], s.offset, len(DATA), "one") for s in spans]

    def stat(self) -> None:
        return None

    def download(self, write: object, expect: object) -> None:
        raise NotImplementedError

    def renew(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.closed += 1


def test_a_reader_is_a_range_reader() -> None:
    reader: RangeReader = counting_reader(DATA)[0]
    assert isinstance(reader, RangeReader)


def test_spans_come_back_in_the_order_asked_in_one_round() -> None:
    reader, filesystem = counting_reader(DATA)
    wanted = [(400_000, 50), (0, 10), (200_000, 7), (5, 20), (77, 0)]
    assert reader.read_ranges(wanted) == [DATA[o : o + n] for o, n in wanted]
    assert sorted(filesystem.spans) == [(0, 25), (200_000, 7), (400_000, 50)]
    assert (reader.traffic.requests, reader.traffic.rounds, reader.traffic.bytes) == (3, 1, 82)


def test_nothing_asked_costs_nothing() -> None:
    reader, filesystem = counting_reader(DATA)
    assert reader.read_ranges([]) == []
    assert reader.read_ranges([(3, 0)]) == [b""]
    assert reader.head_tail(0, 0) == (b"", b"")
    assert filesystem.spans == []
    assert reader.traffic.requests == 0


@pytest.mark.parametrize(("head", "tail"), [(100, 50), (100, 0), (0, 50), (600_000, 600_000)])
def test_head_and_tail_come_in_one_round_without_the_size(head: int, tail: int) -> None:
    reader, filesystem = counting_reader(DATA)
    assert reader.head_tail(head, tail) == (DATA[:head], DATA[-tail:] if tail else b"")
    assert reader.traffic.rounds == 1
    assert filesystem.questions == 0
    assert len(filesystem.spans) == bool(head) + bool(tail)


def test_a_head_past_the_end_tells_the_size() -> None:
    reader, filesystem = counting_reader(DATA)
    reader.head_tail(1 << 20, 0)
    assert reader.size == len(DATA)
    assert filesystem.questions == 0


def test_the_size_is_asked_for_once() -> None:
    reader, filesystem = counting_reader(DATA)
    assert [reader.size, reader.size] == [len(DATA)] * 2
    assert filesystem.questions == 1
    assert reader.traffic.requests == 1


def test_large_spans_go_in_pieces_side_by_side() -> None:
    big = bytes(40 << 20)
    reader, filesystem = counting_reader(big)
    assert len(reader.read_ranges([(0, len(big))])[0]) == len(big)
    assert len(filesystem.spans) == 3
    assert reader.traffic.rounds == 1


def test_a_span_past_the_end_is_an_error_that_lasts() -> None:
    naps = Naps()
    reader, _ = counting_reader(DATA, sleep=naps)
    with pytest.raises(ShortAnswerError, match="ends at 500000") as caught:
        reader.read_ranges([(499_990, 20)])
    assert not caught.value.transient
    assert naps.seconds == []


def test_transient_faults_are_asked_again_and_others_are_not() -> None:
    naps = Naps()
    link = Script(RemoteBusyError("busy"), ShortAnswerError("short"))
    reader = RemoteReader(link, sleep=naps)
    assert reader.read_ranges([(0, 10)]) == [DATA[:10]]
    assert naps.seconds == [0.5, 2.0]
    assert (reader.traffic.requests, reader.traffic.retries) == (3, 2)

    link = Script(RemoteMissingError("gone"))
    with pytest.raises(RemoteMissingError):
        RemoteReader(link, sleep=naps).read_ranges([(0, 10)])
    assert len(link.asked) == 1


def test_retries_are_bounded() -> None:
    naps = Naps()
    link = Script(*(RemoteBusyError(f"busy {i}") for i in range(9)))
    with pytest.raises(RemoteBusyError, match="busy 3"):
        RemoteReader(link, sleep=naps).read_ranges([(0, 10)])
    assert naps.seconds == [0.5, 2.0, 8.0]


def test_a_rest_that_the_server_asks_for_is_kept_if_it_is_short() -> None:
    naps = Naps()
    short, long = RemoteBusyError("busy"), RemoteBusyError("busy")
    short.retry_after, long.retry_after = 7.0, 3600.0
    reader = RemoteReader(Script(short, long), sleep=naps)
    with pytest.raises(RemoteBusyError):
        reader.read_ranges([(0, 10)])
    assert naps.seconds == [7.0]


@pytest.mark.parametrize(
    "second", [Answer(DATA[10:20], 10, len(DATA), "two"), Answer(DATA[10:20], 10, 7777, "one")]
)
def test_another_stamp_or_size_is_another_file(second: Answer) -> None:
    naps = Naps()
    reader = RemoteReader(Script(None, second, second, second), sleep=naps)
    reader.read_ranges([(0, 10)])
    assert reader.stamp == "one"
    with pytest.raises(StampChangedError) as caught:
        reader.read_ranges([(10, 10)])
    assert not caught.value.transient
    assert naps.seconds == []
    reader.refresh()
    assert reader.read_ranges([(10, 10)]) == [DATA[10:20]]


def test_a_whole_file_that_came_for_a_range_is_kept() -> None:
    link = Script(Answer(DATA, 0, len(DATA), "one"))
    reader = RemoteReader(link)
    assert reader.read_ranges([(10, 5)]) == [DATA[10:15]]
    assert reader.read_ranges([(400_000, 5)]) == [DATA[400_000:400_005]]
    assert reader.head_tail(3, 3) == (DATA[:3], DATA[-3:])
    assert len(link.asked) == 1


def test_a_tail_that_cannot_be_counted_from_the_end_is_read_by_its_place() -> None:
    class NoTail(Script):
        def fetch_tail(self, size: int) -> Answer:
            raise RangeNotSupportedError("200")

    reader = RemoteReader(NoTail())
    assert reader.head_tail(10, 20) == (DATA[:10], DATA[-20:])
    assert reader.traffic.rounds == 2


def test_the_cap_holds_before_anything_is_asked_for() -> None:
    reader, filesystem = counting_reader(DATA, max_bytes=1000)
    reader.read_ranges([(0, 600)])
    with pytest.raises(TrafficLimitError, match="1000 bytes"):
        reader.read_ranges([(1000, 300), (90_000, 101)])
    assert len(filesystem.spans) == 1
    reader.read_ranges([(1000, 400)])


def test_many_small_ranges_share_requests_where_the_server_takes_several() -> None:
    link = Script(max_ranges=64)
    reader = RemoteReader(link)
    wanted = [(i * 4000, 10) for i in range(100)]
    assert reader.read_ranges(wanted) == [DATA[o : o + n] for o, n in wanted]
    assert sorted(len(spans) for spans in link.asked) == [50, 50]
    # Once it is known to work, two are enough; large ones go alone.
    link.asked.clear()
    reader.read_ranges([(0, 10), (40_000, 10), (200_000, 300_000)])
    assert sorted(len(spans) for spans in link.asked) == [1, 2]


def test_a_server_that_does_not_take_several_ranges_is_tried_once() -> None:
    link = Script(RangeNotSupportedError("200"), max_ranges=64)
    reader = RemoteReader(link)
    wanted = [(i * 4000, 10) for i in range(20)]
    assert reader.read_ranges(wanted) == [DATA[o : o + n] for o, n in wanted]
    assert [len(spans) for spans in link.asked] == [20] + [1] * 20
    link.asked.clear()
    reader.read_ranges(wanted)
    assert [len(spans) for spans in link.asked] == [1] * 20


def test_requests_run_side_by_side_but_no_more_than_allowed() -> None:
    state = {"now": 0, "most": 0}
    lock = threading.Lock()
    together = threading.Barrier(3)

    class Slow(Script):
        def fetch(self, offset: int, size: int) -> Answer:
            with lock:
                state["now"] += 1
                state["most"] = max(state["most"], state["now"])
            together.wait(10)
            with lock:
                state["now"] -= 1
            return Answer(DATA[offset : offset + size], offset, len(DATA), "one")

    reader = RemoteReader(Slow(), max_concurrency=3)
    wanted = [(i * 80_000, 10) for i in range(6)]
    assert reader.read_ranges(wanted) == [DATA[o : o + n] for o, n in wanted]
    assert state["most"] == 3


def test_several_threads_share_a_reader() -> None:
    reader, _ = counting_reader(DATA)
    wrong: list[int] = []

    def work(start: int) -> None:
        wrong.extend(
            i
            for i in range(start, 490_000, 50_000)
            if reader.read_ranges([(i, 500)]) != [DATA[i : i + 500]]
        )

    threads = [threading.Thread(target=work, args=(i * 997,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert reader.traffic.requests == sum(len(range(i * 997, 490_000, 50_000)) for i in range(16))


def test_a_closed_reader_says_so() -> None:
    link = Script()
    reader = RemoteReader(link)
    reader.read_ranges([(0, 3), (200_000, 3)])
    reader.close()
    reader.close()
    with pytest.raises(ClosedError):
        reader.read_ranges([(0, 3)])


def test_faults_of_file_systems_have_their_class() -> None:
    class Failing:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def cat_file(self, path: str, start: int, end: int) -> bytes:
            raise self.error

    secret = OSError("boom at https://host/x?sig=SECRET")
    for error, name in [
        (FileNotFoundError("x"), "RemoteMissingError"),
        (PermissionError("x"), "RemoteForbiddenError"),
        (TimeoutError("x"), "RemoteTimeoutError"),
        (ConnectionResetError("x"), "UnreachableError"),
        (secret, "RangeError"),
    ]:
        reader = RemoteReader(FilesystemLink(Failing(error), "f", "x://f"), sleep=Naps())
        with pytest.raises(OSError, match="x://f") as caught:
            reader.read_ranges([(0, 1)])
        assert type(caught.value).__name__ == name
        assert "SECRET" not in str(caught.value)
