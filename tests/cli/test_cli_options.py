"""One option, one meaning, in every command."""

from typing import Annotated, get_args, get_origin

import pytest
from typer.models import OptionInfo

from zarrdb.cli import options
from zarrdb.cli.app import COMMANDS, build, root
from zarrdb.cli.parser import Flag, flags

EVERYWHERE = ["--help", "--version", "--quiet", "--verbose", "--color", "--timeout"]


def shared() -> dict[str, OptionInfo]:
    """The options that `zarrdb.cli.options` declares, by each of their names."""
    found: dict[str, OptionInfo] = {}
    for alias in vars(options).values():
        if get_origin(alias) is Annotated:
            info = get_args(alias)[1]
            if isinstance(info, OptionInfo):
                for name in (info.default, *(info.param_decls or ())):
                    found[str(name)] = info
    return found


def all_flags() -> dict[str, list[tuple[str, Flag]]]:
    """Which commands have an option, by each of its names."""
    found: dict[str, list[tuple[str, Flag]]] = {}
    for command in COMMANDS:
        for flag in flags(build(command)):
            for name in flag.names:
                found.setdefault(name, []).append((command, flag))
    return found


def test_an_option_of_several_commands_is_a_shared_one() -> None:
    known = {*shared(), *options.OWN_MEANING, "-h", "--help", "-V", "--version"}
    strangers = {
        name: [command for command, _ in uses]
        for name, uses in all_flags().items()
        if len(uses) > 1 and name not in known
    }
    assert strangers == {}


def test_shared_options_are_the_same_everywhere() -> None:
    aliases = shared()
    for name, uses in all_flags().items():
        if name in aliases:
            assert len({(tuple(flag.names), flag.help) for _, flag in uses}) == 1, name
            assert uses[0][1].help == aliases[name].help


def test_an_option_is_shared_or_has_its_own_meaning() -> None:
    assert set(options.OWN_MEANING).isdisjoint(shared())


@pytest.mark.parametrize("command", COMMANDS)
def test_what_every_command_has(command: str) -> None:
    names = {name for flag in flags(build(command)) for name in flag.names}
    assert set(EVERYWHERE) <= names


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_help_that_ends_as_a_sentence(command: str) -> None:
    for flag in flags(build(command)):
        assert flag.help.endswith("."), flag.names
        assert flag.help[0].isupper() or flag.help[0] == "`", flag.names


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_no_option_is_declared_twice(command: str) -> None:
    parser = build(command) if command else root()
    names = [name for flag in flags(parser) for name in flag.names]
    assert len(names) == len(set(names))
