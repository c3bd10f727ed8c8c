"""The Agent Development Kit of Google on Memory Sidecar: a session service."""

from .sessions import SidecarSessionService

__all__ = ["SidecarSessionService"]
