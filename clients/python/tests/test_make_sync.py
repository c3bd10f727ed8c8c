"""The client without asyncio, which is made from the one with it."""

import inspect

import pytest

import memorysidecar
from make_sync import sync_of
from memorysidecar import AsyncClient, AsyncWatch, AsyncWorker, Client, Watch, Worker


@pytest.mark.parametrize(
    ("source", "sync"),
    [
        ("async def close(self) -> None:", "def close(self) -> None:"),
        ("return await self._unary(a)", "return self._unary(a)"),
        ("return (await self._unary(a, b(c))).session", "return self._unary(a, b(c)).session"),
        ("async for page in self.pages():", "for page in self.pages():"),
        ("await asyncio.sleep(delay)", "time.sleep(delay)"),
        ("import asyncio\nimport grpc.aio\nimport grpc", "import time\nimport grpc"),
        (
            "def f(x: grpc.aio.Channel) -> AsyncPager[A, B]:",
            "def f(x: grpc.Channel) -> Pager[A, B]:",
        ),
        ("Callable[[str], Awaitable[list[P]]]", "Callable[[str], list[P]]"),
        ("x: AsyncIterator[T] = async_read(y)", "x: Iterator[T] = read(y)"),
        ("async def __aenter__(self):", "def __enter__(self):"),
        ("async def __anext__(self):", "def __next__(self):"),
        ("raise StopAsyncIteration", "raise StopIteration"),
        ("# sync: watch.open()\nreturn watch", "watch.open()\nreturn watch"),
        (
            "try:\n    a()\nexcept B:  # async only\n    c()\n\n    d()\nexcept E:\n    f()\n",
            "try:\n    a()\nexcept E:\n    f()\n",
        ),
        ("    a = 1  # async only\n    b = 2\n", "    b = 2\n"),
        ('"""The calls of the asyncio client."""', '"""The calls of the client."""'),
    ],
)
def test_turns_asyncio_into_plain_calls(source: str, sync: str) -> None:
    assert sync_of(source) == sync


@pytest.mark.parametrize(
    ("plain", "twin"), [(Client, AsyncClient), (Watch, AsyncWatch), (Worker, AsyncWorker)]
)
def test_offers_the_same_twice(plain: type, twin: type) -> None:
    def offered(kind: type) -> dict[str, list[str]]:
        methods = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in methods
            if not name.startswith("_")
        }

    assert offered(plain) == offered(twin)


def test_keeps_the_modules_that_programs_may_import_from() -> None:
    assert memorysidecar.aio.AsyncClient is AsyncClient
    assert memorysidecar.client.Client is Client
    assert memorysidecar.async_watch.AsyncWatch is AsyncWatch
    assert memorysidecar.watch.Watch is Watch
    assert memorysidecar.worker.Worker is Worker
    assert memorysidecar.worker.AsyncWorker is AsyncWorker
