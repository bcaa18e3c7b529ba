"""Blocks of rows on a Dask cluster: the local result to the last bit, with one worker less too."""

import os
import signal
import sys

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from distributed import Client, LocalCluster, as_completed

from sdsc_core import SDSC, cli, densify, imc, pce
from sdsc_core.blocks import Cancelled
from sdsc_core.datasets import make_subspaces

MAIN = sys.modules["__main__"]  # a test of a screen makes its script the main one


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes of one thread; one that ends is started again.

    A new process begins with the main script of its parent.
    """
    sys.modules["__main__"] = MAIN
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


class KillingClient(Client):
    """Kills the worker that finished a first block, before its result was fetched."""

    lost = 0
    spare = True  # the other worker

    def map(self, *args, **options):
        blocks = super().map(*args, **options)
        first = next(as_completed(blocks, loop=self.loop))
        (worker,) = self.who_has([first])[first.key]
        self.lost = sum(worker in held for held in self.who_has(blocks).values())
        for other, pid in self.run(os.getpid).items():
            if other == worker or not self.spare:
                os.kill(pid, signal.SIGKILL)
        return blocks


@pytest.fixture
def killing_client(cluster):
    with KillingClient(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="module")
def X():
    return make_subspaces(points_each=250).X


def same(a, b):
    assert len(a) == len(b)
    for part, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(part, other)


def parts(W):
    return (W.indptr, W.indices, W.data) if sp.issparse(W) else (W,)


def test_imc_survives_the_loss_of_a_worker(X, killing_client):
    local, found = imc(X, 4), imc(X, 4, client=killing_client)
    assert killing_client.lost
    same((local.picks, local.correlations), (found.picks, found.correlations))


def test_pce_survives_the_loss_of_a_worker(X, killing_client):
    W = imc(X, 4).affinity()
    local, found = pce(W), pce(W, client=killing_client)
    assert killing_client.lost and local.nnz > W.nnz
    same(parts(local), parts(found))


def test_the_loss_of_all_workers_is_said(X, killing_client, monkeypatch):
    monkeypatch.setattr(KillingClient, "spare", False)
    with pytest.raises(ConnectionError, match="lost the workers that held the points"):
        imc(X, 2, client=killing_client)


@pytest.mark.parametrize("search", ["tree", "gram", "blocks"])
def test_every_search_can_be_sent(X, client, search):
    X = X[::5]
    local = imc(X, 3, residual="centred", similarity="pair")
    found = imc(X, 3, residual="centred", similarity="pair", search=search, client=client)
    same((local.picks, local.correlations), (found.picks, found.correlations))


def test_a_path_is_continued_on_the_cluster(X, client):
    X = X[::5]
    local, found = imc(X, 5), imc(X, 5, start=imc(X, 2), client=client)
    same((local.picks, local.correlations), (found.picks, found.correlations))


@pytest.mark.parametrize("transform", ["D1", "D2", "D3"])
@pytest.mark.parametrize("form", [sp.csr_array, np.asarray])
def test_densify_on_the_cluster(X, client, transform, form):
    W = form(imc(X[::5], 3).affinity().toarray())
    same(parts(densify(W, transform, 2)), parts(densify(W, transform, 2, client=client)))


def test_nothing_is_left_on_the_workers(X, client):
    imc(X[::5], 2, client=client)
    assert not client.has_what() or not any(client.has_what().values())


def test_a_stop_ends_the_blocks(X, client):
    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        imc(X, 2, client=client, progress=stop)


def test_estimator_under_joblib(X, client, monkeypatch):
    used = []
    send = client.scatter
    monkeypatch.setattr(client, "scatter", lambda *a, **o: used.append(1) or send(*a, **o))
    with joblib.parallel_config(backend="dask", client=client):
        found = SDSC(6).fit(X[::5])
    local = SDSC(6).fit(X[::5])
    assert len(used) == 2  # IMC and PCE
    np.testing.assert_array_equal(found.labels_, local.labels_)
    same(parts(found.dense_affinity_matrix_), parts(local.dense_affinity_matrix_))


def test_estimator_within_a_task_waits_for_no_other(X, client):
    """Both workers are busy with the tasks themselves."""
    with joblib.parallel_config(backend="dask", client=client):
        found = joblib.Parallel()(joblib.delayed(SDSC(6).fit)(X[k::5]) for k in range(2))
    for k in range(2):
        np.testing.assert_array_equal(found[k].labels_, SDSC(6).fit(X[k::5]).labels_)


def test_command_line_on_a_cluster(X, cluster, tmp_path, capsys):
    np.save(tmp_path / "X.npy", X[::5])
    argv = ["cluster", str(tmp_path / "X.npy"), "--clusters", "6", "--save-dense"]
    files = [tmp_path / "local.npz", tmp_path / "cluster.npz"]
    assert cli.main([*argv, str(files[0])]) == 0
    assert cli.main([*argv, str(files[1]), "--dask", cluster.scheduler_address]) == 0
    same(*(parts(sp.load_npz(file)) for file in files))


def test_no_scheduler_is_said(monkeypatch, capsys):
    monkeypatch.setattr("sdsc_core.cli.cluster.CONNECT", 0.2)
    assert cli.main(["cluster", "sample:motion", "--dask", "tcp://127.0.0.1:9"]) == 2
    assert "--dask is 'tcp://127.0.0.1:9'; no Dask scheduler" in capsys.readouterr().err


def test_no_worker_is_said(X):
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        Client(empty, set_as_default=False) as client,
        pytest.raises(ValueError, match="has no worker; start one"),
    ):
        imc(X, 2, client=client)
