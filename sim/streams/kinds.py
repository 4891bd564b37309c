"""What there is in the fictional world: venues, what they may depend on, and what stands behind.

The words of a kind, of its other names and of what lies upstream are all different, so that no
name shares a word with what it stands for. Decisions are worded without the small words that
notices often repeat (will, at, of): what they share with a notice is names and dates. In sentences
`{d}` is the dependency, `{u}` what lies upstream, `{D}` and `{U}` the same at the start of one.
"""

from __future__ import annotations

from typing import NamedTuple

from sim.streams.wordlists import phrases, words

VENUES = words(
    "Hall Theatre Pavilion Gallery Library Auditorium Forum Playhouse Conservatory Lyceum"
    " Arena Institute Atrium Rotunda Studio Ballroom"
)
VENUE_ALIASES = words("House Palace Corner Court Hub Lodge Villa Barn")
FACILITIES = phrases(
    "Tearoom, Car Park, Bookshop, Sauna, Garden, Boutique, Crèche, Cinema, Gym, Museum"
    ", Roof Terrace, Chapel"
)
ACTIVITIES = phrases(
    "string quartet rehearsal, chess final, charity auction, book launch, choir concert"
    ", science fair, wedding reception, debating final, photography show, general meeting"
    ", dance recital, film premiere, blood donor session, poetry reading, robotics contest"
    ", graduation ceremony, union congress, cooking contest, fashion show, town debate"
    ", seed swap, retirement dinner, language exam, puppet show, awards lunch"
    ", first aid course, job fair, magic show, history lecture, quiz final"
)


class Upstream(NamedTuple):
    """Something that a kind of dependency cannot do without."""

    words: tuple[str, ...]
    sentences: tuple[str, ...]
    """How a dossier says so."""


class Dependency(NamedTuple):
    """A kind of thing that an activity may depend on."""

    words: tuple[str, ...]
    aliases: tuple[str, ...]
    """Words for its other names."""
    sentences: tuple[str, ...]
    """How a decision says that it needs it."""
    upstream: tuple[Upstream, ...]


