"""Plugin of pytest: the tests of the SDK use this package where they use the file system.

They also write and read files beside the tool. So each tool has a folder, as the original has: the
tool creates what is new in it before a command, and after a command it holds what the tool has.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
from anthropic.lib.tools import _beta_builtin_memory_tool as originals
from anthropic.types.beta import BetaMemoryTool20250818CreateCommand
from memorysidecar import AsyncClient, Client

from memorysidecar_anthropic_memory import AsyncSidecarMemoryTool, SidecarMemoryTool
from memorysidecar_anthropic_memory._paths import names_at, root_of

ROOT = root_of("claude-memory", None, None)
ADDRESS = os.environ["MEMORY_SIDECAR_ADDRESS"]
CLIENTS: list[Client] = []


def pytest_unconfigure() -> None:
    for client in CLIENTS:
        client.close()


class Folder:
    """The folder of a tool, in step with the records in a namespace."""

    def __init__(self, base: str) -> None:
        self.client = Client(ADDRESS, namespace=f"t-{uuid4().hex}")
        CLIENTS.append(self.client)
        self.tool = SidecarMemoryTool(self.client)
        self.root = Path(base) / "memories"
        self.root.mkdir(parents=True, exist_ok=True)
        self._known: set[Path] = set()

    def before(self) -> None:
        for file in self.root.rglob("*"):
            if file.is_file() and not file.is_symlink() and file not in self._known:
                self.tool.create(
                    BetaMemoryTool20250818CreateCommand(
                        command="create",
                        path=f"/memories/{file.relative_to(self.root)}",
                        file_text=file.read_bytes().decode(),
                    )
                )

    def after(self) -> None:
        for entry in self.root.iterdir():
            shutil.rmtree(entry) if _is_folder(entry) else entry.unlink()
        self._known.clear()
        for record in self.client.list_records(ROOT, recursive=True):
            file = self.root.joinpath(*names_at(ROOT, record.path, record.key))
            if record.media_type != "text/plain":
                file.mkdir(parents=True)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(self.client.get_whole_record(record.path, record.key).value)
            self._known.add(file)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


class LocalFilesystemMemoryTool(SidecarMemoryTool):
    def __init__(self, base_path: str) -> None:
        self.folder = Folder(base_path)
        super().__init__(self.folder.client)
        self.base_path, self.memory_root = Path(base_path), self.folder.root

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in COMMANDS:
            return found

        def command(*arguments: Any) -> Any:
            self.folder.before()
            try:
                return found(*arguments)
            finally:
                self.folder.after()

        return command


class AsyncLocalFilesystemMemoryTool(AsyncSidecarMemoryTool):
    def __init__(self, base_path: str) -> None:
        self.folder = Folder(base_path)
        self.base_path, self.memory_root = anyio.Path(base_path), anyio.Path(self.folder.root)

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in COMMANDS:
            return found

        async def command(*arguments: Any) -> Any:
            self.folder.before()
            async with AsyncClient(ADDRESS, namespace=self.folder.client.namespace) as client:
                AsyncSidecarMemoryTool.__init__(self, client)
                try:
                    return await found(*arguments)
                finally:
                    self.folder.after()

        return command


COMMANDS = ("view", "create", "str_replace", "insert", "delete", "rename", "clear_all_memory")

originals.BetaLocalFilesystemMemoryTool = LocalFilesystemMemoryTool
originals.BetaAsyncLocalFilesystemMemoryTool = AsyncLocalFilesystemMemoryTool
