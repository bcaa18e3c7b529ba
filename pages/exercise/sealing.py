"""A sealed exercise: settings, question and answer as one token that only this server can read.

The token is encrypted and signed (Fernet: AES-128-CBC with HMAC-SHA256) with a key that never
leaves the server, so whoever has the address can neither read the answer or the data set's name in
it, nor change a part of it. It keeps what a student sees from telling the answers; it does not keep
anybody from recognising a data set that comes with the app.
"""

import json
import os
import secrets
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from sdsc_core.cli.paths import EXERCISE_KEY_VARIABLE

DAMAGED = (
    "The address of this exercise is damaged, or was made on another server; ask whoever gave it to"
    " you for a new one."
)
LARGEST = 20_000  # bytes of an exercise; what unpacks to more was not made here


@dataclass(frozen=True)
class Exercise:
    """What a teacher made: settings as the address spells them, and what is asked.

    ``salt`` mixes the points, so that their order cannot be worked out from the address.
    """

    settings: dict[str, str]
    question: str = ""
    answer: str = ""
    praise: str = ""
    salt: int = 0

    def fixed(self, of_data: Sequence[str]) -> set[str]:
        """Settings that its address cannot change: what is locked; the data, if answers are hidden.

        ``of_data`` are the settings that make the data.
        """
        hidden = of_data if self.settings.get("hide") == "1" else ()
        return {"hide", "lock", *hidden, *self.settings.get("lock", "").split(".")}

    def unsealed(self, query: Mapping[str, str], of_data: Sequence[str]) -> dict[str, str]:
        """All that an address with this exercise says: its settings, and what may be moved."""
        fixed = self.fixed(of_data)
        return self.settings | {name: text for name, text in query.items() if name not in fixed}

    def moved(
        self, now: Mapping[str, str], usual: Mapping[str, str], of_data: Sequence[str]
    ) -> dict[str, str]:
        """What the address says of settings that are now so: the token, and what was moved."""
        own, fixed = {**usual, **self.settings}, self.fixed(of_data)
        return {name: text for name, text in now.items() if name not in fixed and text != own[name]}


def seal(exercise: Exercise) -> str:
    """The token of an exercise; each call gives another one."""
    words = json.dumps(asdict(exercise), ensure_ascii=False).encode()
    return _fernet()[0].encrypt(zlib.compress(words, 9)).decode().rstrip("=")


def unseal(token: str) -> Exercise:
    """What a token holds; a ValueError where it was not sealed with this server's key."""
    try:
        packed = _fernet()[0].decrypt(token + "=" * (-len(token) % 4))
        unpack = zlib.decompressobj()
        words = unpack.decompress(packed, LARGEST)
        return Exercise(**json.loads(words))
    except (InvalidToken, zlib.error, ValueError, TypeError) as problem:
        raise ValueError(DAMAGED) from problem


def fresh_salt() -> int:
    """A number that nobody can guess."""
    return secrets.randbits(64)


def key_file() -> Path:
    """Where the key is kept: as `sdsc app --exercise-key` says, else in the user's folder."""
    named = os.environ.get(EXERCISE_KEY_VARIABLE)
    return Path(named) if named else Path.home() / ".sdsc" / "exercise.key"


def lasting() -> bool:
    """Whether the key is kept in a file, so that addresses hold when the server starts anew."""
    return _fernet()[1]


def _fernet() -> tuple[Fernet, bool]:
    return _read_or_make(key_file())


@cache
def _read_or_make(file: Path) -> tuple[Fernet, bool]:
    """The cipher of a key file, made where there is none; without a place for it, one for now."""
    try:
        if not file.exists():
            _make(file)
        return Fernet(file.read_bytes().strip()), True
    except (OSError, ValueError):
        return Fernet(Fernet.generate_key()), False


def _make(file: Path) -> None:
    """Write a new key that only its owner may read, whole from the first moment on."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(handle, "wb") as new:
        new.write(Fernet.generate_key())
    try:
        os.link(draft, file)  # unlike a renaming it leaves the key of a server that was quicker
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
