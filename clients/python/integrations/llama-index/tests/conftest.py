"""Makes the fixtures of the integrations known."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from integration import async_client, client, own_server, server

__all__ = ["async_client", "client", "own_server", "server"]
