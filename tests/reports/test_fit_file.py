import json
import operator
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.fit_file import SavedFit, Source, fit_document, read_fit
from reports.times import TimeKind
from tests.theory.estimate.logs import interval_rows, intervals_log, poisson_log, spans
from theory import BadInput
from theory.estimate import change_times, fit, gap_ceilings, spells


def saved(history, kind):
    fitted = fit(history, np.random.default_rng(0))
    source = Source(
        file="log.csv",
        sha256="ab" * 32,
        kind=kind,
        columns={"start": "from", "end": "to"},
        where=("impact != none",),
        rows=12,
        left_out=2,
        times=TimeKind.NUMBER,
    )
    return SavedFit(fitted, gap_ceilings(fitted.pooled, [1.0, 24.0]), source, 3, "0.1.0")


def large():
    history = change_times(poisson_log(np.random.default_rng(1), 3, 40), span_start=0, span_end=1)
    return saved(history, "change times")


@given(interval_rows, spans)
def test_fits_come_back_as_they_were(tmp_path_factory, rows, span):
    before = saved(spells(intervals_log(rows), span_start=span[0], span_end=span[1]), "spells")
    path = tmp_path_factory.getbasetemp() / "fit.json"
    path.write_text(json.dumps(fit_document(before), allow_nan=False))
    assert read_fit(path) == before


def test_a_large_fit_comes_back_as_it_was(tmp_path):
    before = large()
    document = fit_document(before)
    assert document["tests"]["weibull"]["p_value"] is not None
    assert len(document["ages"]) > 1
    (tmp_path / "fit.json").write_text(json.dumps({**document, "later": "more"}))
    assert read_fit(tmp_path / "fit.json") == before


def places(value, place=""):
    """Every value of a document with its place, containers included."""
    yield place, value
    children = value.items() if isinstance(value, dict) else ()
    for name, child in children:
        yield from places(child, f"{place}.{name}".lstrip("."))
    for number, child in enumerate(value if isinstance(value, list) else ()):
        yield from places(child, f"{place}[{number}]")


# What readers do not need: words beside the hours, and reasons where there is a p-value.
UNREAD = ("confidence", "span.from", "span.to", ".reason")
DOCUMENT = json.loads(json.dumps(fit_document(large())))
PLACES = [
    place
    for place, value in places(DOCUMENT)
    if place and not place.endswith(UNREAD) and "[1" not in place and "[2]" not in place
]


def broken(place, change):
    """The document with the value at a place changed in its container."""
    document = deepcopy(DOCUMENT)
    *path, last = place.replace("[", ".[").split(".")
    container = document
    for name in path:
        container = container[int(name[1:-1]) if name[0] == "[" else name]
    change(container, int(last[1:-1]) if last[0] == "[" else last)
    return document


def refusal(tmp_path, document):
    path = tmp_path / "fit.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    with pytest.raises(BadInput) as caught:
        read_fit(path)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_what_is_missing_is_named(tmp_path):
    for place in PLACES:
        if not place.endswith("]") and not place.startswith("source.columns."):
            document = broken(place, lambda container, key: container.pop(key))
            assert refusal(tmp_path, document) == f"fit.json: {place}(=) must be there"


@pytest.mark.parametrize("wrong", [True, "x" * 9, [[]], {"a": 1}, float("-inf"), float("nan")])
def test_what_is_of_another_type_is_named(tmp_path, wrong):
    for place, value in places(DOCUMENT):
        if place in PLACES and (isinstance(wrong, float) or not isinstance(wrong, type(value))):
            document = broken(place, lambda container, key: operator.setitem(container, key, wrong))
            assert refusal(tmp_path, document).startswith(f"fit.json: {place}")


@pytest.mark.parametrize(
    ("place", "wrong", "rule"),
    [
        ("rate", -1, "must be a finite number between 0 and inf"),
        ("low", 1e9, "must be a finite number between 0 and"),
        ("high", 0.0, "must be a finite number between"),
        ("changes", 1.5, "must be a whole number >= 0"),
        ("changes", -1, "must be a whole number >= 0"),
        ("exposure", 10**400, "must be a finite number"),
        ("alike.p_value", 1.5, "must be a finite number between 0 and 1"),
        ("facts[0].tests.laplace.p_value", -0.1, "must be a finite number between 0 and 1"),
        ("ceilings[0].ceiling", 1.01, "must be a finite number between"),
        ("ages[0].end", -5, "must be a finite number between 0 and inf"),
        ("source.kind", "polls", "must be one of change times, outages, spells"),
        ("span.times", "sundial", "must be one of number, offset, naive"),
    ],
)
def test_what_cannot_be_is_named(tmp_path, place, wrong, rule):
    document = broken(place, lambda container, key: operator.setitem(container, key, wrong))
    error = refusal(tmp_path, document)
    assert error.startswith(f"fit.json: {place}(=")
    assert rule in error


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "line 1: --fit(=fit.json) must be JSON"),
        ("{\n 1", "line 2: --fit(=fit.json) must be JSON"),
        ("[]", "document(=[]) must be an object"),
        ("[" * 100_000, "--fit(=fit.json) must be JSON"),
        ('{"rate": ' + "9" * 5_000 + "}", "--fit(=fit.json) must be JSON"),
    ],
)
def test_what_is_no_document_is_refused(tmp_path, text, error):
    assert refusal(tmp_path, text).startswith(f"fit.json: {error}")


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(BadInput, match="could not be read: No such file"):
        read_fit(tmp_path / "none.json")
    (tmp_path / "fit.json").write_bytes(b'{"\xff": 1}')
    with pytest.raises(BadInput, match="must be JSON"):
        read_fit(tmp_path / "fit.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)


@given(st.sampled_from(PLACES), json_values)
def test_any_document_is_a_fit_or_one_clear_error(tmp_path_factory, place, value):
    document = broken(place, lambda container, key: operator.setitem(container, key, value))
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(document))
    try:
        found = read_fit(path)
    except BadInput as error:
        found = str(error)
    assert isinstance(found, SavedFit) or "\n" not in found


@given(st.binary())
def test_any_bytes_are_a_fit_or_one_clear_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "bytes.json"
    path.write_bytes(content)
    with pytest.raises(BadInput):
        read_fit(path)
