"""Errors: what the client reads from an answer."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from fake import FakeServer, details, fail

import memorysidecar as ms
from memorysidecar import Client, ErrorReason, v1
from memorysidecar.errors import decode_error

S = grpc.StatusCode


class Failure(grpc.RpcError):
    """An error as grpc raises it."""

    def __init__(self, code: grpc.StatusCode, *trailers: tuple[str, Any]) -> None:
        self._code, self._trailers = code, trailers

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return "text"

    def trailing_metadata(self) -> Any:
        return self._trailers


def test_reasons_are_those_of_the_contract() -> None:
    ours = {name: value for name, value in vars(ErrorReason).items() if name.isupper()}
    theirs = {name.removeprefix("ERROR_REASON_") for name in v1.ErrorReason.keys()}
    assert ours == {name: name for name in theirs - {"UNSPECIFIED"}}


def test_every_detail_is_read() -> None:
    data = details(
        "REQUEST_INVALID",
        metadata={"field": "messages[0].role"},
        violations=[("messages[0].role", "must be set"), ("page_size", "must not be negative")],
        retry_delay=1.5,
    )
    error = decode_error(Failure(S.INVALID_ARGUMENT, ("grpc-status-details-bin", data)))
    assert type(error) is ms.Invalid
    assert error.code is S.INVALID_ARGUMENT
    assert error.reason == ErrorReason.REQUEST_INVALID
    assert error.metadata == {"field": "messages[0].role"}
    assert [one.field for one in error.violations] == ["messages[0].role", "page_size"]
    assert error.violations[0].description == "must be set"
    assert error.retry_delay == 1.5
    assert error.message == "text"
    assert str(error) == "REQUEST_INVALID: text"


@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"", b"\x1a\x02\x0a\x00"])
def test_details_that_cannot_be_read_are_left_out(data: bytes) -> None:
    error = decode_error(Failure(S.INTERNAL, ("grpc-status-details-bin", data)))
    assert (error.reason, error.metadata, error.retry_delay) == ("", {}, None)
    assert str(error) == "INTERNAL: text"


def test_an_error_of_another_domain_gives_no_reason() -> None:
    data = details("SESSION_NOT_FOUND").replace(b"memorysidecar", b"somethingelse")
    error = decode_error(Failure(S.NOT_FOUND, ("other", "x"), ("grpc-status-details-bin", data)))
    assert isinstance(error, ms.NotFound)
    assert error.reason == ""


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (S.NOT_FOUND, "SESSION_NOT_FOUND", ms.NotFound),
        (S.ALREADY_EXISTS, "SESSION_ALREADY_EXISTS", ms.AlreadyExists),
        (S.ABORTED, "ETAG_MISMATCH", ms.Aborted),
        (S.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID", ms.Invalid),
        (S.OUT_OF_RANGE, "RESUME_TOKEN_EXPIRED", ms.ResumeTokenExpired),
        (S.OUT_OF_RANGE, "SEQ_OUT_OF_RANGE", ms.MemorySidecarError),
        (S.FAILED_PRECONDITION, "WINDOW_FULL", ms.MemorySidecarError),
        (S.DATA_LOSS, "RECORD_CORRUPT", ms.MemorySidecarError),
        (S.INTERNAL, "A_REASON_OF_TOMORROW", ms.MemorySidecarError),
    ],
)
def test_calls_raise_the_class_that_fits(
    fake: FakeServer,
    fake_client: Client,
    code: grpc.StatusCode,
    reason: str,
    kind: type[ms.MemorySidecarError],
) -> None:
    fake.script["GetSession"] = [fail(code, reason, metadata={"k": "v"})]
    with pytest.raises(ms.MemorySidecarError) as caught:
        fake_client.get_session("s")
    assert type(caught.value) is kind
    assert (caught.value.reason, caught.value.metadata) == (reason, {"k": "v"})
    assert caught.value.request_id == ""
    assert not isinstance(caught.value, grpc.RpcError)


def test_an_unreachable_server_is_unavailable() -> None:
    with Client("unix:/nowhere/at/all.sock", timeout=0.5) as client:
        with pytest.raises(ms.Unavailable) as caught:
            client.server_info()
    assert caught.value.reason == ""


def test_a_failed_mutation_names_its_request_id(fake: FakeServer, fake_client: Client) -> None:
    fake.script["AppendMessages"] = [fail(S.FAILED_PRECONDITION, "WINDOW_FULL")]
    with pytest.raises(ms.MemorySidecarError) as caught:
        fake_client.append("s", "hello")
    assert caught.value.request_id == fake.requests("AppendMessages")[0].request_id != ""
