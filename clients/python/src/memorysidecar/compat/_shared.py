"""The client of the drop-in classes, and what of a framework the contract has no field for."""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections.abc import Iterator
from typing import Any

from .. import v1
from ..client import Client

ADDRESS_VARIABLE = "MEMORY_SIDECAR_ADDRESS"
DEFAULT_ADDRESS = "127.0.0.1:50151"
# Limits of the contract for ids and names, in bytes.
NAME_BYTES = 256
WINDOW_MESSAGES = 10_000
# Limits of one request, with room for its other fields.
MESSAGES = 1_000
REQUEST_BYTES = 3_500_000

_lock = threading.Lock()
_client: Client | None = None


def use(client: Client | None) -> None:
    """Sets the client of objects that are made without one. None: that of the environment."""
    global _client
    with _lock:
        _client = client


def client_or_default(client: Client | None) -> Client:
    """Gives a client, or the one that all objects without a client share."""
    global _client
    if client is not None:
        return client
    with _lock:
        if _client is None:
            _client = Client(os.environ.get(ADDRESS_VARIABLE, DEFAULT_ADDRESS))
        return _client


def new_id() -> str:
    """Gives an id that nothing else has."""
    return uuid.uuid4().hex


def sound(text: object) -> str:
    """Gives a value as text that a server takes: without halves of characters."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


def short(text: object) -> str:
    """Gives a value as text of the length of a name."""
    return sound(text).encode()[:NAME_BYTES].decode("utf-8", "ignore")


def payload_of(system: str, value: Any) -> v1.ProviderPayload:
    """Keeps a value of a framework beside a message, byte for byte."""
    data = json.dumps(value, default=str).encode()
    return v1.ProviderPayload(provider=system, media_type="application/json", data=data)


def kept_in(system: str, message: v1.Message) -> Any:
    """Gives what a message keeps of a framework; None for nothing."""
    payload = message.provider_payload
    return json.loads(payload.data) if payload.provider == system else None


def call_ids(ids: list[Any]) -> list[str]:
    """Gives every call of a message an id of its own."""
    known: set[str] = set()
    for index, given in enumerate(ids):
        name = short(given) if given else f"call-{index}"
        while name in known:
            name = f"{name[: NAME_BYTES // 8]}-{index}"
        known.add(name)
        ids[index] = name
    return ids


def batches(messages: list[v1.Message]) -> Iterator[list[v1.Message]]:
    """Splits messages into lists that requests take."""
    some: list[v1.Message] = []
    size = 0
    for message in messages:
        more = message.ByteSize()
        if some and (len(some) == MESSAGES or size + more > REQUEST_BYTES):
            yield some
            some, size = [], 0
        some.append(message)
        size += more
    if some:
        yield some


def replace_since(
    client: Client,
    session_id: str,
    seq: int,
    newest: int,
    messages: list[v1.Message],
    expected_last_seq: int | None = None,
) -> None:
    """Erases the messages of a session from a seq on, those of the newest first. Others take the
    place of the last ones that go, in the same transaction."""
    while newest - seq >= MESSAGES:
        newest -= MESSAGES
        client.replace_messages(
            session_id, from_seq=newest + 1, expected_last_seq=expected_last_seq
        )
    client.replace_messages(session_id, messages, from_seq=seq, expected_last_seq=expected_last_seq)
