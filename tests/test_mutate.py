"""The mutation run changes what it should, one place at a time, and leaves the rest alone."""

import ast
from pathlib import Path

from tests import mutate

SOURCE = '''"""Text with 1 < 2."""
TILE = 256


def f(a: int = 1, b=0.5):
    """1 + 1"""
    if a < b and b != 2:
        raise ValueError(f"{a + 1} is wrong")
    limit = 1e-9 * a
    return min(a[:3], -b), W.shape[0], a if TILE > 3 else b
'''


def changes(tmp_path, monkeypatch, source, name="sdsc_core/m.py", keys=False):
    monkeypatch.setattr(mutate, "ROOT", tmp_path)
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(source)
    found = mutate.mutants(Path(name), keys)
    original = ast.unparse(ast.parse(source))
    for mutant in found:
        assert mutant.source() != original
    assert ast.unparse(found[0].tree) == original
    return {str(m).split(": ", 1)[1] for m in found}


def test_each_change_and_no_other(tmp_path, monkeypatch):
    assert changes(tmp_path, monkeypatch, SOURCE) == {
        "1  →  2",
        "0.5  →  1.5",
        "if a < b and b != 2:  →  if not (a < b and b != 2):",
        "a < b and b != 2  →  a < b or b != 2",
        "a < b  →  a <= b",
        "a < b  →  a > b",
        "b != 2  →  b == 2",
        "2  →  3",
        "min(a[:3], -b)  →  max(a[:3], -b)",
        ":3  →  :",
        "3  →  4",
        "-b  →  b",
    }


def test_keys_lose_one_part_at_a_time(tmp_path, monkeypatch):
    source = 'key = (a, b)\nfound = cached(("name", key), lambda: (1, 2))\n'
    source += "def side_key():\n    return c, d\ndef other():\n    return 1, 2\n"
    assert changes(tmp_path, monkeypatch, source, "pages/shared/m.py", keys=True) == {
        "(a, b)  →  (b,)",
        "(a, b)  →  (a,)",
        "('name', key)  →  (key,)",
        "('name', key)  →  ('name',)",
        "(c, d)  →  (d,)",
        "(c, d)  →  (c,)",
    }


def test_what_is_left_out_is_still_there(monkeypatch):
    """Each entry of the list names a change that would be made."""
    listed = mutate.EQUIVALENT
    monkeypatch.setattr(mutate, "EQUIVALENT", [])
    found = []
    for module in (*mutate.TESTS, *mutate.KEYS):
        for path in mutate.files_of(module):
            lines = (mutate.ROOT / path).read_text().splitlines()
            changes_ = mutate.mutants(path, module in mutate.KEYS)
            found += [(lines[m.line - 1], str(m)) for m in changes_]
    for part, words, _ in listed:
        for word in words.split(" | "):
            assert any(part in line and word in change for line, change in found), (part, word)
