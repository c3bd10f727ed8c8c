// Goal: every limit of the rpcs about windows, previews and search holds exactly: at the limit a
// request passes the checks of its shape, above it is refused with the field and the limit.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  type RequestOf,
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import { message, policy, written } from "../support/contract/samples.ts";
import { revisionOf } from "../support/store/revisions.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
  await server.client.call("appendMessages", {
    sessionId: "s",
    createSession: true,
    messages: [message({ messageId: "m", text: "one" })],
  });
});

afterAll(() => server[Symbol.asyncDispose]());

interface Row {
  readonly method: UnaryName;
  readonly field: string;
  readonly max: number;
  readonly make: (size: number) => object;
}

function row<M extends UnaryName>(
  method: M,
  field: string,
  max: number,
  make: (size: number) => Partial<RequestOf<M>>,
): Row {
  return { method, field, max, make: (size) => ({ sessionId: "s", ...make(size) }) };
}

const x = (size: number): string => "x".repeat(size);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const choice = { $case: "keepRecent", value: 1 } as const;
const target = { $case: "maxMessages", value: 10 } as const;

const ROWS: readonly Row[] = [
  row("trimSession", "max_tokens", LIMITS.policyTokens, (size) => ({
    target: { $case: "maxTokens", value: BigInt(size) } as const,
  })),
  row("trimSession", "max_messages", LIMITS.windowMessages, (size) => ({
    target: { $case: "maxMessages", value: size } as const,
  })),
  row("trimSession", "keep_recent", LIMITS.windowMessages, (size) => ({
    target: { $case: "keepRecent", value: size } as const,
  })),
  row("trimSession", "session_id", LIMITS.sessionIdBytes, (size) => ({
    sessionId: x(size),
    target,
  })),
  row("trimSession", "request_id", LIMITS.requestIdBytes, (size) => ({
    requestId: x(size),
    target,
  })),
  row("restoreMessages", "message_ids", LIMITS.restoreMessages, (size) => ({
    messageIds: times(size, (index) => `m${index}`),
  })),
  row("restoreMessages", "message_ids[0]", LIMITS.messageIdBytes, (size) => ({
    messageIds: [x(size)],
  })),
  row("restoreMessages", "seq_ranges", LIMITS.restoreRanges, (size) => ({
    seqRanges: times(size, () => ({ firstSeq: 1n, lastSeq: 1n })),
  })),
  row("restoreMessages", "request_id", LIMITS.requestIdBytes, (size) => ({
    messageIds: ["m"],
    requestId: x(size),
  })),
  row("listSummaryInputs", "keep_recent", LIMITS.windowMessages, (size) => ({
    choice: { $case: "keepRecent", value: size } as const,
  })),
  row("listSummaryInputs", "session_id", LIMITS.sessionIdBytes, (size) => ({
    sessionId: x(size),
    choice,
  })),
  row("setSummary", "text", LIMITS.summaryBytes, (size) => ({ text: x(size) })),
  row("setSummary", "replaced_message_ids", LIMITS.replacedMessages, (size) => ({
    text: "t",
    replacedMessageIds: times(size, (index) => `m${index}`),
  })),
  row("setSummary", "replaced_message_ids[0]", LIMITS.messageIdBytes, (size) => ({
    text: "t",
    replacedMessageIds: [x(size)],
  })),
  row("setSummary", "request_id", LIMITS.requestIdBytes, (size) => ({
    text: "t",
    requestId: x(size),
  })),
  row("fillToolResults", "text", LIMITS.fillTextBytes, (size) => ({ text: x(size) })),
  row("fillToolResults", "request_id", LIMITS.requestIdBytes, (size) => ({ requestId: x(size) })),
  row("previewPolicy", "policies", LIMITS.previewPolicies, (size) => ({
    policies: times(size, () => written(policy())),
  })),
  row("previewPolicy", "tool_outcomes", LIMITS.toolOutcomes, (size) => ({
    toolOutcomes: times(size, () => ({ tool: "t", error: false })),
  })),
  row("previewPolicy", "tool_outcomes[0].tool", LIMITS.nameBytes, (size) => ({
    toolOutcomes: [{ tool: x(size), error: false }],
  })),
  row("previewPolicy", "model_input_tokens", LIMITS.policyTokens, (size) => ({
    modelInputTokens: BigInt(size),
  })),
];

describe("a limit", () => {
  test.each(ROWS)("of $max holds for $method $field", async ({ method, field, max, make }) => {
    for (const size of [max - 1, max]) {
      const outcome = await server.client.raw(method, requestBytes(method, make(size)));
      const reason = "failure" in outcome ? outcome.failure.reason : "";
      expect(reason, String(size)).not.toBe("REQUEST_INVALID");
    }
    const before = await revisionOf(server.store);
    const failure = await server.client.fail(method, make(max + 1));
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(failure.fields[0]).toBe(field);
    expect(failure.metadata).toMatchObject({ field, limit: String(max) });
    expect(await revisionOf(server.store)).toBe(before);
  });
});
