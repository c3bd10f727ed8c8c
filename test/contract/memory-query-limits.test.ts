// Goal: every limit of searches of memories, of turns and of finding facts holds exactly, and what
// else is wrong with a request is told by the very field.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import { expectLimit, type LimitRow, limitRow, times, x } from "../support/contract/limits.ts";
import {
  extraction,
  memoryFilter,
  memoryPolicy,
  memoryScope,
  message,
  promotion,
  session,
} from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
  await server.client.call("appendMessages", {
    sessionId: "s",
    createSession: true,
    messages: [message({ text: "one" })],
  });
});

afterAll(() => server[Symbol.asyncDispose]());

const DAY_MS = 86_400_000;

const words = (count: number) => times(count, (index) => `w${index}`);
const rule = { name: "n", phrases: ["x"], score: 0.5 };
const TEXT = { text: "My name is Ann.", preview: true };

const relations = (field: string, max: number, make: (size: number) => object) =>
  limitRow("queryRelations", field, max, (size) => make(size));
const kept = (field: string, max: number, make: (size: number) => object) =>
  limitRow("createSession", `session.memory_policy.${field}`, max, (size) => ({
    session: session({ memoryPolicy: memoryPolicy(make(size)) }),
  }));
const scored = (field: string, max: number, make: (size: number) => object) =>
  limitRow("extractMemories", `importance_rules${field}`, max, (size) => ({
    ...TEXT,
    importanceRules: [{ ...rule, ...make(size) }],
  }));
const requestId = <M extends UnaryName>(method: M, fields: Partial<RequestOf<M>>) =>
  limitRow(method, "request_id", LIMITS.requestIdBytes, (size) => ({
    ...fields,
    requestId: x(size),
  }));
const sessionId = <M extends UnaryName>(method: M, fields: Partial<RequestOf<M>>) =>
  limitRow(method, "session_id", LIMITS.sessionIdBytes, (size) => ({
    ...fields,
    sessionId: x(size),
  }));

const ROWS: readonly LimitRow[] = [
  relations("subject", LIMITS.relationSubjectBytes, (size) => ({ subject: x(size) })),
  relations("predicate", LIMITS.relationPredicateBytes, (size) => ({ predicate: x(size) })),
  relations("object_value", LIMITS.relationObjectBytes, (size) => ({ objectValue: x(size) })),
  relations("entity", LIMITS.entityNameBytes, (size) => ({ entity: x(size) })),
  relations("max_hops", LIMITS.relationHops, (maxHops) => ({ maxHops })),
  relations("keywords", LIMITS.relationKeywords, (size) => ({ keywords: words(size) })),
  relations("keywords[0]", LIMITS.relationKeywordBytes, (size) => ({ keywords: [x(size)] })),
  relations("page_token", LIMITS.pageTokenBytes, (size) => ({ pageToken: "x".repeat(size) })),
  sessionId("consolidateSession", {}),
  requestId("consolidateSession", { sessionId: "none" }),
  sessionId("extractMemories", {}),
  limitRow("extractMemories", "text", LIMITS.extractTextBytes, (size) => ({
    ...TEXT,
    text: x(size),
  })),
  limitRow("extractMemories", "scope.user_id", LIMITS.userIdBytes, (size) => ({
    ...{ ...TEXT, scope: memoryScope({ userId: x(size) }) },
  })),
  limitRow("extractMemories", "scope.agent_id", LIMITS.agentIdBytes, (size) => ({
    ...{ ...TEXT, scope: memoryScope({ agentId: x(size) }) },
  })),
  limitRow("extractMemories", "scope.session_id", LIMITS.sessionIdBytes, (size) => ({
    ...{ ...TEXT, scope: memoryScope({ sessionId: x(size) }) },
  })),
  limitRow("extractMemories", "extraction.hook", LIMITS.hookNameChars, (size) => ({
    ...TEXT,
    extraction: extraction({ hook: x(size) }),
  })),
  limitRow("extractMemories", "extraction.targets", LIMITS.extractionTargets, (size) => ({
    ...TEXT,
    extraction: extraction({ targets: times(size, () => 1) }),
  })),
  limitRow(
    "extractMemories",
    "extraction.instructions",
    LIMITS.extractionInstructionsBytes,
    (size) => ({ ...TEXT, extraction: extraction({ hook: "hook", instructions: x(size) }) }),
  ),
  requestId("extractMemories", TEXT),
  limitRow("extractMemories", "importance_rules", LIMITS.importanceRules, (size) => ({
    ...TEXT,
    importanceRules: times(size, () => rule),
  })),
  scored("[0].name", LIMITS.importanceRuleNameBytes, (size) => ({ name: x(size) })),
  scored("[0].phrases", LIMITS.importancePhrases, (size) => ({ phrases: words(size) })),
  scored("[0].phrases[0]", LIMITS.importancePhraseBytes, (size) => ({ phrases: [x(size)] })),
  scored("[0].score", 1, (score) => ({ score })),
  kept("promotion.importance_threshold", 1, (importanceThreshold) => ({
    promotion: promotion({ importanceThreshold }),
  })),
  kept("promotion.importance_rules", LIMITS.importanceRules, (size) => ({
    promotion: promotion({ importanceRules: times(size, () => rule) }),
  })),
  kept("promotion.score_hook", LIMITS.hookNameChars, (size) => ({
    promotion: promotion({ scoreHook: x(size) }),
  })),
  kept("long_term_limit", LIMITS.scopeMemories, (longTermLimit) => ({ longTermLimit })),
  kept("entity_limit", LIMITS.scopeMemories, (entityLimit) => ({ entityLimit })),
  kept("relation_limit", LIMITS.scopeMemories, (relationLimit) => ({ relationLimit })),
  kept("episodes.retention", LIMITS.episodeDays * DAY_MS, (ms) => ({
    episodes: {
      retention: { seconds: BigInt(Math.floor(ms / 1_000)), nanos: (ms % 1_000) * 1_000_000 },
    },
  })),
];

