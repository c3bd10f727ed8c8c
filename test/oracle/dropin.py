"""A plugin of pytest: the tests of a framework run with the drop-in classes in place of its own.

DROPIN names the module of memorysidecar.compat, ORACLE_ADDRESS the server.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import uuid
from functools import partial
from typing import Any

from hypothesis import settings
from memorysidecar import Client
from memorysidecar.compat import use


def files(own: Any, directory: str = "./memory") -> Any:
    """A knowledge store that is known by a folder."""
    return own.KnowledgeStore(directory)


def databases(own: Any, db_path: str = "knowledge.db") -> Any:
    """A knowledge store that is known by a file."""
    return own.KnowledgeStore(db_path)


def session_files(own: Any, directory: str = "", default_ttl: int | None = None) -> Any:
    """A session store that is known by a folder."""
    return own.SessionStore(default_ttl)


def session_databases(own: Any, db_path: str = "", default_ttl: int | None = None) -> Any:
    """A session store that is known by a file."""
    return own.SessionStore(default_ttl)


def triples(own: Any, max_triples: int = 200) -> Any:
    """A store of triples that is empty."""
    return own.TripleStore(max_triples, user_id=uuid.uuid4().hex)


def triple_databases(own: Any, db_path: str, max_triples: int = 200) -> Any:
    """A store of triples that is known by a file."""
    return own.TripleStore(max_triples, user_id=db_path)


def entries(own: Any, **files: Any) -> Any:
    """A store of entries that is known by a file or a folder."""
    return own.SessionStore()


# By drop-in module: the package of the framework that has memory, and its classes with those that
# replace them, or what makes one from the same arguments.
REPLACED: dict[str, tuple[str, dict[str, Any]]] = {
    "selectools": (
        "selectools",
        {
            "ConversationMemory": "ConversationMemory",
            "EntityMemory": "EntityMemory",
            "FileKnowledgeStore": files,
            "SQLiteKnowledgeStore": databases,
            "InMemoryTripleStore": triples,
            "JsonFileSessionStore": session_files,
            "SQLiteSessionStore": session_databases,
            "SQLiteTripleStore": triple_databases,
        },
    ),
    "lauren": (
        "lauren_ai",
        {
            "InMemoryUserMemoryStore": "UserMemoryStore",
            "InMemoryConversationStore": "ConversationStore",
            "InMemoryVectorStore": "VectorStore",
            "ShortTermMemory": "ShortTermMemory",
        },
    ),
    "definable": (
        "definable.memory",
        {
            "Memory": "Memory",
            "InMemoryStore": "SessionStore",
            "SQLiteStore": entries,
            "FileStore": entries,
        },
    ),
}


def replace(dropin: str) -> None:
    """Puts the drop-in classes where the modules of a framework have its own."""
    package, names = REPLACED[dropin]
    own = importlib.import_module(f"memorysidecar.compat.{dropin}")
    top = importlib.import_module(package)
    for found in pkgutil.walk_packages(top.__path__, f"{package}."):
        if found.name.count(".") <= 3 and any(
            one in found.name for one in ("memory", "knowledge", "session")
        ):
            importlib.import_module(found.name)
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", "")
        if not name.startswith(package.partition(".")[0]):
            continue
        for theirs, ours in names.items():
            if hasattr(module, theirs):
                made = partial(ours, own) if callable(ours) else getattr(own, ours)
                setattr(module, theirs, made)


# A call takes longer than a list does; how long depends on the machine.
settings.register_profile("oracle", deadline=None)
settings.load_profile("oracle")
SERVER = os.environ["ORACLE_ADDRESS"]
RUN = os.getpid()
count = 0


def pytest_runtest_setup() -> None:
    """Gives each test a namespace of its own: the stores that it makes are empty."""
    global count
    count += 1
    use(Client(SERVER, namespace=f"t-{RUN}-{count}"))


use(Client(SERVER))
replace(os.environ["DROPIN"])
