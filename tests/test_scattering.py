"""Scattering features against their mathematical properties, and against ready-made ones."""

import numpy as np
import pytest

from sdsc_core import datasets
from sdsc_core.blocks import Cancelled
from sdsc_core.datasets import n_scattering_features, prepare, scattering, scattering_vectors
from sdsc_core.datasets.wavelets import _Bank, multiply_and_fold
from tests import naive

RNG = np.random.default_rng(5)


def blurred(n, h, w):
    """Smooth random pictures, as sampled ones are."""
    spectrum = np.fft.fft2(RNG.normal(size=(n, h, w)))
    fall = np.exp(-2 * (np.fft.fftfreq(h)[:, None] ** 2 + np.fft.fftfreq(w) ** 2) * 9)
    return np.fft.ifft2(spectrum * fall).real


@pytest.mark.parametrize("as_published", [False, True])
@pytest.mark.parametrize(("h", "w", "J", "L"), [(28, 28, 3, 8), (13, 30, 2, 4), (9, 8, 1, 3)])
def test_equals_the_transcription(h, w, J, L, as_published):
    images = blurred(2, h, w)
    ours, literal = (f(images, J, L, as_published=as_published)
                     for f in (scattering, naive.scattering))  # fmt: skip
    assert ours.shape == literal.shape
    assert ours[0].size == n_scattering_features(h, w, J, L)
    # Keeping every 2^j-th pixel of a modulus loses what little detail is finer.
    assert np.linalg.norm(ours - literal) <= 0.02 * np.linalg.norm(literal)
    assert np.abs(ours[:, 0] - literal[:, 0]).max() < 1e-5  # order 0 is not subsampled


def test_wavelets_and_average_keep_the_energy_in_bounds():
    bank = _Bank.for_pictures(28, 28, 3, 8)
    energy = sum((psi**2).sum(axis=0) for psi in bank.wavelets)
    energy = (energy + np.roll(energy[::-1, ::-1], 1, axis=(0, 1))) / 2
    assert energy.max() <= 1 + 1e-6  # Littlewood and Paley
    assert all(abs(psi[:, 0, 0]).max() < 1e-6 for psi in bank.wavelets)  # no mean


def test_features_are_no_further_apart_than_pictures():
    a, b = blurred(20, 32, 32), blurred(20, 32, 32)
    # The features stand for 8×8 pixels each; reflection adds to the pictures around them.
    apart = np.linalg.norm((scattering(a) - scattering(b)).reshape(20, -1), axis=1) * 8
    padded = np.pad(a - b, ((0, 0), (8, 8), (8, 8)), mode="symmetric")
    assert (apart <= np.linalg.norm(padded.reshape(20, -1), axis=1)).all()


def test_a_small_move_changes_features_far_less_than_pixels():
    images = np.zeros((1, 32, 32))
    images[0, 10:22, 14:18] = 1
    moved = np.roll(images, 1, axis=2)
    pixels = np.linalg.norm(moved - images) / np.linalg.norm(images)
    features = scattering(images)
    change = np.linalg.norm(scattering(moved) - features) / np.linalg.norm(features)
    assert change < pixels / 3


def test_an_even_picture_has_features_of_order_0_alone():
    features = scattering(np.full((1, 20, 20), 3.0))
    assert np.allclose(features[:, 0], 3, atol=1e-5)
    assert abs(features[:, 1:]).max() < 1e-4


def test_a_turned_picture_has_turned_features():
    image = blurred(1, 32, 32)
    before, after = scattering(image)[0, 1:9], scattering(np.rot90(image, axes=(1, 2)))[0, 1:9]
    turned = np.rot90(np.roll(before, 4, axis=0), axes=(1, 2))  # 4 of 8 directions are 90°
    assert np.linalg.norm(after - turned) < 0.02 * np.linalg.norm(turned)


