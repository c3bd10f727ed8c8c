"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Generic, Protocol, TypeVar


class Page(Protocol):
    """An answer that may have a next one."""

    @property
    def next_page_token(self) -> str: ...


T = TypeVar("T")
P = TypeVar("P", bound=Page)


class AsyncPager(Generic[T, P]):
    """The items of a list, fetched page by page while they are read. Starts anew with each loop."""

    def __init__(self, fetch: Callable[[str], Awaitable[P]], items: Callable[[P], Any]) -> None:
        self._fetch = fetch
        self._items = items

    async def pages(self) -> AsyncIterator[P]:
        """Gives the answers of the server, one for each page."""
        token = ""
        while True:
            page = await self._fetch(token)
            token = page.next_page_token
            yield page
            if not token:
                return

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in self._items(page):
                yield item
