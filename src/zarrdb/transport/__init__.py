"""Bytes at a distance: ranges of files, local or remote, with the traffic they cost."""
