"""Files by their first bytes: of which kind they are, and what to do about those of no use."""

from typing import Final

from zarrdb.spec import DOCUMENT_NAMES

# What begins a file, the kind, and what it is in a sentence.
_MAGICS: Final = (
    (b"SQLite format 3\0", "sqlite", "is a SQLite database"),
    (b"PK\x03\x04", "zip", "is a zip"),
    (b"PK\x05\x06", "zip", "is a zip"),
    (b"\x9e\xa8b2frame\0", "frame", "is a Blosc2 frame"),
    (b"\x93NUMPY", "npy", "is a NumPy array file"),
    (b"\x89HDF\r\n\x1a\n", "hdf5", "is an HDF5 file"),
    (b"CDF\x01", "netcdf", "is a netCDF file"),
    (b"CDF\x02", "netcdf", "is a netCDF file"),
    (b"CDF\x05", "netcdf", "is a netCDF file"),
    (b"\x1f\x8b", "compressed", "is gzip-compressed"),
    (b"BZh", "compressed", "is bzip2-compressed"),
    (b"\xfd7zXZ\0", "compressed", "is xz-compressed"),
    (b"\x28\xb5\x2f\xfd", "compressed", "is zstd-compressed"),
    (b"II*\0", "tiff", "is a TIFF image"),
    (b"MM\0*", "tiff", "is a TIFF image"),
    (b"\x37\x7f\x06\x82", "log", "is the write-ahead log of a SQLite database"),
    (b"\x37\x7f\x06\x83", "log", "is the write-ahead log of a SQLite database"),
    (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", "log", "is the journal of a SQLite database"),
)

HINTS: Final = {
    "empty": "`zarrdb init` makes a new store",
    "hdf5": "convert it to Zarr first, with xarray for example",
    "netcdf": "convert it to Zarr first, with xarray for example",
    "tiff": "convert it to Zarr first, with bioformats2raw for example",
    "compressed": "decompress it first",
    "html": "the download gave a web page in place of the file; try its direct link",
    "xml": "the download gave an error message in place of the file",
    "lfs-pointer": "`git lfs pull` fetches the file itself",
    "log": "name the database itself; the log belongs beside it",
    "document": "name the directory that it lies in",
    "tar": "unpack it, or `zarrdb import - -o FILE < {name}`",
}


def identify_bytes(head: bytes, name: str) -> tuple[str, str]:
    """What begins like this, as `Identified` has kind and detail; `name` is the file's."""
    if not head:
        return "empty", "is empty"
    for magic, kind, detail in _MAGICS:
        if head.startswith(magic):
            return kind, detail
    if head[257:262] == b"ustar":
        return "tar", "is a tar"
    start = head.lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "html", "is an HTML page"
    if start.startswith(b"<?xml"):
        return "xml", "is an XML text"
    if start.startswith(b"version https://git-lfs"):
        return "lfs-pointer", "is a Git LFS pointer"
    if name in DOCUMENT_NAMES:
        return "document", "is a metadata document, not a store"
    if _is_text(head):
        return "text", "is a text file"
    return "unknown", "is no store of a kind that zarrdb knows"


def is_blosc_chunk(head: bytes, size: int) -> bool:
    """Whether a file begins with a version of the format and says how long it is."""
    if len(head) < 16 or head[0] not in range(1, 7):
        return False
    return int.from_bytes(head[12:16], "little") == size


def _is_text(head: bytes) -> bool:
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        # The head may end inside a character.
        if error.reason != "unexpected end of data":
            return False
        text = head[: error.start].decode()
    return all(c.isprintable() or c in "\t\n\r\f" for c in text)
