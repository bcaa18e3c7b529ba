"""The verdict: what it tries within its time, how it compares, and that its sentences are true."""

import re
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from sdsc_core import BASELINES, METHODS, Cancelled, advise, datasets, run_stages
from sdsc_core.verdict import (
    Candidate,
    Findings,
    Trial,
    as_dict,
    clusters_csv,
    difference,
    evidence,
    head,
    judge,
    lead,
    report,
    table,
    take_script,
    trials_csv,
    trying,
    words,
)
from sdsc_core.verdict.candidates import groups
from sdsc_core.verdict.draws import draw_points
from sdsc_core.verdict.evidence import Tried

FLOOR = Candidate("k-means")
KNN = Candidate("KNN", (("n_neighbours", 6),))
KNN_D3 = Candidate("KNN", (("n_neighbours", 6),), "D3")
IMC = Candidate("IMC", (("n_iterations", 6),))
IMC_P = Candidate("IMC", (("n_iterations", 6),), "PCE")
LSR = Candidate("LSR")


def findings(scores, n_points=300, labelled=True, classes=3, labels=None, **rest):
    """Findings whose trials have these scores: ACC by candidate, one for each draw."""
    truth = np.arange(n_points) * classes // n_points
    names = tuple(f"c{c}" for c in range(classes))
    X = np.random.default_rng(0).standard_normal((n_points, 4))
    data = datasets.Dataset(X, truth if labelled else None, "made", names if labelled else ())
    origin = "one for each class" if labelled else "as asked"
    found = Findings(data, 60.0, n_clusters=classes, clusters_from=origin, **rest)
    found.n_drawn = rest.get("n_drawn") or 2 * n_points // 3
    for candidate, values in scores.items():
        for draw, acc in enumerate(values):
            points = draw_points(data, found.n_drawn, draw)
            own = truth[points] if labels is None else labels(candidate, draw, points, truth)
            score = (acc, acc) if labelled else (None, None)
            found.trials.append(Trial(candidate, draw, points, own, *score, 0.1))
    found.rounds = max(map(len, scores.values()), default=0)
    found.ended = rest.get("ended", "done")
    return found


def steady(value, n=5):
    """Scores that hardly vary."""
    return [value + 0.001 * (draw % 2) for draw in range(n)]


WILD = [0.0, 0.2, -0.2, 0.1, -0.1]


def wild(value):
    """Scores that vary much, with a mean of their own."""
    return [value + w for w in WILD]


