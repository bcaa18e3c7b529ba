"""All experiments by the name that `sdsc reproduce` knows them by; Hopkins155 stands apart."""

from sdsc_core.experiments.beyond import BEYOND
from sdsc_core.experiments.criteria import Criteria
from sdsc_core.experiments.figures_of_paper import OF_THE_PAPER
from sdsc_core.experiments.readings import Readings
from sdsc_core.experiments.running import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    **OF_THE_PAPER,
    "readings": Readings(),
    "criteria": Criteria(),
    **BEYOND,
}
