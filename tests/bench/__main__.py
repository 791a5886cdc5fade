"""Every benchmark, and at the end a table of what was wanted and what was measured.

    python tests/bench [NAME...] [--rounds N]

NAME is one of startup transfer store metadata check findings remote frame; without any all run, which
takes about half an hour on two quiet cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sidebyside import BOUNDS_FILE

NAMES = ("startup", "transfer", "store", "metadata", "check", "findings", "remote", "frame")
COUNTED = {"findings", "remote", "frame"}
"""Those that count, and do so once."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--rounds", type=int, help="runs of each candidate")
    wanted = parser.parse_args()
    if strange := set(wanted.names) - set(NAMES):
        parser.error(f"no benchmark of the name {', '.join(sorted(strange))}")
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "bounds")
        lines.touch()
        for name in wanted.names or NAMES:
            command = [sys.executable, str(Path(__file__).with_name(f"bench_{name}.py"))]
            if wanted.rounds and name not in COUNTED:
                command += ["--rounds", str(wanted.rounds)]
            print(f"\n==== {name}", flush=True)
            result = subprocess.run(
                command, check=False, env={**os.environ, BOUNDS_FILE: str(lines)}
            )
            if result.returncode not in (0, 1):
                failed.append(name)
        print("\n| | measured | wanted | |\n| --- | --- | --- | --- |")
        for line in lines.read_text(encoding="utf-8").splitlines():
            what, measured, limit, met = json.loads(line)
            print(f"| {what} | {measured} | {limit} | {'' if met else 'missed'} |")
    for name in failed:
        print(f"bench_{name}.py did not end well", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
