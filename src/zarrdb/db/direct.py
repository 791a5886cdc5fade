"""Parts of large values of local files, without following their chains of pages.

To get at a byte SQLite reads all pages from a value's first one to it: 10 bytes at the end of
300 MB take it 70 ms with pages of 4 KiB, 35 with pages of 64. In a file that was written front
to back and not changed since (`zarrdb.db.sequential`) the place is computed: 0.2 ms anywhere.
In others with large pages, nothing but the numbers at their beginnings is read: 9 ms.
"""

from typing import Final

import apsw

from zarrdb.db import sql
from zarrdb.db.filebytes import FileBytes
from zarrdb.db.header import CODECS, SIZE, parse
from zarrdb.db.pages import Cell, Shape
from zarrdb.db.pages import parse as parse_page
from zarrdb.db.paths import python_path
from zarrdb.db.query import first
from zarrdb.db.runs import find_row
from zarrdb.db.sequential import cut, is_sequential, join, locate

FAR: Final = 1 << 20
"""From this offset on it is worth looking at the file itself; the walk so far takes 0.2 ms."""
_MOST: Final = 4 << 20
"""Bytes of a part that are read this way; of a longer one the walk is no matter."""
_LARGE_PAGE: Final = 16384
"""From this size on it is quicker to read the first bytes of a page than all of it."""
_MAX_DEPTH: Final = 20


def read_part(connection: apsw.Connection, rowid: int, start: int, end: int) -> bytes | None:
    """Bytes of the value in a row, if they are found more quickly than by SQLite.

    The connection must be inside a read transaction: then nobody changes the file meanwhile.
    What it has changed itself, and not committed, is not in the file; and a file that took the
    place of its own one has other rows.
    """
    if start < FAR or end - start > _MOST:
        return None
    if connection.txn_state("main") == apsw.SQLITE_TXN_WRITE:
        return None
    if not _is_in_place(connection):
        return None
    with FileBytes(python_path(connection)) as file:
        # Once more: it was opened by its path.
        if not _is_in_place(connection):
            return None
        header = parse(file.read(0, SIZE))
        if header is None or header.wal:
            return None
        size, in_one_piece = header.page_size, is_sequential(header)
        if not in_one_piece and size < _LARGE_PAGE:
            return None
        codec = CODECS.get(header.encoding, "utf-8")
        shape = Shape(size, size - header.reserved, header.page_count, codec)

        def page(number: int) -> bytes:
            return file.read((number - 1) * size, size)

        cell = _find(file, shape, first(connection, sql.DATA_ROOT)[0], rowid)
        part = None if cell is None else locate(cell, start, end - start, shape)
        if cell is None or part is None:
            return None
        if in_one_piece:
            return cut(part, [page(number) for number in part.pages], shape)
        count = part.first + len(part.pages)
        numbers = file.chain(cell.overflow, size, count)
        if len(numbers) < count:
            return None
        part = part._replace(pages=numbers[part.first :])
        return join(part, [page(number) for number in part.pages], shape)


def _is_in_place(connection: apsw.Connection) -> bool:
    """Whether the path still leads to the file that the connection has open, a local one."""
    import ctypes

    moved = ctypes.c_int(1)
    known = connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
    return known and not moved.value


def _find(file: FileBytes, shape: Shape, root: int, rowid: int) -> Cell | None:
    """The cell of a row, down from the root of its table."""
    number = root
    for _ in range(_MAX_DEPTH):
        data = file.read((number - 1) * shape.page_size, shape.page_size)
        page = parse_page(number, data, shape.usable)
        if page is None or not page.is_table:
            return None
        place = find_row(page, rowid)
        if page.is_leaf:
            cell = page.cell(place)
            return cell if cell is not None and cell.rowid == rowid else None
        number = page.child(place)
    return None
