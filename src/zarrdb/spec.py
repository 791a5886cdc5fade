"""The facts of the SQLiteStore format, version 1.0."""

from typing import Final

APPLICATION_ID: Final = 0x10B50760
"""Bytes 68-71 of the file, big-endian (section "Application ID")."""

VERSION: Final = "1.0"
SUPPORTED_MAJOR: Final = 1

DATA_TABLE: Final = "zarr"
METADATA_TABLE: Final = "zarr_sqlitestore_metadata"

REQUIRED_RECORDS: Final = ("sqlitestore_version", "compatible_flags", "incompatible_flags")
DESCRIBED_RECORDS: Final = (*REQUIRED_RECORDS, "created_by", "modified_at")

EXTENSION: Final = ".zarrdb"

DOCUMENT_NAMES: Final = frozenset({"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"})
"""The last components of the keys that hold metadata documents (Zarr v3 and v2)."""
