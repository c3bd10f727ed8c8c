"""A client that has nothing of ours: grpcio, reflection and the standard health service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from real import RealServer

SERVICES = ["AdminService", "EventService", "SessionService"]


class Reflected:
    """Calls methods of which it knows only what the server tells about itself."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel
        self.database = ProtoReflectionDescriptorDatabase(channel)
        self.pool = DescriptorPool(self.database)

    def method(self, service: str, name: str) -> Any:
        """The descriptor of a method."""
        found = self.pool.FindServiceByName(f"memorysidecar.v1.{service}")
        return found.FindMethodByName(name)

    def call(self, service: str, name: str, **fields: Any) -> Any:
        """Calls a method with one answer."""
        method = self.method(service, name)
        answer = GetMessageClass(method.output_type)
        rpc: Any = self.channel.unary_unary(
            f"/{method.containing_service.full_name}/{name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString,
        )
        return rpc(GetMessageClass(method.input_type)(**fields), timeout=10)

    def watch(self, **fields: Any) -> Any:
        """Opens the stream of events."""
        method = self.method("EventService", "WatchEvents")
        rpc: Any = self.channel.unary_stream(
            "/memorysidecar.v1.EventService/WatchEvents",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )
        return rpc(GetMessageClass(method.input_type)(**fields), timeout=20)


@pytest.fixture
def stock(server: RealServer) -> Iterator[Reflected]:
    """A client by reflection."""
    with grpc.insecure_channel(server.address) as channel:
        yield Reflected(channel)


def test_services_are_listed(stock: Reflected) -> None:
    services = set(stock.database.get_services())
    assert {f"memorysidecar.v1.{name}" for name in SERVICES} <= services
    assert "grpc.health.v1.Health" in services
    append = stock.method("SessionService", "AppendMessages")
    assert append.input_type.fields_by_name["messages"].message_type.name == "Message"
    # The server keeps free-form data as bytes; the contract it tells about does not.
    message = stock.pool.FindMessageTypeByName("memorysidecar.v1.Message")
    metadata: Any = message.fields_by_name["metadata"].message_type
    assert metadata.full_name == "google.protobuf.Struct"


@pytest.mark.parametrize("service", ["", *(f"memorysidecar.v1.{name}" for name in SERVICES)])
def test_health_is_served(stock: Reflected, service: str) -> None:
    health = health_pb2_grpc.HealthStub(stock.channel)
    request = health_pb2.HealthCheckRequest(service=service)
    assert health.Check(request, timeout=10).status == health_pb2.HealthCheckResponse.SERVING
    watch = health.Watch(request, timeout=10)
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
    watch.cancel()


def test_health_of_an_unknown_service(stock: Reflected) -> None:
    health = health_pb2_grpc.HealthStub(stock.channel)
    with pytest.raises(grpc.RpcError) as caught:
        health.Check(health_pb2.HealthCheckRequest(service="no.such.Service"), timeout=10)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_a_conversation(stock: Reflected) -> None:
    session = {"session_id": "talk", "labels": {"from": "stock"}, "metadata": {"n": 1}}
    made = stock.call("SessionService", "CreateSession", namespace="stock", session=session).session
    assert made.session_id == "talk"
    assert made.metadata["n"] == 1
    watch = stock.watch(namespace="stock", position="STREAM_POSITION_NOW")
    assert not next(watch).events
    messages = [
        {"role": "ROLE_USER", "text": "Is it open?"},
        {
            "role": "ROLE_ASSISTANT",
            "tool_calls": [{"tool_call_id": "c", "name": "look", "arguments": "{}"}],
            "metadata": {"deep": {"list": [1, "two", None, True]}},
        },
        {"role": "ROLE_TOOL", "tool_call_id": "c", "parts": [{"data": {"open": True}}]},
    ]
    done = stock.call(
        "SessionService", "AppendMessages", namespace="stock", session_id="talk", messages=messages
    )
    assert [one.seq for one in done.messages] == [1, 2, 3]
    answer = next(watch)
    event = answer.events[0].event
    assert answer.events[-1].resume_token == answer.resume_token
    assert event.revision == done.revision
    assert list(event.messages_appended.message_ids) == [one.message_id for one in done.messages]
    watch.cancel()

    window = stock.call("SessionService", "GetWindow", namespace="stock", session_id="talk")
    assert [one.text for one in window.messages] == ["Is it open?", "", ""]
    assert window.messages[1].tool_calls[0].name == "look"
    assert list(window.messages[1].metadata["deep"]["list"]) == [1, "two", None, True]
    assert window.messages[2].parts[0].data["open"] is True
    assert window.window_totals.message_count == 3
    assert window.window_totals.token_count == sum(one.token_count for one in window.messages)


def test_an_error_tells_its_reason(stock: Reflected) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        stock.call("SessionService", "GetSession", namespace="stock", session_id="none")
    error: Any = caught.value
    assert error.code() is grpc.StatusCode.NOT_FOUND
    trailers = {item.key: item.value for item in error.trailing_metadata()}
    status = status_pb2.Status.FromString(trailers["grpc-status-details-bin"])
    assert status.code == grpc.StatusCode.NOT_FOUND.value[0]
    assert status.message == error.details()
    info, resource = error_details_pb2.ErrorInfo(), error_details_pb2.ResourceInfo()
    assert [one.Unpack(info) for one in status.details].count(True) == 1
    assert [one.Unpack(resource) for one in status.details].count(True) == 1
    assert (info.domain, info.reason) == ("memorysidecar.io", "SESSION_NOT_FOUND")
    assert dict(info.metadata) == {"session_id": "none"}
    assert resource.resource_name == "none"


def test_this_file_uses_no_code_of_ours() -> None:
    with open(__file__) as file:
        assert not [line for line in file if line.startswith(("import memory", "from memory"))]
