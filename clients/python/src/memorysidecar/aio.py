"""The client of Memory Sidecar for asyncio."""

from ._async.client import AsyncClient as AsyncClient
