"""Every file of the SQLiteStore vectors: opened or refused, content, ranges, changes."""

import hashlib
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from helpers_db import copy_vector, folder_state, load_vectors
from zarrdb.db import Database, inspect
from zarrdb.errors import ContainerError, CorruptError, ZarrdbError


@pytest.fixture(scope="module")
def vectors(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[dict[str, Any]]]:
    folder = request.config.getoption("--vectors")
    return load_vectors(Path(folder) if folder else None, tmp_path_factory.mktemp("db"))


def _open(path: Path) -> Database | ContainerError:
    try:
        return Database.open(path)
    except ContainerError as error:
        return error


def test_outcome_is_allowed_and_leaves_no_trace(
    vectors: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    source, files = vectors
    wrong = []
    for number, expected in enumerate(files):
        path = copy_vector(source, expected, tmp_path / str(number))
        before = folder_state(path.parent)
        opened = _open(path)
        outcome = "open" if isinstance(opened, Database) else "reject"
        if isinstance(opened, Database):
            with opened, suppress(CorruptError):
                list(opened.list())
                list(opened.remarks())
        elif str(path) not in opened.message or len(opened.message) < len(str(path)) + 10:
            wrong.append((expected["file"], opened.message))
        if outcome not in expected["reader_allowed"]:
            wrong.append((expected["file"], outcome))
        if folder_state(path.parent) != before:
            wrong.append((expected["file"], "left a trace"))
    assert wrong == []


def test_content(vectors: tuple[Path, list[dict[str, Any]]], tmp_path: Path) -> None:
    source, files = vectors
    wrong: list[tuple[str, Any]] = []
    for number, expected in enumerate(files):
        opened = _open(copy_vector(source, expected, tmp_path / str(number)))
        if not isinstance(opened, Database):
            continue
        if expected.get("damaged") and not expected.get("content"):
            opened.close()
            continue
        with opened:
            keys = list(opened.list())
            if keys != sorted(set(keys)):
                wrong.append((expected["file"], "order or duplicates"))
            if set(expected.get("no_keys", ())) & set(keys):
                wrong.append((expected["file"], "lists what is no key"))
            content = expected.get("content")
            if content is None:
                continue
            wanted = {entry["key"] for entry in content["entries"]}
            extra = set(keys) - wanted - set(expected.get("extra_keys", ()))
            if content["complete"] and (wanted - set(keys) or extra):
                wrong.append((expected["file"], (wanted - set(keys), extra)))
            if not content["complete"] and len(keys) != content["count"]:
                wrong.append((expected["file"], len(keys)))
            for entry in content["entries"]:
                value = opened.get(entry["key"])
                assert value is not None, (expected["file"], entry["key"])
                digest = hashlib.sha256(value).hexdigest()
                streamed = b"".join(opened.stream(entry["key"], 1000))
                if (digest, opened.size(entry["key"])) != (entry["sha256"], entry["size"]):
                    wrong.append((expected["file"], entry["key"]))
                if streamed != value:
                    wrong.append((expected["file"], f"stream of {entry['key']}"))
    assert wrong == []


def test_probes(vectors: tuple[Path, list[dict[str, Any]]], tmp_path: Path) -> None:
    source, files = vectors
    wrong = []
    for number, expected in enumerate(files):
        if not expected.get("probes"):
            continue
        opened = _open(copy_vector(source, expected, tmp_path / str(number)))
        if not isinstance(opened, Database):
            continue
        with opened:
            failed = [probe for probe in expected["probes"] if not _holds(opened, probe)]
            wrong += [(expected["file"], probe) for probe in failed]
    assert wrong == []


def _holds(database: Database, probe: dict[str, Any]) -> bool:
    match probe["op"]:
        case "get":
            value = database.get(probe["key"])
            return bool((None if value is None else value.hex()) == probe["hex"])
        case "get_range":
            value = database.get_range(probe["key"], *_range(probe["range"], probe["args"]))
            return value is not None and value.hex() == probe["hex"]
        case "exists":
            return bool(database.exists(probe["key"]) == probe["result"])
        case "getsize":
            return bool(database.size(probe["key"]) == probe["size"])
        case "is_empty":
            first = next(database.entries(probe["prefix"]), None)
            return bool((first is None) == probe["result"])
        case "list_prefix":
            found = list(database.list_prefix(probe["prefix"]))
            return bool(found == sorted(probe["keys"]))
        case "list_dir":
            names = {name.rstrip("/") for name in probe["keys"] + probe["prefixes"]}
            children = list(database.children(probe["prefix"]))
            assert [c.name for c in children] == list(database.list_dir(probe["prefix"]))
            keys = {child.name for child in children if child.is_key}
            return bool([c.name for c in children] == sorted(names) and keys == set(probe["keys"]))
        case "not_missing":
            try:
                return database.get(probe["key"]) is not None
            except ZarrdbError:
                return True
        case other:
            raise AssertionError(other)


def _range(kind: str, args: list[int]) -> tuple[int, int | None]:
    if kind == "range":
        return args[0], args[1] - args[0]
    return (args[0], None) if kind == "offset" else (-args[0], None)


def test_changes(vectors: tuple[Path, list[dict[str, Any]]], tmp_path: Path) -> None:
    source, files = vectors
    wrong: list[tuple[str, Any]] = []
    for number, expected in enumerate(files):
        for step, change in enumerate(expected.get("writes", ())):
            path = copy_vector(source, expected, tmp_path / f"{number}-{step}")
            outcome = _change(path, change, "reject" in expected["reader_allowed"])
            if outcome is not None:
                wrong.append((expected["file"], (change, outcome)))
    assert wrong == []


def _change(path: Path, change: dict[str, Any], may_reject: bool) -> str | None:
    before = folder_state(path.parent)
    may_fail = change.get("must_fail") or change.get("may_fail")
    try:
        database = Database.open(path, mode="rw")
    except ContainerError as error:
        if folder_state(path.parent) != before:
            return "refused, and changed"
        return None if may_fail or may_reject else error.message
    with closing(database):
        try:
            match change["op"]:
                case "set":
                    database.set(change["key"], bytes.fromhex(change["hex"]))
                case "delete":
                    database.delete(change["key"])
                case "delete_dir":
                    prefix = change["prefix"]
                    database.delete_prefix(prefix and prefix.rstrip("/") + "/")
            failed = False
        except ZarrdbError as error:
            if not may_fail:
                return error.message
            failed = True
        if change.get("must_fail") and not failed:
            return "was accepted"
        if not failed and list(database.list()) != sorted(change["remaining"]):
            return f"left {list(database.list())}"
        if not failed and (then := change.get("then_get")):
            value = database.get(then["key"])
            if (None if value is None else value.hex()) != then["hex"]:
                return f"afterwards {value!r}"
    left = {name for name in folder_state(path.parent) if name not in before}
    return f"left {left}" if left else None


def test_refused_for_writing_stays_as_it_is(
    vectors: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    source, files = vectors
    wrong = []
    for number, expected in enumerate(files):
        path = copy_vector(source, expected, tmp_path / str(number))
        before = folder_state(path.parent)
        try:
            Database.open(path, mode="rw").close()
        except ContainerError:
            if folder_state(path.parent) != before:
                wrong.append(expected["file"])
    assert wrong == []


def test_damage_is_an_error_and_never_wrong_bytes(
    vectors: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    source, files = vectors
    base = next(e for e in files if e["file"] == "damage-base.zarrdb")
    right = {entry["key"]: entry["sha256"] for entry in base["content"]["entries"]}
    wrong = []
    for number, expected in enumerate(files):
        if not expected.get("damaged") or expected.get("content"):
            continue
        path = copy_vector(source, expected, tmp_path / str(number))
        try:
            database = Database.open(path, strict=False)
        except ZarrdbError:
            continue
        with database:
            for key, digest in right.items():
                try:
                    value = database.get(key)
                except ZarrdbError:
                    continue
                if value is None or hashlib.sha256(value).hexdigest() != digest:
                    wrong.append((expected["file"], key))
    assert wrong == []


def test_facts_name_what_a_checker_has_to_report(
    vectors: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    source, files = vectors
    silent = []
    for number, expected in enumerate(files):
        path = copy_vector(source, expected, tmp_path / str(number))
        topics = {_TOPIC.get(problem.reason, "") for problem in inspect(path).problems}
        wanted = {report["topic"] for report in expected["report"]} & set(_TOPIC.values())
        if not wanted <= topics:
            silent.append((expected["file"], wanted - topics))
    assert silent == []


_TOPIC = {
    "wrong-application-id": "application-id",
    "missing-table": "tables",
    "extra-column": "schema",
    "loose-schema": "schema",
    "wrong-column": "schema",
    "wrong-collation": "collation",
    "trigger": "extra-object",
    "extra-table": "extra-object",
    "extra-object": "extra-object",
    "newer-sqlite": "min-sqlite",
    "bad-modified-at": "modified-at",
    "modified-at-not-utc": "modified-at",
    "unknown-incompatible-flag": "incompatible-flags",
    "unknown-compatible-flag": "compatible-flags",
    "bad-version": "version",
    "newer-minor-version": "version",
    "wal-mode": "journal",
    "free-pages": "space",
    "legacy-store": "legacy",
    "wrong-extension": "extension",
}
