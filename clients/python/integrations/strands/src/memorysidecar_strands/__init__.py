"""Strands Agents on Memory Sidecar: storage, sessions and memories."""

from .memories import SidecarMemoryStore
from .repository import SidecarSessionRepository
from .storage import SidecarStorage

__all__ = ["SidecarMemoryStore", "SidecarSessionRepository", "SidecarStorage"]
