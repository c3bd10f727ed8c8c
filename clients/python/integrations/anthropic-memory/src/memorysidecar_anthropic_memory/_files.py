"""Files and directories as records.

Each is a record, so that what the model wrote comes back byte for byte. Every command that changes
something is one transaction under conditions, so that two writers never mix:

- It names the etags of what it has read. If one has changed, the command reads again.
- A directory is written again when something is put into it. A deletion or a move of the directory
  names the etags of all that it holds, and so never passes over a file that came in meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anthropic.lib.tools import ToolError
from memorysidecar import v1
from memorysidecar._record_fields import UploadedValue
from memorysidecar.adapters.attempts import try_write, upload_all
from memorysidecar.adapters.plans import Call, Collect, Plan
from memorysidecar.adapters.records import get_whole

from . import _texts as texts
from ._paths import Names, Place, names_at, names_of, place_of, text_of

DIRECTORY = "inode/directory"
FILE = "text/plain"
MAX_OPERATIONS = 256
MAX_DOCUMENTS = 1_000
MAX_MOVED = 32
"""Values that are uploaded for one command. A move is one transaction whatever it holds, so it may
have more of them than each of those that the adapters split writes into."""
CALL_BYTES = 3 * 1024 * 1024
"""Values and texts that one call takes; the rest of 4 MiB is left for names and metadata."""

Change = Callable[[str], tuple[str, str]]
"""Gives the new text of a file, and the answer."""


@dataclass(frozen=True)
class File:
    """A file that is to be written."""

    names: Names
    value: bytes
    documents: list[v1.Document]

    @property
    def text_bytes(self) -> int:
        return sum(len(document.text.encode()) for document in self.documents)


class Files:
    """The files of one tool.

    :param root: path of the records.
    :param owner: of the records.
    :param collection_id: of the documents by which searches find files; None for none.
    """

    def __init__(self, root: Names, owner: v1.MemoryScope, collection_id: str | None) -> None:
        self.root = root
        self._owner = owner
        self._collection_id = collection_id

    def view(self, shown: str, view_range: Sequence[int] | None) -> Plan[str]:
        names = names_of(shown)
        if names:
            record = yield from self._read(names)
            if record is None:
                raise texts.missing(shown)
            if record.media_type != DIRECTORY:
                return texts.file_view(shown, texts.decoded(record.value, shown), view_range)
        entries = yield from self._entries(names, "", 2)
        return texts.directory_view(shown, entries)

    def create(self, shown: str, text: str) -> Plan[str]:
        names = names_of(shown)
        file = self._file(names, texts.encoded(text))
        while True:
            states = yield from self._states(names)
            if not names or states[names] is not None:
                raise ToolError(f"File {shown} already exists")
            operations = self._parents(names, states)
            sent = yield from self._upload([file], shown)
            operations.append(self._put(file, sent))
            if (yield from try_write(operations)):
                return f"File created successfully at: {shown}"

    def edit(self, shown: str, change: Change) -> Plan[str]:
        names = names_of(shown)
        while True:
            record = (yield from self._read(names)) if names else None
            if names and record is None:
                raise texts.missing(shown)
            if record is None or record.media_type == DIRECTORY:
                raise ToolError(f"The path {shown} is not a file.")
            text, answer = change(texts.decoded(record.value, shown))
            file = self._file(names, texts.encoded(text))
            sent = yield from self._upload([file], shown)
            if (yield from try_write([self._put(file, sent, record.etag)])):
                return answer

    def delete(self, shown: str) -> Plan[str]:
        names = names_of(shown)
        if not names:
            raise ToolError("Cannot delete the /memories directory itself")
        while True:
            record = (yield from self._states(names))[names]
            if record is None:
                raise ToolError(f"The path {shown} does not exist")
            below = (yield from self._below(names)) if record.media_type == DIRECTORY else []
            # A directory comes after all that it holds, so that a part of this leaves a whole tree.
            operations = [_deletion(one) for one in (*reversed(below), record)]
            while operations and (yield from try_write(operations[:MAX_OPERATIONS])):
                operations = operations[MAX_OPERATIONS:]
            if not operations:
                return f"Successfully deleted {shown}"

    def rename(self, old_shown: str, new_shown: str) -> Plan[str]:
        old, new = names_of(old_shown), names_of(new_shown)
        if not old:
            raise ToolError("Cannot rename the /memories directory itself")
        while True:
            states = yield from self._states(new, old)
            if not new or states[new] is not None:
                raise ToolError(f"The destination {new_shown} already exists")
            record = states[old]
            if record is None:
                raise ToolError(f"The path {old_shown} does not exist")
            if new[: len(old)] == old:
                raise ToolError(f"Cannot rename {old_shown} to {new_shown}: it would be in itself")
            moved = [record, *(yield from self._below(old))]
            operations = [*self._parents(new, states), *map(_deletion, moved)]
            if len(operations) + len(moved) > MAX_OPERATIONS:
                raise _too_large(old_shown)
            puts = yield from self._moved(moved, old, new, old_shown)
            if puts is not None and (yield from try_write([*operations, *puts])):
                return f"Successfully renamed {old_shown} to {new_shown}"

    def clear(self) -> Plan[str]:
        more = True
        while more:
            answer = yield Call(lambda client: client.delete_records(self.root, recursive=True))
            more = answer.more
        return "All memory cleared"

    def _moved(
        self,
        moved: Sequence[v1.NamedRecord],
        old: Names,
        new: Names,
        shown: str,
    ) -> Plan[list[v1.RecordOperation] | None]:
        """Makes the operations that put records in their new places; None if one has changed."""
        files: list[File] = []
        puts: list[v1.RecordOperation] = []
        for record in moved:
            names = (*new, *self._names(record)[len(old) :])
            if record.media_type == DIRECTORY:
                puts.append(self._directory(names))
                continue
            whole = yield from self._read(self._names(record))
            if whole is None or whole.etag != record.etag:
                return None
            files.append(self._file(names, whole.value))
        if sum(len(file.documents) for file in files) > MAX_DOCUMENTS:
            raise _too_large(shown)
        sent = yield from self._upload(files, shown)
        return [*puts, *(self._put(file, sent) for file in files)]

    def _entries(self, names: Names, prefix: str, depth: int) -> Plan[list[tuple[int, str]]]:
        """Lists a directory as a view shows it: sizes and names, hidden ones left out."""
        path = self._path(names)
        found: list[tuple[int, str]] = []
        children = yield Collect(lambda client: client.list_records(path, page_size=1000))
        for child in children:
            own = self._names(child)
            if own[-1].startswith("."):
                continue
            name = prefix + own[-1]
            if child.media_type != DIRECTORY:
                found.append((child.value_size, name))
                continue
            found.append((texts.DIRECTORY_SIZE, f"{name}/"))
            if depth > 1:
                found += yield from self._entries(own, f"{name}/", depth - 1)
        return found

    def _below(self, names: Names) -> Plan[list[v1.NamedRecord]]:
        """Lists all that a directory holds, without values, each directory before what is in it."""
        path = self._path(names)
        found: list[v1.NamedRecord] = yield Collect(
            lambda client: client.list_records(path, recursive=True, page_size=1000)
        )
        return found

    def _states(self, *paths: Names) -> Plan[dict[Names, v1.NamedRecord | None]]:
        """Gets what there is at paths, and at the directories on the way to them, of one moment and
        without values."""
        wanted = list({names[: size + 1]: None for names in paths for size in range(len(names))})
        if not wanted:
            return {}
        places = [place_of(self.root, names) for names in wanted]
        looked = yield Call(lambda client: client.batch_get_records(places, omit_values=True))
        return {
            names: one.record if one.HasField("record") else None
            for names, one in zip(wanted, looked, strict=True)
        }

    def _read(self, names: Names) -> Plan[v1.NamedRecord | None]:
        """Gets a record with its whole value."""
        return (yield from get_whole(place_of(self.root, names)))

    def _parents(
        self, names: Names, states: dict[Names, v1.NamedRecord | None]
    ) -> list[v1.RecordOperation]:
        """Makes the operations for the directories above a new file or directory: those that are
        missing are made, and the nearest one that is there is written again."""
        operations: list[v1.RecordOperation] = []
        for size in range(len(names) - 1, 0, -1):
            above = states[names[:size]]
            if above is not None and above.media_type != DIRECTORY:
                raise ToolError(f"The path {text_of(names[:size])} is not a directory")
            operations.append(self._directory(names[:size], above.etag if above else ""))
            if above is not None:
                break
        return operations

    def _file(self, names: Names, value: bytes) -> File:
        if self._collection_id is None:
            return File(names, value, [])
        metadata = {"path": text_of(names)}
        found = texts.pieces(value.decode(errors="replace"))
        documents = [v1.Document(text=piece) for piece in found]
        for document in documents:
            document.metadata.update(metadata)
        return File(names, value, documents)

    def _upload(self, files: Sequence[File], shown: str) -> Plan[dict[Names, UploadedValue]]:
        """Sends the largest values before the call that puts them, until the rest fits it."""
        size = sum(file.text_bytes + len(file.value) for file in files)
        large: list[File] = []
        for file in sorted(files, key=lambda file: len(file.value), reverse=True):
            if size <= CALL_BYTES or len(large) == MAX_MOVED:
                break
            large.append(file)
            size -= len(file.value)
        if size > CALL_BYTES:
            raise _too_large(shown)
        uploads = yield from upload_all([file.value for file in large], self._owner)
        return {file.names: upload for file, upload in zip(large, uploads, strict=True)}

    def _put(
        self, file: File, sent: dict[Names, UploadedValue], etag: str = ""
    ) -> v1.RecordOperation:
        record = self._record(file.names, FILE, etag)
        if file.names in sent:
            record.MergeFrom(v1.NamedRecord(**sent[file.names]._asdict()))
        else:
            record.value = file.value
        if file.documents:
            search = v1.RecordSearch(collection_id=self._collection_id, documents=file.documents)
            record.search.CopyFrom(search)
        return _put(record)

    def _directory(self, names: Names, etag: str = "") -> v1.RecordOperation:
        return _put(self._record(names, DIRECTORY, etag))

    def _record(self, names: Names, media_type: str, etag: str) -> v1.NamedRecord:
        place = place_of(self.root, names)
        return v1.NamedRecord(
            path=place.path, key=place.key, media_type=media_type, etag=etag, owner=self._owner
        )

    def _path(self, names: Names) -> Names:
        """Gives the path of the records in a directory."""
        if not names:
            return self.root
        place: Place = place_of(self.root, names)
        return (*place.path, place.key)

    def _names(self, record: v1.NamedRecord) -> Names:
        return names_at(self.root, record.path, record.key)


def _put(record: v1.NamedRecord) -> v1.RecordOperation:
    """Makes a put: of a record with its etag, or of a new one."""
    demand: Any = None if record.etag else v1.RecordPrecondition(exists=False)
    return v1.RecordOperation(put=v1.RecordPut(record=record, precondition=demand))


def _deletion(record: v1.NamedRecord) -> v1.RecordOperation:
    ref = v1.RecordRef(path=record.path, key=record.key)
    return v1.RecordOperation(deletion=v1.RecordDelete(record=ref, etag=record.etag))


def _too_large(shown: str) -> ToolError:
    return ToolError(
        f"{shown} is too large to rename at once. Rename what it holds, a part at a time."
    )