HEADLINES = {
    "one draw": ({IMC: [0.9], FLOOR: [0.5]},
                 "So far IMC (Γ = 6) does best, ACC 90.0 % over 1 draw;"),
    "two draws": ({IMC: [0.9, 0.8], FLOOR: [0.5, 0.5]}, "cannot tell that from chance"),
    "k-means leads": (
        {FLOOR: steady(0.9), IMC: steady(0.7)},
        "No graph helps here: plain k-means does best, ACC 90.0 % over 5 draws. The best graph, IMC"
        " (Γ = 6), is 20.0 points below, more than the spread of ± 0.0.",
    ),
    "k-means alone": ({FLOOR: steady(0.9)}, "No graph helps here: plain k-means does best"),
    "k-means is as good": (
        {FLOOR: steady(0.7), IMC: wild(0.75)},
        "Nothing clearly helps here: IMC (Γ = 6) does best, ACC 75.0 % over 5 draws, but plain"
        " k-means is as good within the spread (5.0 points below, within the spread of ±",
    ),
    "a plain graph leads": (
        {KNN: steady(0.9), IMC: steady(0.7), FLOOR: steady(0.4)},
        "A plain nearest-neighbour graph does best here: KNN (k = 6), ACC 90.0 % over 5 draws. It"
        " is 50.0 points above k-means (more than the spread of ± 0.0).",
    ),
    "a plain graph is as good": (
        {KNN: steady(0.8), IMC_P: wild(0.85), FLOOR: steady(0.2)},
        "IMC-P (Γ = 6) does best, ACC 85.0 % over 5 draws, but a plain nearest-neighbour graph is"
        " as good within the spread: KNN (k = 6) (5.0 points below, within",
    ),
    "a clear win": (
        {IMC_P: steady(0.95), IMC: steady(0.9), KNN: steady(0.8), FLOOR: steady(0.5)},
        "IMC-P (Γ = 6) does best, ACC 95.0 % over 5 draws: 15.0 points above the best plain"
        " nearest-neighbour graph (more than the spread of ± 0.0) and 45.0 points above k-means",
    ),
    "nothing else": ({IMC: steady(0.9)}, "IMC (Γ = 6) does best, ACC 90.0 % over 5 draws."),
    "equal to the last digit": (
        {FLOOR: steady(0.9), IMC: steady(0.9)},
        "No graph helps here: plain k-means does best, ACC 90.0 % over 5 draws. The best graph, IMC"
        " (Γ = 6), is the same.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HEADLINES)
def test_the_headline_of_every_case(case):
    scores, expected = HEADLINES[case]
    assert expected in report(judge(findings(scores))).answer[0]


DENSE = {
    "helps": ({IMC_P: steady(0.95), IMC: steady(0.9)},
              "The dense stage helps: PCE adds 5.0 points to IMC (Γ = 6), more than the spread"),
    "open": ({IMC_P: wild(0.9), IMC: steady(0.88)},
             "Whether its dense stage helps is open: IMC (Γ = 6) without PCE is 2.0 points below,"
             " within the spread"),
    "harms": ({IMC: steady(0.9), IMC_P: steady(0.7)},
              "A dense stage does not help IMC here: IMC-P is 20.0 points below, more than"),
    "no matter": ({IMC: steady(0.9), IMC_P: wild(0.88)},
                  "A dense stage makes no clear difference to IMC here: IMC-P is 2.0 points below,"
                  " within the spread"),
    "the same": ({IMC: steady(0.9), IMC_P: steady(0.9)},
                 "A dense stage makes no clear difference to IMC here: IMC-P is the same."),
}  # fmt: skip


@pytest.mark.parametrize("case", DENSE)
def test_what_the_dense_stage_does(case):
    scores, expected = DENSE[case]
    assert expected in " ".join(report(judge(findings(scores))).answer)


def test_where_imc_stands_when_another_leads():
    scores = {LSR: steady(0.9), IMC_P: steady(0.8), KNN: steady(0.5), FLOOR: steady(0.4)}
    assert report(judge(findings(scores))).answer[-1] == (
        "The best of IMC, IMC-P (Γ = 6), is 10.0 points below, more than the spread of ± 0.0."
    )


def doubts_of(scores=None, **rest):
    return " ".join(report(judge(findings(scores or {IMC: steady(0.9)}, **rest))).doubts)


def halves(candidate, draw, points, truth):
    """Other clusters in each draw."""
    return np.random.default_rng(draw).integers(0, 3, len(points))


DOUBTS = {
    "few points": ({"n_points": 60}, "60 points are few: another sample may say otherwise."),
    "a small class": ({"n_points": 120, "classes": 15}, "The smallest class has 8 points only."),
    "no labels": ({"labelled": False}, "There are no classes to check against: stable clusters need"
                  " not be the right ones, and their number, 3, is as asked."),
    "one tie": ({"scores": {IMC: steady(0.9), KNN: wild(0.88)}},
                "One other setting is as good within the spread: KNN (k = 6)."),
    "ties": ({"scores": {IMC: steady(0.9), KNN: wild(0.88), LSR: wild(0.87)}},
             "2 other settings are as good within the spread: KNN (k = 6), LSR."),
    "unstable": ({"labels": halves}, "Its clusters are unstable: two draws agree by"),
    "a part": ({"n_points": 3000, "n_drawn": 300}, "each draw has 300 of 3,000 points"),
    "many": ({"scores": {Candidate("KNN", (("n_neighbours", k),)): steady(0.5 + k / 100)
                         for k in range(1, 10)}}, "It is the best of 9 settings by the draws"),
    "stopped": ({"ended": "stopped"}, "It was stopped before all was tried."),
    "untried": ({"untried": {"SSC": "the time does not suffice", "BDR": "Too large."}},
                "Not tried, or on too few draws, for want of time: SSC. Not tried: BDR: Too"),
}  # fmt: skip


@pytest.mark.parametrize("case", DOUBTS)
def test_what_to_doubt(case):
    rest, expected = DOUBTS[case]
    assert expected in doubts_of(**rest)
    assert expected not in doubts_of()  # where there is no reason for it


def test_what_the_whole_run_found_and_its_doubts():
    found = findings({IMC: steady(0.9)})
    lopsided = np.r_[np.zeros(290, int), np.ones(5, int), np.full(5, 2)]
    found.whole = Trial(IMC, 0, np.arange(300), lopsided, 0.6, 0.5, 1.0)
    said = report(judge(found))
    assert said.answer[-1] == "On all 300 points it gives ACC 60.0 % and NMI 50.0 %."
    assert "One cluster holds 97 % of all points." in said.doubts
    assert clusters_csv(judge(found)).splitlines()[1] == "0,1,c0,0"
    unlabelled = findings({IMC: steady(0.9)}, labelled=False)
    unlabelled.whole = Trial(IMC, 0, np.arange(300), np.sort(lopsided), None, None, 1.0)
    assert "clusters of 290, 5, 5 points" in report(judge(unlabelled)).answer[-1]


def test_without_classes_stability_and_the_fit_to_subspaces_count_alike():
    found = findings({IMC: steady(0), KNN: steady(0)}, labelled=False)
    assert judge(found).best.candidate == IMC and judge(found).measure == "stability"
    of = {IMC: 0.3, KNN: 0.1}
    found.trials = [replace(t, astray=of[t.candidate]) for t in found.trials]
    verdict = judge(found)
    assert verdict.best.candidate == KNN and verdict.best.mean == pytest.approx((1 + 0.9) / 2)
    assert verdict.stability == 1.0 and verdict.measure == "consistency"
    said = report(verdict)
    assert "consistency 0.95 over 5 draws" in said.answer[0]
    assert (
        "Its clusters agree by 1.00 between draws, and 10 % of its points lie nearer to the"
        " subspace of another cluster." in said.answer
    )
    assert evidence.trust() in said.doubts
    assert "nearer to another (%)" in head(verdict) and table(verdict)[0][4] == "10.0"


def test_another_leader_by_nmi_is_told():
    found, of = findings({IMC: steady(0.9), KNN: steady(0.8)}), {IMC: 0.1, KNN: 0.2}
    found.trials = [replace(t, nmi=of[t.candidate]) for t in found.trials]
    told = "By NMI KNN (k = 6) leads, 20.0 % against 10.0 %."
    assert told in report(judge(found)).doubts
    found.trials = [replace(t, nmi=0.3) for t in found.trials]
    assert "By NMI" not in " ".join(report(judge(found)).doubts)


@pytest.mark.parametrize(
    ("ended", "untried", "expected"),
    [
        ("", {}, "Nothing has been tried yet."),
        ("stopped", {}, "It was stopped before anything was tried."),
        ("time", {}, "Nothing could be tried within 60 s; give more time, or fewer points."),
        ("done", {"IMC": "X is bad."}, "Nothing could be tried: IMC: X is bad."),
    ],
)
def test_nothing_tried(ended, untried, expected):
    said = report(judge(findings({}, ended=ended, untried=untried)))
    assert said.answer == (expected,) and not said.take and not said.doubts


def test_without_labels_one_draw_compares_nothing():
    said = report(judge(findings({IMC: [0.9], KNN: [0.8]}, labelled=False, ended="time")))
    assert (
        said.answer[0].startswith("Nothing can be compared yet: without classes") and not said.take
    )


def test_without_labels_the_most_stable_leads():
    def labels(candidate, draw, points, truth):
        return truth[points] if candidate == KNN else halves(candidate, draw, points, truth)

    found = findings({FLOOR: [0] * 5, KNN: [0] * 5, IMC: [0] * 5}, labelled=False, labels=labels)
    verdict = judge(found)
    assert verdict.best.candidate == KNN and verdict.best.mean == 1 and verdict.measure != "ACC"
    said = " ".join(report(verdict).answer)
    assert (
        "A plain nearest-neighbour graph is the most stable here: KNN (k = 6), stability 1.00"
        in said
    )
    assert "does best" not in said and "ACC" not in said and "points above" not in said
    two = findings({KNN: [0] * 2}, labelled=False)
    assert "So far KNN (k = 6) is the most stable" in report(judge(two)).answer[0]


def test_sentences_hold_for_any_scores():
    """No figure that is none, no negative amount, each word on the spread as measured."""
    rng = np.random.default_rng(1)
    known = [FLOOR, KNN, KNN_D3, IMC, IMC_P, LSR]
    for _ in range(50):
        some = [c for c in known if rng.random() < 0.7]
        n = int(rng.integers(1, 7))
        scores = {
            c: rng.choice([0.5, 0.6, 0.9], n) + rng.choice([0, 0.2]) * rng.random(n) for c in some
        }
        verdict = judge(findings(scores, labelled=bool(rng.random() < 0.8)))
        text = words(report(verdict))
        assert not re.search(r"nan|inf\b|None|-\d", text), text
        if not some or n < 3 or not verdict.findings.labelled:
            continue
        best = max(some, key=lambda c: (round(np.mean(scores[c]), 9), -some.index(c)))
        assert verdict.best.candidate == best
        for amount, side, how in re.findall(
            r"([\d.]+) points? (below|above)[^,(]*[,(] ?(more than|within)", text
        ):
            behind = [difference(dict(enumerate(scores[best])), dict(enumerate(scores[c])), 2.0)
                      for c in some]  # fmt: skip
            assert any(
                f"{100 * abs(d.mean):.1f}" == amount and d.exceeds == (how == "more than")
                for d in behind
            ), (amount, side, how, text)


def test_the_spread_is_the_interval_of_a_paired_test():
    a, b = np.random.default_rng(2).random((2, 6))
    d = difference(dict(enumerate(a)), dict(enumerate(b)))
    low, high = ttest_1samp(a - b, 0).confidence_interval(0.95)
    assert d.mean == pytest.approx((low + high) / 2) and d.spread == pytest.approx((high - low) / 2)
    wider = difference(dict(enumerate(a)), dict(enumerate(b)), ratio=2.0)
    assert wider.spread / d.spread == pytest.approx(np.sqrt((1 / 6 + 2) / (1 / 6)))
    assert difference({0: 1.0}, {1: 1.0}).draws == 0
    assert difference(dict.fromkeys(range(3), 0.5), dict.fromkeys(range(3), 0.5)).exceeds is False


def test_a_draw_that_not_all_took_part_in_does_not_count():
    found = findings({IMC: [0.5, 0.5, 0.5, 0.9], KNN: [0.6, 0.6, 0.6]})
    found.rounds = 3
    assert judge(found).best.candidate == KNN and judge(found).rows[1].draws == 3
    found.rounds = 4  # KNN was left out, being behind
    assert judge(found).best.candidate == IMC and lead(found) == [IMC]


@pytest.mark.parametrize("rounds", [1, 2])
def test_who_comes_first_in_a_draw_does_not_lead_for_it(rounds):
    """k-means is always the first: a stop in the next draw left it with one draw more."""
    found = findings({FLOOR: [0.5] * (rounds + 1), KNN: [0.9] * rounds})
    found.rounds = rounds
    assert judge(found).best.candidate == KNN


def test_draws_are_the_same_for_all_and_keep_every_class():
    data = datasets.make_subspaces(3, 2, 6, points_each=10)
    a, b, c = (draw_points(data, 20, seed) for seed in (0, 0, 1))
    assert a.tolist() == b.tolist() != c.tolist()
    assert np.bincount(data.labels[a]).tolist() == [7, 7, 7] and len(set(a)) == 21
    one_each = datasets.Dataset(np.eye(4), np.arange(4), "each", tuple("abcd"))
    assert draw_points(one_each, 2, 0).tolist() == [0, 1, 2, 3]


def test_the_cheapest_comes_first_after_the_core():
    data = datasets.sample("digits")
    found = groups(data, 300)
    assert [g.candidates[0].method for g in found if g.core] == ["k-means", "KNN", "IMC"]
    rest = [g.seconds for g in found if not g.core]
    assert rest == sorted(rest) and {g.candidates[0].method for g in found} >= set(METHODS)
    assert {c.dense for g in found for c in g.candidates if c.method == "IMC"} == {
        "none",
        "PCE",
        "D3",
    }
    for group in found:
        for candidate in group.candidates:
            assert candidate.method in BASELINES or candidate.settings(10) is not None


@pytest.fixture
def core_alone(monkeypatch):
    """Few things to try, so that they are through long before a time that no machine needs."""
    monkeypatch.setattr(trying, "groups", lambda *args: [g for g in groups(*args) if g.core])


def test_a_small_set_is_tried_in_its_time(core_alone):
    data = datasets.make_subspaces(3, 2, 12, points_each=25, noise=0.1)
    begun = time.monotonic()
    verdict = advise(data, seconds=90)
    assert time.monotonic() - begun < 90
    found = verdict.findings
    assert found.rounds >= 3 and {c.method for c in verdict.scores} >= {"k-means", "KNN", "IMC"}
    trial = next(t for t in found.trials if t.candidate.method == "IMC" and t.draw == 1)
    part = datasets.Dataset(
        data.X[trial.points], data.labels[trial.points], "part", data.class_names
    )
    by_hand = run_stages(part, trial.candidate.settings(3, seed=1))
    assert trial.labels.tolist() == by_hand.after.labels.tolist()
    assert trial.acc == by_hand.after.summary.acc
    assert len(trials_csv(verdict).splitlines()) == len(found.trials) + 1
    told = as_dict(verdict)
    assert told["take"]["name"] == verdict.best.candidate.title == table(verdict)[0][0]
    assert told["ended"] in ("done", "time") and len(told["settings"]) == len(verdict.rows)


def test_a_stop_keeps_what_is_done_and_time_ends_it():
    data, calls = datasets.make_subspaces(3, 2, 12, points_each=25), []

    def stop_in_the_middle(done, total):
        calls.append((done, total))
        if len(found.trials) >= 3:
            raise Cancelled

    found = Findings(data, 60.0)
    verdict = advise(data, 60.0, findings=found, progress=stop_in_the_middle)
    assert found.ended == "stopped" and 3 <= len(found.trials) <= 4 and verdict.best is not None
    assert calls[-1][1] == 60
    out_of_time = Findings(data, -1.0)
    trying.try_out(data, 1.0, findings=out_of_time, lead=lead)
    assert out_of_time.ended == "time" and not out_of_time.trials


def test_trials_leave_time_for_the_run_on_all_points(monkeypatch, core_alone):
    """The trials go on for good; the clock says that almost all of the time is over."""
    data, late = datasets.make_subspaces(3, 2, 12, points_each=25), [0.0]

    def further(self):
        late[0] = share * self.found.budget
        self.clock(0, 0)

    monkeypatch.setattr(trying._Trying, "further_draws", further)
    for share, there in ((0.97, True), (1.01, False)):
        late[0] = 0.0
        found = trying.try_out(data, 20.0, lead=lead, clock=lambda: late[0])
        assert found.ended == "time" and (found.whole is not None) == there, share


@pytest.mark.parametrize("best", [FLOOR, IMC_P, KNN_D3])
def test_the_script_gives_the_clusters_that_were_found(best, tmp_path, monkeypatch):
    data = datasets.prepare(datasets.sample("motion"), per_class=20, standardise=True)
    found = Findings(data, 60.0, n_clusters=data.n_classes, clusters_from="one for each class")
    work = trying._Trying(found, lambda found: [best], None)
    work.whole()
    found.trials = [found.whole]
    steps = {"per_class": 20, "standardise": True, "random_state": 0}
    text = take_script(judge(found), steps, load="data = datasets.sample('motion')")
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "clusters.py", "exec"), {})
    assert (tmp_path / "clusters.csv").read_text("utf-8") == clusters_csv(judge(found))
    assert take_script(judge(Findings(data, 1.0)), steps, load="") == ""


