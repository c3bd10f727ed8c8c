"""Checkpoints as records, and the plans that read and write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from memorysidecar import AlreadyExists, NotFound, v1
from memorysidecar.adapters.names import MAX_KEY_BYTES, segment
from memorysidecar.adapters.plans import Call, Collect, Emit, Plan
from memorysidecar.adapters.records import MAX_LOOKUPS, delete_tree, deletion, look_up, write

from . import _values as values

Path = list[str]
Operation = v1.RecordOperation
Write = tuple[str, str, int, str, Any]
"""Path of the task, id of the task, index, channel, value."""

KINDS = ("checkpoints", "writes", "blobs", "parts")
"""Kinds of records of a thread, in the order of their deletion."""
LIST_PAGE = 20


@dataclass(frozen=True)
class Checkpoints:
    """Makes the plans of a saver.

    The paths of records, below ``root``, and their keys:

    - ``checkpoints``, thread, namespace: id of the checkpoint
    - ``blobs``, thread, namespace, channel: version of the value
    - ``writes``, thread, namespace, checkpoint: task and index
    - ``runs``, run, thread, namespace: id of a checkpoint of the run; no value
    - ``parts``, thread, digest: parts of a value that is too large for one record
    """

    serde: SerializerProtocol
    root: str
    user_key: str

    def _path(self, kind: str, *names: str) -> list[str]:
        return [self.root, kind, *map(segment, names)]

    def _blob(self, thread: str, ns: str, channel: str, version: Any) -> tuple[list[str], str]:
        return self._path("blobs", thread, ns, channel), segment(str(version), MAX_KEY_BYTES)

    def _owner(self, config: RunnableConfig) -> v1.MemoryScope | None:
        user = config["configurable"].get(self.user_key)
        return v1.MemoryScope(user_id=str(user)) if user else None

    def get_tuple(self, config: RunnableConfig) -> Plan[CheckpointTuple | None]:
        path = self._path("checkpoints", _thread_of(config), _ns_of(config))
        if checkpoint_id := get_checkpoint_id(config):
            key = segment(checkpoint_id)
            try:
                record = yield Call(lambda client: client.get_record(path, key))
            except NotFound:
                return None
        else:
            newest = yield from self._newest(path, "", 1)
            if not newest:
                return None
            [record] = newest
        stored = yield from self._load(record)
        return (yield from self._complete(stored))

    def _newest(self, path: Path, before_key: str, count: int) -> Plan[list[v1.NamedRecord]]:
        """Gets the newest records of a path, before a key unless that is empty."""
        pager = partial(_list_newest, path, before_key, count)
        newest: list[v1.NamedRecord] = yield Collect(pager, limit=count)
        return newest

    def _load(self, record: v1.NamedRecord) -> Plan[Any]:
        typed = yield from values.read(record, self._parts_of(record))
        return self.serde.loads_typed(typed)

    def _complete(self, stored: dict[str, Any]) -> Plan[CheckpointTuple]:
        """Reads the values of the channels and the pending writes of a checkpoint."""
        thread, ns, checkpoint = stored["thread_id"], stored["ns"], stored["checkpoint"]
        versions = checkpoint["channel_versions"]
        blobs = yield from look_up(
            [self._blob(thread, ns, channel, version) for channel, version in versions.items()]
        )
        channel_values = {}
        for channel, blob in zip(versions, blobs, strict=True):
            if blob is not None and blob.media_type != "empty":
                channel_values[channel] = yield from self._load(blob)
        writes = yield from self._load_writes(thread, ns, checkpoint["id"])
        parent = stored["parent"]
        return CheckpointTuple(
            config=_config_of(thread, ns, checkpoint["id"]),
            checkpoint=cast(Checkpoint, {**checkpoint, "channel_values": channel_values}),
            metadata=stored["metadata"],
            parent_config=_config_of(thread, ns, parent) if parent else None,
            pending_writes=[(task, channel, value) for _, task, _, channel, value in writes],
        )

    def _load_writes(self, thread: str, ns: str, checkpoint_id: str) -> Plan[list[Write]]:
        path = self._path("writes", thread, ns, checkpoint_id)
        records = yield Collect(
            lambda client: client.list_records(path, include_values=True, page_size=1000)
        )
        writes = []
        for record in records:
            writes.append((yield from self._load(record)))
        return sorted(writes, key=lambda write: writes_sort_key(*write[:3]))

    def list_tuples(
        self,
        config: RunnableConfig | None,
        filter: dict[str, Any] | None,
        before: RunnableConfig | None,
        limit: int | None,
    ) -> Plan[None]:
        key = segment(get_checkpoint_id(config) or "") if config else "_"
        end = segment(get_checkpoint_id(before) or "") if before else "_"
        count = LIST_PAGE if limit is None or filter else max(1, min(limit, LIST_PAGE))
        names = [] if config is None else [_thread_of(config)]
        ns = config["configurable"].get("checkpoint_ns") if config else None
        if ns is not None and key == "_":
            path = self._path("checkpoints", *names, ns)
            end = "" if end == "_" else end
            page = yield from self._newest(path, end, count)
            while page:
                limit = yield from self._emit_matching(page, filter, limit)
                if limit == 0 or len(page) < count:
                    return
                page = yield from self._newest(path, page[-1].key, count)
            return
        path = self._path("checkpoints", *names, *([] if ns is None else [ns]))
        found = yield Collect(
            lambda client: client.list_records(path, recursive=True, page_size=1000)
        )
        chosen = sorted(
            (
                (record.key, tuple(record.path))
                for record in found
                if key in ("_", record.key) and (end == "_" or record.key < end)
            ),
            reverse=True,
        )
        for start in range(0, len(chosen), count):
            records = yield from look_up(
                [(list(path), key) for key, path in chosen[start : start + count]]
            )
            limit = yield from self._emit_matching(records, filter, limit)
            if limit == 0:
                return

    def _emit_matching(
        self,
        records: Sequence[v1.NamedRecord | None],
        filter: dict[str, Any] | None,
        limit: int | None,
    ) -> Plan[int | None]:
        """Emits the checkpoints that match, at most ``limit``, and gives how many are still
        wanted."""
        for record in records:
            if limit == 0:
                break
            if record is None:
                continue
            stored = yield from self._load(record)
            metadata = stored["metadata"]
            if filter and any(metadata.get(key) != value for key, value in filter.items()):
                continue
            yield Emit((yield from self._complete(stored)))
            limit = None if limit is None else limit - 1
        return limit

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Plan[RunnableConfig]:
        thread, ns = _thread_of(config), _ns_of(config)
        owner = self._owner(config)
        parts = self._path("parts", thread)
        without_values: dict[str, Any] = {**checkpoint}
        channel_values = without_values.pop("channel_values")
        operations: list[Operation] = []
        for channel, version in new_versions.items():
            typed = (
                self.serde.dumps_typed(channel_values[channel])
                if channel in channel_values
                else ("empty", b"")
            )
            path, key = self._blob(thread, ns, channel, version)
            operations += values.put(path, key, typed, parts, owner=owner)
        stored = {
            "thread_id": thread,
            "ns": ns,
            "checkpoint": without_values,
            "metadata": get_checkpoint_metadata(config, metadata),
            "parent": get_checkpoint_id(config),
        }
        operations += self._put_stored(stored, owner)
        yield from write(operations)
        return _config_of(thread, ns, checkpoint["id"])

    def _put_stored(self, stored: dict[str, Any], owner: v1.MemoryScope | None) -> list[Operation]:
        """Makes the operations that write a checkpoint and its place among those of its run."""
        thread, ns, key = stored["thread_id"], stored["ns"], segment(stored["checkpoint"]["id"])
        operations: list[Operation] = []
        if run_id := stored["metadata"].get("run_id"):
            path = self._path("runs", str(run_id), thread, ns)
            operations += values.put(path, key, ("", b""), (), owner=owner)
        path = self._path("checkpoints", thread, ns)
        typed = self.serde.dumps_typed(stored)
        return operations + values.put(path, key, typed, self._path("parts", thread), owner=owner)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str,
    ) -> Plan[None]:
        thread, ns = _thread_of(config), _ns_of(config)
        path = self._path("writes", thread, ns, str(config["configurable"]["checkpoint_id"]))
        parts = self._path("parts", thread)
        owner = self._owner(config)
        operations: dict[str, list[Operation]] = {}
        for position, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, position)
            key = segment(f"{task_id}/{index}", MAX_KEY_BYTES)
            made = (task_path, task_id, index, channel, value)
            operations[key] = values.put(
                path, key, self.serde.dumps_typed(made), parts, only_new=index >= 0, owner=owner
            )
        # The first write of a task stays. Usually there is none, which the transaction itself
        # checks; a task that runs again asks which of its writes exist.
        while operations:
            try:
                yield from write(chain.from_iterable(operations.values()))
                return
            except AlreadyExists:
                names = [(path, key) for key in operations]
                found = yield from look_up(names, omit_values=True)
                for (_, key), record in zip(names, found, strict=True):
                    is_kept = operations[key][-1].put.HasField("precondition")
                    if record is not None and is_kept:
                        del operations[key]

    def delete_thread(self, thread_id: str) -> Plan[None]:
        for kind in KINDS:
            yield from delete_tree(self._path(kind, str(thread_id)))

    def delete_for_runs(self, run_ids: Sequence[str]) -> Plan[None]:
        for run_id in run_ids:
            found = yield Collect(partial(_list_names, self._path("runs", str(run_id))))
            yield from self._delete_checkpoints(
                [([self.root, "checkpoints", *record.path[3:]], record.key) for record in found]
            )
            yield from delete_tree(self._path("runs", str(run_id)))

    def _delete_checkpoints(self, names: Sequence[tuple[Path, str]]) -> Plan[None]:
        """Deletes checkpoints and their writes. Values of channels stay: others may refer to
        them."""
        yield from write([deletion(path, key) for path, key in names])
        for path, key in names:
            yield from delete_tree([self.root, "writes", *path[2:], key])

    def copy_thread(self, source: str, target: str) -> Plan[None]:
        parts = self._path("parts", target)
        for kind in ("blobs", "writes", "checkpoints"):
            path = self._path(kind, str(source))
            names = yield Collect(partial(_list_names, path))
            for start in range(0, len(names), MAX_LOOKUPS):
                batch = names[start : start + MAX_LOOKUPS]
                records = yield from look_up([(list(record.path), record.key) for record in batch])
                operations: list[Operation] = []
                for record in records:
                    if record is None:
                        continue
                    owner = record.owner if record.HasField("owner") else None
                    typed = yield from values.read(record, self._parts_of(record))
                    if kind == "checkpoints":
                        stored = {**self.serde.loads_typed(typed), "thread_id": str(target)}
                        operations += self._put_stored(stored, owner)
                    else:
                        place = [*self._path(kind, str(target)), *record.path[3:]]
                        operations += values.put(place, record.key, typed, parts, owner=owner)
                yield from write(operations)

    def prune(self, thread_ids: Sequence[str], strategy: str) -> Plan[None]:
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f'the strategy is "keep_latest" or "delete", not "{strategy}"')
        for thread_id in thread_ids:
            if strategy == "delete":
                yield from self.delete_thread(thread_id)
            else:
                yield from self._keep_latest(str(thread_id))

    def _keep_latest(self, thread: str) -> Plan[None]:
        path = self._path("checkpoints", thread)
        found = yield Collect(partial(_list_names, path))
        newest = {tuple(record.path): record for record in found}  # Listed by rising id.
        for place, latest in newest.items():
            kept: set[str] = set()
            blobs: set[tuple[tuple[str, ...], str]] = set()
            wanted: set[str] | None = None
            key: str | None = latest.key
            # Delta channels have no value in most checkpoints: their ancestors back to one that
            # has it stay, with their writes.
            while key is not None and wanted != set():
                [record] = yield from look_up([(list(place), key)])
                if record is None:
                    break
                stored = yield from self._load(record)
                kept.add(key)
                versions = stored["checkpoint"]["channel_versions"]
                if wanted is None:
                    wanted = set(stored["metadata"].get("counters_since_delta_snapshot", ()))
                    blobs |= {
                        _hashable(self._blob(thread, stored["ns"], channel, version))
                        for channel, version in versions.items()
                    }
                names = {
                    channel: self._blob(thread, stored["ns"], channel, versions[channel])
                    for channel in wanted
                    if channel in versions
                }
                blobs |= set(map(_hashable, names.values()))
                values_found = yield from look_up(list(names.values()), omit_values=True)
                wanted -= {
                    channel
                    for channel, blob in zip(names, values_found, strict=True)
                    if blob is not None and blob.media_type != "empty"
                }
                key = segment(stored["parent"]) if stored["parent"] else None
            yield from self._delete_checkpoints(
                [
                    (list(place), record.key)
                    for record in found
                    if tuple(record.path) == place and record.key not in kept
                ]
            )
            yield from self._delete_blobs(latest, blobs)

    def _delete_blobs(
        self, latest: v1.NamedRecord, kept: set[tuple[tuple[str, ...], str]]
    ) -> Plan[None]:
        """Deletes the values that nothing refers to any more, but none that is newer than the
        latest checkpoint: a put that is under way may refer to it."""
        path = [self.root, "blobs", *latest.path[2:]]
        names = yield Collect(partial(_list_names, path))
        until = latest.update_time.ToNanoseconds()
        unused = [
            record
            for record in names
            if _hashable((record.path, record.key)) not in kept
            and record.update_time.ToNanoseconds() < until
        ]
        in_parts = [record for record in unused if record.media_type.endswith(values.IN_PARTS)]
        records = yield from look_up([(list(r.path), r.key) for r in in_parts])
        yield from write([deletion(list(r.path), r.key) for r in unused])
        for record in records:
            if record is not None:
                yield from delete_tree([*self._parts_of(record), record.value.decode()])

    def _parts_of(self, record: v1.NamedRecord) -> Path:
        return [self.root, "parts", record.path[2]]


def _thread_of(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"])


def _ns_of(config: RunnableConfig) -> str:
    return str(config["configurable"].get("checkpoint_ns", ""))


def _config_of(thread: str, ns: str, checkpoint_id: str) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": thread,
            "checkpoint_ns": ns,
            "checkpoint_id": checkpoint_id,
        }
    }


def _hashable(name: tuple[Sequence[str], str]) -> tuple[tuple[str, ...], str]:
    return tuple(name[0]), name[1]


def _list_names(path: Path, client: Any) -> Any:
    return client.list_records(path, recursive=True, page_size=1000)


def _list_newest(path: Path, before_key: str, count: int, client: Any) -> Any:
    return client.list_records(
        path, order="desc", end_key=before_key, include_values=True, page_size=count
    )
