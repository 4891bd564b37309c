"""Routers that each break one rule, as controls: a kit that lets one pass checks nothing."""

from dataclasses import replace

from routers.name import Name
from routers.tokens import tokens


class Greedy(Name):
    """Delivers to one more than it may."""

    def route(self, notice):
        return _all(self, notice)[: self.k + 1]


class Deaf(Name):
    """Goes on delivering to what is closed."""

    def close(self, entry_id):
        pass


class Repetitive(Name):
    """Delivers its best twice."""

    def route(self, notice):
        made = super().route(notice)
        return [*made[:1], *made][: self.k]


class Moody(Name):
    """Prefers other entries each time it is asked."""

    asked = 0

    def route(self, notice):
        self.asked += 1
        made = super().route(notice)
        return made[: self.asked % 3]


class Bored(Name):
    """Never sends an entry the same words twice."""

    def __init__(self, *, k=3):
        super().__init__(k=k)
        self.heard = set()

    def route(self, notice):
        made = [it for it in super().route(notice) if (it.entry, notice.id) not in self.heard]
        self.heard |= {(it.entry, notice.id) for it in made}
        return made


class Newest(Name):
    """Breaks ties by who opened last."""

    def __init__(self, *, k=3):
        super().__init__(k=k)
        self.opened = []

    def open(self, entry):
        super().open(entry)
        self.opened.append(entry.id)

    def route(self, notice):
        named = {it.entry: it for it in _all(self, notice)}
        newest = [named[it] for it in reversed(self.opened) if it in named]
        return sorted(newest, key=lambda it: -it.score)[: self.k]


class Upward(Name):
    """Gives the worst first."""

    def route(self, notice):
        return sorted(super().route(notice), key=lambda it: (it.score, it.entry))


class Nostalgic(Name):
    """Scores by how many entries it has ever seen."""

    seen = 0

    def open(self, entry):
        super().open(entry)
        self.seen += 1

    def route(self, notice):
        return [it._replace(score=it.score / self.seen) for it in super().route(notice)]


class Peeking(Name):
    """Reads the gold that came with a notice."""

    def route(self, notice):
        relation = notice.extra.get("relation")
        return [] if relation == "namesake" else super().route(notice)


class Spying(Name):
    """Reads the gold that came with an entry."""

    def open(self, entry):
        if entry.extra.get("label") == 0:
            entry = replace(entry, options=("nothing at all",), dependencies=())
        super().open(entry)


class Zero(Name):
    """Delivers with score 0."""

    def route(self, notice):
        return [it._replace(score=0.0) for it in super().route(notice)]


class NotANumber(Name):
    """Delivers with a score that is not a number."""

    def route(self, notice):
        return [it._replace(score=float("nan")) for it in super().route(notice)]


class Confused(Name):
    """Puts another notice's id on its deliveries."""

    def route(self, notice):
        return [it._replace(notice="n0") for it in super().route(notice)]


class Provincial(Name):
    """Falls over words that are not ASCII."""

    def route(self, notice):
        notice.text.encode("ascii")
        return super().route(notice)


class Wordy(Name):
    """Falls over texts without words."""

    def route(self, notice):
        assert tokens(notice.text)
        return super().route(notice)


class Unbalanced(Name):
    """Leaves names behind, so that an entry that comes back counts for more."""

    def __init__(self, *, k=3):
        super().__init__(k=k)
        self.times = {}

    def open(self, entry):
        super().open(entry)
        self.times[entry.id] = self.times.get(entry.id, 0) + 1

    def route(self, notice):
        return sorted(
            (it._replace(score=it.score * self.times[it.entry]) for it in super().route(notice)),
            key=lambda it: (-it.score, it.entry),
        )


class Nameless(Name):
    """Says no name."""

    name = ""


class Unlimited(Name):
    """Says another k than it was made for."""

    def __init__(self, *, k=3):
        super().__init__(k=k + 1)


def _all(router, notice):
    unlimited = Name(k=len(router._names) + 1)
    unlimited.__dict__ |= router.__dict__ | {"k": unlimited.k}
    return unlimited.route(notice)


BROKEN = {
    Greedy: "delivers_well",
    Deaf: "delivers_well",
    Repetitive: "delivers_well",
    Moody: "answers_alike",
    Bored: "answers_alike",
    Newest: "prefers_lower_ids",
    Upward: "delivers_well",
    Nostalgic: "forgets_the_past",
    Unbalanced: "forgets_the_past",
    Peeking: "sees_no_gold",
    Spying: "sees_no_gold",
    Zero: "delivers_well",
    NotANumber: "delivers_well",
    Confused: "delivers_well",
    Provincial: "survives_any_text",
    Wordy: "survives_any_text",
    Nameless: "declares_itself",
    Unlimited: "declares_itself",
}
"""Each with the check that must find it."""
