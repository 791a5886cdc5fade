"""Registered extensions outside the core scope, which implementations may well have.

A reader in `REGISTERED_V3` judges them; in `CORE_V3` they are unclaimed.
"""

from typing import Final

from zarrdb.metadata.v3.definition import CORE_V3, ZarrV3Context
from zarrdb.metadata.v3.registered.codec import REGISTERED_CODECS_V3
from zarrdb.metadata.v3.registered.data_type import REGISTERED_DATA_TYPES_V3

REGISTERED_V3: Final = CORE_V3.union(
    ZarrV3Context(data_types=REGISTERED_DATA_TYPES_V3, codecs=REGISTERED_CODECS_V3)
)
"""The core, what zarr-python 3 writes besides, and the codecs of numcodecs."""

__all__ = ["REGISTERED_CODECS_V3", "REGISTERED_DATA_TYPES_V3", "REGISTERED_V3"]