def test_multiply_and_fold_is_product_and_sum():
    spectra = (RNG.normal(size=(3, 8, 12)) + 1j * RNG.normal(size=(3, 8, 12))).astype(np.complex64)
    psi = RNG.normal(size=(2, 8, 12)).astype(np.float32)
    out = np.empty((3, 2, 4, 6), np.complex64)
    multiply_and_fold(spectra, psi, out)
    product = (spectra[:, None] * psi).reshape(3, 2, 2, 4, 2, 6)
    assert np.allclose(out, product.mean(axis=(2, 4)), atol=1e-5)


def test_does_not_depend_on_threads_or_company():
    images = blurred(40, 16, 16)
    together = scattering(images, n_jobs=2)
    assert np.array_equal(together, scattering(images, n_jobs=1))
    assert np.allclose(together[7], scattering(images[7:8])[0], atol=1e-6)


@pytest.mark.parametrize(
    ("images", "words"),
    [
        (np.ones((4, 4)), "give pictures as"),
        (np.ones((2, 4, 4), complex), "finite numbers"),
        (np.full((2, 4, 4), np.nan), "finite numbers"),
        (np.full((2, 4, 4), "a"), "finite numbers"),
    ],
)
def test_says_what_is_wrong(images, words):
    with pytest.raises(ValueError, match=words):
        scattering(images)


def test_a_scale_beyond_the_picture_is_refused():
    with pytest.raises(ValueError, match="J is 4"):
        scattering(np.ones((1, 8, 8)), J=4)


def test_can_be_cancelled():
    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        scattering(np.ones((100, 8, 8)), progress=stop)


def test_every_map_of_a_picture_counts_alike():
    X = scattering_vectors(blurred(5, 32, 32)).reshape(5, 217, 16)
    assert np.allclose(X.max(axis=2), 1)


@pytest.mark.parametrize(("side", "across"), [(8, 4), (16, 4), (28, 4), (48, 6), (4, 2)])
def test_small_pictures_keep_several_values_of_a_map(side, across):
    X = scattering_vectors(blurred(2, side, side))
    assert X.shape[1] == n_scattering_features(side, side)
    assert X.shape[1] % across**2 == 0 and len(np.unique(X[0])) > 10


def test_prepared_after_the_draw_and_before_pca():
    data = datasets.sample("digits")
    part = prepare(data, per_class=10, scattering=True)
    assert np.array_equal(part.X, scattering_vectors(part.images))
    assert prepare(data, per_class=10, scattering=True, pca=20).X.shape == (50, 20)
    with pytest.raises(ValueError, match="has none"):
        prepare(datasets.make_subspaces(), scattering=True)


def test_published_layout_gives_the_ready_made_features(real_data):
    """Up to a rotation, which PCA leaves open, and the few digits that this one sees."""
    raw, ready = real_data("mnist_t10k.npz"), real_data("mnist_t10k_scattering_pca500.npz")
    ours = scattering_vectors(raw["X"][:400].reshape(-1, 28, 28), as_published=True)
    grams = []
    for X in (ours, ready["X"][:400].astype(float)):
        X = X - X.mean(axis=0)
        grams.append(X @ X.T)
    # The ready-made ones have 500 dimensions: a tenth of the variance is gone, nothing else.
    alike = (grams[0] * grams[1]).sum() / np.linalg.norm(grams[0]) / np.linalg.norm(grams[1])
    assert alike >= 0.9999
    assert np.trace(grams[1]) == pytest.approx(np.trace(grams[0]), rel=0.15)


def test_spans_what_the_ready_made_features_span(real_data):
    """Nine tenths of the variance of the ready-made features lies in the span of ours."""
    raw, ready = real_data("mnist_t10k.npz"), real_data("mnist_t10k_scattering_pca500.npz")
    ours = scattering_vectors(raw["X"][:400].reshape(-1, 28, 28))
    given = ready["X"][:400].astype(float)
    ours, given = ours - ours.mean(axis=0), given - given.mean(axis=0)
    basis = np.linalg.svd(ours, full_matrices=False)[0][:, :100]
    assert np.linalg.norm(basis.T @ given) ** 2 >= 0.9 * np.linalg.norm(given) ** 2
