"""Data sets: generators, readers of files, samples and known data, and their preparation."""

from sdsc_core.datasets import apart
from sdsc_core.datasets.by_name import (
    MadeSubspaces,
    MotionSequence,
    load_named,
    named,
    read_named,
    spelled,
)
from sdsc_core.datasets.columns import ROLES, Column, ColumnProblem
from sdsc_core.datasets.dataset import Dataset, check_points, point_columns, points_csv
from sdsc_core.datasets.describe import (
    Description,
    describe,
    steps_in_words,
    variance_curve,
)
from sdsc_core.datasets.faces import make_faces
from sdsc_core.datasets.folder import file_in, files_in
from sdsc_core.datasets.generators import digits, make_motion, make_subspaces
from sdsc_core.datasets.known import KNOWN, Known, known_file, load_known, missing_sentence
from sdsc_core.datasets.limits import OWN, Limits
from sdsc_core.datasets.prepare import (
    fill_missing,
    pca_variance,
    prepare,
    scales_differ,
    spell_rows,
    take,
    unequal_units,
)
from sdsc_core.datasets.readers import FORMATS, columns, inspect, load
from sdsc_core.datasets.safe import Variable
from sdsc_core.datasets.samples import SAMPLES, Sample, sample
from sdsc_core.datasets.wavelets import n_scattering_features, scattering, scattering_vectors

__all__ = [
    "FORMATS",
    "KNOWN",
    "OWN",
    "ROLES",
    "SAMPLES",
    "Column",
    "ColumnProblem",
    "Dataset",
    "Description",
    "Known",
    "Limits",
    "MadeSubspaces",
    "MotionSequence",
    "Sample",
    "Variable",
    "apart",
    "check_points",
    "columns",
    "describe",
    "digits",
    "file_in",
    "files_in",
    "fill_missing",
    "inspect",
    "known_file",
    "load",
    "load_known",
    "load_named",
    "make_faces",
    "make_motion",
    "make_subspaces",
    "missing_sentence",
    "n_scattering_features",
    "named",
    "pca_variance",
    "point_columns",
    "points_csv",
    "prepare",
    "read_named",
    "sample",
    "scales_differ",
    "scattering",
    "scattering_vectors",
    "spell_rows",
    "spelled",
    "steps_in_words",
    "take",
    "unequal_units",
    "variance_curve",
]
