"""The JSON Schema of what a ledger takes in and gives out; `python -m routers.schema` prints it.

`ledger.schema.json` beside this file is its published form. It says what JSON Schema can say; the
order of times and the range of `chosen` are left to the code.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from routers.delivery import SCHEMA as DELIVERY
from routers.entry import Entry
from routers.fields import Json, schema_of
from routers.notice import Notice
from routers.verdict import Verdict

PUBLISHED = Path(__file__).with_name("ledger.schema.json")


def schema() -> Json:
    """One document with a definition each of entry, notice, delivery and verdict."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The documents of a bestbefore ledger",
        "$defs": {
            "entry": schema_of(Entry),
            "notice": schema_of(Notice),
            "delivery": DELIVERY,
            "verdict": schema_of(Verdict),
        },
    }


if __name__ == "__main__":
    json.dump(schema(), sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")