def test_units_that_differ_are_a_doubt():
    found = findings({IMC: steady(0.9)})
    X = found.data.X * [1, 1, 1, 500]
    for names, told in (((), False), (tuple("abcd"), True)):
        found.data = replace(found.data, X=X, feature_names=names)
        assert any("“d” varies by" in doubt for doubt in report(judge(found)).doubts) == told


def test_what_cannot_be_computed_is_told_and_the_rest_goes_on(monkeypatch, core_alone):
    solve = trying.run_stages

    def fail_for_imc(part, settings, **rest):
        if settings.method == "IMC":
            raise ValueError("No good.")
        return solve(part, settings, **rest)

    monkeypatch.setattr(trying, "run_stages", fail_for_imc)
    verdict = advise(datasets.make_subspaces(2, 2, 12, points_each=15), seconds=90)
    assert verdict.findings.untried["IMC (Γ = 6)"] == "No good." and verdict.graph is not None
    assert "Not tried: IMC (Γ = 6): No good." in report(verdict).doubts


def test_large_data_is_drawn_smaller():
    big = datasets.Dataset(np.random.default_rng(0).standard_normal((60_000, 5)), None, "big")
    found = Findings(big, 3.0, n_clusters=2)
    work = trying._Trying(found, lead, None)
    admitted = work._admitted()
    assert trying.LEAST <= found.n_drawn < 40_000 and [g for g in admitted if g.core]
    assert "the time does not suffice" in found.untried.values()


