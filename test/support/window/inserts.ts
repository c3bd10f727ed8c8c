// Window entries in tests that are not in the log.

import type { WindowInsert } from "../../../src/session/rules/session.ts";
import { TRUST } from "../../../src/summary/rules/summary.ts";
import { ROLE, type Role } from "../../../src/window/rules/types.ts";
import { jsonCodec } from "../services/json-codec.ts";

const ROLES: Readonly<Record<WindowInsert["kind"], Role>> = {
  summary: ROLE.system,
  request: ROLE.user,
  result: ROLE.tool,
};

/** An insert with what a test names: a summary that a caller set, if it does not say otherwise. */
export function insertOf(
  position: number,
  fields: Partial<WindowInsert> & { readonly text?: string; readonly toolCallId?: string } = {},
): WindowInsert {
  const { text = "sum", toolCallId = "", ...own } = fields;
  const insert = {
    position,
    kind: "summary",
    messageId: `i${position}`,
    tokenCount: 5,
    ranges: [],
    firstMs: 1,
    createMs: 7,
    version: 1,
    hook: "",
    stage: "",
    level: 1,
    trust: TRUST.medium,
    ...own,
  } as const;
  const { kind, messageId, tokenCount, createMs, trust } = insert;
  const shown = { kind, messageId, tokenCount, createMs, trust, role: ROLES[kind] };
  const bytes = jsonCodec.encodeMade({ ...shown, text, toolCallId, name: "" });
  return { bytes, ...insert };
}
