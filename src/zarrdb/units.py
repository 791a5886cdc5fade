"""Sizes and counts as people read them."""

_UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def size_text(size: int) -> str:
    """A number of bytes with a binary unit and one decimal: `312 B`, `38.1 MiB`."""
    if size < 1024:
        return f"{size} B"
    # Integers all the way: a size computed from a document may exceed any float.
    power = min((size.bit_length() - 1) // 10, len(_UNITS))
    tenths = (size * 20 + 1024**power) // (2 * 1024**power)
    if tenths >= 10240 and power < len(_UNITS):
        power, tenths = power + 1, 10
    return f"{tenths // 10:,}.{tenths % 10} {_UNITS[power - 1]}"


def counted(number: int, noun: str) -> str:
    """A number of things: `1 key`, `1,204 keys`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