describe("limits of searches, turns and policies", () => {
  test.each(ROWS)("hold for $field of $method", async (entry) => {
    await expectLimit(server, entry);
  });
});

interface Refused<M extends UnaryName = UnaryName> {
  readonly method: M;
  readonly fields: readonly string[];
  readonly request: Partial<RequestOf<M>>;
}

function refused<M extends UnaryName>(
  method: M,
  fields: readonly string[],
  request: Partial<RequestOf<M>>,
): Refused {
  return { method, fields, request } as unknown as Refused;
}

const REFUSED: readonly Refused[] = [
  refused("queryRelations", ["filter.kinds"], { filter: memoryFilter({ kinds: [5] }) }),
  refused("queryRelations", ["entity"], { entity: "a", subject: "b" }),
  refused("queryRelations", ["entity"], { entity: "a", objectValue: "b" }),
  refused("queryRelations", ["max_hops"], { maxHops: -1 }),
  refused("queryRelations", ["keywords[1]"], { keywords: ["a", ""] }),
  refused("queryRelations", ["page_size"], { pageSize: -1 }),
  refused("consolidateSession", ["session_id"], {}),
  refused("extractMemories", ["session_id"], {}),
  refused("extractMemories", ["text"], { sessionId: "s", text: "x" }),
  refused("extractMemories", ["first_seq", "last_seq"], { text: "x", firstSeq: 1n, lastSeq: 2n }),
  refused("extractMemories", ["last_seq"], { sessionId: "s", firstSeq: 3n, lastSeq: 2n }),
  refused("extractMemories", ["first_seq"], { sessionId: "s", firstSeq: -1n }),
  refused("extractMemories", ["scope"], {
    ...{ sessionId: "s", scope: memoryScope({ userId: "u", agentId: "a" }) },
  }),
  refused("extractMemories", ["extraction.on"], {
    ...TEXT,
    extraction: extraction({ on: 3 as never }),
  }),
  refused("extractMemories", ["extraction.targets[0]"], {
    ...TEXT,
    extraction: extraction({ targets: [0] }),
  }),
  refused("extractMemories", ["importance_rules"], {
    ...{ ...TEXT, preview: false, importanceRules: [rule] },
  }),
  refused("extractMemories", ["importance_rules[0].name"], {
    ...TEXT,
    importanceRules: [{ ...rule, name: "" }],
  }),
  refused("extractMemories", ["importance_rules[0].phrases"], {
    ...TEXT,
    importanceRules: [{ ...rule, phrases: [] }],
  }),
  refused("extractMemories", ["importance_rules[0].phrases[0]"], {
    ...TEXT,
    importanceRules: [{ ...rule, phrases: ["a?"] }],
  }),
  refused("extractMemories", ["importance_rules"], {
    ...TEXT,
    importanceRules: times(6, () => ({ ...rule, phrases: times(64, () => x(200)) })),
  }),
  refused("extractMemories", ["importance_rules[0].score"], {
    ...TEXT,
    importanceRules: [{ ...rule, score: Number.NaN }],
  }),
  refused("createSession", ["session.memory_policy.long_term_limit"], {
    session: session({ memoryPolicy: memoryPolicy({ longTermLimit: 0 }) }),
  }),
];

describe("what is wrong with a request", () => {
  test.each(REFUSED)("is told by $fields of $method", async ({ method, fields, request }) => {
    const outcome = await server.client.raw(method, requestBytes(method, request));
    if (!("failure" in outcome)) throw new Error(`${method} was taken`);
    expect(outcome.failure).toMatchObject({ reason: "REQUEST_INVALID", fields });
  });
});
