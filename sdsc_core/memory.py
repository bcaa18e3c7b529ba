"""How much memory there is, and a refusal before it runs out."""

import os
from pathlib import Path

# Half of what is free stays for the rest of a run (affinity, eigenvectors) and for other users.
SHARE = 0.5
CGROUP = "/sys/fs/cgroup"
CGROUPS = (
    ("memory.max", "memory.current", "memory.stat"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
)
# Where the system tells nothing.
FALLBACK = 4 << 30


def available_memory() -> int:
    """Bytes that a new computation could use, within the container's limit if there is one."""
    free = _free_by_kernel() or _free_by_sysconf() or FALLBACK
    limit = _container_limit()
    return free if limit is None else min(free, limit)


def check_memory(
    needed: int,
    what: str,
    n_points: int,
    limit: int | None = None,
    *,
    name: str = "X",
    instead: str = "give fewer points or another method",
) -> None:
    """ValueError where ``needed`` bytes exceed ``limit`` (None: a share of what is free)."""
    if limit is None:
        limit = int(SHARE * available_memory())
    if needed > limit:
        raise ValueError(
            f"{name} has {n_points} points, for which {what} needs about {_gib(needed)} GiB of"
            f" memory; at most {_gib(limit)} GiB may be used, so {instead}."
        )


def _gib(size: int) -> str:
    """Two digits are enough, without an exponent.

    >>> _gib(111 << 30), _gib(3 << 29)
    ('110', '1.5')
    """
    digits = float(f"{size / 2**30:.2g}")
    return f"{digits:,.0f}" if digits >= 10 else f"{digits:g}"


def _free_by_kernel() -> int | None:
    # Counts the page cache as free, which the sysconf figure does not.
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def _free_by_sysconf() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError, OSError):
        return None


def _container_limit() -> int | None:
    """What the container may still take: its limit less what it holds, page cache aside."""
    for limit, used, cache in CGROUPS:
        try:
            most, now = (Path(CGROUP, name).read_text().strip() for name in (limit, used))
            stat = dict(line.split() for line in Path(CGROUP, cache).read_text().splitlines())
        except (OSError, ValueError):
            continue
        if not most.isdigit():
            return None
        kept = stat.get("inactive_file", stat.get("total_inactive_file", "0"))
        return max(int(most) - int(now) + int(kept), 0)
    return None
