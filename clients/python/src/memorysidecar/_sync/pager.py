# Made from _async/pager.py by make_sync.py; do not edit.
"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar


class Page(Protocol):
    """An answer that may have a next one."""

    @property
    def next_page_token(self) -> str: ...


T = TypeVar("T")
P = TypeVar("P", bound=Page)


class Pager(Generic[T, P]):
    """The items of a list, fetched page by page while they are read. Starts anew with each loop."""

    def __init__(self, fetch: Callable[[str], P], items: Callable[[P], Any]) -> None:
        self._fetch = fetch
        self._items = items

    def pages(self) -> Iterator[P]:
        """Gives the answers of the server, one for each page."""
        token = ""
        while True:
            page = self._fetch(token)
            token = page.next_page_token
            yield page
            if not token:
                return

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from self._items(page)
