"""The client of the drop-in classes, and what of a framework the contract has no field for."""

from __future__ import annotations

import json
import os
import threading
import uuid
from typing import Any

from .. import v1
from ..client import Client

ADDRESS_VARIABLE = "MEMORY_SIDECAR_ADDRESS"
DEFAULT_ADDRESS = "127.0.0.1:50151"
# Limits of the contract for ids and names, in bytes.
NAME_BYTES = 256
WINDOW_MESSAGES = 10_000

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