@pytest.mark.parametrize("seconds", [0, -1, "long"])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(ValueError, match="seconds"):
        advise(datasets.sample("motion"), seconds)


@pytest.mark.parametrize(
    ("candidate", "command"),
    [
        (IMC_P, "sdsc cluster 'a b.csv' --pca 5 --clusters 4 --output labels.csv"),
        (KNN_D3, "sdsc cluster 'a b.csv' --pca 5 --method KNN --dense D3 --clusters 4 --param"
                 " n_neighbours=6 --output labels.csv"),
        (FLOOR, "sklearn.cluster.KMeans(4, n_init=10, random_state=0).fit_predict(X)"),
    ],
)  # fmt: skip
def test_the_command_for_a_setting(candidate, command):
    assert candidate.command("a b.csv", "--pca", "5", n_clusters=4) == command


def test_draws_of_all_points_tell_nothing_from_chance():
    """Classes of two points give both to every draw: no spread is seen, and none is claimed."""
    scores = {KNN_D3: [1.0] * 3, KNN: [0.9] * 3, IMC: [0.75] * 3, FLOOR: [0.7, 0.8, 0.7]}
    found = findings(scores, n_points=12, classes=6, n_drawn=12)
    verdict = judge(found)
    assert [row.behind.exceeds for row in verdict.rows] == [None] * 4
    said = report(verdict)
    text = words(said)
    assert "spread of" not in text and "helps" not in text and "inf" not in text
    assert "25.0 points below, which draws of the same points cannot tell from chance" in text
    assert any("Every draw holds all 12 points" in doubt for doubt in said.doubts)


def test_how_far_to_trust_it_is_what_was_measured(tmp_path):
    tried = {
        "one": [Tried("a", 0.9, 0.5, 0.9), Tried("b", 0.4, 1.0, 0.3)],
        "two": [Tried("a", 0.7, 0.5, 0.1), Tried("b", 0.6, 0.9, 0.3)],
    }
    evidence.write_hidden(tried, tmp_path / "hidden.csv")
    assert evidence.read_hidden(tmp_path / "hidden.csv") == tried
    assert evidence.regrets(tried.values(), evidence.STABLE) == pytest.approx([50, 10])
    assert evidence.regrets(tried.values(), evidence.TAKEN) == pytest.approx([0, 10])
    found = evidence.read_hidden()
    own = evidence.regrets(found.values(), evidence.TAKEN)
    said = evidence.trust()
    assert f"on {len(found)} labelled sets" in said and f"{np.mean(own):.1f} points of ACC" in said
    assert all(len(made) > 1 for made in found.values())
