"""The Agent Development Kit of Google on Memory Sidecar: a session and a memory service."""

from .memories import SidecarMemoryService
from .sessions import SidecarSessionService

__all__ = ["SidecarMemoryService", "SidecarSessionService"]
