// A page of sessions is bounded by what the sessions take on the wire, not by their number.

import { expect, test } from "vitest";
import { DEFAULT_POLICY, type Policy } from "../../src/domain/policy.ts";
import { Session } from "../../src/gen/memorysidecar/v1/session.ts";
import { newSession } from "../../src/service/new-session.ts";
import { sessionBytes } from "../../src/storage/lmdb/sessions.ts";
import { toSession } from "../../src/transport/convert/session.ts";

const wide = "\u{10ffff}";
const ref = { namespace: "n".repeat(63), sessionId: wide.repeat(128) };
const stamp = { nowMs: 253_402_300_799_999, revision: Number.MAX_SAFE_INTEGER };

const LARGEST: Policy = {
  ...DEFAULT_POLICY,
  imageTokenCount: 1_000_000,
  protections: { system: "leading", pinFirst: 10_000, minMessages: 10_000, lastUser: true },
  stages: Array.from({ length: 16 }, (_, i) => ({
    name: `${i}`.padStart(63, "s"),
    on: "read",
    unit: "interaction",
    anyOf: Array.from({ length: 8 }, () => ({ kind: "token-count-over", limit: 1_000_000_000 })),
    select: { kind: "drop-oldest", maxMessages: 10_000, maxTokens: 1_000_000_000 },
  })),
};

test("the bytes counted for a session are no less than it takes", () => {
  const labels = new Map<string, string>();
  for (let i = 0; i < 32; i++) labels.set(`${i}`.padStart(63, "k"), "v".repeat(255));
  const bare = newSession(ref, {}, stamp);
  const largest = newSession(
    ref,
    { userId: wide.repeat(128), agentId: wide.repeat(128), labels, policy: LARGEST, ttlMs: 1 },
    stamp,
  );
  const count = Number.MAX_SAFE_INTEGER;
  const totals = { messageCount: count, tokenCount: count, byteCount: count };
  const full = {
    ...largest,
    fields: {
      ...largest.fields,
      forkedFrom: { sessionId: ref.sessionId, seq: count },
      summary: { text: wide.repeat(16_384), tokenCount: 65_536, version: count, updateMs: 1 },
    },
    head: { ...largest.head, lastSeq: count, log: totals, window: totals },
  };
  for (const session of [bare, largest, full]) {
    const wire = Session.encode(toSession(session)).finish().length;
    expect(sessionBytes(session)).toBeGreaterThanOrEqual(wire);
    expect(sessionBytes(session)).toBeLessThan(wire + 2_500);
  }
});
