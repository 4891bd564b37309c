from hypothesis import given
from hypothesis import strategies as st

from theory import BadInput


@given(st.text(min_size=1), st.one_of(st.text(), st.floats(), st.lists(st.integers())))
def test_a_message_is_one_line_whatever_the_value(field, value):
    message = str(BadInput("field", value, "must be better").at("some.csv", 7))
    assert len(message.splitlines()) == 1
    assert message.startswith("some.csv: line 7: field(=")
    assert len(message) < 150
    assert message.isprintable()


def test_a_message_says_argument_value_and_rule():
    assert str(BadInput("rate", -1.0, "must be >= 0")) == "rate(=-1.0) must be >= 0"
    placed = BadInput("rate", "x", "must be a number").at("log.csv", 3)
    assert str(placed) == "log.csv: line 3: rate(=x) must be a number"
    assert isinstance(placed, ValueError)
