"""How many cores there are to work with."""

import os
from typing import Final

MOST: Final = 8
"""Threads beyond this many gained nothing on any machine that was tried."""


def workers(jobs: int | None = None) -> int:
    """The number of workers asked for, else the CPUs that this process may use, at most 8.

    What a container or a batch system allots counts: the affinity mask, the quota of the
    control group, `SLURM_CPUS_PER_TASK`.
    """
    if jobs is not None:
        return jobs
    bounds = [_affinity(), _quota(), _allotted()]
    return max(1, min(MOST, *(bound for bound in bounds if bound is not None)))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota() -> int | None:
    """The CPUs that control group version 2 grants, where it grants fewer than all."""
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, period = file.read().split()
        return None if quota == "max" else -(-int(quota) // int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _allotted() -> int | None:
    text = os.environ.get("SLURM_CPUS_PER_TASK", "")
    return int(text) if text.isascii() and text.isdigit() and int(text) else None
