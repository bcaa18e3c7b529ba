"""All experiments by the name that `sdsc reproduce` knows them by."""

from sdsc_core.experiments.beyond import BEYOND
from sdsc_core.experiments.criteria import Criteria
from sdsc_core.experiments.figures_of_paper import OF_THE_PAPER
from sdsc_core.experiments.hopkins import Motions
from sdsc_core.experiments.readings import Readings
from sdsc_core.experiments.running import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    **OF_THE_PAPER,
    "hopkins": Motions(),
    "readings": Readings(),
    "criteria": Criteria(),
    **BEYOND,
}
