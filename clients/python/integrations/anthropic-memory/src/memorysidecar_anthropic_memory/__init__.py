"""The memory tool of Claude on Memory Sidecar."""

from .tool import AsyncSidecarMemoryTool, SidecarMemoryTool

__all__ = ["AsyncSidecarMemoryTool", "SidecarMemoryTool"]
