"""The tour where somebody moves away from a step's own data: no trace, and no untrue sentence."""

import pytest


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def told(app):
    return " ".join(m.value for m in app.markdown)


def words(app):
    """What the step says of the data, without what to look at and to try."""
    at = next(k for k, m in enumerate(app.markdown) if m.value.startswith("**Tour, step"))
    return app.markdown[at + 1].value + app.markdown[at + 2].value


@pytest.mark.parametrize("step", ["1", "2"])
def test_a_step_speaks_of_a_point_that_is_there(app, step):
    app.query_params["tour"] = step
    run(app)
    assert "oint 100 " in told(app)
    app.session_state["each"] = 5
    run(app)
    assert app.session_state["last"].data.n_points < 100
    assert "oint 0 " in told(app)


def test_only_faces_are_called_pictures_of_people(app):
    app.query_params["tour"] = "1"
    run(app)
    assert "384 pictures of 6 people" in told(app) and "grey values" in told(app)
    app.session_state["data"] = "motion"
    run(app)
    data = app.session_state["last"].data
    assert f"holds {data.n_points} points of {data.n_classes} classes" in told(app)
    assert "grey values" not in told(app) and "of them are of the same class" in told(app)
    assert not any(word in words(app) for word in ("picture", "people", "person"))
    app.session_state["tour"] = 3
    run(app)
    assert "most pairs of points of one class" in words(app)


def test_faces_in_other_coordinates_have_no_grey_values(app):
    app.query_params.update({"tour": "1", "pca": "20", "gamma": "6"})
    run(app)
    assert "pictures of 6 people" in told(app) and "a list of 20 numbers" in told(app)


def test_a_threshold_is_denied_only_where_there_is_none(app):
    app.query_params["tour"] = "5"
    run(app)
    assert "There is no threshold" in told(app) and "D3 changed **" in told(app)
    app.session_state["dense"] = "PCE"
    run(app)
    assert "There is no threshold" not in told(app) and "PCE, which changed **" in told(app)
    app.session_state["dense"] = "none"
    run(app)
    assert "There is no threshold" not in told(app) and "None changed" not in told(app)
    assert "No dense stage is chosen" in told(app)


def test_without_a_dense_stage_nobody_has_changed_pairs(app):
    app.query_params["tour"] = "4"
    run(app)
    app.session_state["dense"] = "none"
    run(app)
    assert "None changed" not in told(app) and "No dense stage is chosen" in told(app)
