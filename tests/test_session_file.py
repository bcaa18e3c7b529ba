"""The session file: all of it comes back, and nothing that somebody else wrote does harm."""

import inspect
import io
import json
import pickle
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from sdsc_core.datasets import Dataset, Limits, apart, load, make_subspaces
from sdsc_core.session import Part, Session, file, read_session, recognise, write_session

LIMITS = Limits()


def data():
    made = make_subspaces(2, 2, 6, points_each=5, random_state=1)
    names = np.array([f"<N{k}>" for k in range(10)])
    images = np.arange(60, dtype=np.uint8).reshape(10, 2, 3)
    more = {"rows": np.arange(2, 22, 2), "identifiers": names, "feature_names": tuple("abcdef")}
    classes = ("a", "b, ü")
    return Dataset(made.X, made.labels, "own", classes, images, "A note.", "faces", **more)


def whole():
    part = Part({"cells": [["k", 1.5], None]}, {"acc": np.linspace(0, 1, 4).reshape(2, 2)})
    read = {"own.csv": ("own.csv", {"header": True}, "mean")}
    plain = Dataset(np.eye(3), None, "plain")
    return Session({"own.csv": data(), "plain.npy": plain}, {"gamma": "3"}, read,
                   ({"number": 1},), {"compare": part})  # fmt: skip


def apart_read(content, name="s.sdsc", limits=LIMITS):
    return apart.session(io.BytesIO(content), name=name, limits=limits)


@pytest.mark.parametrize("read", [apart_read, lambda b: read_session(io.BytesIO(b), name="s")])
def test_everything_comes_back(read):
    made, found = whole(), read(write_session(whole()))
    assert list(found.sets) == list(made.sets)
    for name, one in made.sets.items():
        again = found.sets[name]
        assert again.digest == one.digest
        assert (again.name, again.note, again.kind) == (one.name, one.note, one.kind)
    assert (found.settings, found.history, found.version) == (
        made.settings, made.history, made.version,
    )  # fmt: skip
    assert {n: tuple(r) for n, r in found.read_as.items()} == made.read_as
    (words, arrays), mine = found.parts["compare"], made.parts["compare"]
    assert words == mine.words and (arrays["acc"] == mine.arrays["acc"]).all()


def test_it_is_known_by_its_content(tmp_path):
    content = write_session(whole())
    assert recognise(content[:64], "x.zip") == recognise(b"rubbish", "x.sdsc") == "session"
    assert recognise(b"PK\x03\x04" + 60 * b"x", "pictures.zip") == ""
    path = tmp_path / "s.sdsc"
    path.write_bytes(content)
    assert read_session(path).settings == {"gamma": "3"}
    with np.load(io.BytesIO(content), allow_pickle=False) as plain:  # NumPy alone reads it too
        assert (plain["sets/0/X"] == data().X).all()


def changed(change=None, arrays=None):
    """The file with other words, or other members."""
    content, out = write_session(whole()), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        words = json.loads(old.read("session.json"))
        if change:
            words = change(words) or words
        new.writestr("session.json", words if isinstance(words, bytes) else json.dumps(words))
        for name in old.namelist()[1:]:
            new.writestr(name, old.read(name))
        for name, content in (arrays or {}).items():
            new.writestr(name, content)
    return out.getvalue()


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


class Evil:
    def __reduce__(self):
        return (exec, ("raise SystemExit('run')",))


def claims(shape):
    """A header that claims a shape without the numbers."""
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def reads(choices, fill=""):
    return changed(lambda w: w["sets"][0].update(read_as=["own.csv", choices, fill]))


def nested(depth):
    """Written as text: whoever collects the tests may stand deep himself."""

    def change(words):
        words["parts"]["sweep"] = {"a": "DEEP"}
        return json.dumps(words).replace('"DEEP"', "[" * depth + "]" * depth).encode()

    return changed(change)


