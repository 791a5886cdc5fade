"""Options, hypothesis profiles and the two ways to run the command line."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from helpers_cli import Result, run_in_process, run_subprocess

settings.register_profile(
    "zarrdb",
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("ci", parent=settings.get_profile("zarrdb"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "zarrdb")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--vectors",
        metavar="DIR",
        help="a folder of conformance vectors, run beside the small ones",
    )
    parser.addoption(
        "--realdata",
        metavar="DIR",
        default=os.environ.get("ZARRDB_REALDATA"),
        help="a folder of real stores (or ZARRDB_REALDATA); its tests are skipped without it",
    )


def _folder(config: pytest.Config, option: str) -> Path:
    value = config.getoption(option)
    if value is None:
        pytest.skip(f"needs {option} DIR")
    folder = Path(value)
    if not folder.is_dir():
        pytest.skip(f"{option}: no folder {folder}")
    return folder


@pytest.fixture(scope="session")
def vectors(pytestconfig: pytest.Config) -> Path:
    """The folder given with --vectors; the test is skipped without one."""
    return _folder(pytestconfig, "--vectors")


@pytest.fixture(scope="session")
def realdata(pytestconfig: pytest.Config) -> Path:
    """The folder given with --realdata; the test is skipped without one."""
    return _folder(pytestconfig, "--realdata")


@pytest.fixture(autouse=True)
def _no_files_in_memory() -> Iterator[None]:
    """What a test leaves in fsspec's memory, which the whole process shares, is no other's."""
    yield
    module = sys.modules.get("fsspec.implementations.memory")
    if module is not None:
        module.MemoryFileSystem.store.clear()
        module.MemoryFileSystem.pseudo_dirs[:] = [""]


@pytest.fixture
def run_cli() -> Callable[..., Result]:
    """Run the command line in a process of its own, as a shell would."""
    return run_subprocess


@pytest.fixture
def cli() -> Callable[..., Result]:
    """Run the command line in this process, its streams captured: quick."""
    return run_in_process