DEPENDENCIES = (
    Dependency(
        ("Line", "Tramway", "Railway", "Monorail"),
        ("Route", "Trolley", "Shuttle"),
        (
            "The guests arrive by {d}.",
            "Everyone is to get there on {d}.",
            "{D} takes the guests to the door.",
            "Without {d} the guests could not get there.",
        ),
        (
            Upstream(
                ("Substation", "Powerhouse"),
                (
                    "{D} draws its current from {u}.",
                    "{D} runs on power from {u}.",
                    "All the current for {d} comes from {u}.",
                ),
            ),
            Upstream(
                ("Depot", "Yard"),
                (
                    "Every car on {d} is sent out from {u}.",
                    "{D} relies on {u} for all of its cars.",
                    "The cars and crews of {d} are supplied by {u}.",
                ),
            ),
        ),
    ),
    Dependency(
        ("Bridge", "Viaduct", "Causeway", "Footbridge"),
        ("Span", "Crossing", "Arch"),
        (
            "The only road to it crosses {d}.",
            "All that is needed has to be carried over {d}.",
            "The guests have to come over {d}.",
            "It can only be reached by {d}.",
        ),
        (
            Upstream(
                ("Watchtower", "Lockhouse"),
                (
                    "{D} is raised and lowered from {u}.",
                    "{D} cannot be crossed unless {u} lowers it.",
                    "The gates of {d} are controlled from {u}.",
                ),
            ),
            Upstream(
                ("Dam", "Weir"),
                (
                    "The roadway of {d} rests on {u}.",
                    "{D} depends on {u} to hold the water back.",
                    "{D} cannot be used when {u} lets water through.",
                ),
            ),
        ),
    ),
    Dependency(
        ("Ferry", "Packet", "Waterbus"),
        ("Passage", "Boat", "Launch"),
        (
            "The guests cross the water on {d}.",
            "Everything has to come over by {d}.",
            "{D} brings everyone across.",
            "It stands on an island that only {d} serves.",
        ),
        (
            Upstream(
                ("Pier", "Quay", "Jetty"),
                (
                    "{D} can land at {u} and nowhere else.",
                    "{D} depends on {u} as its only landing place.",
                    "Passengers of {d} can only be taken on board at {u}.",
                ),
            ),
            Upstream(
                ("Fuel Dock", "Bunker"),
                (
                    "{D} takes on its fuel at {u}.",
                    "All the fuel for {d} comes from {u}.",
                    "{D} relies on {u} for fuel.",
                ),
            ),
        ),
    ),
    Dependency(
        ("District", "Quarter", "Ward"),
        ("Parish", "Borough", "Hollow"),
        (
            "Its lights and heating hang on the grid in {d}.",
            "It can only be used while {d} has power.",
            "Stage and kitchen take their power from {d}.",
            "It needs power and water from {d}.",
        ),
        (
            Upstream(
                ("Substation", "Transformer"),
                (
                    "{D} is supplied by {u}.",
                    "All the power in {d} comes from {u}.",
                    "{D} draws its power from {u}.",
                ),
            ),
            Upstream(
                ("Reservoir", "Pumphouse"),
                (
                    "{D} is fed with water by {u}.",
                    "The water mains of {d} depend on {u}.",
                    "Without {u} there is no water supply in {d}.",
                ),
            ),
        ),
    ),
    Dependency(
        ("Kitchen", "Bakery", "Dairy", "Larder"),
        ("Pantry", "Oven", "Table"),
        (
            "The food is ordered from {d}.",
            "{D} brings the meals.",
            "All guests are to be fed by {d}.",
            "There are no cooks there, so {d} does the catering.",
        ),
        (
            Upstream(
                ("Mill", "Granary"),
                (
                    "{D} gets all of its flour from {u}.",
                    "{D} relies on {u} for flour.",
                    "The flour that {d} uses is supplied by {u}.",
                ),
            ),
            Upstream(
                ("Coldstore", "Smokehouse"),
                (
                    "{D} keeps its whole stock at {u}.",
                    "{D} depends on {u} for everything it serves.",
                    "All that {d} cooks comes from {u}.",
                ),
            ),
        ),
    ),
    Dependency(
        ("Workshop", "Foundry", "Joinery", "Ropewalk"),
        ("Outfit", "Bench", "Forge"),
        (
            "The stage and the seats are hired from {d}.",
            "{D} is to set up the stage.",
            "Tables and lamps are lent by {d}.",
            "Nothing can be set up there without {d}.",
        ),
        (
            Upstream(
                ("Warehouse", "Storehouse"),
                (
                    "{D} keeps its whole stock at {u}.",
                    "Everything {d} hires out comes from {u}.",
                    "{D} depends on {u} for all that it lends.",
                ),
            ),
            Upstream(
                ("Sawmill", "Quarry"),
                (
                    "{D} gets its material from {u}.",
                    "{D} relies on {u} for material.",
                    "All the material of {d} is supplied by {u}.",
                ),
            ),
        ),
    ),
    Dependency(
        ("Exchange", "Relay", "Mast"),
        ("Beacon", "Link", "Switchboard"),
        (
            "It is broadcast over {d}.",
            "Those who cannot travel join over {d}.",
            "Tickets there are checked over {d}.",
            "Sound and picture are carried by {d}.",
        ),
        (
            Upstream(
                ("Datacentre", "Switchroom"),
                (
                    "{D} gets its signal from {u}.",
                    "{D} cannot work without {u}.",
                    "All the signals that {d} carries come from {u}.",
                ),
            ),
            Upstream(
                ("Powerhouse", "Turbine"),
                (
                    "{D} runs on power from {u}.",
                    "{D} depends on {u} for power.",
                    "The current for {d} comes from {u}.",
                ),
            ),
        ),
    ),
)
