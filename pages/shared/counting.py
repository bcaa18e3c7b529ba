"""What other graphs suggest as the number of clusters, where classes are not known."""

from functools import partial
from typing import Any

from pages.shared.run import ProgressBar, cached
from pages.shared.stop import heed_stop
from sdsc_core import compare
from sdsc_core.blocks import watched
from sdsc_core.datasets import Dataset


def others_suggest(data: Dataset, suggested: int, spot: Any) -> str:
    """In words; nothing where that was stopped. Progress appears in ``spot``."""
    key = ("suggested by others", data.digest)
    stop = partial(cached, key, dict)
    bar = ProgressBar("Asking other graphs for a number of clusters", spot, on_stop=stop)
    with heed_stop(stop):
        found = cached(key, partial(watched, partial(compare.other_suggestions, data), bar))
    spot.empty()
    return compare.disagreement(suggested, found)
