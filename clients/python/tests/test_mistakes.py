"""The mistakes that newcomers make: each error says what is wrong and what to do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from real import RealServer

from memorysidecar import (
    AlreadyExists,
    AsyncClient,
    Client,
    MemorySidecarError,
    NotFound,
    policy,
    v1,
)
from memorysidecar._advice import advise
from memorysidecar.errors import make_error

ERRORS = (MemorySidecarError, ValueError, TypeError)


class Answer:
    """A message object of a model's client that is no mapping."""

    role = "assistant"
    content = "Hello."


MISTAKES: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "another namespace": (
        lambda client: client.get_session("s", namespace="other"),
        ['Session "s" in namespace "other"', "create_session"],
    ),
    "append before create": (
        lambda client: client.append("none", "hi"),
        ['Session "none" in namespace', "create_session=True"],
    ),
    "create twice": (
        lambda client: client.create_session("s"),
        ['Session "s"', "ensure_session"],
    ),
    "content of OpenAI": (
        lambda client: client.append("s", {"role": "user", "content": "hi"}),
        ['no field "content"', 'it is "text"'],
    ),
    "tool calls of OpenAI": (
        lambda client: client.append(
            "s", {"role": "assistant", "tool_calls": [{"id": "c", "type": "function"}]}
        ),
        ['tool call has no field "id"', 'it is "tool_call_id"'],
    ),
    "an object of a model's client": (
        lambda client: client.append("s", [Answer()]),
        ["a mapping of its fields", "Answer"],
    ),
    "role developer": (
        lambda client: client.append("s", {"role": "developer", "text": "x"}),
        ["user, assistant, system, tool", '"developer"'],
    ),
    "unknown field of a session": (
        lambda client: client.create_session("t", user="ana"),
        ['no field "user"', "user_id"],
    ),
    "unknown field of a filter": (
        lambda client: list(client.list_sessions(filter={"user": "ana"})),
        ['no field "user"', "user_id"],
    ),
    "message id twice": (
        lambda client: client.append("s", {"role": "user", "text": "b", "message_id": "m"}),
        ['Message "m" of session "s"', "request_id"],
    ),
    "unknown preset": (
        lambda client: client.create_session("t", policy=policy.preset("sliding")),
        ["preset.name", "sliding_window"],
    ),
    "unknown option of a preset": (
        lambda client: client.create_session(
            "t", policy=policy.preset("sliding_window", {"max": 3})
        ),
        ["max", "max_messages"],
    ),
    "invalid CEL": (
        lambda client: client.create_session(
            "t", policy=policy.make_policy(policy.filter("f", ["role =="]))
        ),
        ["conditions"],
    ),
    "embedding of another length": (
        lambda client: client.recall("x", embedding=[0.5, 0.5]),
        ["128 values", "embed()"],
    ),
    "unknown hook": (
        lambda client: client.create_session(
            "t", policy=policy.rolling_summary(max_tokens=1000, hook="none")
        ),
        ["none"],
    ),
    "message over 1 MiB": (
        lambda client: client.append("s", "x" * 2_000_000),
        ["messages[0]", "1048576"],
    ),
    "append over 4 MiB": (
        lambda client: client.append("s", ["x" * 900_000] * 6),
        ["5,4", "4,194,304", "less in one call"],
    ),
    "record of another path": (
        lambda client: client.get_record(["a", "b"], "k"),
        ['Record "k" of path "a/b" in namespace'],
    ),
    "order": (
        lambda client: list(client.list_messages("s", order="newest")),
        ["newest_first", '"newest"'],
    ),
    "purge of an empty user": (
        lambda client: client.purge_memories({"user_id": ""}, force=True),
        ["user_id", "everyone"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_error_of(client: Client, name: str) -> None:
    client.ensure_session("s")
    client.append("s", {"role": "user", "text": "a", "message_id": "m"}, request_id="once")
    mistake, words = MISTAKES[name]
    with pytest.raises(ERRORS) as found:
        mistake(client)
    for word in words:
        assert word in str(found.value)


@pytest.mark.parametrize(
    ("address", "word"),
    [("http://localhost:7437", "without a scheme"), ("localhost", "has no port"), ("", "empty")],
)
def test_an_address_of_another_form(address: str, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Client(address)


def test_a_server_that_is_down() -> None:
    with Client("localhost:1", timeout=1) as client, pytest.raises(MemorySidecarError) as found:
        client.get_session("s")
    assert "No server answers at localhost:1. Is it running there?" in str(found.value)


# Messages of gRPC for connections that fail, and those of the client.
UNREACHED = [
    (
        "Tls handshake failed: SSL_ERROR_SSL: error:100000f7: WRONG_VERSION_NUMBER",
        "The server at h:1 does not speak TLS: leave tls out. (",
    ),
    (
        "Tls handshake failed: SSL_ERROR_SSL: error:1000007d: CERTIFICATE_VERIFY_FAILED",
        "The server at h:1 speaks TLS with a certificate that is not trusted: check tls, which may"
        " be the path of its root certificate. (",
    ),
    (
        "Peer name 127.0.0.1 is not in peer certificate",
        "The certificate of the server at h:1 is for another name: check the address. (",
    ),
    (
        "Ssl handshake failed: TSI_PROTOCOL_FAILURE",
        "The TLS handshake with the server at h:1 failed: check tls. (",
    ),
    (
        "failed to connect to all addresses; last error: UNAVAILABLE: ipv4:h:1: Socket closed",
        "The server at h:1 ends connections that have no TLS. If it speaks TLS, pass tls. (",
    ),
    ("Connection refused", "No server answers at h:1. Is it running there? ("),
]


@pytest.mark.parametrize(("said", "words"), UNREACHED)
def test_a_connection_that_fails(said: str, words: str) -> None:
    error = make_error(grpc.StatusCode.UNAVAILABLE, said)
    assert advise(error, v1.GetSessionRequest(), "h:1") == f"{words}{said})"


def test_a_token_that_is_missing(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("a-token-of-the-test-0123456789-0123456789\n")
    tokens.chmod(0o600)
    with (
        RealServer(tmp_path, "--token-file", str(tokens)) as server,
        Client(server.address) as client,
        pytest.raises(MemorySidecarError, match=r"Client\(address, token=\.\.\.\)"),
    ):
        client.get_session("s")


def test_ensure_takes_what_exists(client: Client) -> None:
    made = client.ensure_session("s", user_id="ana")
    assert client.ensure_session("s", user_id="ana") == made
    assert client.ensure_session("s") == made
    assert client.ensure_session("s", user_id="") == made
    shared = client.ensure_session("shared")
    assert client.ensure_session("shared", user_id="ana") == shared
    assert client.ensure_consumer("c") == client.ensure_consumer("c", position="oldest")
    with pytest.raises(AlreadyExists):
        client.create_session("s")
    with pytest.raises(NotFound):
        client.get_consumer("d")


def test_ensure_refuses_the_session_of_another_user(client: Client, server: RealServer) -> None:
    client.ensure_session("s", user_id="ana")
    with pytest.raises(AlreadyExists) as found:
        client.ensure_session("s", user_id="ben")
    assert str(found.value) == (
        'SESSION_ALREADY_EXISTS: Session "s" exists, and belongs to another user than "ben". Give'
        " each user a session of its own."
    )
    assert found.value.resource == ("Session", "s")

    async def ensure() -> None:
        async with AsyncClient(server.address, namespace=client.namespace) as asynchronous:
            await asynchronous.ensure_session("s", user_id="ben")

    with pytest.raises(AlreadyExists, match="another user"):
        asyncio.run(ensure())
