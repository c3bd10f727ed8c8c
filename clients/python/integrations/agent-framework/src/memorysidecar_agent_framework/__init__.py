"""Microsoft Agent Framework on Memory Sidecar: history and context. The store of sessions, which is
experimental in the framework, is in ``memorysidecar_agent_framework.sessions``."""

from .context import SidecarContextProvider
from .history import SidecarHistoryProvider

__all__ = ["SidecarContextProvider", "SidecarHistoryProvider"]
