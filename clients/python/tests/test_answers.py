"""Answers as plain data."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message as ProtoMessage
from google.protobuf.message_factory import GetMessageClass

import memorysidecar as ms
from memorysidecar import Client, v1
from memorysidecar._base import _METHODS

SAMPLES: dict[int, Any] = {
    FieldDescriptor.CPPTYPE_STRING: "ä",
    FieldDescriptor.CPPTYPE_BOOL: True,
    FieldDescriptor.CPPTYPE_DOUBLE: 0.5,
    FieldDescriptor.CPPTYPE_FLOAT: 0.25,
    FieldDescriptor.CPPTYPE_INT32: 7,
    FieldDescriptor.CPPTYPE_UINT32: 7,
    FieldDescriptor.CPPTYPE_INT64: 2**53 - 1,
    FieldDescriptor.CPPTYPE_UINT64: 2**53 - 1,
}
KNOWN: dict[str, dict[str, Any]] = {
    "google.protobuf.Timestamp": {"seconds": 1_777_609_800, "nanos": 250_000_001},
    "google.protobuf.Value": {"string_value": "x"},
    "google.protobuf.Duration": {"seconds": 90, "nanos": 500_000_000},
}


def sample(field: FieldDescriptor, depth: int) -> Any:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return b"\xff\x00"
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    if field.message_type is not None:
        return filled(field.message_type, depth - 1)
    return SAMPLES[field.cpp_type]


def filled(kind: Descriptor, depth: int) -> ProtoMessage:
    """A message with a value in every field, of a choice in the last one."""
    message = GetMessageClass(kind)(**KNOWN.get(kind.full_name, {}))
    if kind.full_name == "google.protobuf.Struct":
        ParseDict({"a": [1, None, "b"]}, message)
    if kind.full_name.startswith("google.protobuf."):
        return message
    for field in kind.fields:
        inner = field.message_type
        if inner is not None and inner.GetOptions().map_entry:
            value = inner.fields_by_name["value"]
            entries = getattr(message, field.name)
            if value.message_type is None:
                entries["k"] = sample(value, depth)
            elif depth > 0:
                entries["k"].CopyFrom(sample(value, depth))
        elif inner is not None and depth == 0:
            continue
        elif isinstance(getattr(message, field.name), ProtoMessage):
            getattr(message, field.name).CopyFrom(sample(field, depth))
        elif hasattr(getattr(message, field.name), "extend"):
            getattr(message, field.name).extend([sample(field, depth)])
        else:
            setattr(message, field.name, sample(field, depth))
    return message


def numbers_of(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [one for item in value.values() for one in numbers_of(item)]
    if isinstance(value, list):
        return [one for item in value for one in numbers_of(item)]
    return [value]


ANSWERS = [method.output_type for method in _METHODS.values()]


@pytest.mark.parametrize("kind", ANSWERS, ids=lambda kind: str(kind.name))
def test_every_answer_is_plain_data_that_says_all(kind: Descriptor) -> None:
    answer = filled(kind, 5)
    plain = ms.to_dict(answer)
    assert ParseDict(json.loads(json.dumps(plain)), GetMessageClass(kind)()) == answer
    assert str(2**53 - 1) not in numbers_of(plain)


def test_an_answer_of_the_server(client: Client) -> None:
    client.create_session("s", ttl=timedelta(hours=1))
    client.append("s", {"role": "assistant", "text": "hi", "token_count": 3})
    window = ms.to_dict(client.window("s"))
    [message] = window["messages"]
    assert (message["role"], message["seq"]) == ("ROLE_ASSISTANT", 1)
    assert message["create_time"].endswith("Z")
    assert window["window_totals"] == {"message_count": 1, "token_count": 3}
    assert ms.to_dict(client.get_session("s"))["ttl"] == "3600s"


def test_empty_fields_and_unknown_values() -> None:
    message = v1.Message(text="x")
    assert ms.to_dict(message) == {"text": "x"}
    whole = ms.to_dict(message, defaults=True)
    assert (whole["seq"], whole["role"], whole["labels"]) == (0, "ROLE_UNSPECIFIED", {})
    newer = v1.Message.FromString(v1.Message(role=v1.ROLE_USER).SerializeToString()[:1] + b"\x4d")
    assert ms.to_dict(newer) == {"role": 77}
