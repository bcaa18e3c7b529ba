"""The methods that turn data into a representation, by name, in the paper's order."""

from sdsc_core.methods import (
    bdr,
    edsc,
    ensc,
    imc,
    knn,
    l0ssc,
    lrr,
    lrsc,
    lrssc,
    lsr,
    msr,
    omp,
    ssc,
    sssc,
)
from sdsc_core.methods.base import Method, Parameter, Solution

METHODS: dict[str, Method] = {
    module.METHOD.name: module.METHOD
    for module in (imc, ssc, omp, ensc, lsr, lrr, bdr, sssc, lrsc, edsc, lrssc, msr, l0ssc, knn)
}
KINDS = ("faces", "digits", "motion")  # of data, for which each method has a preset

__all__ = ["KINDS", "METHODS", "Method", "Parameter", "Solution"]
