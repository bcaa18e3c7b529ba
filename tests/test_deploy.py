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
    rows = re.findall(r"^\| ([\w.-]+) \| [\w.]+ \| (.+) \|$", text, re.M)
    assert {name.lower() for name, _ in rows} - {"package"} == set(locked())
    assert all(licence not in ("", "not stated") for _, licence in rows)


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
