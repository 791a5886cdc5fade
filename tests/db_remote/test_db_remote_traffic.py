"""What reading from afar costs: requests, serial rounds and bytes, cold, opening included.

Chunks are an eighth of those in the benchmark; the requests are about the same.
"""

import random
from collections.abc import Callable, Iterable
from pathlib import Path

import apsw
import pytest

from helpers_remote import (
    Row,
    counting,
    documents_of,
    hierarchy,
    many_chunks,
    shuffled,
    write_ordered,
    write_plain,
)
from helpers_transport import CountingFileSystem
from zarrdb.db.pager import Pager

CHUNK = 546_342 // 8
NEIGHBOURS = [f"g2/a5/c/{y}/{x}" for y in range(3) for x in range(4)] + [
    f"g2/a6/c/{y}/{x}" for y in range(2) for x in range(4)
]
SCATTERED = [f"g{i % 5}/a{i % 10}/c/{i % 3}/{(i * 7) % 4}" for i in range(20)]

Work = Callable[[Pager], object]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return hierarchy(CHUNK)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("remote")
    paths = {name: str(folder / name) for name in ("ordered", "wide", "random", "many", "aged")}
    write_ordered(paths["ordered"], rows)
    write_ordered(paths["wide"], rows, page_size=16384)
    write_plain(paths["random"], shuffled(rows))
    write_ordered(paths["many"], many_chunks(800))
    write_plain(paths["aged"], shuffled(rows))
    _rewrite(paths["aged"])
    return paths


def _rewrite(path: str) -> None:
    numbers = random.Random(7)
    connection = apsw.Connection(path)
    connection.pragma("synchronous", "off")
    chunks = [
        k for (k,) in connection.execute("SELECT k FROM zarr WHERE k LIKE '%/c/%' ORDER BY k")
    ]
    numbers.shuffle(chunks)
    for key in chunks[:150]:
        value = numbers.randbytes(CHUNK + numbers.randrange(-1000, 1000))
        connection.execute("UPDATE zarr SET v = ? WHERE k = ?", (value, key))
    for key in chunks[150:200]:
        connection.execute("DELETE FROM zarr WHERE k = ?", (key,))
    for i in range(50):
        connection.execute(
            "INSERT INTO zarr VALUES (?, ?)", (f"new/c/{i}", numbers.randbytes(CHUNK))
        )
    connection.close()


def read(keys: Iterable[str]) -> Work:
    def work(pager: Pager) -> list[bytes]:
        wanted = list(keys)
        pager.warm_values(wanted)
        select = "SELECT v FROM zarr WHERE k = ?"
        return [pager.connection.execute(select, (key,)).get for key in wanted]

    return work


def list_keys(pager: Pager) -> list[str]:
    pager.warm_index()
    return [key for (key,) in pager.connection.execute("SELECT k FROM zarr ORDER BY k")]


def cost(path: str, work: Work) -> tuple[tuple[int, int, int], object]:
    """Requests, rounds and bytes of a piece of work, and its result."""
    with counting(path) as (reader, filesystem):
        pager = Pager(reader)
        result = work(pager)
        pager.connection.close()
        traffic = reader.traffic
        assert traffic.requests == len(filesystem.spans)
        assert traffic.bytes == sum(size for _, size in filesystem.spans)
        assert filesystem.questions == 0
        return (traffic.requests, traffic.rounds, traffic.bytes), result


KB = 1000
HEAD = 164 * KB


@pytest.mark.parametrize(
    ("name", "requests", "rounds", "over"),
    [
        ("ordered", 1, 1, HEAD),
        ("wide", 1, 1, HEAD),
        ("random", 3, 3, HEAD + 20 * KB),
    ],
)
def test_the_document_of_the_root(
    files: dict[str, str], rows: list[Row], name: str, requests: int, rounds: int, over: int
) -> None:
    spent, found = cost(files[name], read(["zarr.json"]))
    assert found == [rows[0][1]]
    assert spent <= (requests, rounds, over)


@pytest.mark.parametrize(
    ("name", "requests", "rounds", "over"),
    [
        ("ordered", 1, 1, HEAD),
        ("wide", 1, 1, HEAD),
        ("random", 5, 2, HEAD + 30 * KB),
        ("many", 2, 2, 500 * KB),
    ],
)
def test_all_keys(
    files: dict[str, str], rows: list[Row], name: str, requests: int, rounds: int, over: int
) -> None:
    (asked, serial, size), found = cost(files[name], list_keys)
    expected = many_chunks(800) if name == "many" else rows
    assert found == sorted(key for key, _ in expected)
    assert (asked <= requests, serial <= rounds, size <= over) == (True, True, True)


@pytest.mark.parametrize(
    ("name", "requests", "rounds", "over"),
    [
        ("ordered", 1, 1, HEAD),
        ("wide", 1, 1, HEAD),
        ("random", 58, 4, 450 * KB),
    ],
)
def test_all_documents(
    files: dict[str, str], rows: list[Row], name: str, requests: int, rounds: int, over: int
) -> None:
    (asked, serial, size), found = cost(files[name], read(documents_of(rows)))
    assert found == [value for _, value in rows[:56]]
    assert (asked <= requests, serial <= rounds, size <= over) == (True, True, True)


