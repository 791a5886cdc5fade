"""Copies between stores: imports, exports, and the layout of what is written."""
