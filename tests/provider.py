"""A small OpenID provider of our own, on this machine, that lets people in or does not.

It knows one client and one person, and asks nobody for a password: whoever comes to `/authorize` is
sent back with a code, or with an error where `refuses` says so. With `forges` its tokens are signed
by a key that it does not publish.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "explorer", "a secret of the client"
PERSON = {"sub": "1", "email": "ada@example.org", "name": "Ada"}


class Provider(ThreadingHTTPServer):
    """A context manager; ``url`` is its address."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.refuses = self.forges = False
        self.key, self.other = (RSAKey.generate_key(parameters={"kid": k}) for k in ("1", "1"))
        self.asked: dict[str, dict[str, str]] = {}  # by the code that was given for it

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.shutdown()
        self.server_close()

    def secrets_file(self, app: str) -> str:
        """What stands in .streamlit/secrets.toml of an app at this address."""
        return (
            f'[auth]\nredirect_uri = "{app}/oauth2callback"\n'
            f'cookie_secret = "{secrets.token_hex(16)}"\n'
            f'client_id = "{CLIENT}"\nclient_secret = "{SECRET}"\n'
            f'server_metadata_url = "{self.url}/.well-known/openid-configuration"\n'
        )


class _Answers(BaseHTTPRequestHandler):
    server: Provider

    def log_message(self, *words):
        """Nothing: what is asked is no fault."""

    def do_GET(self):
        parts = urlsplit(self.path)
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/.well-known/openid-configuration":
            self._say(self._discovery())
        elif parts.path == "/keys":
            self._say({"keys": [self.server.key.as_dict(private=False, alg="RS256", use="sig")]})
        elif parts.path == "/authorize":
            self._send_to(given["redirect_uri"], self._code_or_refusal(given))
        elif parts.path == "/end":
            self._send_to(given["post_logout_redirect_uri"], {})
        else:
            self.send_error(404)

    def do_POST(self):
        words = self.rfile.read(int(self.headers["content-length"])).decode()
        given = {name: values[0] for name, values in parse_qs(words).items()}
        asked = self.server.asked.pop(given.get("code"), None)
        verifier = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        known = self.headers.get("authorization") == f"Basic {basic}"
        if not (known and asked and challenge == asked["code_challenge"]):
            self._say({"error": "invalid_grant"}, 400)
            return
        now = int(time.time())
        claims = PERSON | {
            "iss": self.server.url, "aud": CLIENT, "iat": now, "exp": now + 300,
            "nonce": asked["nonce"],
        }  # fmt: skip
        key = self.server.other if self.server.forges else self.server.key
        token = jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)
        self._say({"access_token": "x", "token_type": "Bearer", "id_token": token})

    def _discovery(self):
        url = self.server.url
        return {
            "issuer": url, "authorization_endpoint": f"{url}/authorize",
            "token_endpoint": f"{url}/token", "jwks_uri": f"{url}/keys",
            "end_session_endpoint": f"{url}/end", "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "code_challenge_methods_supported": ["S256"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }  # fmt: skip

    def _code_or_refusal(self, given):
        if self.server.refuses:
            return {"error": "access_denied", "state": given["state"]}
        code = secrets.token_hex(8)
        self.server.asked[code] = given
        return {"code": code, "state": given["state"]}

    def _send_to(self, address, words):
        self.send_response(302)
        self.send_header("Location", f"{address}?{urlencode(words)}" if words else address)
        self.end_headers()

    def _say(self, answer, code=200):
        body = json.dumps(answer).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
