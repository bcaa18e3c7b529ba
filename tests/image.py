"""The image without an engine: python -m tests.image

Runs every step of the Dockerfile below a folder of its own: what is copied, the installation of the
locked packages with their hashes, the compiled kernels, the user, the entry point and the health
check, each as the Dockerfile spells it but for the paths. Then somebody comes, opens every screen,
and must not have waited for a kernel. Takes some minutes, most of them to compile.
"""

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.browser import ROOT, free_port
from tests.load import SCREENS
from tests.visitor import Visitor, play

# What is done about each instruction; one that is not here fails the test that reads this.
KNOWN = ("FROM", "COPY", "RUN", "ENV", "USER", "WORKDIR", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT")
PLACES = ("/source", "/opt/sdsc", "/var/cache/sdsc")
UID = 10001


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile and their words, in order."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(None, 1)) for line in lines]


def words_of(name: str) -> str:
    """The words of the one instruction of a kind."""
    [words] = [words for kind, words in instructions() if kind == name]
    return words


def entry_point() -> list[str]:
    """The command that the image starts."""
    return json.loads(words_of("ENTRYPOINT"))


def health_check() -> list[str]:
    """The command by which an engine asks whether the app is well."""
    return json.loads(words_of("HEALTHCHECK").partition("CMD ")[2])


def environment() -> dict[str, str]:
    """The variables that the image sets."""
    return dict(word.split("=", 1) for word in shlex.split(words_of("ENV")))


def below(root: Path, text: str) -> str:
    """A text with the image's places below a folder."""
    for place in PLACES:
        text = re.sub(rf"(?<![\w/]){place}(?![\w-])", f"{root}{place}", text)
    return text


def copy_sources(root: Path, project: Path = ROOT) -> None:
    """What `COPY . /source` takes: all but what .dockerignore names."""
    left_out = [p.removeprefix("**/") for p in (project / ".dockerignore").read_text().split()]

    def ignored(folder: str, names: list[str]) -> set[str]:
        return {n for n in names for p in left_out if fnmatch.fnmatch(n, p)}

    shutil.copytree(project, root / "source", ignore=ignored)


def reachable(path: Path) -> bool:
    """Whether other users may go to a file: each folder above it lets them through."""
    return all(folder.stat().st_mode & 0o001 for folder in path.resolve().parents)


def python_of_the_image() -> Path:
    """A Python of the image's version; one that the user of the image can start, if there is one.

    That which runs this may lie in somebody's home.
    """
    own = Path(sys.base_prefix) / "bin" / "python3.11"
    others = [Path(folder) / own.name for folder in ("/usr/local/bin", "/usr/bin")]
    return next((p for p in (own, *others) if p.exists() and reachable(p)), own)


def shell(root: Path, command: str) -> None:
    """A command of RUN, with the Python of the image's name on the path."""
    folder = root / "usr" / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "python").exists():
        (folder / "python").symlink_to(python_of_the_image())
    path = f"{folder}:{os.environ['PATH']}"
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "NUMBA"))}
    subprocess.run(["sh", "-ec", below(root, command)], check=True, env=clean | {"PATH": path})


def make_user(root: Path, command: str) -> None:
    """`useradd` below the folder, where it may: the user of the image has no name here."""
    if os.geteuid() == 0 and (tool := shutil.which("useradd")):
        (root / "etc").mkdir()
        for name in ("passwd", "group", "shadow", "gshadow", "login.defs"):
            (root / "etc" / name).touch()
        options = command.removeprefix("useradd")
        subprocess.run([tool, "--prefix", str(root), *shlex.split(options)], check=True)
        assert f"sdsc:x:{UID}:" in (root / "etc" / "passwd").read_text()


def build(root: Path) -> None:
    """All steps up to the start."""
    for kind, words in instructions():
        print(kind, words[:90], flush=True)
        assert kind in KNOWN, kind
        if kind == "FROM":
            assert words.startswith(f"python:{'.'.join(map(str, sys.version_info[:2]))}-"), words
        elif kind == "COPY" and not words.startswith("--from"):
            assert words == ". /source"
            copy_sources(root)
        elif kind == "COPY":  # of the first stage, whose places are the same
            assert len(set(words.split()[-2:])) == 1, words
        elif kind == "RUN" and words.startswith("useradd"):
            make_user(root, words)
        elif kind == "RUN":
            shell(root, words if os.geteuid() == 0 else words.replace(f"--owner={UID} ", ""))
        elif kind == "USER":
            assert words == "sdsc" and f"--uid {UID} " in str(instructions())
        elif kind == "EXPOSE":
            assert ["--port", words] == entry_point()[2:4]


def start(
    root: Path, port: int, as_user: bool = os.geteuid() == 0, **options: object
) -> subprocess.Popen:
    """The entry point on another port, as the user of the image where that may be."""
    command = [below(root, word) for word in entry_point()]
    command[3] = str(port)
    own = {name: below(root, value) for name, value in environment().items()}
    path = {"PATH": os.environ["PATH"], "HOME": "/home/sdsc"}  # which the image does not have
    who = {"user": UID, "group": UID, "extra_groups": []} if as_user else {}
    where = tempfile.gettempdir() if words_of("WORKDIR") == "/tmp" else None
    return subprocess.Popen(command, env=own | path, cwd=where, **who, **options)


def well(root: Path, port: int) -> bool:
    """Whether the health check says so."""
    command = [below(root, word).replace("8501", str(port)) for word in health_check()]
    return subprocess.run(command, capture_output=True).returncode == 0


async def visit(url: str) -> float:
    """Open every screen; the seconds of the first."""
    async with Visitor(url) as tab:
        seconds = [await tab.open(page=name) for name in SCREENS]
        assert not tab.problems, tab.problems
        return seconds[0]


def kernels(root: Path, place: str) -> set[str]:
    """The compiled kernels in a folder of the image."""
    return {p.name for p in Path(f"{root}{place}").rglob("*.nbc")}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)  # the user of the image goes through it
        build(root)
        port, own = free_port(), environment()
        compiled = kernels(root, own["SDSC_KERNELS"])
        as_user = os.geteuid() == 0 and reachable(python_of_the_image())
        print(
            f"starts as {'the user of the image' if as_user else 'whoever runs this'}", flush=True
        )
        process = start(root, port, as_user)
        try:
            end = time.monotonic() + 60
            while not well(root, port) and time.monotonic() < end and process.poll() is None:
                time.sleep(0.5)
            assert well(root, port), "the health check does not answer"
            first = play(visit(f"http://127.0.0.1:{port}"))
        finally:
            process.kill()
            process.wait()
        more = kernels(root, own["NUMBA_CACHE_DIR"]) - compiled
        print(f"{len(compiled)} kernels compiled, {len(more)} more by a visitor {sorted(more)};")
        print(f"the first visitor waited {first:.1f} s")
        return 1 if more or not compiled else 0


if __name__ == "__main__":
    sys.exit(main())
