// Goal: every limit holds exactly. Each row names a limit, the field that a request breaks it with,
// and how to make a request of a size: one below and at the limit it is taken, one above refused.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  ErasureSubject,
  MessagesSubject,
} from "../../src/gen/memorysidecar/v1/admin_service.ts";
import {
  type ContentPart,
  type Message,
  type Reasoning,
  Role,
  type ToolResult,
} from "../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { expectLimit, type LimitRow, limitRow, times, x } from "../support/contract/limits.ts";
import {
  deepStruct,
  dropOldest,
  keepStage,
  message,
  policy,
  protections,
  session,
  sessionSummary,
  structOfSize,
  toolCall,
  written,
} from "../support/contract/samples.ts";

let server: TestServer;
let unique = 0;

beforeAll(async () => {
  server = await startContractServer();
  await server.client.call("appendMessages", {
    sessionId: "s",
    createSession: true,
    messages: [message({ messageId: "m", text: "one" })],
  });
});

afterAll(() => server[Symbol.asyncDispose]());

const fresh = (size: number): string => String(unique++).padStart(size, "x").slice(0, size);
const bytes = (size: number): Buffer => Buffer.alloc(size, 0x78);
const append = (
  field: string,
  max: number,
  make: (size: number) => Parameters<typeof message>[0],
) =>
  limitRow("appendMessages", `messages[0].${field}`, max, (size) => ({
    sessionId: "s",
    messages: [message(make(size))],
  }));
const create = (
  field: string,
  max: number,
  make: (size: number) => Parameters<typeof session>[0],
) =>
  limitRow("createSession", `session.${field}`, max, (size) => ({ session: session(make(size)) }));
const windowPolicy = (
  field: string,
  max: number,
  make: (size: number) => Parameters<typeof policy>[0],
) =>
  limitRow("getWindow", `policy.policy.${field}`, max, (size) => ({
    sessionId: "s",
    policy: written(policy(make(size))),
  }));
const labels = (count: number) => new Map(times(count, (index) => [`key-${index}`, "v"] as const));
const erasedUser = (value: string): ErasureSubject => ({ subject: { $case: "userId", value } });
const erasedMessages = (value: MessagesSubject): ErasureSubject => ({
  subject: { $case: "messages", value },
});
const assistant = Role.ASSISTANT;

