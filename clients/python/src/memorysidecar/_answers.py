"""Answers as plain data."""

from __future__ import annotations

from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message as ProtoMessage

_LONG: Final = frozenset(
    (
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_SINT64,
        FieldDescriptor.TYPE_FIXED64,
        FieldDescriptor.TYPE_SFIXED64,
    )
)


def to_dict(answer: ProtoMessage, *, defaults: bool = False) -> dict[str, Any]:
    """Makes plain data of an answer, or of a part of one, ready for ``json.dumps``: fields by their
    names in the contract, enum values by theirs (a value that only a newer server knows is its
    number), numbers as numbers, times as texts of RFC 3339, spans as seconds such as ``"90s"``,
    bytes in Base64.

    :param defaults: with the fields that are empty, 0, or false, and do not tell unset from that.
        Default: without them.
    """
    plain = MessageToDict(
        answer,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=defaults,
    )
    _number(answer.DESCRIPTOR, plain)
    return plain


def _number(kind: Any, plain: dict[str, Any]) -> None:
    """Makes numbers of the texts that JSON of protobuf has for 64-bit integers, by a descriptor."""
    for field in kind.fields:
        if field.name not in plain:
            continue
        value = plain[field.name]
        inner = field.message_type
        if inner is None:
            if field.type in _LONG:
                is_list = isinstance(value, list)
                plain[field.name] = [int(one) for one in value] if is_list else int(value)
        elif inner.GetOptions().map_entry:
            content = inner.fields_by_name["value"].message_type
            for one in value.values() if content is not None else ():
                _number(content, one)
        elif not inner.full_name.startswith("google.protobuf."):
            for one in value if isinstance(value, list) else [value]:
                _number(inner, one)
