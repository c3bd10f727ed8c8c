// A page of sessions is bounded by what the sessions take on the wire, not by their number.

import { expect, test } from "vitest";
import { Session } from "../../src/gen/memorysidecar/v1/session.ts";
import { Etags } from "../../src/kit/etag.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { encodeMade } from "../../src/session/facts-wire.ts";
import type { WindowInsert } from "../../src/session/rules/session.ts";
import { newSession } from "../../src/session/sessions.ts";
import { toSession } from "../../src/session/wire.ts";
import { sessionBytes } from "../../src/store/tables/sessions.ts";
import { TRUST } from "../../src/summary/rules/summary.ts";
import {
  DEFAULT_POLICY,
  DEFAULT_STAGE,
  type Policy,
  type Selection,
  type Trigger,
} from "../../src/window/policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC } from "../../src/window/policy/summary-spec.ts";
import { ROLE } from "../../src/window/rules/types.ts";

const wide = "\u{10ffff}";
const ref = { namespace: "n".repeat(63), sessionId: wide.repeat(128) };
const stamp = { nowMs: 253_402_300_799_999, revision: Number.MAX_SAFE_INTEGER };

const MOST = 1_000_000_000;
const TRIGGERS: readonly Trigger[] = [
  ...Array.from({ length: 13 }, () => ({ kind: "token-count-over", limit: MOST }) as const),
  { kind: "context-share-at-least", share: 0.7 },
  { kind: "tool-error", names: Array.from({ length: 64 }, () => wide.repeat(64)) },
  { kind: "age-over", ms: 315_576_000_000 },
];
const CONDITIONS = Array.from({ length: 8 }, () => wide.repeat(256));
const SELECTIONS: readonly Selection[] = [
  {
    kind: "drop-oldest",
    maxMessages: 10_000,
    maxTokens: MOST,
    maxAgeMs: 315_576_000_000,
    stopAtProtected: true,
    stopAtFree: true,
  },
  { kind: "pack-newest", maxTokens: MOST, headroom: 0.1, skipUnfit: true },
  { kind: "pin-middle-recent", pinFirst: 10_000, keepRecent: 10_000, minRemoved: 10_000 },
  { kind: "filter", conditions: CONDITIONS, scope: "message" },
  { kind: "shorten", maxTokens: 1_000_000, allRoles: true, keepNewest: 10_000 },
  { kind: "drop-duplicates", similarity: 0.7, lookahead: 200 },
];

const LARGEST: Policy = {
  ...DEFAULT_POLICY,
  name: "n".repeat(63),
  tokenRule: "custom",
  customTokenRule: {
    charsPerToken: 0.3,
    rounding: "down",
    perMessage: 1_000_000,
    perCall: 1_000_000,
    min: 1_000_000,
    contentOnly: true,
  },
  imageTokenCount: 1_000_000,
  model: "m".repeat(127),
  contextWindow: MOST,
  toolResultFill: { rule: "always", newestOnly: true, text: wide.repeat(256) },
  protections: {
    system: "leading",
    pinFirst: 10_000,
    pinIds: Array.from({ length: 256 }, () => wide.repeat(64)),
    minMessages: 10_000,
    lastUser: true,
  },
  stages: SELECTIONS.map((select, i) => ({
    ...DEFAULT_STAGE,
    name: `${i}`.padStart(63, "s"),
    on: "read",
    anyOf: TRIGGERS,
    countIf: CONDITIONS,
    select,
    boundary: { rule: "absorb-and-grow", always: true },
    effect: "view",
    removedTo: "summarize",
    summarize: {
      ...DEFAULT_SUMMARY_SPEC,
      hook: "h".repeat(63),
      maxTokens: 16_384,
      instructions: wide.repeat(1_024),
      placeholder: wide.repeat(256),
      separator: wide.repeat(16),
      lastChars: 16_000,
      prefix: wide.repeat(64),
      keep: "hierarchical",
      flow: "density",
      leave: "at-once",
      onFailure: "placeholder",
      transcript: "paragraphs",
      shape: "exchange",
    },
  })),
  summaryView: { show: "system-suffix", prefix: wide.repeat(64) },
};

const PLACED = {
  kind: "summary",
  messageId: wide.repeat(64),
  tokenCount: MOST,
  createMs: 253_402_300_799_999,
  trust: TRUST.low,
} as const;
const INSERT: WindowInsert = {
  ...PLACED,
  position: 10.5,
  bytes: encodeMade({
    ...PLACED,
    role: ROLE.system,
    text: "s".repeat(65_536),
    toolCallId: "",
    name: "",
  }),
  ranges: [{ first: 1, last: Number.MAX_SAFE_INTEGER }],
  firstMs: 253_402_300_799_999,
  version: Number.MAX_SAFE_INTEGER,
  hook: "h".repeat(63),
  stage: "s".repeat(63),
  level: 2_147_483_647,
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
      inserts: [INSERT],
      summary: {
        text: wide.repeat(16_384),
        tokenCount: 65_536,
        version: count,
        createMs: 1,
        stage: "",
        level: 1,
        ranges: Array.from({ length: LIMITS.summaryRanges }, (_, i) => ({
          first: count - 1_000 + i * 2,
          last: count - 1_000 + i * 2,
        })),
        hook: "h".repeat(63),
        trust: TRUST.high,
      },
    },
    head: {
      ...largest.head,
      lastSeq: count,
      log: totals,
      window: totals,
      policyState: {
        modelInputTokens: MOST,
        outcomes: [],
        marks: LARGEST.stages.map(({ name }) => ({ stage: name, seq: count, window: totals })),
        overLimit: [],
        turnEndSeq: MOST,
      },
    },
  };
  for (const session of [bare, largest, full]) {
    const wire = Session.encode(toSession(session, new Etags("f".repeat(16)))).finish().length;
    expect(sessionBytes(session)).toBeGreaterThanOrEqual(wire);
    expect(sessionBytes(session)).toBeLessThan(wire * 1.2 + 2_500);
  }
});
