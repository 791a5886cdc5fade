"""New arrays: the documents that zarr-python writes for them, and chunks as stored values."""

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from zarrdb.arrays.codecs import Codec, decoder, encoder, for_zarr
from zarrdb.errors import TargetError
from zarrdb.hierarchy.chunks import Grid

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

ZarrFormat = Literal[2, 3]

_SEPARATORS: Final[Mapping[int, tuple[str, str]]] = {2: ("v2", "."), 3: ("default", "/")}


class ArrayWriter:
    """One new array at the root of a store; safe from several threads.

    Absent chunks read as zeros: items whose bytes are all zero. Raises TargetError for a data
    type that zarr-python has not in this format.
    """

    def __init__(
        self,
        *,
        shape: Sequence[int],
        chunks: Sequence[int],
        dtype: "np.dtype[Any]",
        attributes: Mapping[str, Any],
        codec: Codec,
        zarr_format: ZarrFormat,
        name: str,
    ) -> None:
        self.shape = tuple(shape)
        # An array without items may come with chunks without items, which Zarr has not.
        self.chunks = tuple(max(1, length) for length in chunks)
        self.dtype = _stored(dtype, zarr_format)
        encoding, separator = _SEPARATORS[zarr_format]
        lengths = tuple(-(-n // c) for n, c in zip(self.shape, self.chunks, strict=True))
        self.grid = Grid(lengths, encoding=encoding, separator=separator)
        self._encode = encoder(codec, self.dtype.itemsize)
        self._decode = decoder(codec)
        compressor = for_zarr(codec, self.dtype.itemsize, zarr_format)
        self.documents = self._documents(attributes, compressor, zarr_format, name)
        """The metadata documents, by key."""

    def encode(self, items: "Array") -> bytes:
        """The value of a chunk, from its items as far as they are inside the array."""
        return self._encode(self._padded(items).tobytes())

    def holds(self, value: bytes, items: "Array") -> bool:
        """Whether a value decodes to these items."""
        return self._decode(value) == self._padded(items).tobytes()

    def _padded(self, items: "Array") -> "Array":
        import numpy as np

        stored = items.astype(self.dtype, copy=False)
        if stored.shape == self.chunks:
            return stored
        padded = np.zeros(self.chunks, self.dtype)
        padded[tuple(slice(0, length) for length in stored.shape)] = stored
        return padded

    def _documents(
        self, attributes: Mapping[str, Any], compressor: Any, zarr_format: ZarrFormat, name: str
    ) -> dict[str, bytes]:
        import numpy as np
        import zarr
        from zarr.codecs import BytesCodec
        from zarr.storage import MemoryStore

        kept: dict[str, Any] = {}
        big = zarr_format == 3 and self.dtype.byteorder == ">"
        try:
            with warnings.catch_warnings():
                # Of data types whose names are not settled yet; there are no others.
                warnings.simplefilter("ignore")
                zarr.create_array(
                    MemoryStore(kept),
                    shape=self.shape,
                    chunks=self.chunks,
                    dtype=self.dtype,
                    fill_value=np.zeros((), self.dtype)[()],
                    serializer=BytesCodec(endian="big") if big else "auto",
                    filters=None,
                    compressors=compressor,
                    attributes=dict(attributes),
                    zarr_format=zarr_format,
                )
                found = zarr.open_array(MemoryStore(kept), mode="r").dtype
        except (ValueError, TypeError, KeyError, NotImplementedError) as error:
            raise self._refused(name, zarr_format) from error
        native = self.dtype.newbyteorder("=") if zarr_format == 3 else self.dtype
        if found != native:
            raise self._refused(name, zarr_format)
        return {key: value.to_bytes() for key, value in kept.items()}

    def _refused(self, name: str, zarr_format: ZarrFormat) -> TargetError:
        return TargetError(
            f"{name}: zarr-python has no data type of Zarr v{zarr_format} for {self.dtype}",
            hint=f"--zarr-format {5 - zarr_format} may have one",
        )


def _stored(dtype: "np.dtype[Any]", zarr_format: ZarrFormat) -> "np.dtype[Any]":
    """The data type of what is stored: byte order kept, but for the fields of a record in v3.

    Those are in one order, little-endian; and no format has a place for padding.
    """
    if not dtype.names:
        return dtype
    from numpy.lib.recfunctions import repack_fields

    packed: np.dtype[Any] = repack_fields(dtype, recurse=True)
    return packed.newbyteorder("<") if zarr_format == 3 else packed
