"""A plugin of pytest for tests with the lowest versions of a framework, in ``.venv/lowest``.

Those that kill the server and those of the page run; with ``TEST_DEPTH`` above 1 all but those that
are about the newest version: types, and the framework's own tests.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import pytest

OF_NEWEST = ("test_types.py", "test_upstream.py")
DEPTH = int(os.environ.get("TEST_DEPTH", "1"))


def is_wanted(item: pytest.Item) -> bool:
    """Tells whether a test runs with the lowest versions."""
    if DEPTH > 1:
        return item.path.name not in OF_NEWEST
    return item.path.name == "test_page.py" or "kill" in item.name


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if not is_wanted(item)])
    items[:] = filter(is_wanted, items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuses a run whose modules are of the newest versions."""
    lowest, newest = session.config.rootpath / ".venv/lowest", Path(sysconfig.get_path("purelib"))
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    loaded = [Path(file) for file in files if file is not None]
    if not any(lowest in file.parents for file in loaded):
        raise pytest.UsageError(f"no module comes from {lowest}: name it in PYTHONPATH")
    for file in loaded:
        if newest in file.parents and (lowest / file.relative_to(newest)).exists():
            raise pytest.UsageError(f"{file} is loaded instead of that in {lowest}")
