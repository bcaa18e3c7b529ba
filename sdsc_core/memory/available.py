"""How many bytes a new computation could use: of the machine, a container, and `ulimit`."""

import os
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")
STATM = Path("/proc/self/statm")
# Limit, use, and what of the use is page cache that gives way: of version 2, then of version 1.
FILES = (
    ("memory.max", "memory.current", "memory.stat"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat"),
)
# Where the system tells nothing.
FALLBACK = 4 << 30


def available_memory() -> int:
    """Bytes that a new computation could use, within a container's limit and `ulimit`.

    >>> available_memory() > 0
    True
    """
    free = _free_by_kernel() or _free_by_sysconf() or FALLBACK
    return min([free, *_left_of_cgroups(), *_left_of_ulimit()])


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


def _left_of_cgroups() -> list[int]:
    """What each cgroup around this process may still take: its limit less what it holds.

    In a container the process's own is the root that it sees; a unit of systemd lies deeper.
    """
    left = []
    for folder in _cgroups():
        for limit, used, cache in FILES:
            try:
                most, now = (Path(folder, name).read_text().strip() for name in (limit, used))
                stat = dict(line.split() for line in Path(folder, cache).read_text().splitlines())
            except (OSError, ValueError):
                continue
            if most.isdigit():
                kept = stat.get("inactive_file", stat.get("total_inactive_file", "0"))
                left.append(max(int(most) - int(now) + int(kept), 0))
    return left


def _cgroups() -> list[Path]:
    """Folders of the cgroups that count this process's memory, the root among them."""
    found = {CGROUP, CGROUP / "memory"}
    try:
        lines = OWN_CGROUP.read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = CGROUP / "memory" if controllers else CGROUP
        folder = top / path.lstrip("/")
        if ".." not in folder.parts:
            found |= {folder, *(p for p in folder.parents if p.is_relative_to(top))}
    return sorted(found)


def _left_of_ulimit() -> list[int]:
    """What the limits of the process on its addresses (-v) and its data (-d) leave."""
    try:
        import resource
    except ImportError:  # Windows
        return []
    try:
        pages = STATM.read_text().split()
    except OSError:
        return []
    left = []
    for kind, field in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        most = resource.getrlimit(kind)[0]
        if most != resource.RLIM_INFINITY:
            left.append(max(most - int(pages[field]) * resource.getpagesize(), 0))
    return left
