"""The command line: one module a command, built on `app`, `options` and `output`."""
