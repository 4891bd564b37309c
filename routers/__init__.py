"""The decision ledger, and the routers that bring later news to the decisions it holds open."""

from routers.delivery import Delivery
from routers.entry import Entry
from routers.ledger import Ledger
from routers.notice import Notice
from routers.records import History, Record
from routers.router import ROUTERS, Router, make_router
from routers.verdict import Verdict

__all__ = [
    "ROUTERS",
    "Delivery",
    "Entry",
    "History",
    "Ledger",
    "Notice",
    "Record",
    "Router",
    "Verdict",
    "make_router",
]
