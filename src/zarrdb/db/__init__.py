"""The store core: `.zarrdb` files read, written and inspected through SQLite."""

from zarrdb.db.container import ContainerFacts, Problem, inspect
from zarrdb.db.database import Database

__all__ = ["ContainerFacts", "Database", "Problem", "inspect"]
