"""The Claude Agent SDK on Memory Sidecar: a session store."""

from .store import SidecarSessionStore

__all__ = ["SidecarSessionStore"]
