"""LangGraph on Memory Sidecar: a checkpointer and a store."""

from .saver import SidecarSaver
from .store import SidecarStore

__all__ = ["SidecarSaver", "SidecarStore"]
