"""The header of a contiguous frame and its b2nd metalayer.

Layout: c-blosc2's README_CFRAME_FORMAT and README_B2ND_METALAYER. A header is a MessagePack
array whose numbers have fixed widths, so that all of them stand at fixed places; byte order
is big-endian. Chunks, and everything in them, are little-endian.
"""

from math import prod
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple, cast

from zarrdb.errors import FrameError
from zarrdb.frame.b2nd import parse_b2nd
from zarrdb.frame.codec import unpack
from zarrdb.frame.geometry import Geometry

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

MAGIC = b"\x9e\xa8b2frame\0"
FIXED_LENGTH = 87
"""Bytes of the header in front of the metalayers; the least that a header has."""
MIN_TRAILER = 25

# A header grows with the metalayers that a program puts in (100 KB has been seen).
MAX_HEADER = 64 << 20

VERSIONS = range(1, 4)

_FIXED = Struct(">2x8xBiBQB4sBqBqBiBiBiBhBhBBb16s")
# Where these stand between the numbers, each tells the type of the number behind it.
_MARKS = (0xD2, 0xCF, 0xA4, 0xD3, 0xD3, 0xD2, 0xD2, 0xD2, 0xD1, 0xD1, 0xD8)
_OFFSETS_OF_64_BITS = 1
_VARIABLE_CHUNKS_OR_BLOCKS = 0xC0
_USER_CODEC = 6

_CODECS = {0: "blosclz", 1: "lz4", 2: "lz4hc", 4: "zlib", 5: "zstd", 32: "ndlz"}


class Compression(NamedTuple):
    """What new chunks of the frame are compressed with; each chunk carries its own."""

    codec: int
    codec_meta: int
    level: int
    filters: tuple[int, ...]
    filters_meta: tuple[int, ...]
    use_dict: bool
    split_mode: int
    typesize: int

    @property
    def codec_name(self) -> str:
        """Blosc2's name of the codec; its number where a plugin has registered it."""
        return _CODECS.get(self.codec, str(self.codec))

    def parameters(self) -> dict[str, object]:
        """The same as fields of blosc2's CParams."""
        return {
            "codec": self.codec,
            "codec_meta": self.codec_meta,
            "clevel": self.level,
            "use_dict": self.use_dict,
            "typesize": self.typesize,
            "splitmode": self.split_mode,
            "filters": list(self.filters),
            "filters_meta": list(self.filters_meta),
        }


class Fixed(NamedTuple):
    """The numbers of the fixed part, in bytes where they are sizes."""

    header_len: int
    frame_len: int
    flags: int
    frame_type: int
    nbytes: int
    cbytes: int
    blocksize: int
    chunksize: int
    has_attributes: bool
    compression: Compression


class Header(NamedTuple):
    """A frame that holds an array, as its header describes it; all of it is checked."""

    name: str
    fixed: Fixed
    metalayers: dict[str, bytes]
    geometry: Geometry
    dtype: "np.dtype[Any]"

    @property
    def stored_dtype(self) -> "np.dtype[Any]":
        """The data type to copy items by: of fields NumPy does not copy what is between them."""
        import numpy as np

        return np.dtype((np.void, self.dtype.itemsize)) if self.dtype.names else self.dtype

    @property
    def data_at(self) -> int:
        """Where the chunks start."""
        return self.fixed.header_len

    @property
    def index_at(self) -> int:
        """Where the chunks end and the offsets of the chunks start."""
        return self.fixed.header_len + self.fixed.cbytes

    @property
    def itemsizes(self) -> tuple[int, int]:
        """What the header and the data type say, in bytes."""
        return self.fixed.compression.typesize, self.geometry.itemsize

    @property
    def frame_len(self) -> int:
        """Length of the frame; the file may go on."""
        return self.fixed.frame_len


def parse_fixed(name: str, head: bytes, size: int | None) -> Fixed:
    """The fixed part, from the first bytes of a file of `size` bytes (None: not known)."""
    fixed = parse_numbers(name, head)
    _check_version(name, fixed)
    _check_lengths(name, fixed, size)
    return fixed


def parse_numbers(name: str, head: bytes) -> Fixed:
    """The numbers of the fixed part, whatever they say."""
    if not head:
        raise _truncated(name, "an empty file")
    if head[: len(MAGIC)] != MAGIC[: len(head)]:
        raise FrameError(f"{name}: not a Blosc2 frame")
    if len(head) < FIXED_LENGTH:
        raise _truncated(name, f"ends at byte {len(head)}, inside the header")
    (
        m0, header_len, m1, frame_len, m2, flags, m3, nbytes, m4, cbytes, m5, typesize,
        m6, blocksize, m7, chunksize, m8, _, m9, _, has_attributes, m10, _, extension,
    ) = _FIXED.unpack_from(head)  # fmt: skip
    if (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10) != _MARKS:
        raise _truncated(name, f"the first {FIXED_LENGTH} bytes are damaged")
    general, kind, codec, other = flags
    compression = Compression(
        codec=extension[6] if codec & 15 == _USER_CODEC else codec & 15,
        codec_meta=extension[7],
        level=codec >> 4,
        filters=tuple(extension[:6]),
        filters_meta=tuple(extension[8:14]),
        use_dict=bool(extension[14] & 1),
        split_mode=other + 1,
        typesize=typesize,
    )
    return Fixed(
        header_len, frame_len, general, kind & 15, nbytes, cbytes, blocksize, chunksize,
        has_attributes == 0xC3, compression,
    )  # fmt: skip


