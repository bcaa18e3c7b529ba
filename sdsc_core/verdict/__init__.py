"""What helps on a data set: tried within a stated time, and said in a few sentences.

`advise` does it all; `try_out` tries, `judge` compares, `report` says it.
"""

from sdsc_core.verdict.asking import (
    advise,
    as_dict,
    asked_clusters,
    clusters_csv,
    head,
    table,
    trials_csv,
)
from sdsc_core.verdict.candidates import Candidate
from sdsc_core.verdict.judging import Difference, Row, Verdict, difference, judge, lead
from sdsc_core.verdict.script import take_script
from sdsc_core.verdict.sentences import STABILITY, TEST, Report, report, words
from sdsc_core.verdict.trying import Findings, Trial, try_out

__all__ = [
    "STABILITY",
    "TEST",
    "Candidate",
    "Difference",
    "Findings",
    "Report",
    "Row",
    "Trial",
    "Verdict",
    "advise",
    "as_dict",
    "asked_clusters",
    "clusters_csv",
    "difference",
    "head",
    "judge",
    "lead",
    "report",
    "table",
    "take_script",
    "trials_csv",
    "try_out",
    "words",
]
