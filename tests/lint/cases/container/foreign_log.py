import struct

from helpers_lint import fails, passes
from helpers_lint_files import beside, database

HEADER = struct.pack(">8I", 0x377F0682, 3007000, 4096, 0, 1, 2, 0, 0)

FAILING = [fails(database(change=beside("-wal", HEADER + bytes(24 + 4096))))]

PASSING = [passes(database())]
