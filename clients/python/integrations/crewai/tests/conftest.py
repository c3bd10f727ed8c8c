"""Makes the fixtures of the integrations known."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# CrewAI reports its use to its makers unless it is told not to.
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true")
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests"))

from integration import client, own_server, server

__all__ = ["client", "own_server", "server"]
