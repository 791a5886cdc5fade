from helpers_lint import fails, passes
from helpers_lint_files import database, plain

FAILING = [
    fails(plain(content))
    for content in (
        b"",
        b"x",
        b"just a text\n",
        b"\x89HDF\r\n\x1a\n" + bytes(500),
        b"<!DOCTYPE html><html></html>",
        b"\x1f\x8b\x08" + bytes(100),
        b"PK\x05\x06" + bytes(18),
        b"SQLite format 3\0",
    )
]

PASSING = [passes(database())]
