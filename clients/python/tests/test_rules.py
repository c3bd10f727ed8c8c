"""The rules of fields, read from the descriptors that the client holds."""

from __future__ import annotations

import re
from typing import Any

from memorysidecar.v1 import rules_pb2, session_service_pb2


def option_of(described: Any, extension: Any) -> Any:
    """An option of something; the stubs of protobuf do not know extensions of options."""
    return described.GetOptions().Extensions[extension]


def test_a_program_reads_what_a_field_may_hold() -> None:
    request = session_service_pb2.AppendMessagesRequest.DESCRIPTOR
    rules = option_of(request.fields_by_name["session_id"], rules_pb2.field_rules)
    assert rules.required
    assert rules.max_bytes == 512
    assert rules.form == rules_pb2.TEXT_FORM_ID
    assert not rules.HasField("max")


def test_a_program_reads_what_a_text_looks_like() -> None:
    form = rules_pb2.TextForm.DESCRIPTOR.values_by_name["TEXT_FORM_NAMESPACE"]
    pattern = option_of(form, rules_pb2.text_pattern)
    assert pattern.max_chars == 63
    assert re.fullmatch(pattern.pattern, "team-a")
    assert not re.fullmatch(pattern.pattern, "Team")