const ROWS: readonly LimitRow[] = [
  limitRow("eraseSubject", "subject.user_id", LIMITS.userIdBytes, (size) => ({
    ...{ subject: erasedUser(x(size)), dryRun: true },
  })),
  limitRow("eraseSubject", "subject.messages.message_ids", LIMITS.erasedMessages, (size) => {
    const messageIds = times(size, (index) => `x${index}`);
    return { subject: erasedMessages({ sessionId: "s", messageIds }), dryRun: true };
  }),
  limitRow("createSession", "namespace", LIMITS.namespaceChars, (size) => ({
    namespace: `a${x(size - 1)}`,
  })),
  limitRow("createSession", "request_id", LIMITS.requestIdBytes, (size) => ({
    requestId: fresh(size),
  })),
  create("session_id", LIMITS.sessionIdBytes, (size) => ({ sessionId: fresh(size) })),
  create("user_id", LIMITS.userIdBytes, (size) => ({ userId: x(size) })),
  create("agent_id", LIMITS.agentIdBytes, (size) => ({ agentId: x(size) })),
  create("labels", LIMITS.labels, (size) => ({ labels: labels(size) })),
  create('labels["k"]', LIMITS.labelValueBytes, (size) => ({ labels: new Map([["k", x(size)]]) })),
  create("metadata", LIMITS.metadataBytes, (size) => ({ metadata: structOfSize(size) })),
  create("metadata", LIMITS.structDepth, (size) => ({ metadata: deepStruct(size) })),
  create("summary.text", LIMITS.summaryBytes, (size) => ({
    summary: sessionSummary({ text: x(size) }),
  })),
  limitRow("getSession", "session_id", LIMITS.sessionIdBytes, (size) => ({ sessionId: x(size) })),
  limitRow("listSessions", "filter.labels", LIMITS.labels, (size) => ({
    filter: {
      userId: undefined,
      agentId: undefined,
      labels: labels(size),
      createTimeFrom: undefined,
      createTimeBefore: undefined,
      updateTimeFrom: undefined,
      updateTimeBefore: undefined,
      metadata: [],
    },
  })),
  limitRow("updateSession", "update_mask.paths", LIMITS.updateMaskPaths, (size) => ({
    session: session({ sessionId: "s", userId: "u" }),
    updateMask: times(size, () => "user_id"),
  })),
  limitRow("appendMessages", "messages", LIMITS.appendMessages, (size) => ({
    sessionId: "s",
    messages: times(size, () => message()),
  })),
  append("message_id", LIMITS.messageIdBytes, (size) => ({ messageId: fresh(size) })),
  append("name", LIMITS.nameBytes, (size) => ({ name: x(size) })),
  append("parts", LIMITS.parts, (size) => ({
    parts: times(size, () => ({ part: { $case: "text" as const, value: "" } })),
  })),
  append("parts[0].data", LIMITS.structuredDataBytes, (size) => ({
    parts: [{ part: { $case: "data", value: structOfSize(size) } }],
  })),
  append("parts[0].json", LIMITS.structuredDataBytes, (size) => ({
    parts: [{ part: { $case: "json", value: Buffer.from(`"${x(size - 2)}"`) } }],
  })),
  append("parts[0].json", LIMITS.structDepth, (size) => ({
    parts: [{ part: { $case: "json", value: deepJson(size) } }],
  })),
  append("parts", LIMITS.toolCalls, (size) => ({
    role: Role.ASSISTANT,
    parts: times(size, (index) => ({
      part: { $case: "toolCall", value: { toolCallId: `c${index}`, name: "n", arguments: "" } },
    })),
  })),
  append("parts[0].tool_call.tool_call_id", LIMITS.callIdBytes, (size) => ({
    role: Role.ASSISTANT,
    parts: [
      { part: { $case: "toolCall", value: { toolCallId: x(size), name: "n", arguments: "" } } },
    ],
  })),
  append("parts[0].reasoning.summaries", LIMITS.reasoningSummaries, (size) => ({
    ...thinking({ summaries: times(size, () => "") }),
  })),
  append("parts[0].reasoning.signature", LIMITS.reasoningSignatureBytes, (size) => ({
    ...thinking({ signature: x(size) }),
  })),
  append("parts[0].reasoning.reasoning_id", LIMITS.reasoningIdBytes, (size) => ({
    ...thinking({ reasoningId: x(size) }),
  })),
  append("provider_role", LIMITS.providerRoleBytes, (size) => ({ providerRole: x(size) })),
  append("structured_json", LIMITS.structuredDataBytes, (size) => ({
    structuredJson: Buffer.from(`"${x(size - 2)}"`),
  })),
  append("structured_json", LIMITS.structDepth, (size) => ({ structuredJson: deepJson(size) })),
  append("parts[0].image.url", LIMITS.imageUrlBytes, (size) => ({
    parts: [image({ source: { $case: "url", value: x(size) } })],
  })),
  append("parts[0].image.media_type", LIMITS.mediaTypeBytes, (size) => ({
    parts: [image({ mediaType: x(size) })],
  })),
  append("parts[0].image.detail", LIMITS.imageDetailBytes, (size) => ({
    parts: [image({ detail: x(size) })],
  })),
  append("tool_calls", LIMITS.toolCalls, (size) => ({
    role: assistant,
    toolCalls: times(size, (index) => toolCall(`c${index}`)),
  })),
  append("tool_calls[0].tool_call_id", LIMITS.callIdBytes, (size) => ({
    role: assistant,
    toolCalls: [toolCall(x(size))],
  })),
  append("tool_calls[0].name", LIMITS.nameBytes, (size) => ({
    role: assistant,
    toolCalls: [toolCall("c", x(size))],
  })),
  append("agent_calls", LIMITS.agentCalls, (size) => ({
    role: assistant,
    agentCalls: times(size, () => ({ agentCallId: "", agentName: "a", request: "" })),
  })),
  append("agent_calls[0].agent_call_id", LIMITS.callIdBytes, (size) => ({
    role: assistant,
    agentCalls: [{ agentCallId: x(size), agentName: "a", request: "" }],
  })),
  append("agent_calls[0].agent_name", LIMITS.nameBytes, (size) => ({
    role: assistant,
    agentCalls: [{ agentCallId: "", agentName: x(size), request: "" }],
  })),
  append("tool_call_id", LIMITS.callIdBytes, (size) => ({ role: Role.TOOL, toolCallId: x(size) })),
  append("parts[0].tool_result.tool_call_id", LIMITS.callIdBytes, (size) => ({
    parts: [toolResult({ toolCallId: x(size) })],
  })),
  append("parts[0].tool_result.parts", LIMITS.toolResultParts, (size) => ({
    parts: [toolResult({ parts: times(size, () => ({ part: { $case: "text", value: "" } })) })],
  })),
  append("structured_data", LIMITS.structuredDataBytes, (size) => ({
    structuredData: structOfSize(size),
  })),
  append("structured_data", LIMITS.structDepth, (size) => ({ structuredData: deepStruct(size) })),
  append("metadata", LIMITS.metadataBytes, (size) => ({ metadata: structOfSize(size) })),
  append("provider_payload.provider", LIMITS.providerBytes, (size) => ({
    providerPayload: { provider: x(size), mediaType: "", data: bytes(0) },
  })),
  append("provider_payload.media_type", LIMITS.mediaTypeBytes, (size) => ({
    providerPayload: { provider: "p", mediaType: x(size), data: bytes(0) },
  })),
  append("provider_payload.data", LIMITS.providerPayloadBytes, (size) => ({
    providerPayload: { provider: "p", mediaType: "", data: bytes(size) },
  })),
  append("labels", LIMITS.labels, (size) => ({ labels: labels(size) })),
  append('labels["k"]', LIMITS.labelValueBytes, (size) => ({ labels: new Map([["k", x(size)]]) })),
  append("token_count", LIMITS.tokenCount, (size) => ({ tokenCount: size })),
  limitRow("getMessage", "message_id", LIMITS.messageIdBytes, (size) => ({
    sessionId: "s",
    messageId: x(size),
  })),
  limitRow("listMessages", "filter.roles", LIMITS.filterRoles, (size) => ({
    sessionId: "s",
    filter: {
      roles: times(size, () => Role.USER),
      firstSeq: 0n,
      lastSeq: 0n,
      labels: new Map(),
      metadata: [],
      names: [],
      calledTools: [],
      messageIds: [],
      timeFrom: undefined,
      timeBefore: undefined,
    },
  })),
  limitRow("listMessages", "page_token", LIMITS.pageTokenBytes, (size) => ({
    sessionId: "s",
    pageToken: x(size),
  })),
  limitRow("listEvents", "filter.event_types", LIMITS.filterTypes, (size) => ({
    filter: {
      sessionId: undefined,
      userId: undefined,
      sessionIds: [],
      sessionIdPrefixes: [],
      eventTypes: times(size, () => 1 as const),
    },
  })),
  limitRow("listEvents", "resume_token", LIMITS.resumeTokenBytes, (size) => ({
    start: { $case: "resumeToken", value: x(size) } as const,
  })),
  limitRow("createConsumer", "consumer_id", LIMITS.consumerIdBytes, (size) => ({
    consumerId: fresh(size),
  })),
  windowPolicy("stages", LIMITS.policyStages, (size) => ({
    stages: times(size, (index) => keepStage({ name: `s${index}` })),
  })),
  windowPolicy("stages[0].name", LIMITS.stageNameChars, (size) => ({
    stages: [keepStage({ name: x(size) })],
  })),
  windowPolicy("stages[0].any_of", LIMITS.policyTriggers, (size) => ({
    stages: [
      keepStage({
        anyOf: times(size, () => ({ condition: { $case: "messageCountOver", value: 1 } })),
      }),
    ],
  })),
  windowPolicy("image_token_count", LIMITS.imageTokenCount, (size) => ({ imageTokenCount: size })),
  windowPolicy("protections.pin_first", LIMITS.windowMessages, (size) => ({
    protections: protections({ pinFirst: size }),
  })),
  windowPolicy("protections.min_messages", LIMITS.windowMessages, (size) => ({
    protections: protections({ minMessages: size }),
  })),
  windowPolicy("stages[0].drop_oldest.max_messages", LIMITS.windowMessages, (size) => ({
    stages: [
      keepStage({ select: { $case: "dropOldest", value: dropOldest({ maxMessages: size }) } }),
    ],
  })),
  windowPolicy("stages[0].drop_oldest.max_tokens", LIMITS.policyTokens, (size) => ({
    stages: [
      keepStage({
        select: { $case: "dropOldest", value: dropOldest({ maxTokens: BigInt(size) }) },
      }),
    ],
  })),
  windowPolicy("stages[0].keep_last.unit_count", LIMITS.windowMessages, (size) => ({
    stages: [keepStage({ select: { $case: "keepLast", value: { unitCount: size } } })],
  })),
  windowPolicy("stages[0].any_of[0].message_count_over", LIMITS.windowMessages, (size) => ({
    stages: [keepStage({ anyOf: [{ condition: { $case: "messageCountOver", value: size } }] })],
  })),
  windowPolicy("stages[0].any_of[0].token_count_over", LIMITS.policyTokens, (size) => ({
    stages: [
      keepStage({ anyOf: [{ condition: { $case: "tokenCountOver", value: BigInt(size) } }] }),
    ],
  })),
];

