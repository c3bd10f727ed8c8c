"""The OpenAI Agents SDK on Memory Sidecar: sessions."""

from .session import SidecarSession

__all__ = ["SidecarSession"]
