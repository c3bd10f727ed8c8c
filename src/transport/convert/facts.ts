// Reads the few fields of a stored message that the window rules need, and skips the rest.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { ROLE, type Role, type WindowFacts } from "../../domain/window/types.ts";

// The fields of Message and ToolCall by number, as in message.proto.
const MESSAGE_ID = 1;
const ROLE_FIELD = 3;
const TOOL_CALLS = 7;
const TOOL_CALL_ID = 9;
const TOKEN_COUNT = 15;
const CALL_ID_IN_TOOL_CALL = 1;

const NO_IDS: readonly string[] = [];

function readCallId(reader: BinaryReader): string {
  const end = reader.uint32() + reader.pos;
  let id = "";
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === CALL_ID_IN_TOOL_CALL) id = reader.string();
    else reader.skip(tag & 7);
  }
  return id;
}

/** Reads what the window rules need to know of a stored message. Throws on damaged bytes. */
export function readFacts(bytes: Uint8Array): WindowFacts {
  const reader = new BinaryReader(bytes);
  let messageId = "";
  let role: Role = ROLE.user;
  let callIds: string[] | undefined;
  let toolCallId = "";
  let tokenCount = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case MESSAGE_ID:
        messageId = reader.string();
        break;
      case ROLE_FIELD:
        role = reader.int32() as Role;
        break;
      case TOOL_CALLS:
        callIds ??= [];
        callIds.push(readCallId(reader));
        break;
      case TOOL_CALL_ID:
        toolCallId = reader.string();
        break;
      case TOKEN_COUNT:
        tokenCount = reader.int32();
        break;
      default:
        reader.skip(tag & 7);
    }
  }
  return { messageId, role, callIds: callIds ?? NO_IDS, toolCallId, tokenCount };
}
