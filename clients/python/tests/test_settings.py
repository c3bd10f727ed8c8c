"""The client and servers with other settings: tokens, limits, retention, an orderly stop."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from real import PATIENT, RealServer, meanwhile

import memorysidecar as ms
from memorysidecar import Client, ErrorReason, v1

TOKEN = "t" * 43


def test_tokens(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o600)
    with RealServer(tmp_path, "--token-file", str(file)) as server:
        with Client(server.address, token=TOKEN) as client:
            client.create_session(session_id="s")
            client.watch().close()
        for token, reason in [
            (None, ErrorReason.TOKEN_MISSING),
            ("x" * 43, ErrorReason.TOKEN_INVALID),
        ]:
            with Client(server.address, token=token) as client:
                for call in (client.server_info, client.watch):
                    with pytest.raises(ms.MemorySidecarError) as caught:
                        call()
                    assert caught.value.reason == reason


def test_a_token_does_not_travel_unencrypted() -> None:
    for address in ("memory:50151", "10.0.0.7:50151", "127.0.0.1.example:50151", "[::2]:50151"):
        with pytest.raises(ValueError, match=f"unencrypted to {re.escape(address)}: pass tls=True"):
            Client(address, token=TOKEN)
        Client(address).close()
        Client(address, token=TOKEN, tls=False).close()
        Client(address, token=TOKEN, tls=True).close()
    for address in ("localhost:1", "127.0.0.1:1", "127.1.2.3:1", "[::1]:1", "/tmp/x"):
        Client(address, token=TOKEN).close()


def test_a_watch_waits_for_its_turn(tmp_path: Path) -> None:
    with RealServer(tmp_path, "--watch-streams", "1") as server, Client(server.address) as client:
        first = client.watch()
        with pytest.raises(ms.MemorySidecarError) as caught:
            client.watch(timeout=0.5)
        assert caught.value.reason == ErrorReason.STREAM_LIMIT_REACHED
        assert caught.value.retry_delay is not None
        with meanwhile(first.close, after=0.5), client.watch() as second:
            revision = client.create_session().revision
            assert next(second).revision == revision


def test_lost_events_are_told(tmp_path: Path) -> None:
    with RealServer(tmp_path, "--event-retention-count", "5") as server:
        with Client(server.address) as client:
            client.create_session(session_id="s")
            with client.watch() as watch:
                token = watch.resume_token
            for number in range(50):
                revision = client.append("s", f"text {number}").revision
            # Each revision has one event. Upkeep goes on until five are left.
            oldest, until = 0, time.monotonic() + 30
            while oldest != revision - 4:
                assert time.monotonic() < until, oldest
                time.sleep(0.05)
                oldest = next(iter(client.list_events())).revision
            with client.watch(position="oldest") as watch:
                assert next(watch).revision == oldest
            for call in (
                lambda: client.watch(resume_token=token),
                lambda: next(iter(client.list_events(resume_token=token))),
            ):
                with pytest.raises(ms.ResumeTokenExpired) as caught:
                    call()
                assert int(caught.value.metadata["oldest_revision"]) == oldest


def test_an_orderly_stop_is_survived(own_server: RealServer) -> None:
    with Client(own_server.address, retry=PATIENT, timeout=60) as client:
        client.create_session(session_id="s")
        with client.watch() as watch:
            first = client.append("s", "before").revision
            assert next(watch).revision == first
            start = time.monotonic()
            own_server.stop()
            assert time.monotonic() - start < 8
            with meanwhile(own_server.start, after=0.3):
                second = client.append("s", "after").revision
            assert next(watch).revision == second == first + 1


def test_checkpoints_move_the_token(tmp_path: Path) -> None:
    with RealServer(tmp_path, "--checkpoint-interval-ms", "100") as server:
        with Client(server.address) as client:
            client.create_session(session_id="s")
            request = v1.WatchEventsRequest(
                position=v1.STREAM_POSITION_OLDEST, filter={"session_id": "another"}
            )
            stream = client.events.WatchEvents(request, timeout=10)
            answers = [next(stream) for _ in range(3)]
            stream.cancel()
            assert not [one for one in answers if one.events]
            with client.watch(resume_token=answers[-1].resume_token) as watch:
                revision = client.append("s", "text").revision
                assert next(watch).revision == revision
