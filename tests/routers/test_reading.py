import pytest
from hypothesis import given
from hypothesis import strategies as st

from routers import Entry
from routers.reading.dossier import read_needs
from routers.reading.effects import blocks
from routers.reading.names import NameIndex, likely_names


def entry(*background, text="The quiz is at Velmarin Hall.", **fields):
    return Entry(
        id="e",
        decided=0.0,
        deadline=1.0,
        options=("Velmarin Hall", "Tessaro Studio"),
        text=text,
        background=background,
        **fields,
    )


@pytest.fixture
def index():
    found = NameIndex()
    for name in ("Velmarin Hall", "the Dunel Line", "Hall", "Crèche Olmé", "Velmarin Hall East"):
        found.add(name, name)
    return found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("At VELMARIN HALL's door", ["Velmarin Hall"]),
        ("Velmarin Hall East, not Velmarin Hall.", ["Velmarin Hall East", "Velmarin Hall"]),
        ("Velmorin Hall, Velmarin Court, Velmarinhall", ["Hall"]),
        ("dunel line; crèche-olmé", ["the Dunel Line", "Crèche Olmé"]),
        ("", []),
    ],
)
def test_whole_names_are_found_the_longest_at_each_place(index, text, names):
    assert list(index.find(text)) == names


def test_a_name_without_a_word_is_never_found(index):
    index.add("--", "nothing")
    index.add("the", "an article")
    assert list(index.find("-- the --")) == []


@given(st.text(), st.text(min_size=1))
def test_no_text_breaks_the_finders(name, text):
    index = NameIndex()
    index.add(name, name)
    list(index.find(text))
    likely_names(text)
    blocks(text)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The Dunel Line stops.", ["Dunel Line"]),
        ("Without the Old Dunel Line nothing works.", ["Old Dunel Line"]),
        ("Locals know it as Osketh House.", ["Osketh House"]),
        ("On Monday 12 May Velmarin Hall opens.", ["Velmarin Hall"]),
        ("It opens on 15 Jan 2035, a Mon.", []),
        ("It opens at Jan Steen Hall.", ["Jan Steen Hall"]),
        ("Everyone came. Nobody left.", []),
        ("We saw Osketh.", ["Osketh"]),
    ],
)
def test_capitalised_runs_are_taken_for_names(text, names):
    assert likely_names(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "It will be closed.",
        "No service from 9 May",
        "Trains are suspended",
        "will not be available",
        "The bridge cannot be crossed",
        "no longer honours bookings",
        "CLOSURE",
    ],
)
def test_what_stops_is_told(text):
    assert blocks(text)


@pytest.mark.parametrize(
    "text",
    [
        "It will remain open during repairs.",
        "It stays fully open; the shop is closed.",
        "It will not be affected by the closed road.",
        "Service continues as usual although the office is shut.",
        "A new sign was put up.",
        "",
    ],
)
def test_what_goes_on_is_told(text):
    assert not blocks(text)


def test_other_names_and_upstream_are_followed_through_each_other():
    needs = read_needs(
        entry(
            "The Gorin Substation is also called the Old Kettle.",
            "The Dunel Line draws its power from the Gorin Substation.",
            "The Mardel Dam feeds the Old Kettle.",
            dependencies=("the Dunel Line",),
        )
    )
    assert needs.other_names == ("Old Kettle",)
    assert needs.upstream == ("Gorin Substation", "Mardel Dam")
    assert set(needs.needed) == {
        *("Velmarin Hall", "the Dunel Line", "Old Kettle", "Gorin Substation", "Mardel Dam")
    }


def test_what_is_not_needed_or_only_mentioned_is_not_among_the_needs():
    needs = read_needs(
        entry(
            "Velmarin Hall has the Peran Tearoom, which the quiz does not need.",
            "The speaker once worked at the Gorin Substation.",
            "The Peran Tearoom depends on the Mardel Dam.",
        )
    )
    assert needs.needed == ("Velmarin Hall",)
    assert needs.unneeded == ("Peran Tearoom",)
    assert needs.mentioned == ("Gorin Substation", "Mardel Dam")
    assert needs.alternatives == ("Tessaro Studio",)


def test_where_no_dependencies_are_listed_the_text_names_them():
    text = "We chose Velmarin Hall over Tessaro Studio. Guests come by the Dunel Line."
    assert read_needs(entry(text=text)).dependencies == ("Dunel Line",)


@given(st.lists(st.text(min_size=1).filter(lambda text: text.isprintable() and text.strip())))
def test_no_dossier_breaks_the_reader(statements):
    read_needs(entry(*statements))
