"""Names of a fictional world: pronounceable, told apart by every word, each given once.

A name is two invented stems, as of a person who is remembered, and a word for what it names:
`Velmarin Dasoreth Hall`. Stems are three syllables long: of 300,000 of them 99 were among 477,000
words in the names of the world's towns. Whatever is given out, a namesake included, is never given
again: two names share a stem only where one was made as the other's namesake.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, Self

from sim.streams.dice import Dice
from sim.streams.wordlists import words

_ONSETS = words("B Br D Dr F Fl G Gr H J K L M N P Pl Pr R S Sk St T Th Tr V W Y Z")
_MIDDLES = words("b d g l ld lm ln lv m n nd nt r rd rl rm rn rv s st v z")
_ENDINGS = words(
    "al an ar el en er eth il in ir ith ol on or oth und ond ara ane eda ela ilo imi oma ona"
    " una evo oru enne"
)
_VOWELS = "aeiou"
_USUAL_VOWELS = "aaeeiioou"
_STARTS = [f"{o}{v}{m}" for o, v, m in product(_ONSETS, _USUAL_VOWELS, _MIDDLES)]
_REMAINDERS = [f"{v}{m}{e}" for v, m, e in product(_USUAL_VOWELS, _MIDDLES, _ENDINGS)]


class Name(NamedTuple):
    """What something in the fictional world is called; `Name.of` makes one."""

    stems: tuple[str, str]
    word: str
    article: bool
    """Whether running text puts `the` before it."""
    text: str
    """The name alone, as a list gives it."""
    inside: str
    """The name in the middle of a sentence."""
    first: str
    """The name at the start of a sentence."""

    @classmethod
    def of(cls, stems: tuple[str, str], word: str, *, article: bool = False) -> Self:
        """The name with its forms."""
        text = f"{stems[0]} {stems[1]} {word}"
        inside, first = (f"the {text}", f"The {text}") if article else (text, text)
        return cls(stems, word, article, text, inside, first)


class Namer:
    """Gives out names, none twice."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._taken: set[str] = set()

    def name(self, words: Sequence[str], *, article: bool = False) -> Name:
        """A new name for something that one of the words stands for."""
        stems = self._stem(), self._stem()
        return Name.of(stems, self._dice.pick(words), article=article)

    def namesake(self, name: Name, words: Sequence[str]) -> Name:
        """A new name one letter or one word away from `name`, another of the words if a word."""
        (first, last), word = name.stems, name.word
        if self._dice.chance(0.5) and (other := self._one_letter_away(last)):
            last = other
        else:
            word = self._dice.pick([each for each in words if each != word])
        return Name.of((first, last), word, article=name.article)

    def _stem(self) -> str:
        while True:
            stem = self._dice.pick(_STARTS) + self._dice.pick(_REMAINDERS)
            if stem not in self._taken:
                self._taken.add(stem)
                return stem

    def _one_letter_away(self, stem: str) -> str | None:
        """The stem with another vowel, or None where all such are taken."""
        places = [i for i, letter in enumerate(stem) if letter in _VOWELS]
        at = self._dice.pick(places)
        start = self._dice.below(len(_VOWELS))
        for vowel in _VOWELS[start:] + _VOWELS[:start]:
            other = stem[:at] + vowel + stem[at + 1 :]
            if other not in self._taken:
                self._taken.add(other)
                return other
        return None
