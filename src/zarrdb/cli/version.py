"""`--version`, and with `-v` what a bug report needs."""

from zarrdb._version import __version__
from zarrdb.cli.output import write_text

_PACKAGES = ("apsw", "typer", "zarr", "numpy", "numcodecs", "fsspec", "blosc2")


def print_version(*, verbose: bool) -> None:
    """Print the version; verbosely with those of what it runs on, none of it imported."""
    write_text(f"zarrdb {__version__}\n")
    if verbose:
        for name, value in _facts():
            write_text(f"{name:10} {value}\n")


def _facts() -> list[tuple[str, str]]:
    import locale
    import platform
    import sys

    import apsw

    streams = [getattr(stream, "encoding", "closed") for stream in (sys.stdout, sys.stderr)]
    encodings = (
        f"locale {locale.getpreferredencoding(False)}, files {sys.getfilesystemencoding()}, "
        f"stdout {streams[0]}, stderr {streams[1]}"
    )
    return [
        ("python", f"{platform.python_version()} ({sys.executable})"),
        ("platform", platform.platform()),
        ("sqlite", apsw.sqlite_lib_version()),
        *((name, _installed(name)) for name in _PACKAGES),
        ("encodings", encodings),
    ]


def _installed(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
