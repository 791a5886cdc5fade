"""`python -m zarrdb` and the console script."""

import sys


def main() -> None:
    """Run the command line; the exit code is the process's own."""
    from zarrdb.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
