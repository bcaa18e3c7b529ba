"""Write the lock files of the image and the list of licences: python deploy/lock.py

pip resolves what the app needs for the Python that runs this, without installing it; the hashes
are those of the files that it would take, the licences those of what is installed beside it. Run it
with the image's Python, on its platform.
"""

import json
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LOCKS = {
    "requirements.lock": f"{HERE.parent}[app,login]",
    "build.lock": "hatchling",
}
HEAD = "# Made by deploy/lock.py for Python {version}, {platform}; for pip's --require-hashes.\n"
OWN = "sdsc-explorer"


def resolve(wanted: str) -> list[dict[str, Any]]:
    """What pip would install, as its report has it."""
    with tempfile.NamedTemporaryFile() as report:
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed",
             "--only-binary", ":all:", "--report", report.name, wanted],
            check=True,
        )  # fmt: skip
        found = json.loads(Path(report.name).read_text())["install"]
    return sorted(found, key=lambda p: p["metadata"]["name"].lower())


def lines(packages: list[dict[str, Any]]) -> str:
    """A line with its hash for each package but our own."""
    text = HEAD.format(version="{}.{}".format(*sys.version_info), platform=sys.platform)
    for package in packages:
        about = package["metadata"]
        if about["name"] != OWN:
            sha = package["download_info"]["archive_info"]["hashes"]["sha256"]
            text += f"{about['name']}=={about['version']} --hash=sha256:{sha}\n"
    return text


def licence(name: str) -> str:
    """An expression where there is one, else what the classifiers say, else the first line."""
    try:
        about = metadata(name)
    except PackageNotFoundError:
        return "not installed here"
    if "License-Expression" in about:
        return str(about["License-Expression"])
    named = [c.split(" :: ")[-1] for c in about.get_all("Classifier", []) if "License ::" in c]
    named = [n for n in named if n != "OSI Approved"]
    first = (about.get("License") or "").strip().splitlines()[:1]
    return ", ".join(named) or "".join(first) or "not stated"


def table(packages: list[dict[str, Any]]) -> str:
    """The licences of all that is in the image."""
    text = "# Licences of what the image holds\n\nMade by `deploy/lock.py` from their metadata."
    text += " Python and Debian's packages below them have theirs in the image, as `copyright` in"
    text += " `/usr/share/doc`.\n\n"
    text += "| package | version | licence |\n|---|---|---|\n"
    for package in packages:
        about = package["metadata"]
        if about["name"] != OWN:
            shown = licence(about["name"]).replace("|", "/")
            text += f"| {about['name']} | {about['version']} | {shown} |\n"
    return text


def main() -> None:
    for name, wanted in LOCKS.items():
        packages = resolve(wanted)
        (HERE / name).write_text(lines(packages))
        if name == "requirements.lock":
            (HERE / "LICENCES.md").write_text(table(packages))


if __name__ == "__main__":
    main()
