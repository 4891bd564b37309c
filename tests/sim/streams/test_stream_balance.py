"""INDIRECT tells its labels by dates alone: not by how much news there is, nor by how it is worded.

Null: labels and features are independent. Then a classifier trained on one half of the decisions is
right on a share of 1/2 of the other half, which holds as many of either label: its count of right
answers varies no more than a binomial one, and lies inside the exact two-sided limits. The halves
change places, and Holm holds both counts at 1 % together: a sum over folds would vary more than a
binomial count, since the folds train on each other. 8,192 decisions, five times as many in full;
five classifiers, each wrong with a chance of 1 %.
"""

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from routers import Notice
from routers.reading.calendar import tokens as time_tokens
from routers.reading.intervals import stated_intervals
from sim.streams import RELATED, make_stream
from theory.inference import binomial_p_value, holm

pytestmark = pytest.mark.full

ERROR = 0.01


class Read(NamedTuple):
    """A notice that touches a decision, read once."""

    relation: str
    notice: Notice
    words: list[str]
    """Its words without its dates and names."""
    time_words: list[str]
    """The words with which it speaks of time, without figures, months and weekdays."""


@pytest.fixture(scope="module")
def made(full):
    return make_stream("indirect", seed=11, decisions=40_960 if full else 8_192)


@pytest.fixture(scope="module")
def labels(made):
    return np.array([truth.label for truth in made.gold.truths.values()])


@pytest.fixture(scope="module")
def news(made):
    """For each decision, the notices that touch it."""
    notices = {notice.id: (notice, *split(notice.text)) for notice in made.stream.notices}
    return [
        [Read(each.relation, *notices[each.notice]) for each in truth.notices]
        for truth in made.gold.truths.values()
    ]


@pytest.fixture(scope="module")
def words(news):
    return bags([[word for read in each for word in read.words] for each in news])


def split(text):
    """The words of a text without its dates and names, and those of its dates."""
    kept, dated, at = [], [], 0
    for token in time_tokens(text):
        kept.append(text[at : token.start])
        at = max(at, token.end)
        dated.append(text[token.start : token.end])
    kept.append(text[at:])
    return (
        re.findall(r"\b[a-z]+\b", " ".join(kept)),
        re.findall(r"\b[a-z]{2,}\b|[^\w\s]", " ".join(dated)),
    )


def bags(lists):
    """Counts of words, shape (decisions, words)."""
    vocabulary = {word: i for i, word in enumerate(sorted({w for words in lists for w in words}))}
    table = np.zeros((len(lists), len(vocabulary)), dtype=np.float32)
    for row, words in enumerate(lists):
        for word, count in Counter(words).items():
            table[row, vocabulary[word]] = count
    return table


def amounts(made, news):
    """What can be counted: news in the window and of each sort, lengths, order and times."""
    published = np.array([notice.published for notice in made.stream.notices])
    rows = []
    for entry, each in zip(made.stream.decisions, news, strict=True):
        sorts = Counter("related" if r.relation in RELATED else r.relation for r in each)
        first, end = np.searchsorted(published, [entry.decided, entry.deadline], side="right")
        when = [read.notice.published for read in each]
        rows.append(
            [
                len(each),
                end - first,
                *(sorts[sort] for sort in ("related", "namesake", "unneeded-facility")),
                sorts["irrelevant-role"],
                sum(len(read.notice.text) for read in each),
                sum(len(read.words) for read in each),
                sum(len(read.time_words) for read in each),
                when[0] - entry.decided,
                entry.deadline - when[-1],
                min(later - earlier for earlier, later in pairwise(when)),
                entry.deadline - entry.decided,
                entry.action - entry.deadline,
                entry.activity_end - entry.action,
                entry.action % 24,
                len(entry.text),
                sum(map(len, entry.background)),
            ]
        )
    table = np.array(rows, dtype=float)
    return np.column_stack([table, table**2])


