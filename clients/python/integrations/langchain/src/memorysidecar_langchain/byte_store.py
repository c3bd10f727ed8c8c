"""The byte store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from typing import Any

from langchain_core.stores import BaseStore
from memorysidecar import AsyncClient, Client, v1
from memorysidecar.adapters.connect import Connected
from memorysidecar.adapters.names import MAX_KEY_BYTES, segment, segment_prefix, text_of
from memorysidecar.adapters.plans import Collect, Emit, Plan, Runner
from memorysidecar.adapters.records import (
    deletion,
    look_up,
    write,
)

ROOT = "langchain"
MAX_SEGMENT_BYTES = 100
PAGE = 1_000


class SidecarByteStore(Connected, BaseStore[str, bytes]):
    """Keeps bytes under keys in Memory Sidecar: a cache of embeddings, the documents behind a
    ``ParentDocumentRetriever``.

    Each value is a record, returned byte for byte. The values of one call are one transaction
    unless there are more than 256 or they take more than 3 MiB. Larger values, up to 1 GiB, are
    uploaded first.

    With a ``Client``, asynchronous methods run in threads. With an ``AsyncClient``, make the store
    on its event loop; synchronous methods then work from other threads.

    :param client: a client, which the store never closes.
    :param name: of the store. Stores of one name and owner share their values.
    :param user_id: the user whom the values belong to; they are erased by
        ``erase_subject(user_id=...)``. Default: all users share them.
    :param agent_id: the agent whom they belong to.
    :param ttl: life of a value in seconds, from its last write.
    """

    def __init__(
        self,
        client: Client | AsyncClient,
        *,
        name: str = "default",
        user_id: str | None = None,
        agent_id: str | None = None,
        ttl: float | None = None,
    ) -> None:
        self.client = client
        self.name = name
        self.ttl = ttl
        self._owner = v1.MemoryScope(user_id=user_id, agent_id=agent_id)
        names = (name, user_id or "", agent_id or "")
        self._path = [ROOT, "values", *(segment(one, MAX_SEGMENT_BYTES) for one in names)]
        self._runner = Runner(client)

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        return self._runner.run(self._get(keys))

    async def amget(self, keys: Sequence[str]) -> list[bytes | None]:
        return await self._runner.arun(self._get(keys))

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        self._runner.run(self._set(key_value_pairs))

    async def amset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        await self._runner.arun(self._set(key_value_pairs))

    def mdelete(self, keys: Sequence[str]) -> None:
        self._runner.run(self._delete(keys))

    async def amdelete(self, keys: Sequence[str]) -> None:
        await self._runner.arun(self._delete(keys))

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        return self._runner.iterate(self._keys(prefix or ""))

    async def ayield_keys(self, *, prefix: str | None = None) -> AsyncIterator[str]:
        async for key in self._runner.aiterate(self._keys(prefix or "")):
            yield key

    def _get(self, keys: Sequence[str]) -> Plan[list[bytes | None]]:
        different = list(dict.fromkeys(keys))
        records = yield from look_up([(self._path, _key(key)) for key in different])
        known = dict(zip(different, records, strict=True))
        found = [known[key] for key in keys]
        return [None if record is None else record.value for record in found]

    def _set(self, pairs: Sequence[tuple[str, bytes]]) -> Plan[None]:
        operations: list[v1.RecordOperation] = []
        # The last value of a key counts.
        for key, value in dict(pairs).items():
            record = v1.NamedRecord(path=self._path, key=_key(key), owner=self._owner, value=value)
            if self.ttl is not None:
                record.ttl.FromMilliseconds(max(1_000, round(self.ttl * 1_000)))
            operations.append(v1.RecordOperation(put=v1.RecordPut(record=record)))
        yield from write(operations)

    def _delete(self, keys: Sequence[str]) -> Plan[None]:
        yield from write(deletion(self._path, _key(key)) for key in dict.fromkeys(keys))

    def _keys(self, prefix: str) -> Plan[None]:
        start = segment_prefix(prefix)
        if len(start.encode()) > MAX_KEY_BYTES:
            # No key is that long.
            return
        last = ""
        while True:
            records = yield Collect(partial(self._list, start, last), limit=PAGE)
            for record in records:
                if record.key != last:
                    yield Emit(text_of(record.key))
            if len(records) < PAGE:
                return
            last = records[-1].key

    def _list(self, prefix: str, start: str, client: Any) -> Any:
        return client.list_records(self._path, key_prefix=prefix, start_key=start, page_size=PAGE)


def _key(text: str) -> str:
    key = segment(text, MAX_KEY_BYTES)
    if key.startswith("#"):
        raise ValueError(
            f"a key takes at most {MAX_KEY_BYTES - 1} bytes; one that begins with {text[:40]!r} "
            "takes more: use a digest of it"
        )
    return key
