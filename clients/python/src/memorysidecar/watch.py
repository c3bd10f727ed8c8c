"""A watch of the stream of events, for programs without asyncio."""

from ._sync.watch import Watch as Watch
