"""Readings and places in words for people."""

from sdsc_core.experiments.readings.reading import PRINTED

GROUPS = {"yaleb": "Extended Yale B", "usps": "USPS", "mnist_scattering": "MNIST"}


def words(text: str) -> str:
    """A reading's text for people.

    >>> words("gamma=3 theta1=0.95 residual=centred similarity=pair")
    'Γ = 3, θ₁ = 0.95, samples centred, similarity of the pair'
    """
    return text if text == PRINTED else ", ".join(map(_word, text.split()))


def _word(part: str) -> str:
    name, _, value = part.partition("=")
    said = {
        "residual=centred": "samples centred", "similarity=pair": "similarity of the pair",
        "similarity=projection": "similarity by the projection", "rule=sum": "W by eq. 4",
        "rule=cut_sum": "W by eq. 4, cut at 1", "unit=before": "unit norm before preparation",
        "unit=none": "no unit norm", "coefficients=largest": "coefficients divided by the largest",
        "rows=plain": "rows not normalised",
    }  # fmt: skip
    signs = {"gamma": "Γ", "theta1": "θ₁", "theta2": "θ₂", "pce": "PCE", "vectors": "eigenvectors",
             "starts": "starts of k-means"}  # fmt: skip
    return said.get(part, f"{signs.get(name, name)} = {value.replace('_', ' ')}")


def place_words(place: str) -> str:
    """A place for people.

    >>> place_words("yaleb 2"), place_words("usps 500")
    ('Extended Yale B, 2 subjects', 'USPS, 500 samples')
    """
    name, _, size = place.partition(" ")
    return f"{GROUPS[name]}, {int(size):,} {'subjects' if name == 'yaleb' else 'samples'}"
