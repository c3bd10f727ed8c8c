"""The memory tools."""

from __future__ import annotations

from functools import partial

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)
from memorysidecar import AsyncClient, Client, v1
from memorysidecar.adapters.plans import Runner

from . import _texts as texts
from ._files import Files
from ._paths import root_of

ROOT = "claude-memory"


def _files(user_id: str | None, agent_id: str | None, root: str, search: bool) -> Files:
    owner = v1.MemoryScope(user_id=user_id, agent_id=agent_id)
    return Files(root_of(root, user_id, agent_id), owner, root if search else None)


class SidecarMemoryTool(BetaAbstractMemoryTool):
    """The memory tool of Claude, its files kept by Memory Sidecar.

    Answers and errors are those of the SDK's own ``BetaLocalFilesystemMemoryTool``. A command is
    one transaction, acknowledged once it is on disk; one that fails changes nothing. Searches find
    files by their texts: ``client.recall(query, user_id=..., include_records=True)``.

    :param client: a client, which the tool never closes.
    :param user_id: the user whose files these are. No other user reaches them, and
        ``erase_subject(user_id=...)`` erases them.
    :param agent_id: likewise, the agent.
    :param root: first segment of the paths of the records, and the collection of the documents by
        which searches find them: letters, digits, ``.``, ``_`` and ``-``, at most 63.
    :param search: whether searches find the files.
    :param cache_control: as with other memory tools.
    """

    def __init__(
        self,
        client: Client,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        root: str = ROOT,
        search: bool = True,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.client = client
        self._files = _files(user_id, agent_id, root, search)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return Runner(self.client).run(self._files.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return Runner(self.client).run(self._files.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return Runner(self.client).run(self._files.edit(command.path, _replacement(command)))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return Runner(self.client).run(self._files.edit(command.path, _insertion(command)))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return Runner(self.client).run(self._files.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return Runner(self.client).run(self._files.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        return Runner(self.client).run(self._files.clear())


class AsyncSidecarMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for ``AsyncAnthropic`` and an ``AsyncClient``."""

    def __init__(
        self,
        client: AsyncClient,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        root: str = ROOT,
        search: bool = True,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self.client = client
        self._files = _files(user_id, agent_id, root, search)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await Runner(self.client).arun(self._files.view(command.path, command.view_range))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await Runner(self.client).arun(self._files.create(command.path, command.file_text))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await Runner(self.client).arun(self._files.edit(command.path, _replacement(command)))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await Runner(self.client).arun(self._files.edit(command.path, _insertion(command)))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await Runner(self.client).arun(self._files.delete(command.path))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await Runner(self.client).arun(
            self._files.rename(command.old_path, command.new_path)
        )

    async def clear_all_memory(self) -> str:
        return await Runner(self.client).arun(self._files.clear())


def _replacement(command: BetaMemoryTool20250818StrReplaceCommand) -> partial[tuple[str, str]]:
    old, new = command.old_str, command.new_str
    return partial(_replaced, shown=command.path, old=old, new=new)


def _insertion(command: BetaMemoryTool20250818InsertCommand) -> partial[tuple[str, str]]:
    line, added = command.insert_line, command.insert_text
    return partial(_inserted, shown=command.path, line=line, added=added)


def _replaced(text: str, shown: str, old: str, new: str) -> tuple[str, str]:
    return texts.replaced(shown, text, old, new)


def _inserted(text: str, shown: str, line: int, added: str) -> tuple[str, str]:
    return texts.inserted(shown, text, line, added)
