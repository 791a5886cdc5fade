"""Stores that are no `.zarrdb`: directories, zips, tars; one kind a module, both ways."""
