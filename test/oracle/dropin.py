"""A plugin of pytest: the tests of a framework run with the drop-in classes in place of its own.

DROPIN names the module of memorysidecar.compat, ORACLE_ADDRESS the server.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys

from hypothesis import settings
from memorysidecar import Client
from memorysidecar.compat import use

# By drop-in module: the package of the framework that has memory, and its classes with those that
# replace them.
REPLACED = {
    "selectools": ("selectools", {"ConversationMemory": "ConversationMemory"}),
    "lauren": (
        "lauren_ai",
        {
            "InMemoryUserMemoryStore": "UserMemoryStore",
            "InMemoryConversationStore": "ConversationStore",
            "InMemoryVectorStore": "VectorStore",
            "ShortTermMemory": "ShortTermMemory",
        },
    ),
    "definable": ("definable.memory", {"Memory": "Memory", "InMemoryStore": "SessionStore"}),
}


def replace(dropin: str) -> None:
    """Puts the drop-in classes where the modules of a framework have its own."""
    package, names = REPLACED[dropin]
    own = importlib.import_module(f"memorysidecar.compat.{dropin}")
    top = importlib.import_module(package)
    for found in pkgutil.walk_packages(top.__path__, f"{package}."):
        if found.name.count(".") <= 3 and "memory" in found.name.lower():
            importlib.import_module(found.name)
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", "")
        if not name.startswith(package.partition(".")[0]):
            continue
        for theirs, ours in names.items():
            if hasattr(module, theirs):
                setattr(module, theirs, getattr(own, ours))


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
