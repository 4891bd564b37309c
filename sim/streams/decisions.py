"""The wording of decisions and of their dossiers: what an entry of the ledger says."""

DECISIONS = (
    "We hold the {a} in {o} {w}. {n} Should it fall through, {p} steps in.",
    "The {a} takes place in {o} {w}. {n} {P} is the fallback.",
    "Decided: the {a} goes to {o}, {w}. {n} The runner-up was {p}.",
    "{O} is booked for the {a} {w}. {n} The other offer came from {p}.",
    "{W}, the {a} is held in {o}. {n} {P} remains the second choice.",
    "For the {a} {w} we settled on {o}. {n} {P} was also on the list.",
    "The committee picked {o} for the {a} {w}. {n} It could still move to {p}.",
    "We chose {o} over {p} for the {a} {w}. {n}",
    "The {a} has its place: {o}, {w}. {n} {P} stays in reserve.",
    "{O} hosts the {a} {w}. {n} If need be, {p} takes it over.",
    "Plan for the {a}: {o}, {w}. {n} As an alternative, {p} is holding the date.",
    "After comparing offers we put the {a} into {o} {w}. {n} {P} came second.",
)
"""`{a}` is the activity, `{o}` the chosen option, `{p}` the other, `{w}` when, `{n}` the need."""

CONFIRMED = (
    "Both {o} and {d} have been confirmed.",
    "{O} and {d} have agreed in writing.",
    "It all hangs on {o} and {d}.",
    "We count on {d} and on {o} alike.",
    "{O} was told about {d}.",
    "Contracts with {o} and {d} are signed.",
    "{D} and {o} both know the plan.",
    "Deposits went to {o} and {d}.",
    "As long as {o} and {d} hold, so does the plan.",
    "{O} has worked with {d} before.",
    "Thanks go to {o} and {d} for a quick answer.",
    "{D} and {o} were the first to say yes.",
)
"""How a decision ends: `{d}` is what it depends on."""

EVIDENCE = {
    "option": (
        "{O} confirmed the booking at {m}.",
        "A call to {o} at {m} found it free for the {a}.",
        "The calendar of {o} had the slot open at {m}.",
        "At {m} the office of {o} agreed to the {a}.",
    ),
    "dependency": (
        "{D} was working normally when checked at {m}.",
        "No trouble with {d} was known at {m}.",
        "At {m} there was nothing against relying on {d}.",
        "{D} reported no plans to stop at {m}.",
    ),
    "alternative": (
        "{P} would have been free as well but costs more.",
        "{P} is smaller and farther away.",
        "{P} was found to be the second best.",
        "The offer from {p} was good but not as good.",
    ),
}
"""What a decision rests on: `{m}` is when it was checked."""

OTHER_NAMES = (
    "{X} is also known as {y}.",
    "Locals know {x} as {y}.",
    "On the street signs {x} appears as {y}.",
    "{X} also goes by the name of {y}.",
    "{Y} is an older name for {x}.",
    "In official papers {x} is listed as {y}.",
    "{Y} and {x} are one and the same.",
    "Most people speak of {x} as {y}.",
    "Many still refer to {x} as {y}.",
    "{X} is the place that the papers call {y}.",
    "Announcements often name {x} as {y}.",
    "{Y} is what regulars call {x}.",
)
UNNEEDED = (
    "{X} also runs {y}, which the {a} does not need.",
    "{Y} belongs to {x}, but the {a} makes no use of it.",
    "Next to {x} there is {y}; the {a} has no need of it.",
    "{Y} shares a roof with {x} and will not be used for the {a}.",
    "The {a} will do without {y}, which is part of {x}.",
    "There is also {y} at {x}, not needed for the {a}.",
    "{X} rents out {y} too, but the {a} will not use it.",
    "{Y}, in the same building as {x}, plays no part in the {a}.",
)
IRRELEVANT = (
    "A painting of {y} hangs in the foyer.",
    "The host once gave a talk about {y}.",
    "The programme has a photograph of {y} on its cover.",
    "One of the guests used to work at {y}.",
    "The opening speech will mention {y} in passing.",
    "Last year the organisers looked at {y} and turned it down.",
    "{Y} won a prize in the spring.",
    "A poster in the lobby advertises {y}.",
    "The treasurer has a cousin at {y}.",
    "A raffle prize was given by {y}.",
    "The mailing list was borrowed from {y}.",
    "The designer took the colours from the emblem of {y}.",
)
"""Statements of a dossier: `{x}` is what the activity `{a}` needs, `{y}` the other place."""
