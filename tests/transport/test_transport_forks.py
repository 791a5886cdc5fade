"""Readers in the child of a fork: they work on, with threads and connections of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers_http import serving
from helpers_remote import hierarchy, write_ordered

CHILD = """
import os, sys, threading, warnings
warnings.simplefilter("ignore")
from zarrdb.db.remote import open_remote
from zarrdb.transport.opening import open_reader
reader = open_reader(sys.argv[1])
database = open_remote(reader)
keys = [key for key in database.list() if "/c/" in key]
here = dict(database.get_many(keys[:50]))
pid = os.fork()
if pid == 0:
    there = dict(database.get_many(keys[50:150]))
    small = reader.read_ranges([(i * 30_000, 10) for i in range(20)])
    ok = len(there) == 100 and all(there.values()) and len(small) == 20
    os._exit(0 if ok and database.get(keys[0]) == here[keys[0]] else 7)
_, status = os.waitpid(pid, 0)
again = dict(database.get_many(keys[150:200]))
database.close()
print(os.waitstatus_to_exitcode(status), len(again), all(again.values()))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are forks on POSIX only")
def test_a_reader_that_was_opened_before_a_fork(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    write_ordered(str(path), hierarchy(20_000))
    with serving() as server:
        url = server.put("x.zarrdb", path.read_bytes())
        done = subprocess.run(
            [sys.executable, "-c", CHILD, url], capture_output=True, text=True, timeout=60
        )
    assert done.stdout.split() == ["0", "50", "True"], done.stderr
