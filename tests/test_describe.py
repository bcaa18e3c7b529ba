"""Descriptions of data sets, their figures, opened folders, and sets fetched from OpenML."""

import io
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.datasets

from sdsc_core import figures
from sdsc_core.datasets import (
    Dataset,
    describe,
    file_in,
    files_in,
    inspect,
    known,
    load,
    load_known,
    make_faces,
    make_subspaces,
    pca_variance,
    prepare,
    variance_curve,
)
from tests.conftest import ROOT


class TestDescribe:
    def test_counts_agree_with_the_data(self):
        X = np.random.default_rng(0).standard_normal((8, 3))
        X[1, 2], X[1, 0], X[4, 1], X[6] = np.nan, np.inf, -np.inf, 2.5
        found = describe(Dataset(X, np.array([0, 0, 2, 2, 2, 2, 2, 2]), "x", ("a", "b", "c")))
        assert (found.missing, found.incomplete, found.constant) == (3, 2, 1)
        assert found.sizes.tolist() == [2, 0, 6]
        assert np.isnan(found.norms[[1, 4]]).all()
        np.testing.assert_allclose(found.norms[6], 2.5 * 3**0.5)

    def test_curve_of_few_points_is_exact_and_of_many_close(self, monkeypatch):
        data = make_subspaces(3, 3, 20, points_each=200, noise=0.2)
        curve, used = variance_curve(data, 12)
        assert used == 600
        np.testing.assert_array_equal(curve, pca_variance(data.X, 12))
        monkeypatch.setitem(variance_curve.__globals__, "MOST_FOR_VARIANCE", 100 * 20**2)
        drawn, used = variance_curve(data, 12)
        assert used == 100
        np.testing.assert_allclose(drawn, curve, atol=0.1)

    @pytest.mark.parametrize("shape", [(500, 8), (100, 100), (8, 500)])
    def test_curve_keeps_its_budget(self, shape, monkeypatch):
        monkeypatch.setitem(variance_curve.__globals__, "MOST_FOR_VARIANCE", 20_000)
        data = Dataset(np.random.default_rng(0).standard_normal(shape), None, "x")
        _, used = variance_curve(data)
        assert 2 <= used <= shape[0]
        assert used * shape[1] * min(used, shape[1]) <= 20_000


class TestFolder:
    @pytest.fixture
    def folder(self, tmp_path):
        root = tmp_path / "open"
        (root / "deep" / "deeper").mkdir(parents=True)
        (root / ".hidden").mkdir()
        (tmp_path / "open2").mkdir()
        for name in (
            "open/B.npz", "open/a.csv", "open/a.txt", "open/.a.csv", "open/deep/c.MAT",
            "open/deep/deeper/d.csv", "open/.hidden/e.csv", "open2/f.csv", "secret.csv",
        ):  # fmt: skip
            (tmp_path / name).write_text("1,2")
        os.symlink(tmp_path / "secret.csv", root / "out.csv")
        os.symlink(tmp_path / "open2", root / "outside")
        os.symlink(root / "a.csv", root / "inside.csv")
        os.symlink(root / "loop.csv", root / "loop.csv")
        (root / "folder.csv").mkdir()
        return root

    def test_lists_what_lies_in_it(self, folder):
        assert files_in(folder) == ["a.csv", "B.npz", "inside.csv", "deep/c.MAT"]
        assert file_in(folder, "deep/c.MAT") == folder / "deep" / "c.MAT"

    @pytest.mark.parametrize(
        "name",
        [
            "../secret.csv", "deep/../../secret.csv", "out.csv", "outside/f.csv", "../open2/f.csv",
            "/etc/passwd.csv", "a.txt", ".a.csv", "deep/deeper/d.csv", "none.csv", "folder.csv",
            "loop.csv", "", ".", "deep", "..\\secret.csv", "a\0.csv", "a.csv/", "//a.csv",
        ],
    )  # fmt: skip
    def test_gives_nothing_else(self, folder, name):
        with pytest.raises(ValueError, match="choose a data file that lies in the opened folder"):
            file_in(folder, name)

    def test_the_folder_may_be_a_link_itself(self, folder, tmp_path):
        os.symlink(folder, tmp_path / "link")
        assert files_in(tmp_path / "link") == files_in(folder)

    def test_no_folder(self, tmp_path):
        with pytest.raises(ValueError, match="no such folder"):
            files_in(tmp_path / "none")


