"""Times calls of the Python client beside the same calls of the bare generated stub.

Usage: overhead.py ADDRESS ROUNDS. Prints one JSON object: for each measurement, its rounds, each
with microseconds a call at the median (in flight: on average), and microseconds of the process's
CPU a call. The two take turns call by call, in flight batch by batch: a pause of the machine, of
the collector or of the compiler is shared out between them.
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

import grpc

from memorysidecar import AsyncClient, Client, v1
from memorysidecar.v1.session_service_pb2_grpc import SessionServiceStub

TEXT = "x" * 300
CALLS = 150
IN_FLIGHT = 32
EACH = 6
BATCHES = 10
WARM_UP = 2
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
    calls: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "append": (
            lambda: client.append("ours", TEXT),
            lambda: stub.AppendMessages(append_request(), timeout=30),
        ),
        "window": (
            lambda: client.window("ours", newest=20),
            lambda: stub.GetWindow(window_request(), timeout=30),
        ),
    }
    for session in ("bare", "ours"):
        client.create_session(session)
    found: Measured = {}
    for turn in range(-WARM_UP, rounds):
        for name, pair in calls.items():
            result = by_turns(pair)
            if turn >= 0:
                keep(found, name, result)
    return found


def keep(found: Measured, name: str, result: list[dict[str, float]]) -> None:
    for key, one in zip((name, f"{name} bare"), result, strict=True):
        found.setdefault(key, []).append(one)


def by_turns(pair: tuple[Callable[[], object], Callable[[], object]]) -> list[dict[str, float]]:
    spans: tuple[list[float], list[float]] = ([], [])
    cpus = [0.0, 0.0]
    for turn in range(CALLS):
        for index in (0, 1) if turn % 2 else (1, 0):
            cpu, start = time.process_time(), time.perf_counter()
            pair[index]()
            spans[index].append(time.perf_counter() - start)
            cpus[index] += time.process_time() - cpu
    return [
        {"us": statistics.median(span) * 1e6, "cpuUs": cpu / CALLS * 1e6}
        for span, cpu in zip(spans, cpus, strict=True)
    ]


async def in_flight(address: str, rounds: int) -> Measured:
    async with (
        AsyncClient(address) as client,
        grpc.aio.insecure_channel(address) as channel,
    ):
        stub: Any = SessionServiceStub(channel)
        pair: tuple[Callable[[], Awaitable[object]], ...] = (
            lambda: client.append("ours", TEXT),
            lambda: stub.AppendMessages(append_request(), timeout=30),
        )
        found: Measured = {}
        for turn in range(-WARM_UP, rounds):
            sums = [{"us": 0.0, "cpuUs": 0.0}, {"us": 0.0, "cpuUs": 0.0}]
            for batch in range(BATCHES):
                for index in (0, 1) if batch % 2 else (1, 0):
                    for key, value in (await loaded(pair[index])).items():
                        sums[index][key] += value / BATCHES
            if turn >= 0:
                keep(found, "append of 32", sums)
        return found


async def loaded(call: Callable[[], Awaitable[object]]) -> dict[str, float]:
    async def caller() -> None:
        for _ in range(EACH):
            await call()

    cpu, start = time.process_time(), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(IN_FLIGHT)))
    span, cpu = time.perf_counter() - start, time.process_time() - cpu
    count = EACH * IN_FLIGHT
    return {"us": span / count * 1e6, "cpuUs": cpu / count * 1e6}


if __name__ == "__main__":
    address, rounds = sys.argv[1], int(sys.argv[2])
    print(json.dumps(one_caller(address, rounds) | asyncio.run(in_flight(address, rounds))))
