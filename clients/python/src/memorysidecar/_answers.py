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
    """Turns an answer, or a part of one, into plain data for ``json.dumps``. Fields and enum values
    have their names in the contract (a value that only a newer server knows is its number), numbers
    are numbers, times are texts of RFC 3339, spans are seconds such as ``"90s"``, and bytes are
    Base64.

    :param defaults: includes fields that are empty, 0 or false, where the contract does not tell
        this from unset. Default: leaves them out.
    """
    plain = MessageToDict(
        answer,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=defaults,
    )
    _number(answer.DESCRIPTOR, plain)
    return plain


def _number(kind: Any, plain: dict[str, Any]) -> None:
    """Turns 64-bit integers, which are texts in the JSON form of protobuf, into numbers."""
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
