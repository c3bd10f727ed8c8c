"""Plugin of pytest: the tests of the Agents SDK use this package where they use SQLite."""

from __future__ import annotations

import os
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

import agents
import agents.memory
import agents.memory.sqlite_session
from memorysidecar import Client

from memorysidecar_openai_agents import SidecarSession

ADDRESS = os.environ["MEMORY_SIDECAR_ADDRESS"]


class SQLiteSession(SidecarSession):
    """Takes the arguments of the original. A file that is opened again has its items again."""

    def __init__(
        self, session_id: str, db_path: Any = ":memory:", *tables: str, **options: Any
    ) -> None:
        is_new = str(db_path) == ":memory:"
        name = uuid4() if is_new else uuid5(NAMESPACE_URL, str(db_path))
        super().__init__(session_id, Client(ADDRESS, namespace=f"t-{name.hex}"), **options)

    def close(self) -> None:
        pass


for module in (agents, agents.memory, agents.memory.sqlite_session):
    module.SQLiteSession = SQLiteSession
