"""What stands around the server: nginx before it, the unit, the lock file of the image."""

import os
import re
import shutil
import ssl
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from http.client import HTTPSConnection
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests import image
from tests.browser import Server, free_port
from tests.load import table
from tests.visitor import Visitor, play

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"


@pytest.fixture
def behind_nginx(tmp_path):
    """The app behind nginx, as deploy/nginx.conf has it but for ports and certificate."""
    nginx = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if nginx is None or shutil.which("openssl") is None:
        pytest.skip("nginx and openssl are needed to stand before the app")
    port, plain = free_port(), free_port()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    with Server() as server:
        site = (DEPLOY / "nginx.conf").read_text()
        for old, new in {
            "127.0.0.1:8501": f"127.0.0.1:{server.port}", "listen 443": f"listen 127.0.0.1:{port}",
            "listen 80": f"listen 127.0.0.1:{plain}", "/etc/nginx/tls": str(tmp_path),
        }.items():  # fmt: skip
            assert old in site
            site = site.replace(old, new)
        paths = "".join(
            f"{kind}_temp_path {tmp_path}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        whose = "user root;" if os.geteuid() == 0 else ""  # else it may not write into the folder
        (tmp_path / "nginx.conf").write_text(
            f"{whose} daemon off; pid {tmp_path}/pid; error_log {tmp_path}/log;"
            f"events {{}} http {{ access_log off; {paths} {site} }}"
        )
        process = subprocess.Popen([nginx, "-p", tmp_path, "-c", tmp_path / "nginx.conf"])
        try:
            yield f"https://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def test_nginx_before_the_app(behind_nginx):
    """WebSockets, uploads up to the limit, TLS; the status stays inside."""
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE

    def code(path, method="GET", data=None):
        request = urllib.request.Request(behind_nginx + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=20, context=trust) as reply:
                return reply.status, dict(reply.headers)
        except urllib.error.HTTPError as error:
            return error.code, {}

    async def come():
        async with Visitor(behind_nginx, trust) as tab:
            await tab.open(page="data")
            await tab.upload("mark-1-a.csv", table(1))
            await tab.open(page="")
            await tab.move("theta1", 0.7)
            assert not tab.problems and tab.marks == {1}

    for _ in range(100):
        try:
            found = code("/_stcore/health")
            break
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    assert found[0] == 200 and "max-age" in found[1]["Strict-Transport-Security"]
    assert "content-security-policy" in {name.lower() for name in code("/")[1]}
    assert code("/_stcore/status")[0] == 404
    play(come())
    line = HTTPSConnection(behind_nginx.partition("//")[2], timeout=20, context=trust)
    line.putrequest("PUT", "/_stcore/upload_file/a/b")
    line.putheader("Content-Length", str(202 << 20))
    line.endheaders()
    assert line.getresponse().status == 413
    line.close()


def test_the_image_starts_and_is_well(tmp_path):
    """Its entry point and health check, with what is installed here; `python -m tests.image` runs
    all steps."""
    assert {kind for kind, _ in image.instructions()} == set(image.KNOWN)
    bin_, cache = tmp_path / "opt" / "sdsc" / "bin", tmp_path / "var" / "cache" / "sdsc"
    bin_.mkdir(parents=True)
    cache.mkdir(parents=True)
    for name, words in {"sdsc": "-m sdsc_core.cli", "python": ""}.items():
        call = f'exec {sys.executable} {words} "$@"'
        (bin_ / name).write_text(f"#!/bin/sh\ncd {DEPLOY.parent}\n{call}\n")
        (bin_ / name).chmod(0o755)
    port, said = free_port(), {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with image.start(tmp_path, port, as_user=False, **said) as process:
        try:
            end = time.monotonic() + 60
            while not (well := image.well(tmp_path, port)) and time.monotonic() < end:
                assert process.poll() is None, process.stdout.read().decode()
                time.sleep(0.3)
        finally:
            process.kill()
    assert well and not image.well(tmp_path, port), "nobody is there any more"


def test_the_lock_has_hashes_and_no_host():
    for name in ("requirements.lock", "build.lock"):
        lines = (DEPLOY / name).read_text().splitlines()[1:]
        assert lines and all(
            re.fullmatch(r"[\w.-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}", line) for line in lines
        )


def locked(file="requirements.lock"):
    """Packages of the image, or of what builds it, and their versions."""
    found = re.findall(r"^([\w.-]+)==(\S+)", (DEPLOY / file).read_text(), re.M)
    return {name.lower(): version for name, version in found}


def test_every_locked_package_has_a_licence():
    text = (DEPLOY / "LICENCES.md").read_text()
    rows = re.findall(r"^\| ([\w.-]+) \| (\d[\w.]*) \| (.+) \|$", text, re.M)
    assert {name.lower(): version for name, version, _ in rows} == locked()
    vague = ("", "not stated", "not installed here")
    assert all(licence not in vague for _, _, licence in rows)


def audited(tmp_path, says):
    """deploy/audit with stand-ins for Python's venv and for pip-audit, which notes how it is called
    and then does what ``says`` tells."""
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    (tmp_path / "deploy" / "explained.txt").write_text("# why\n\nGHSA-1 not reached by us\n")
    (tmp_path / "bin").mkdir()
    audit = f'echo "$@" >> {tmp_path}/asked\n{says}'
    for name, text in {
        "bin/python3": f'mkdir "$3/bin" && cp {tmp_path}/pip* "$3/bin"',
        "pip": "exit 0", "pip-audit": audit,
    }.items():  # fmt: skip
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    return subprocess.run(
        ["bash", tmp_path / "deploy" / "audit", "-s", "osv"], capture_output=True, text=True,
        env=os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
    )  # fmt: skip


@pytest.mark.parametrize("finding", ["", "requirements.lock", "build.lock"])
def test_the_audit_asks_of_both_locks_and_leaves_out_what_is_explained(tmp_path, finding):
    found = "echo Found 1 known vulnerability in 1 package >&2; exit 1"
    said = audited(tmp_path, f'[ "$2" != "{finding}" ] || {{ {found}; }}')
    assert said.returncode == bool(finding), said.stderr
    assert ("not audited" in said.stderr) is False
    assert ("Found 1" in said.stderr) is bool(finding)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[1] for line in asked] == ["requirements.lock", "build.lock"]
    assert all("--require-hashes" in a and a.endswith("--ignore-vuln GHSA-1 -s osv") for a in asked)


def test_an_audit_without_an_answer_is_no_finding_and_says_so(tmp_path):
    """pip-audit tells of a service that cannot be reached as of a package that is not there."""
    said = audited(tmp_path, "echo ERROR: Dependency not found on PyPI >&2; exit 1")
    assert said.returncode == 1
    [sentence] = [line for line in said.stderr.splitlines() if "requirements.lock" in line]
    assert "not audited" in sentence and "advisory service gave no answer" in sentence


def test_every_explained_advisory_has_its_reason():
    lines = (DEPLOY / "explained.txt").read_text().splitlines()
    for line in lines:
        assert line.startswith("#") or re.fullmatch(r"(PYSEC|GHSA|CVE)-[\w-]+ .{20,}", line), line


def test_the_lock_holds_what_the_app_asks_for():
    """A dependency that joins pyproject.toml joins the lock, and so does a version that it asks
    for: `python deploy/lock.py`."""
    whole = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())
    project = whole["project"]
    extras = project["optional-dependencies"]
    asked = list(project["dependencies"])
    for extra in ("files", "figures", "app", "login"):
        asked += extras[extra]
    wanted = [r for r in map(Requirement, asked) if r.name != project["name"]]
    assert len(wanted) > 8
    for file, needs in (
        ("requirements.lock", wanted),
        ("build.lock", map(Requirement, whole["build-system"]["requires"])),
    ):
        for need in needs:
            assert need.specifier.contains(locked(file)[need.name.lower()]), need