class TestOpenML:
    """`fetch_openml` is replaced: nothing is fetched here."""

    @pytest.fixture
    def store(self, tmp_path, monkeypatch):
        (tmp_path / "openml").mkdir()
        monkeypatch.setattr(sklearn.datasets, "get_data_home", lambda: str(tmp_path))
        return tmp_path / "openml"

    def test_progress_counts_what_arrives(self, store, tmp_path, monkeypatch):
        def fetch(**options):
            for k in range(3):
                (store / f"part{k}").write_bytes(bytes(2**20))
                time.sleep(0.15)
            X = np.linspace(-1, 1, 20 * 256).reshape(20, 256)
            return SimpleNamespace(data=X, target=[str(k % 10 + 1) for k in range(20)])

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        seen = []
        load_known("usps", tmp_path, lambda done, total: seen.append((done, total)))
        counts = [done for done, total in seen if total == known.KNOWN["usps"].download]
        assert counts == sorted(counts) and counts[-1] > 1000
        assert max(counts) <= known.KNOWN["usps"].download

    def test_can_be_given_up(self, store, tmp_path, monkeypatch):
        class Stop(Exception):
            pass

        def stop(done, total):
            if total > 1:
                raise Stop

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: time.sleep(1))
        with pytest.raises(Stop):
            load_known("usps", tmp_path, stop)

    def test_silence_ends(self, store, tmp_path, monkeypatch):
        monkeypatch.setattr(known, "PATIENCE", 0.2)
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: time.sleep(2))
        with pytest.raises(ValueError, match=r"nothing came within 0 seconds\); get usps.bz2"):
            load_known("usps", tmp_path)

    @pytest.fixture
    def stalling(self, tmp_path, monkeypatch):
        """OpenML's place is taken by a server that sends a few bytes and then nothing more."""
        done = threading.Event()

        class Stall(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(2**20))
                self.end_headers()
                self.wfile.write(os.urandom(2**18))  # more than any buffer on the way keeps
                done.wait(60)

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Stall)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        address = f"http://127.0.0.1:{server.server_port}/{{}}"
        monkeypatch.setattr("sklearn.datasets._openml._DATA_INFO", address)
        yield
        done.set()
        server.shutdown()
        server.server_close()

    def test_a_download_that_stalls_after_its_first_bytes_ends(
        self, stalling, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(known, "PATIENCE", 1.0)
        with pytest.raises(ValueError, match=r"nothing more came within 1 seconds\); get usps.bz2"):
            load_known("usps", tmp_path)

    def test_a_download_that_never_ends_ends(self, stalling, tmp_path, monkeypatch):
        monkeypatch.setattr(known, "DEADLINE", 0.3)
        with pytest.raises(ValueError, match=r"not all there after 0 minutes\); get usps.bz2"):
            load_known("usps", tmp_path)

    def test_a_download_that_stalls_can_be_given_up(self, stalling, tmp_path):
        class Stop(Exception):
            pass

        def stop(done, total):
            if done > 1:  # some of it is there
                raise Stop

        with pytest.raises(Stop):
            load_known("usps", tmp_path, stop)


class TestReading:
    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("motion.mat", "samples in the columns of X, labels from s."),
            ("noisy_subspaces.npy", "samples in the rows of X, no labels."),
            ("shaded_faces.zip", "pictures of 48×42 pixels, labels from the folders."),
            ("subspaces.csv", "samples in rows, labels from column label."),
        ],
    )
    def test_the_note_says_how(self, name, says):
        assert load(ROOT / "sample_data" / name).note == f"Read from {name}: {says}"

    def test_columns_with_and_without_header(self):
        def columns(header):
            return [v.name for v in inspect(io.BytesIO(b"1,2\n3,4\n"), name="t.csv", header=header)]

        assert columns("auto") == columns(False) == ["column 1", "column 2"]
        assert columns(True) == ["1", "2"]

    def test_dark_bytes_are_stretched_for_the_eye_only(self):
        buffer = io.BytesIO()
        np.savez(buffer, X=np.arange(16, dtype=np.uint8).reshape(4, 4), image_shape=(2, 2))
        data = load(buffer, name="x.npz")
        assert data.images.max() == 255
        assert data.X.max() == 15

    def test_nothing_to_prepare_copies_nothing(self):
        data = make_subspaces()
        assert prepare(data) is data


class TestFigures:
    def test_examples_have_a_row_for_each_class(self):
        faces = make_faces(3, 4)
        figure = figures.examples(faces.images, faces.labels, faces.class_names)
        assert list(figure.layout.yaxis.ticktext) == list(faces.class_names)
        assert figure.data[0].source.startswith("data:image/png;base64,")
        assert figures.examples(faces.images, None, (), 5).data[0].name == "3 rows"

    def test_a_small_class_leaves_blanks(self):
        labels = np.array([0, 0, 0, 1])
        figure = figures.examples(np.zeros((4, 300, 2), np.uint8), labels, ("a", "b"))
        assert figure.data[0].name == "2 rows"

    def test_equal_norms_make_one_bar(self):
        counts = figures.norm_histogram(np.full(20, 1.0) + 1e-7 * np.arange(20)).data[0].y
        assert sorted(counts)[-2:] == [0, 20]

    def test_long_and_many_names(self):
        names = [f"a very long name of a class, number {k}" for k in range(50)]
        axis = figures.class_sizes(names, np.ones(50)).layout.xaxis
        assert len(axis.ticktext) <= 20
        assert max(map(len, axis.ticktext)) <= 24
