"""Pydantic AI on Memory Sidecar: a conversation store."""

from .store import SidecarConversationStore

__all__ = ["SidecarConversationStore"]