def _check_version(name: str, fixed: Fixed) -> None:
    version = fixed.flags & 15
    if version not in VERSIONS:
        raise FrameError(
            f"{name}: version {version} of the frame format is not known",
            hint="a newer release of zarrdb may read it",
        )
    if fixed.flags >> 4 & 3 != _OFFSETS_OF_64_BITS:
        raise FrameError(f"{name}: the offsets of its chunks are not of 64 bits")
    if fixed.frame_type:
        raise FrameError(
            f"{name}: a sparse frame, whose chunks are files of their own in a directory",
            reason="not-an-array",
            hint="copy it into one file with blosc2 (`contiguous=True`)",
        )


def _check_lengths(name: str, fixed: Fixed, size: int | None) -> None:
    if not FIXED_LENGTH <= fixed.header_len <= MAX_HEADER:
        raise _truncated(name, f"a header length of {fixed.header_len} bytes (byte 11)")
    if fixed.nbytes < 0 or fixed.compression.typesize <= 0:
        raise _truncated(name, "negative sizes in the header")
    if fixed.cbytes < 0 or fixed.header_len + fixed.cbytes + MIN_TRAILER > fixed.frame_len:
        raise _truncated(
            name,
            f"header ({fixed.header_len}) and chunks ({fixed.cbytes} bytes) do not fit"
            f" the frame length of {fixed.frame_len} bytes",
        )
    if size is not None and fixed.frame_len > size:
        raise _truncated(name, f"the frame has {fixed.frame_len} bytes, the file has {size}")


def parse_header(name: str, head: bytes, fixed: Fixed) -> Header:
    """The whole header, of which `head` is at least the first `header_len` bytes."""
    if len(head) < fixed.header_len:
        raise _truncated(name, f"ends at byte {len(head)}, inside the header")
    metalayers = parse_metalayers(name, head, fixed.header_len)
    if "b2nd" not in metalayers:
        raise FrameError(
            f"{name}: a frame without b2nd metalayer, not an array", reason="not-an-array"
        )
    if fixed.nbytes and fixed.flags & _VARIABLE_CHUNKS_OR_BLOCKS:
        raise FrameError(
            f"{name}: chunks or blocks of variable length, not an array", reason="not-an-array"
        )
    try:
        geometry, dtype = parse_b2nd(metalayers["b2nd"])
    except ValueError as error:
        raise bad_metalayer(name, str(error)) from error
    _check_geometry(name, fixed, geometry)
    return Header(name, fixed, metalayers, geometry, dtype)


def parse_metalayers(
    name: str, data: bytes, end: int, start: int = FIXED_LENGTH
) -> dict[str, bytes]:
    """The named byte strings of a section, which starts with their offsets.

    Offsets count from the start of `data`, the contents end before `end`.
    """
    section = unpack(data[start:end], raw=True)
    offsets = section[1] if isinstance(section, list) and len(section) == 3 else None
    if not isinstance(offsets, dict):
        raise bad_metalayer(name, "the list of metalayers cannot be read")
    found = {}
    for key, offset in offsets.items():
        try:
            text = cast("bytes", key).decode()
        except (AttributeError, UnicodeDecodeError):
            raise bad_metalayer(name, f"a metalayer is named {key!r}") from None
        if not isinstance(offset, int) or not start < offset <= end - 5 or data[offset] != 0xC6:
            raise bad_metalayer(name, f"metalayer {text!r} is not where it should be")
        content = offset + 5
        length = int.from_bytes(data[offset + 1 : content], "big")
        if content + length > end:
            raise bad_metalayer(name, f"metalayer {text!r} is longer than its place")
        found[text] = data[content : content + length]
    return found


def _check_geometry(name: str, fixed: Fixed, geometry: Geometry) -> None:
    """What holds in every good file, so that no later size can be a lie."""
    items = prod(max(n, 1) for n in geometry.shape)
    if any(n < 0 for n in geometry.shape) or items * geometry.itemsize >= 1 << 63:
        raise bad_metalayer(name, f"a shape of {geometry.shape}")
    empty = not all(geometry.shape)
    limits = zip(geometry.chunks, geometry.blocks, strict=True)
    if any(c < 0 or b < 0 for c, b in limits) or (fixed.nbytes == 0) is not empty:
        raise bad_metalayer(name, "shape, chunks and sizes contradict one another")
    if empty:
        return
    limits = zip(geometry.chunks, geometry.blocks, strict=True)
    if not all(0 < b <= c for c, b in limits):
        raise bad_metalayer(name, f"blocks of {geometry.blocks} in chunks of {geometry.chunks}")
    if (
        geometry.block_nbytes != fixed.blocksize
        or geometry.chunk_nbytes != fixed.chunksize
        or geometry.nchunks * geometry.chunk_nbytes != fixed.nbytes
    ):
        raise bad_metalayer(
            name,
            f"shape {geometry.shape}, chunks {geometry.chunks} and blocks {geometry.blocks}"
            " contradict the sizes in the header",
        )


def bad_metalayer(name: str, what: str) -> FrameError:
    """The error for a metalayer or attribute that cannot be read."""
    return FrameError(f"{name}: {what}", reason="bad-metalayer")


def _truncated(name: str, what: str) -> FrameError:
    return FrameError(f"{name}: {what}", reason="truncated")
