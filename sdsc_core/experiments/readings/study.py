"""The study of readings as an experiment: screen, look around the best, confirm on fresh draws."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from sdsc_core.datasets import Dataset, prepare
from sdsc_core.experiments.keeping import Cell, Row
from sdsc_core.experiments.readings import design, judging
from sdsc_core.experiments.readings.reading import Draw, Reading, measure
from sdsc_core.experiments.readings.standing import against_tables
from sdsc_core.experiments.running import Experiment, Options
from sdsc_core.experiments.tables import known_data, random_digits, random_subjects
from sdsc_core.imc_path import unit_rows

SCREENED = (
    *(f"yaleb {n}" for n in (2, 5, 10, 15, 20)), "usps 500", "usps 1000", "mnist_scattering 500"
)  # fmt: skip
CONFIRMED = (*SCREENED, "usps 2000", "usps 3000")
JOINT = 60  # readings of the hypercube
SCREENING_DRAWS, SCREENING_SEED = 20, 1000  # other draws than those that confirm
CONFIRM = "confirm"
AIMED, AROUND = 1, 3  # the best so many for each aim, and so many neighbours of each
ALL_ROUND = 3  # so many of those that gain most where they gain least


class Readings(Experiment):
    """Readings of the open points of Algorithms 1 and 2, on Extended Yale B, USPS and MNIST."""

    title = "Which reading is the paper's, and which is best"
    where, kind, methods, shown = "data set and size", "faces", ("IMC",), ()
    always_all_draws = True
    fixed = ("sizes", "methods")

    def __init__(self) -> None:
        self.readings: dict[str, list[Reading]] = {}  # by the text of a cell's settings

    def cells(self, options: Options) -> list[Cell]:
        return self._screened("screen", design.screening(JOINT, options.quick), options)

    def follow(self, options: Options, rows: Sequence[Row], number: int) -> list[Cell]:
        """After the screening its neighbours, then the best of all on fresh draws.

        First those that are best for an aim, then those that are good on every data set.
        """
        if number > 3:
            return []
        screened = [r for r in rows if r.message == judging.SCREENING]
        best = judging.candidates(screened, AIMED)
        if number == 1:
            around = design.neighbours(best, AROUND if not options.quick else 1)
            known = {row.setting for row in screened}
            return self._screened("around", [r for r in around if r.text not in known], options)
        chosen = list(dict.fromkeys([design.AS_PRINTED, design.CENTRED, *best]))
        stage = CONFIRM
        if number == 3:
            good = judging.all_round(screened, ALL_ROUND if not options.quick else 1)
            chosen, stage = [r for r in good if r not in chosen], f"{CONFIRM} all-round"
        places = SCREENED[:1] + SCREENED[5:6] if options.quick else CONFIRMED
        draws = range(options.seed, options.seed + options.n_draws())
        return self._cells(stage, chosen, places, draws) if chosen else []

    def _screened(self, stage: str, readings: list[Reading], options: Options) -> list[Cell]:
        places = SCREENED[:1] + SCREENED[5:6] if options.quick else SCREENED
        first = options.seed + SCREENING_SEED
        draws = range(first, first + (1 if options.quick else SCREENING_DRAWS))
        return self._cells(stage, readings, places, draws)

    def _cells(
        self, stage: str, readings: list[Reading], places: Sequence[str], draws: Sequence[int]
    ) -> list[Cell]:
        digest = hashlib.sha256("\n".join(r.text for r in readings).encode()).hexdigest()[:12]
        text = f"{stage}: {len(readings)} readings, {digest}"
        self.readings[text] = readings
        return [Cell(place, draw, "IMC", text) for draw in draws for place in places]

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        readings = self.readings[cell.settings]
        found = measure(_draw(str(cell.where), options, cell.draw), readings)
        note = "" if cell.settings.startswith(CONFIRM) else judging.SCREENING
        return [
            Row(cell.where, cell.draw, "IMC", "PCE",
                {"acc": round(m.dense, 6), "acc_sparse": round(m.sparse, 6)}, reading.text, note)
            for reading, m in zip(readings, found, strict=True)
        ]  # fmt: skip

    def gathered(self, rows: Sequence[Row], options: Options) -> dict[Cell, list[Row]]:
        """The cells that rows are of, found as they were chosen: by the rows of those before."""
        known = {(row.where, row.draw, row.setting): row for row in rows}
        cells, found = self.cells(options), dict[Cell, list[Row]]()
        for number in count(1):
            for cell in cells:
                texts = [r.text for r in self.readings[cell.settings]]
                own = [known.get((cell.where, cell.draw, text)) for text in texts]
                if all(own):
                    found[cell] = [row for row in own if row]
            so_far = [row for own in found.values() for row in own]
            cells = self.follow(options, so_far, number)
            if not cells:
                break
        return found

    def report(self, rows: Sequence[Row]) -> str:
        found = judging.confirmed(rows)
        return "\n".join([judging.to_markdown(rows), *against_tables(found).values(), ""])


def _draw(place: str, options: Options, seed: int) -> Draw:
    """The samples of a cell; those of unit norm before PCA are of the same draw."""
    name, _, size = place.partition(" ")
    known = known_data(name, options.folder)
    if name == "yaleb":
        part = random_subjects(known, int(size), seed)
        return Draw(part, unit_rows(part.X))
    if name != "usps":  # its features come as principal components
        part = random_digits(known, int(size), seed)
        return Draw(part, part.X)
    raw = random_digits(known, int(size), seed)
    pca = min(200, *raw.X.shape)
    return Draw(prepare(raw, pca=pca), prepare(_unit(raw), pca=pca).X)


def _unit(data: Dataset) -> Dataset:
    return replace(data, X=unit_rows(np.asarray(data.X, np.float64)))