function deepJson(levels: number): Buffer {
  return Buffer.from("[".repeat(levels) + "]".repeat(levels));
}

function thinking(fields: Partial<Reasoning>): Partial<Message> {
  const nothing = { text: "", summaries: [], signature: "", reasoningId: "", redacted: false };
  const value = { ...nothing, ...fields };
  return { role: Role.ASSISTANT, parts: [{ part: { $case: "reasoning", value } }] };
}

function toolResult(fields: Partial<ToolResult>): ContentPart {
  const value = { toolCallId: "c", text: "", parts: [], error: false, ...fields };
  return { part: { $case: "toolResult", value } };
}

function image(fields: object) {
  const value = {
    source: { $case: "url" as const, value: "u" },
    mediaType: "",
    detail: "",
    ...fields,
  };
  return { part: { $case: "image" as const, value } };
}

describe("a limit", () => {
  test.each(ROWS)("of $max holds for $method $field", async (entry) => {
    await expectLimit(server, entry);
  });

  test("of 1,048,576 bytes holds for a message as it is stored", async () => {
    // The fields that the server adds take 60 to 110 bytes: times and numbers differ in length.
    const append = (length: number) => ({
      namespace: "large",
      sessionId: "s",
      createSession: true,
      messages: [message({ text: x(length) })],
    });
    await server.client.call("appendMessages", append(LIMITS.messageBytes - 110));
    const failure = await server.client.fail("appendMessages", append(LIMITS.messageBytes - 60));
    expect(failure).toMatchObject({ reason: "REQUEST_INVALID", fields: ["messages[0]"] });
    const ref = { namespace: "large", sessionId: "s" };
    const { messages } = await server.client.call("getWindow", ref);
    expect(messages).toHaveLength(1);
    const stored = await server.store.readWindow(ref);
    const size = stored?.window[0]?.byteCount ?? 0;
    expect(size).toBeGreaterThan(LIMITS.messageBytes - 51);
    expect(size).toBeLessThanOrEqual(LIMITS.messageBytes);
  });

  test("lets the bytes of a text count, not its characters", async () => {
    const text = "é".repeat(LIMITS.userIdBytes / 2);
    await server.client.call("createSession", { session: session({ userId: text }) });
    const failure = await server.client.fail("createSession", {
      session: session({ userId: `${text}e` }),
    });
    expect(failure.fields).toEqual(["session.user_id"]);
  });
});
