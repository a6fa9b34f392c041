"""Dates in tables: how they are read, and what they say."""

import numpy as np
import pandas as pd
import pytest

import seamark as sm
from seamark.maps import DateParts
from seamark.models import measures_of_columns


def test_parts_of_dates():
    days = pd.date_range("2023-12-30", periods=800, freq="D").to_frame(name="day")
    parts = DateParts().fit(days)
    assert [part for _, part in parts.parts_] == ["time", "year", "month", "weekday"]
    rows = parts.contributions(parts.ingest(days[:3]), np.ones((3, 14)), np.zeros(14))
    assert [[one.what for one in row] for row in rows] == [  # the year is in time
        ["2023-12-30", "December", "Saturday"],
        ["2023-12-31", "December", "Sunday"],
        ["2024-01-01", "January", "Monday"],
    ]
    y = (days["day"].dt.day_of_week == 5).to_numpy(float)  # only waves can tell
    model = sm.LandmarkRegressor(random_state=0).fit(days[:500], y[:500])
    assert model.score(days[500:], y[500:]) > 0.99
    assert model.explain(days[:1])[0].reasons[0].landmark == "Saturday"


def test_dates_with_points_have_the_day_first():
    dotted, iso = ["29.2.2024", "01.03.2024 14:05"], ["2024-02-29", "2024-03-01 14:05"]
    assert [sm.data.second(one) for one in dotted] == [sm.data.second(one) for one in iso]
    assert isinstance(
        sm.models.measures_of_columns(pd.DataFrame({"d": dotted}))["d"], sm.maps.DateParts
    )


def test_dates_with_strokes_are_text_and_a_warning_says_so():
    table = pd.DataFrame({"d": [f"0{m}/13/2024" for m in range(1, 10)]})
    with pytest.warns(UserWarning, match="'01/13/2024' may be dates, but the order"):
        what = sm.models.measures_of_columns(table)["d"]
    assert isinstance(what[0].measure, sm.measures.Levenshtein)


@pytest.mark.parametrize("text", ["31.2.2024", "1.13.2024", "1.2.24", "2.1.19700"])
def test_what_is_no_day_is_no_date(text):
    with pytest.raises(ValueError, match="which is no date"):
        sm.data.second(text)


def test_where_dates_are_months_weekdays_say_nothing():
    months = [f"{year}-{month:02}-01" for year in (2023, 2024) for month in range(1, 13)]
    parts = sm.maps.DateParts().fit(months)
    assert [part for _, part in parts.parts_] == ["time", "year", "month"]
    years = sm.maps.DateParts().fit([f"{year}-01-01" for year in range(1970, 1983)])
    assert years.parts_ == [(0, "time")]


def test_time_and_year_are_one_reason():
    """They rise together: alone each may weigh much, and against the other."""
    days = pd.DataFrame({"day": pd.date_range("2010-01-01", periods=3000, freq="D")[::7]})
    y = np.arange(len(days)) * 0.1
    model = sm.LandmarkRegressor(measures_of_columns(days), random_state=0).fit(days, y)
    assert "year" in [part for _, part in model.map_.maps_[0].parts_]
    for one, day in zip(model.explain(days[::100]), days["day"][::100], strict=True):
        names = [reason.landmark for reason in one.reasons]
        assert names[0] == str(day.date())
        assert names.count(names[0]) == 1
        assert one.reasons[0].contribution == pytest.approx(one.prediction - one.base, abs=0.5)