def dates(made, news):
    """What the label does follow from: how much related news overlaps the activity."""
    return np.array(
        [
            [
                sum(
                    read.relation in RELATED
                    and stated_intervals(read.notice)[0].overlaps(entry.action, entry.activity_end)
                    for read in each
                )
            ]
            for entry, each in zip(made.stream.decisions, news, strict=True)
        ],
        dtype=float,
    )


def bayes(features, labels):
    """Naive Bayes on counts of words, with equal priors; gives a function that predicts."""
    totals = [features[labels == label].sum(axis=0) + 1.0 for label in (0, 1)]
    weights = np.log(totals[1] / totals[1].sum()) - np.log(totals[0] / totals[0].sum())
    return lambda rows: rows @ weights > 0


def logistic(features, labels):
    """Logistic regression on standardised features, with a small ridge."""
    centre, scale = features.mean(axis=0), features.std(axis=0) + 1e-9

    def design(rows):
        return np.column_stack([np.ones(len(rows)), (rows - centre) / scale])

    X = design(features)
    beta = np.zeros(X.shape[1])
    for _ in range(5):
        chance = 1 / (1 + np.exp(-X @ beta))
        hessian = X.T @ (X * (chance * (1 - chance))[:, None]) + np.eye(len(beta))
        beta += np.linalg.solve(hessian, X.T @ (labels - chance) - beta)
    return lambda rows: design(rows) @ beta > 0


def right_answers(classifier, features, labels):
    """How many labels the classifier tells in each half, trained on the other; and of how many."""
    first = np.zeros(len(labels), dtype=bool)
    for label in (0, 1):
        first[np.flatnonzero(labels == label)[::2]] = True
    right = []
    for test in (first, ~first):
        predict = classifier(features[~test], labels[~test])
        right.append(int((predict(features[test]) == labels[test]).sum()))
    return right, [int(first.sum()), int((~first).sum())]


def tells(classifier, features, labels, *, side="two"):
    """Whether the classifier is right more or less often than chance, at 1 %."""
    p_values = binomial_p_value(*right_answers(classifier, features, labels), 0.5, side=side)
    return bool(holm(p_values, ERROR).any())


def test_how_much_news_there_is_tells_nothing(made, news, labels):
    assert not tells(logistic, amounts(made, news), labels)


@pytest.mark.parametrize("classifier", [bayes, logistic])
def test_how_news_is_worded_tells_nothing(words, labels, classifier):
    assert words.shape[1] >= 100
    assert not tells(classifier, words, labels)


def test_the_words_of_dates_without_their_figures_tell_nothing(news, labels):
    """Not `until further notice`, nor `all day`: every shape of interval comes at every time."""
    dated = bags([[word for read in each for word in read.time_words] for each in news])
    assert dated.shape[1] >= 20
    assert not tells(bayes, dated, labels)


def test_the_wording_of_decisions_and_dossiers_tells_nothing(made, labels):
    lists = [split(" ".join([entry.text, *entry.background]))[0] for entry in made.stream.decisions]
    assert not tells(bayes, bags(lists), labels)


def test_control_dates_tell_every_label(made, news, labels):
    right, of = right_answers(logistic, dates(made, news), labels)
    assert right == of
    assert tells(logistic, dates(made, news), labels)


def test_control_a_word_that_favours_a_label_is_found(words, labels):
    """A word planted in one changing decision out of ten."""
    planted = (np.random.default_rng(0).random(len(labels)) < 0.1) & (labels == 1)
    leaking = np.column_stack([words, planted])
    assert tells(bayes, leaking, labels, side="above")


def test_control_news_that_comes_more_often_for_a_label_is_found(made, news, labels):
    """One notice more for one changing decision out of ten."""
    counts = amounts(made, news)
    counts[:, 0] += (np.random.default_rng(0).random(len(labels)) < 0.1) & (labels == 1)
    assert tells(logistic, counts, labels, side="above")