def test_no_secret_of_the_folder_gets_into_image_wheel_or_repository(tmp_path):
    """The provider's secret and the key of TLS lie where a login and compose look for them."""
    held = (".streamlit/secrets.toml", "deploy/tls/key.pem")
    for name in (*held, ".streamlit/config.toml", "deploy/nginx.conf"):
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).touch()
    shutil.copy(DEPLOY.parent / ".dockerignore", tmp_path / "project")
    image.copy_sources(tmp_path, tmp_path / "project")
    copied = {
        p.relative_to(tmp_path / "source").as_posix() for p in (tmp_path / "source").rglob("*.*")
    }
    assert {".streamlit/config.toml", "deploy/nginx.conf"} <= copied and not copied & {*held}
    build = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    included = build["targets"]["wheel"]["force-include"]
    assert ".streamlit/config.toml" in included and ".streamlit" not in included
    ignored = (DEPLOY.parent / ".gitignore").read_text().split()
    assert {".streamlit/secrets.toml", "deploy/tls/"} <= {*ignored}


def test_the_unit_finds_the_kernels_that_the_installation_compiled():
    """They are compiled where both look for them, and laid out in the folder that is kept."""
    unit, install = ((DEPLOY / name).read_text() for name in ("sdsc.service", "install"))
    assert "kernels=${2:-$target/kernels}" in install
    assert "after `deploy/install /opt/sdsc`" in unit
    assert "SDSC_KERNELS=/opt/sdsc/kernels NUMBA_CACHE_DIR=/var/cache/sdsc\n" in unit
    assert "CacheDirectory=sdsc\n" in unit


def test_the_unit_is_one(tmp_path):
    if not (tool := shutil.which("systemd-analyze")):
        pytest.skip("systemd-analyze is not installed")
    unit = (DEPLOY / "sdsc.service").read_text().replace("/opt/sdsc/bin/sdsc", sys.executable)
    (tmp_path / "sdsc.service").write_text(unit)
    said = subprocess.run(
        [tool, "verify", tmp_path / "sdsc.service"], capture_output=True, text=True
    )
    problems = [line for line in said.stderr.splitlines() if "sdsc.service" in line]
    assert not problems
