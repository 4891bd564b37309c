"""The one JSON object of an answer is found whatever stands around it, and never one of several."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.json_object import Malformed, the_object

prose = st.text(alphabet=st.characters(exclude_characters="{}<", exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
objects = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), values)


@given(prose, objects, prose)
def test_an_object_is_found_in_any_prose(before, document, after):
    assert the_object(before + json.dumps(document) + after) == document


@given(prose, objects, prose, objects)
def test_of_several_objects_none_is_taken(before, first, between, second):
    with pytest.raises(Malformed, match="several"):
        the_object(before + json.dumps(first) + between + json.dumps(second))


@given(st.text())
def test_any_text_is_an_object_or_refused_in_words(text):
    try:
        said = the_object(text)
    except Malformed as error:
        said = error
    assert isinstance(said, dict) or str(said).startswith("it ")


@given(objects)
def test_thoughts_before_it_are_passed_over(document):
    assert the_object(f"<think>{{}} or {{}}?</think> {json.dumps(document)}") == document
