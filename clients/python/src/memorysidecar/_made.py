"""Messages of the contract, made of arguments. An argument of a wrong type is named, with what it
must be, where protobuf says ``bad argument type for built-in operation``."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from google.protobuf import duration_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message as ProtoMessage
from typing_extensions import ParamSpec

P = ParamSpec("P")
M = TypeVar("M", bound=ProtoMessage)
Seconds = float | datetime.timedelta | duration_pb2.Duration

_LARGEST_EXACT: Final = 2**53
"""Numbers of a Struct are doubles: above this, not every whole number is one."""
_STRUCT: Final = "google.protobuf.Struct"
_CONDITION: Final = "memorysidecar.v1.MetadataCondition"
_F: Final = FieldDescriptor

# Values from which messages of these types are made, beside themselves.
_SPECIAL: Final[dict[str, tuple[type, str]]] = {
    "google.protobuf.Timestamp": (datetime.datetime, "a datetime"),
    "google.protobuf.Duration": (datetime.timedelta, "a timedelta"),
    _STRUCT: (Mapping, "a mapping of JSON values"),
}
_SCALARS: Final[dict[int, tuple[tuple[type, ...], str]]] = {
    _F.CPPTYPE_STRING: ((str, bytes), "a text"),
    _F.CPPTYPE_BOOL: ((bool, int), "True or False"),
}


def made(kind: Callable[P, M], /, *args: P.args, **fields: P.kwargs) -> M:
    """Makes a message of the contract, such as a request, of its fields.

    :raises TypeError: naming the first field of a wrong type.
    :raises ValueError: naming the first field with a value that it cannot have.
    """
    descriptor: Descriptor = kind.DESCRIPTOR  # type: ignore[attr-defined]
    _refuse_rounded(descriptor, fields, "")
    try:
        return kind(*args, **fields)
    except (TypeError, ValueError, AttributeError):
        _refuse_wrong(descriptor, fields, "")
        raise


def duration_of(value: Seconds | None, name: str = "the duration") -> duration_pb2.Duration | None:
    """Makes a duration; a number is seconds."""
    if value is None or isinstance(value, duration_pb2.Duration):
        return value
    if not isinstance(value, (int, float, datetime.timedelta)):
        raise TypeError(f"{name} is a number of seconds or a timedelta, not {told(value)}")
    delta = datetime.timedelta(seconds=value) if isinstance(value, (int, float)) else value
    duration = duration_pb2.Duration()
    duration.FromTimedelta(delta)
    return duration


def refuse_unknown(
    what: str, kind: Any, fields: Mapping[str, Any], hints: Mapping[str, str] | None = None
) -> None:
    """Refuses a field that a message of the contract does not have, with those it has."""
    known = kind.DESCRIPTOR.fields_by_name
    for name in fields:
        if name not in known:
            hint = (hints or {}).get(name) or f"it has {', '.join(known)}"
            raise ValueError(f'a {what} has no field "{name}": {hint}')


def told(value: object) -> str:
    """Names the type of a wrong argument."""
    return "None" if value is None else type(value).__qualname__


def _refuse_rounded(kind: Descriptor, fields: Mapping[str, Any], path: str) -> None:
    """Refuses whole numbers that a Struct would round without a word."""
    for name, value in fields.items():
        if not isinstance(value, (Mapping, list, tuple)):
            continue
        field = kind.fields_by_name.get(name)
        if field is None or field.message_type is None:
            continue
        many = value if isinstance(value, (list, tuple)) else [value]
        for one in many:
            if not isinstance(one, Mapping):
                continue
            if field.message_type.full_name == _STRUCT:
                _refuse_large(one, path + name)
            else:
                _refuse_rounded(field.message_type, one, f"{path}{name}.")


def _refuse_large(value: Any, path: str) -> None:
    if isinstance(value, Mapping):
        for key, one in value.items():
            _refuse_large(one, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            _refuse_large(one, f"{path}[{number}]")
    elif isinstance(value, int) and abs(value) > _LARGEST_EXACT:
        raise ValueError(
            f"{path} is a whole number up to {_LARGEST_EXACT}, not {value}, which would lose"
            " digits: give it as a text"
        )


def _refuse_wrong(kind: Descriptor, fields: Mapping[str, Any], path: str) -> None:
    """Finds the field because of which a message could not be made."""
    for name, value in fields.items():
        field = kind.fields_by_name.get(name)
        if field is None:
            known, owner = ", ".join(kind.fields_by_name), path.removesuffix(".") or kind.name
            raise ValueError(f'{owner} has no "{name}" field: it has {known}')
        if value is not None:
            _check(field, value, path + name)


def _is_repeated(field: FieldDescriptor) -> bool:
    # Newer versions of protobuf have the one, older the other.
    one: Any = field
    return bool(one.is_repeated if hasattr(one, "is_repeated") else one.label == one.LABEL_REPEATED)


def _check(field: FieldDescriptor, value: Any, path: str) -> None:
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        _check_map(kind, value, path)
    elif not _is_repeated(field):
        _check_one(field, value, path)
    elif isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        hint = ""
        if kind is not None and kind.full_name == _CONDITION:
            hint = ': give conditions, as where("path", equals=1) makes them'
        raise TypeError(f"{path} is a list, not {told(value)}{hint}")
    else:
        for number, one in enumerate(value):
            _check_one(field, one, f"{path}[{number}]")


def _check_map(kind: Descriptor, value: Any, path: str) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"{path} is a mapping, not {told(value)}")
    for key, one in value.items():
        if not isinstance(key, str):
            raise TypeError(f"{path} has texts as keys, not {told(key)}")
        _check_one(kind.fields_by_name["value"], one, f'{path}["{key}"]')


def _check_one(field: FieldDescriptor, value: Any, path: str) -> None:
    if field.message_type is not None:
        _check_message(field.message_type, value, path)
    elif field.enum_type is not None:
        _check_enum(field.enum_type, value, path)
    elif field.type == _F.TYPE_BYTES:
        _check_type(value, (bytes,), "bytes", path)
    elif field.cpp_type in _SCALARS:
        _check_type(value, *_SCALARS[field.cpp_type], path)
    elif field.cpp_type in (_F.CPPTYPE_DOUBLE, _F.CPPTYPE_FLOAT):
        if not hasattr(value, "__float__"):
            raise TypeError(f"{path} is a number, not {told(value)}")
    elif not hasattr(value, "__index__"):
        raise TypeError(f"{path} is a whole number, not {told(value)}")
    else:
        _check_size(field, int(value), path)


def _check_size(field: FieldDescriptor, value: int, path: str) -> None:
    is_wide = field.cpp_type in (_F.CPPTYPE_INT64, _F.CPPTYPE_UINT64)
    is_signed = field.cpp_type in (_F.CPPTYPE_INT32, _F.CPPTYPE_INT64)
    bits = (64 if is_wide else 32) - is_signed
    least, most = -(2**bits) if is_signed else 0, 2**bits - 1
    if not least <= value <= most:
        raise ValueError(f"{path} is a whole number from {least} to {most}, not {value}")


def _check_type(value: Any, types: tuple[type, ...], words: str, path: str) -> None:
    if not isinstance(value, types):
        raise TypeError(f"{path} is {words}, not {told(value)}")


def _check_enum(kind: EnumDescriptor, value: Any, path: str) -> None:
    known = [one.name for one in kind.values if one.number != 0]
    if isinstance(value, str) and value not in kind.values_by_name:
        raise ValueError(f'{path} is one of {", ".join(known)}, not "{value}"')
    if not isinstance(value, (str, int)):
        raise TypeError(f"{path} is one of {', '.join(known)}, not {told(value)}")


def _check_message(kind: Descriptor, value: Any, path: str) -> None:
    if isinstance(value, ProtoMessage) and value.DESCRIPTOR.full_name == kind.full_name:
        return
    if kind.full_name in _SPECIAL:
        taken, words = _SPECIAL[kind.full_name]
        _check_type(value, (taken,), words, path)
        if kind.full_name == _STRUCT:
            _check_json(value, path)
    elif isinstance(value, Mapping):
        _refuse_wrong(kind, value, f"{path}.")
    else:
        raise TypeError(f"{path} is a v1.{kind.name} or a mapping of its fields, not {told(value)}")


def _check_json(value: Any, path: str) -> None:
    if isinstance(value, Mapping):
        for key, one in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{path} has texts as keys, not {told(key)}")
            _check_json(one, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            _check_json(one, f"{path}[{number}]")
    elif not isinstance(value, (str, int, float, bool, type(None))):
        raise TypeError(f"{path} is JSON, not {told(value)}")