HOSTILE = {
    "no zip": b"rubbish" * 20,
    "cut": write_session(whole())[:-40],
    "no words": npy(np.eye(2)),
    "a list": changed(lambda w: b"[]"),
    "no JSON": changed(lambda w: b"{'a': 1}"),
    "deep": changed(lambda w: b"[" * 200_000),
    # Python's own limit counts what called it: so deep that a reader takes it and the app does not.
    **{f"deep {depth}": nested(depth) for depth in range(100, 1000, 50)},
    "many lists": changed(lambda w: b'{"format": [' + b"[]," * 6_000_000 + b"0]}"),
    "many objects": changed(lambda w: b'{"history": [' + b"{}," * 6_000_000 + b"0]}"),
    "other": changed(lambda w: {"format": "other"}),
    "newer": changed(lambda w: w.update(version=99)),
    "version text": changed(lambda w: w.update(version="1")),
    "no sets": changed(lambda w: w.pop("sets")),
    "sets text": changed(lambda w: w.update(sets="all")),
    "lost array": changed(lambda w: w["sets"][0]["arrays"].append("weights")),
    "other array": changed(lambda w: w["sets"][0].update(arrays=["X", "../../compare/acc"])),
    "no X": changed(lambda w: w["sets"][0].update(arrays=["labels"])),
    "names number": changed(lambda w: w["sets"][0].update(class_names=[1, 2])),
    "few names": changed(lambda w: w["sets"][0].update(class_names=["a"])),
    "long name": changed(lambda w: w["sets"][0].update(called="x" * 20_000)),
    "many sets": changed(lambda w: w.update(sets=w["sets"] * 40)),
    "settings list": changed(lambda w: w.update(settings=["gamma"])),
    "history": changed(lambda w: w.update(history=[1])),
    "parts": changed(lambda w: w.update(parts={"compare": 3})),
    "reading": reads({"x=0) or exec('1'); (lambda y": 1}),
    "reading word": reads({"not a name": 1}),
    "reading of others": reads({"limits": None}),
    "reading value": reads({"ignore": [["a"]]}),
    "reading number": reads({"header": 3.5}),
    "filling": reads({}, "mean') or exec('1"),
    "read_as": changed(lambda w: w["sets"][0].update(read_as=[1])),
    "pickle": changed(arrays={"parts/compare/e.npy": npy(np.array([Evil()]), allow_pickle=True)}),
    "pickle alone": changed(arrays={"parts/compare/e.npy": pickle.dumps(Evil())}),
    "claim": changed(arrays={"parts/compare/e.npy": claims((10**6, 10**4))}),
    "claim small": changed(arrays={"parts/compare/e.npy": claims((1000, 10))}),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_nobody_of_us_wrote_is_refused_with_a_sentence(name):
    with pytest.raises(ValueError, match=r"s\.sdsc.*\.$") as told:
        apart_read(HOSTILE[name])
    assert "Traceback" not in str(told.value) and len(str(told.value)) < 400


def test_words_take_no_more_memory_than_many_names():
    """JSON of some kilobytes, once packed, would be hundreds of megabytes as objects."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="too many"):
            apart_read(HOSTILE["many lists"])
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
        with pytest.raises(ValueError, match="too many"):
            file.read_settings_file(b'{"settings": [' + b"[]," * 2_000_000 + b"0]}", "s.json")
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_a_packed_bomb_is_refused():
    bomb, zeros = io.BytesIO(), io.BytesIO()
    np.save(zeros, np.zeros(2 * 10**6))
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.json", "{}")
        for k in range(8):
            archive.writestr(f"parts/x/{k}.npy", zeros.getvalue())
    assert len(bomb.getvalue()) < 10**6
    with pytest.raises(ValueError, match="would take 122 MB; at most 95 MB"):
        apart_read(bomb.getvalue(), limits=Limits(memory=10**8))


def test_limits_of_the_server_hold():
    content = write_session(Session({"x": make_subspaces(12, 2, 9, 2)}))
    assert apart_read(content).sets["x"].n_classes == 12
    with pytest.raises(ValueError, match=r"12 classes; at most 10 are read\."):
        apart_read(content, limits=Limits(classes=10))
    with pytest.raises(ValueError, match="at most"):
        apart_read(content, limits=Limits(values=100))


def test_every_choice_of_the_data_screen_comes_back():
    columns = {"label_column": "c", "id_column": False, "ignore": ["a", 3], "features": []}
    for choices, fill in (
        ({"header": "auto", "transpose": None, **columns}, "drop"),
        ({"header": True, "transpose": False, **columns, "label_column": 2, "id_column": None}, ""),
        ({"x": None, "y": False, "transpose": True}, "mean"),
        ({"x": "fea", "y": "gnd", "transpose": None}, ""),
    ):
        kept = Session({"own.csv": data()}, read_as={"own.csv": ("own.csv", choices, fill)})
        assert dict(apart_read(write_session(kept)).read_as) == dict(kept.read_as)


def test_every_argument_of_the_reader_is_known_or_no_choice():
    names = set(inspect.signature(load).parameters)
    assert set(file.READING) == names - {"path", "name", "limits", "mapped"}


def test_words_that_only_python_knows_stay_words():
    """No float, NaN or infinity is lost, and nothing is evaluated."""
    odd = {"nan": float("nan"), "inf": float("inf"), "code": "__import__('os')", "x": 0.1 + 0.2}
    found = apart_read(write_session(Session(parts={"compare": Part(odd)}))).parts["compare"].words
    assert np.isnan(found["nan"]) and found["inf"] == float("inf")
    assert found["code"] == odd["code"] and found["x"] == odd["x"]
