"""A watch of the stream of events, for asyncio."""

from ._async.watch import AsyncWatch as AsyncWatch
