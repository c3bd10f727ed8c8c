"""The session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from agents import TResponseInputItem
from agents.memory import SessionSettings
from agents.memory.session_settings import coerce_session_settings
from memorysidecar import AsyncClient, Client, NotFound, v1
from memorysidecar.errors import refuse_other_user

from ._items import item_of, message_of

T = TypeVar("T")


class SidecarSession:
    """A session of the Agents SDK, kept by Memory Sidecar.

    Each item is a message of the session's log, and comes back as it was. ``add_items`` is one
    transaction, acknowledged once it is on disk; it completes although its task is cancelled.

    :param session_id: any text of 1 to 512 bytes without control characters.
    :param client: a client, which the session never closes. The calls of a ``Client`` run in
        threads.
    :param window: gives the agent the session's window instead of its whole log: what fits the
        policy, with tool calls and their results whole, and the summary of what left it.
    :param session_settings: as with other sessions; ``limit`` is the number of newest items that
        ``get_items`` gives.
    :param attributes: of the session when this object creates it: ``user_id``, ``agent_id``,
        ``policy``, ``labels``, ``metadata``, ``ttl``, as ``create_session`` takes them. A session
        that belongs to another user than ``user_id`` is refused with ``AlreadyExists``.
    """

    session_settings: SessionSettings | None = None

    def __init__(
        self,
        session_id: str,
        client: Client | AsyncClient,
        *,
        window: bool = False,
        session_settings: SessionSettings | dict[str, Any] | None = None,
        **attributes: Any,
    ) -> None:
        self.session_id = session_id
        self.client = client
        self.window = window
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self._attributes = attributes

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Gives the newest items, the oldest of them first; without a limit, all."""
        settings = self.session_settings
        if limit is None and settings is not None:
            limit = settings.limit
        if limit is not None and limit <= 0:
            return []
        try:
            await self._check_user()
            messages = await (self._window(limit) if self.window else self._log(limit))
        except NotFound:
            return []
        return [item_of(message) for message in messages]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items, all or none."""
        if items:
            await _finish(self._append([message_of(item) for item in items]))

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes the newest item and gives it."""
        try:
            await self._check_user()
            answer = await _finish(self._call(lambda client: client.pop_messages(self.session_id)))
        except NotFound:
            return None
        return item_of(answer.messages[0]) if answer.messages else None

    async def clear_session(self) -> None:
        """Deletes the items; the session goes on."""
        try:
            await self._check_user()
            await _finish(self._call(lambda client: client.reset_session(self.session_id)))
        except NotFound:
            pass

    async def _atomic_replace_items(self, items: list[TResponseInputItem]) -> bool:
        """Replaces all items in one transaction: the SDK's hook for compactions. Gives False in a
        subclass, which may keep more than the items."""
        if type(self) is not SidecarSession:
            return False
        await _finish(self._replace([message_of(item) for item in items]))
        return True

    async def _append(self, messages: list[dict[str, Any]]) -> None:
        await self._ensure()
        await self._call(
            lambda client: client.append(self.session_id, messages, create_session=True)
        )

    async def _replace(self, messages: list[dict[str, Any]]) -> None:
        if messages:
            await self._ensure()
        options = {"all": True, "create_session": True}
        try:
            await self._check_user()
            await self._call(
                lambda client: client.replace_messages(self.session_id, messages, **options)
            )
        except NotFound:
            if messages:
                raise

    async def _ensure(self) -> None:
        if self._attributes:
            await self._call(
                lambda client: client.ensure_session(self.session_id, **self._attributes)
            )

    async def _check_user(self) -> None:
        """Refuses the session of another user than the one that was given."""
        user_id = self._attributes.get("user_id")
        if user_id:
            session = await self._call(lambda client: client.get_session(self.session_id))
            refuse_other_user(session, user_id)

    async def _window(self, limit: int | None) -> list[v1.Message]:
        window = await self._call(lambda client: client.window(self.session_id))
        return list(window.messages)[-limit if limit else 0 :]

    async def _log(self, limit: int | None) -> list[v1.Message]:
        order: Literal["newest_first"] | None = None if limit is None else "newest_first"
        size = min(limit or 1000, 1000)
        client = self.client
        found: list[v1.Message] = []
        if isinstance(client, Client):
            pager = client.list_messages(self.session_id, order=order, page_size=size)
            found = await asyncio.to_thread(_take, pager, limit)
        else:
            async for message in client.list_messages(self.session_id, order=order, page_size=size):
                found.append(message)
                if len(found) == limit:
                    break
        return found if limit is None else found[::-1]

    async def _call(self, method: Callable[[Any], Any]) -> Any:
        if isinstance(self.client, Client):
            return await asyncio.to_thread(method, self.client)
        return await method(self.client)


def _take(pager: Any, limit: int | None) -> list[v1.Message]:
    found = []
    for message in pager:
        found.append(message)
        if len(found) == limit:
            break
    return found


async def _finish(work: Awaitable[T]) -> T:
    """Waits for a write to end although the waiting task is cancelled."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
    return task.result()