@pytest.mark.parametrize(
    ("name", "keys", "requests", "rounds", "growth"),
    [
        ("ordered", NEIGHBOURS[5:6], 3, 2, 1.1),
        ("ordered", NEIGHBOURS, 2, 2, 1.1),
        ("ordered", SCATTERED, 24, 3, 1.25),
        ("wide", NEIGHBOURS[5:6], 3, 2, 1.3),
        ("wide", NEIGHBOURS, 3, 2, 1.1),
        ("wide", SCATTERED, 28, 3, 1.4),
        ("random", NEIGHBOURS[5:6], 5, 5, 1.3),
        ("random", SCATTERED, 44, 6, 1.3),
    ],
)
def test_chunks(
    files: dict[str, str],
    rows: list[Row],
    name: str,
    keys: list[str],
    requests: int,
    rounds: int,
    growth: float,
) -> None:
    (asked, serial, size), found = cost(files[name], read(keys))
    values = dict(rows)
    assert found == [values[key] for key in keys]
    wanted = sum(len(values[key]) for key in keys)
    over = HEAD + growth * wanted
    assert (asked <= requests, serial <= rounds, size <= over) == (True, True, True)


def test_nearly_every_chunk_is_one_request_of_its_own_size(
    files: dict[str, str], rows: list[Row]
) -> None:
    asked, size, wanted = 0, 0, 0
    for key, value in rows[56::7]:
        (requests, _, received), _ = cost(files["ordered"], read([key]))
        asked += requests - 1
        size += received - (160 << 10)
        wanted += len(value)
    assert asked <= 1.15 * len(rows[56::7])
    assert size <= 1.1 * wanted


def test_every_value_is_read_once(files: dict[str, str], rows: list[Row]) -> None:
    def work(pager: Pager) -> None:
        for start in range(0, len(rows), 40):
            read([key for key, _ in rows[start : start + 40]])(pager)

    (asked, serial, size), _ = cost(files["ordered"], work)
    total = sum(len(value) for _, value in rows)
    assert size <= 1.01 * total + (160 << 10)
    assert asked <= 40
    assert serial <= 36


def test_chains_that_run_backwards_are_read_as_runs(files: dict[str, str]) -> None:
    connection = apsw.Connection(files["aged"], flags=apsw.SQLITE_OPEN_READONLY)
    expected = dict(connection.execute("SELECT k, v FROM zarr"))
    connection.close()
    keys = sorted(expected)

    def work(pager: Pager) -> bool:
        return all(
            read(keys[start : start + 20])(pager) == [expected[k] for k in keys[start : start + 20]]
            for start in range(0, len(keys), 20)
        )

    (asked, serial, size), same = cost(files["aged"], work)
    assert same
    total = sum(map(len, expected.values()))
    # Page by page it would be more than 10,000 requests.
    assert asked <= 4 * len(keys)
    assert serial <= 10 * len(keys) // 20
    assert size <= 2 * total


def test_what_is_here_is_not_asked_for_again(files: dict[str, str]) -> None:
    with counting(files["ordered"]) as (reader, filesystem):
        pager = Pager(reader)
        read(NEIGHBOURS)(pager)
        list_keys(pager)
        before = list(filesystem.spans)
        read(NEIGHBOURS[3:9])(pager)
        list_keys(pager)
        pager.warm_sizes(NEIGHBOURS)
        assert filesystem.spans == before
        pager.connection.close()


def test_sizes_touch_no_value(files: dict[str, str], rows: list[Row]) -> None:
    def work(pager: Pager) -> list[int]:
        pager.warm_sizes(SCATTERED)
        select = "SELECT octet_length(v) FROM zarr WHERE k = ?"
        return [pager.connection.execute(select, (key,)).get for key in SCATTERED]

    (asked, serial, size), found = cost(files["ordered"], work)
    assert found == [len(dict(rows)[key]) for key in SCATTERED]
    assert (asked <= 21, serial <= 2, size <= HEAD + 20 * 4096) == (True, True, True)


def test_a_value_larger_than_the_cache_is_read_in_few_requests(tmp_path: Path) -> None:
    path = str(tmp_path / "large")
    large = random.Random(1).randbytes(90 << 20)
    write_ordered(path, [("zarr.json", b"{}"), ("a/c/0", large), ("a/c/1", b"x")])
    (asked, _, size), found = cost(path, read(["a/c/0"]))
    assert found == [large]
    assert asked <= 20
    assert size <= 1.2 * len(large)


def test_a_counting_file_system_counts() -> None:
    filesystem = CountingFileSystem({"f": b"0123"})
    assert filesystem.cat_file("f", -2, None) == b"23"
    assert filesystem.info("f")["size"] == 4
    assert (filesystem.spans, filesystem.questions) == ([(-2, 2)], 1)
