"""Settings: all that are there are described, and no others are taken."""

import dataclasses
import re

import pytest

from seamark import engine


def test_every_setting_is_described():
    record = engine.Settings
    described = re.findall(r"^    ([a-z_, ]+) : ", record.__doc__, re.MULTILINE)
    own = [one for one in record.__annotations__ if one in record.__dataclass_fields__]
    assert [name for line in described for name in line.split(", ")] == own


def test_what_is_no_setting_is_named():
    with pytest.raises(TypeError, match="no setting pilot, sails"), engine.using(sails=1, pilot=2):
        pass


def test_settings_cannot_be_written_to():
    with (
        engine.using(budget=7) as inside,
        pytest.raises(dataclasses.FrozenInstanceError, match="budget"),
    ):
        inside.budget = 8
