"""Plugins, loaded by name only: nothing that merely is installed ever runs."""

from typing import Final

from zarrdb.errors import PluginError

GROUP: Final = "zarrdb.plugins"
"""The group of entry points that a package announces its plugin in."""


def load_plugin(name: str) -> object:
    """The object that a name stands for: an entry point, else a module, or `module:object`.

    Raises PluginError where there is none, or where importing it fails.
    """
    from importlib.metadata import entry_points

    try:
        for entry in entry_points(group=GROUP, name=name):
            loaded: object = entry.load()
            return loaded
        return _imported(name)
    except PluginError:
        raise
    # A plugin is foreign code: whatever it raises while it is imported is its failure.
    except Exception as error:
        raise PluginError(
            f"plugin {name}: {type(error).__name__}: {error}", hint="nothing was checked"
        ) from error


def _imported(name: str) -> object:
    from importlib import import_module
    from importlib.util import find_spec

    module, _, attribute = name.partition(":")
    try:
        found = find_spec(module) is not None
    except (ImportError, ValueError):
        found = False
    if not found:
        raise PluginError(
            f"no plugin {name}",
            hint=f"a package has to announce it in the group {GROUP}, or it is a module's name",
        )
    loaded: object = import_module(module)
    for part in attribute.split(".") if attribute else ():
        loaded = getattr(loaded, part)
    return loaded
