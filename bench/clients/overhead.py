"""Times calls of the Python client beside the same calls of the bare generated stub.

Usage: overhead.py ADDRESS ROUNDS. Prints one JSON object: for each measurement, its rounds, each
with microseconds a call at the median, and microseconds of the process's CPU a call.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from memorysidecar import AsyncClient, Client, v1
from memorysidecar.v1.session_service_pb2_grpc import SessionServiceStub

import grpc

TEXT = "x" * 300
CALLS = 150
IN_FLIGHT = 32
Measured = dict[str, list[dict[str, float]]]


def append_request() -> v1.AppendMessagesRequest:
    message = v1.Message(role=v1.ROLE_USER, text=TEXT)
    return v1.AppendMessagesRequest(
        session_id="bare", messages=[message], request_id=secrets.token_hex(16)
    )


def window_request() -> v1.GetWindowRequest:
    return v1.GetWindowRequest(session_id="bare", newest=20)


def one_caller(address: str, rounds: int) -> Measured:
    client = Client(address)
    stub: Any = SessionServiceStub(grpc.insecure_channel(address))
    calls: dict[str, Callable[[], object]] = {
        "append bare": lambda: stub.AppendMessages(append_request(), timeout=30),
        "append": lambda: client.append("ours", TEXT),
        "window bare": lambda: stub.GetWindow(window_request(), timeout=30),
        "window": lambda: client.window("ours", newest=20),
    }
    for session in ("bare", "ours"):
        client.create_session(session)
    for call in calls.values():
        timed(call)
    found: Measured = {name: [] for name in calls}
    for turn in range(rounds):
        # Each goes first as often as last.
        for name, call in list(calls.items())[:: 1 if turn % 2 else -1]:
            found[name].append(timed(call))
    return found


def timed(call: Callable[[], object]) -> dict[str, float]:
    spans = []
    cpu = time.process_time()
    for _ in range(CALLS):
        start = time.perf_counter()
        call()
        spans.append(time.perf_counter() - start)
    cpu = time.process_time() - cpu
    return {"us": statistics.median(spans) * 1e6, "cpuUs": cpu / CALLS * 1e6}


async def in_flight(address: str, rounds: int) -> Measured:
    async with (
        AsyncClient(address) as client,
        grpc.aio.insecure_channel(address) as channel,
    ):
        stub: Any = SessionServiceStub(channel)
        calls: dict[str, Callable[[], Awaitable[object]]] = {
            "append of 32 bare": lambda: stub.AppendMessages(append_request(), timeout=30),
            "append of 32": lambda: client.append("ours", TEXT),
        }
        found: Measured = {name: [] for name in calls}
        for turn in range(rounds + 1):
            for name, call in list(calls.items())[:: 1 if turn % 2 else -1]:
                result = await loaded(call)
                # The first round warms up.
                if turn > 0:
                    found[name].append(result)
        return found


async def loaded(call: Callable[[], Awaitable[object]]) -> dict[str, float]:
    async def caller() -> None:
        for _ in range(CALLS // 5):
            await call()

    cpu, start = time.process_time(), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(IN_FLIGHT)))
    span, cpu = time.perf_counter() - start, time.process_time() - cpu
    count = CALLS // 5 * IN_FLIGHT
    return {"us": span / count * 1e6, "cpuUs": cpu / count * 1e6}


if __name__ == "__main__":
    address, rounds = sys.argv[1], int(sys.argv[2])
    print(json.dumps(one_caller(address, rounds) | asyncio.run(in_flight(address, rounds))))
