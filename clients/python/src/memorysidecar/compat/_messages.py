"""Messages of a session as a list of the objects of a framework."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, MutableSequence
from typing import Any, TypeVar

from .. import v1

M = TypeVar("M")


class StoredMessages(MutableSequence[M]):
    """The reading half of a list whose messages a session keeps."""

    def __init__(self) -> None:
        # Messages by id. Those that this process added are the objects that it was given.
        self._objects: dict[str, M] = {}

    @abstractmethod
    def _read(self) -> list[v1.Message]:
        """The messages as the server has them."""

    @abstractmethod
    def _object_of(self, stored: v1.Message) -> M:
        """Makes the framework's object of a message of the server."""

    def message(self, stored: v1.Message) -> M:
        """Gives a message of the server as one of the framework, always the same object."""
        known = self._objects.get(stored.message_id)
        if known is None:
            known = self._objects[stored.message_id] = self._object_of(stored)
        return known

    def __len__(self) -> int:
        return len(self._read())

    def __iter__(self) -> Iterator[M]:
        return iter([self.message(stored) for stored in self._read()])

    def __getitem__(self, index: Any) -> Any:
        found = self._read()[index]
        if isinstance(found, list):
            return [self.message(stored) for stored in found]
        return self.message(found)
