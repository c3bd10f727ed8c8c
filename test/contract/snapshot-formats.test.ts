// ExportSession and ImportSession in the formats of other systems: what comes back, what a window
// becomes, and what is refused.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Struct } from "../../src/gen/google/protobuf/struct.ts";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  message,
  policy,
  session,
  sessionSummary,
  structOfSize,
  toolCall,
} from "../support/contract/samples.ts";
import {
  bringSnapshot,
  comparable,
  exportChunks,
  failImport,
  importChunk,
  takeSnapshot,
} from "../support/contract/snapshots.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const fresh = () => `document-${count++}`;
const summary = (fields: object) => ({ role: "summary", content: "so far", ...fields });
const metadataWith = (value: object) =>
  Buffer.from(Struct.encode(Struct.wrap({ ...value })).finish());
const bytesOf = (document: unknown) => Buffer.from(JSON.stringify(document));

async function load(format: string, document: unknown, fields = {}): Promise<string> {
  const sessionId = fresh();
  await importChunk(server.client, {
    sessionId,
    format,
    document: bytesOf(document),
    ...fields,
  });
  return sessionId;
}

async function save(format: string, sessionId: string): Promise<unknown> {
  const chunks = await exportChunks(server.client, { sessionId, format });
  const pieces = chunks.map(({ document }) => document);
  return JSON.parse(Buffer.concat(pieces).toString());
}

async function windowOf(sessionId: string) {
  return await server.client.call("getWindow", { sessionId });
}

async function refused(format: string, document: unknown) {
  return await failImport(server.client, {
    sessionId: fresh(),
    format,
    document: bytesOf(document),
  });
}

const SELECTOOLS = "selectools";
const LAUREN = "lauren";
const DEFINABLE = "definable";
const MARSYS = "marsys";

const SELECTOOLS_MESSAGES = [
  {
    role: "system",
    content: "Be brief.",
    image_path: null,
    image_base64: null,
    tool_name: null,
    tool_result: null,
    tool_calls: null,
    tool_call_id: null,
    content_parts: null,
  },
  { role: "user", content: "hi", image_base64: "aGFsbG8=", custom: { deep: [1, null, "x"] } },
  {
    role: "assistant",
    content: "",
    tool_calls: [
      { name: "search", parameters: { q: "x" }, id: "c1", thought_signature: "abc" },
      { name: "look", parameters: {}, id: null },
    ],
  },
  { role: "tool", content: "found", tool_name: "search", tool_result: "found", tool_call_id: "c1" },
  {
    role: "user",
    content: "",
    content_parts: [
      { type: "text", text: "what" },
      { type: "image_url", image_url: "https://example.com/a.png" },
      { type: "image_base64", image_base64: "aGFsbG8=", media_type: "image/png" },
      { type: "sound", data: 1 },
    ],
  },
];

const LAUREN_MESSAGES = [
  { role: "user", content: "hello" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "I look." },
      { type: "tool_use", id: "t1", name: "f", input: { q: "x" } },
      { type: "tool_use", id: "t2", name: "g", input: {} },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "t1", content: "ok", is_error: false },
      { type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "no" }] },
    ],
  },
  { role: "assistant", content: "text", tool_calls: [{ id: "t3", name: "f", arguments: "{}" }] },
  {
    role: "user",
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGFsbG8=" } },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "image", source: "x" },
      { type: "text", text: "see" },
    ],
    cache_control: { type: "ephemeral" },
  },
  { role: "assistant", content: [{ type: "text", text: "one part" }] },
];

const DEFINABLE_ENTRIES = [
  {
    session_id: "s",
    memory_id: "e1",
    user_id: "u",
    role: "user",
    content: "first",
    message_data: null,
    created_at: 1_700_000_000.25,
    updated_at: 1_700_000_000.25,
  },
  {
    session_id: "s",
    memory_id: "e2",
    user_id: "u",
    role: "assistant",
    content: "",
    message_data: {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    created_at: 1_700_000_001,
    updated_at: 1_700_000_005,
  },
  {
    session_id: "s",
    memory_id: "e3",
    user_id: "u",
    role: "tool",
    content: "result",
    message_data: { role: "tool", content: "result", tool_call_id: "c", extra: true },
    created_at: 1_700_000_002,
    updated_at: 1_700_000_002,
  },
  {
    session_id: "s",
    memory_id: "e4",
    user_id: "u",
    role: "summary",
    content: "What was.",
    message_data: null,
    created_at: 1_700_000_003,
    updated_at: 1_700_000_003,
  },
  {
    session_id: "s",
    memory_id: "e5",
    user_id: "u",
    role: "user",
    content: "last",
    message_data: null,
    created_at: 1_700_000_004.123456,
    updated_at: 1_700_000_004.123456,
  },
];

const MARSYS_MESSAGES = [
  { role: "system", content: "Be brief.", message_id: "m0" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
    reasoning_details: [{ type: "reasoning.text", text: "x".repeat(20_000) }],
  },
  { role: "tool", content: "r", tool_call_id: "c1", name: "f" },
  { role: "assistant", content: { thought: "t", next_action: "final_response" } },
  {
    role: "user",
    content: [
      { type: "text", text: "see" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGFsbG8=", detail: "low" } },
    ],
  },
  { role: "user", content: "pictures", images: ["a.png", "https://example.com/b.png"] },
  { role: "assistant", content: "go", agent_calls: [{ agent_name: "a", request: { x: 1 } }] },
  { role: "user", content: "", structured_data: { a: [1, 2] }, odd: null },
];

describe("a document comes back as it was", () => {
  test("of selectools", async () => {
    const document = {
      max_messages: 30,
      max_tokens: 900,
      message_count: 5,
      messages: SELECTOOLS_MESSAGES,
      summary: "S",
      version: 2,
    };
    const sessionId = await load(SELECTOOLS, document);
    expect(await save(SELECTOOLS, sessionId)).toEqual(document);
  });

  test("of lauren-ai, also after a native snapshot", async () => {
    const document = { messages: LAUREN_MESSAGES, summary: null, tool_exchange: { open: [] } };
    const sessionId = await load(LAUREN, document);
    expect(await save(LAUREN, sessionId)).toEqual(document);
    const [chunk] = await exportChunks(server.client, { sessionId });
    const copy = fresh();
    await server.client.call("importSession", { sessionId: copy, chunk });
    expect(await save(LAUREN, copy)).toEqual(document);
  });

  test("of definable", async () => {
    const sessionId = await load(DEFINABLE, DEFINABLE_ENTRIES);
    expect(await save(DEFINABLE, sessionId)).toEqual(DEFINABLE_ENTRIES);
    const { window, session: made } = await windowed(sessionId);
    expect(made?.userId).toBe("u");
    expect(made?.placedSummaries.map(({ text }) => text)).toEqual(["What was."]);
    expect(window.map(({ text }) => text)).toEqual(["first", "", "result", "What was.", "last"]);
  });

  test("of definable, as an object", async () => {
    const document = { entries: DEFINABLE_ENTRIES.slice(0, 1), version: 1 };
    expect(await save(DEFINABLE, await load(DEFINABLE, document))).toEqual(document);
  });

  test("of MARSYS", async () => {
    const document = {
      memory_type: "managed_conversation",
      messages: MARSYS_MESSAGES,
      timestamp: 5,
      additional_state: JSON.parse('{"plan": 1, "__proto__": {"a": 1}}') as object,
    };
    const sessionId = await load(MARSYS, document);
    const saved = await save(MARSYS, sessionId);
    expect(saved).toEqual({ ...document, timestamp: expect.any(Number) });
  });
});

describe("a document of another session", () => {
  /** A session of ours with something of everything. */
  async function ours(): Promise<string> {
    const sessionId = fresh();
    const before = sessionSummary({ text: "before" });
    const fields = { sessionId, summary: before, metadata: structOfSize(30) };
    await server.client.call("createSession", { session: session(fields) });
    const data = { $case: "data", value: structOfSize(40) } as const;
    const messages = [
      message({ role: Role.SYSTEM, text: "Be brief." }),
      message({ messageId: "u", parts: [{ part: { $case: "text", value: "a" } }, { part: data }] }),
      message({ role: Role.ASSISTANT, toolCalls: [toolCall("c1")] }),
      message({ role: Role.TOOL, toolCallId: "c1", text: "r", toolError: true, name: "search" }),
      message({ role: Role.ASSISTANT, text: "done", providerPayload: payload("not json") }),
    ];
    await server.client.call("appendMessages", { sessionId, messages });
    return sessionId;
  }

  const payload = (text: string) => ({
    provider: "lauren",
    mediaType: "application/json",
    data: Buffer.from(text),
  });

  test("is written in every format", async () => {
    const sessionId = await ours();
    const selectools = (await save(SELECTOOLS, sessionId)) as Record<string, unknown>;
    expect(selectools).toMatchObject({ max_messages: 200, max_tokens: 8_000, summary: "before" });
    expect(selectools["message_count"]).toBe(5);
    expect((selectools["messages"] as unknown[])[2]).toMatchObject({
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c1", name: "search", parameters: {} }],
    });
    const lauren = (await save(LAUREN, sessionId)) as { messages: unknown[]; summary: string };
    expect(lauren.summary).toBe("before");
    expect(lauren.messages.slice(2)).toEqual([
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "search", input: {} }] },
      { role: "tool", content: "r", tool_call_id: "c1", name: "search", is_error: true },
      { role: "assistant", content: "done" },
    ]);
    const definable = (await save(DEFINABLE, sessionId)) as Record<string, unknown>[];
    expect(definable[1]).toMatchObject({
      session_id: sessionId,
      user_id: "default",
      memory_id: "u",
    });
    expect(definable[1]?.["content"]).toMatch(/^a\n\{"a":/);
    const marsys = (await save(MARSYS, sessionId)) as { messages: unknown[] };
    expect(marsys).toMatchObject({ memory_type: "managed_conversation" });
    const object = expect.stringMatching(/^\{"a":/) as string;
    expect(marsys.messages[1]).toMatchObject({
      content: [
        { type: "text", text: "a" },
        { type: "text", text: object },
      ],
    });
    expect(marsys.messages[2]).toMatchObject({
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "search", arguments: "{}" } }],
    });
    for (const format of [SELECTOOLS, LAUREN, DEFINABLE, MARSYS]) {
      const document = await save(format, sessionId);
      await expect(save(format, await load(format, document))).resolves.toBeTruthy();
    }
  });

  test("shows the window, with what stands in it and without what left it", async () => {
    const sessionId = await ours();
    await server.client.call("setSummary", {
      sessionId,
      text: "placed",
      replacedMessageIds: ["u"],
      placement: 2,
    });
    const entries = (await save(DEFINABLE, sessionId)) as { role: string; content: string }[];
    expect(entries.map(({ role, content }) => [role, content]).slice(0, 2)).toEqual([
      ["system", "Be brief."],
      ["summary", "placed"],
    ]);
  });

  test("forgets what was left over of a message that was changed", async () => {
    const content = [{ type: "text", text: "old" }];
    const messages = [
      { role: "assistant", content, custom: 1 },
      { role: "user", content: "x" },
    ];
    const sessionId = await load(LAUREN, { messages });
    const { messages: stored } = await windowOf(sessionId);
    const { messageId = "" } = stored[0] ?? {};
    server.advance(1_000);
    const changed = message({ messageId, text: "new" });
    const paths = ["text", "parts"];
    await server.client.call("updateMessage", { sessionId, message: changed, updateMask: paths });
    const { messages: after } = (await save(LAUREN, sessionId)) as { messages: unknown[] };
    expect(after).toEqual([{ role: "assistant", content: "new", custom: 1 }, messages[1]]);
  });
});

describe("what a document makes", () => {
  test("of selectools is a session with its limits, not run, and a safe head", async () => {
    const call = { name: "search", parameters: {}, id: "c1" };
    const messages = [
      { role: "tool", content: "ok", tool_call_id: "c0", tool_name: "search" },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: "ok", tool_call_id: "c1", tool_name: "search" },
      ...["a", "b", "c"].map((content) => ({ role: "user", content })),
    ];
    const sessionId = await load(SELECTOOLS, { max_messages: 2, messages });
    const { window, session: made } = await windowed(sessionId);
    expect(window.map(({ text }) => text)).toEqual(["a", "b", "c"]);
    expect([made?.logTotals?.messageCount, made?.summary]).toEqual([6n, undefined]);
    const { events } = await server.client.call("listEvents", {
      filter: {
        sessionId,
        userId: undefined,
        sessionIds: [],
        sessionIdPrefixes: [],
        eventTypes: [],
      },
    });
    expect(events.map(({ detail }) => detail?.$case)).toEqual(["sessionImported"]);
    await server.client.call("appendMessages", { sessionId, messages: [message({ text: "d" })] });
    expect((await windowOf(sessionId)).messages.map(({ text }) => text)).toEqual(["c", "d"]);
  });

  test("of the other systems keeps what it does not say of a session it replaces", async () => {
    const sessionId = fresh();
    const kept = { userId: "u", labels: new Map([["k", "v"]]), policy: policy({ name: "mine" }) };
    const metadata = metadataWith({ lauren: "old", mine: -0 });
    const before = sessionSummary({ text: "S" });
    await server.client.call("createSession", {
      session: session({ sessionId, summary: before, metadata, ...kept }),
    });
    const list = [{ role: "user", content: "t1" }];
    await importChunk(server.client, {
      sessionId,
      format: LAUREN,
      document: bytesOf(list),
      replace: true,
    });
    const { window, session: made } = await windowed(sessionId);
    expect(window.map(({ text }) => text)).toEqual(["t1"]);
    expect(made).toMatchObject({ userId: "u", labels: kept.labels, summary: undefined });
    expect(made?.effectivePolicy?.name).toBe("mine");
    expect(await save(LAUREN, sessionId)).toEqual({ messages: list, summary: null });
    expect(made?.metadata).toEqual(metadataWith({ mine: -0 }));
    await importChunk(server.client, {
      ...{ sessionId, format: LAUREN, replace: true },
      document: bytesOf({ messages: list }),
    });
    const { session: again } = await windowed(sessionId);
    const lauren = { absent: ["summary"] };
    expect(again?.metadata).toEqual(metadataWith({ mine: -0, lauren }));
  });

  test("of definable is in the order of time", async () => {
    const entries = [5, 3, 5, null].map((created_at, index) => ({
      role: "user",
      content: "xyzw"[index],
      created_at,
    }));
    const { window } = await windowed(await load(DEFINABLE, entries));
    expect(window.map(({ text }) => text)).toEqual(["w", "y", "x", "z"]);
    expect(window.map(({ sentTime }) => sentTime?.seconds)).toEqual([undefined, 3n, 5n, 5n]);
  });

  test("may come in chunks, and be large", { timeout: 30_000 }, async () => {
    const document = {
      messages: Array.from({ length: 5_000 }, (_, index) => ({
        role: "user",
        content: `n ${index}`,
      })),
      summary: null,
    };
    const whole = Buffer.concat([bytesOf(document), Buffer.alloc(3_000_000, 0x20)]);
    const sessionId = fresh();
    let uploadId = "";
    for (let at = 0, index = 0; at < whole.length; at += 1_000_000, index++) {
      const more = at + 1_000_000 < whole.length;
      const piece = { format: LAUREN, document: whole.subarray(at, at + 1_000_000), more };
      const fields = { sessionId, uploadId, chunkIndex: index, ...piece };
      ({ uploadId } = await importChunk(server.client, fields));
    }
    const { window } = await windowed(sessionId);
    expect(window.length).toBe(5_000);
    const { messages } = (await save(LAUREN, sessionId)) as { messages: unknown[] };
    expect(messages).toEqual(document.messages);
  });
});

describe("a document is refused", () => {
  test("in a format that the server does not know", async () => {
    const failure = await refused("Lauren", []);
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(failure.fields).toEqual(["format"]);
    const { failure: unknown } = await server.client.export({ sessionId: "s", format: "json" });
    expect(unknown).toMatchObject({ reason: "REQUEST_INVALID", fields: ["format"] });
  });

  const calls = (value: unknown) => ({ messages: [{ role: "assistant", tool_calls: value }] });
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  const faults: readonly [string, string, unknown][] = [
    ["document", SELECTOOLS, 5],
    ["document", LAUREN, "text"],
    ["document", LAUREN, deep(65)],
    ["max_messages", SELECTOOLS, { messages: [] }],
    ["max_messages", SELECTOOLS, { max_messages: 0, messages: [] }],
    ["max_tokens", SELECTOOLS, { max_messages: 3, max_tokens: "x", messages: [] }],
    ["messages", LAUREN, { messages: 5 }],
    ["messages[0]", LAUREN, { messages: [5] }],
    ["messages[0].role", LAUREN, { messages: [{ role: "robot" }] }],
    ["messages[0].role", LAUREN, { messages: [{ role: "__proto__" }] }],
    ["messages[0].content", LAUREN, { messages: [{ role: "user", content: 5 }] }],
    ["summary", LAUREN, { summary: 5 }],
    ["summary", LAUREN, { summary: "x".repeat(65_537) }],
    ["entries", DEFINABLE, { messages: [] }],
    ["entries[0].created_at", DEFINABLE, { entries: [{ role: "user", created_at: "x" }] }],
    ["[0].created_at", DEFINABLE, [{ role: "user", created_at: 1e300 }]],
    ["entries", DEFINABLE, ["x", "y"].map((content) => summary({ memory_id: "a", content }))],
    ["entries.memory_id", DEFINABLE, [summary({ memory_id: "a\tb" })]],
    ["memory_type", MARSYS, { memory_type: "nope", messages: [] }],
    ["additional_state", MARSYS, { messages: [], additional_state: [] }],
    ["additional_state", MARSYS, { messages: [], additional_state: { x: "x".repeat(17_000) } }],
    ["messages[0].images", MARSYS, { messages: [{ role: "user", images: "x" }] }],
    ["messages[0].tool_calls", MARSYS, calls({})],
    ["messages[0].tool_calls[0].id", MARSYS, calls([{ id: "" }])],
    ["messages[0].tool_calls[0].name", MARSYS, calls([{ id: "c" }])],
    [
      "messages[0].content.next_action",
      MARSYS,
      { messages: [{ role: "assistant", content: { next_action: "dance" } }] },
    ],
    [
      "messages[0].agent_calls[0].agent_name",
      MARSYS,
      { messages: [{ role: "assistant", agent_calls: [{ agent_name: "" }] }] },
    ],
    [
      "messages[0].agent_calls[0].request",
      MARSYS,
      { messages: [{ role: "assistant", agent_calls: [{ agent_name: "a" }] }] },
    ],
    [
      "messages[0].tool_calls[1].tool_call_id",
      MARSYS,
      calls(["c", "c"].map((id) => ({ id, name: "f", arguments: "{}" }))),
    ],
  ];

  test.each(faults)("with the path %s", async (field, format, document) => {
    const failure = await refused(format, document);
    expect([failure.code, failure.reason]).toEqual(["INVALID_ARGUMENT", "SNAPSHOT_INVALID"]);
    expect(failure.fields[0]).toBe(field);
  });

  test("when it is no JSON, or no text at all", async () => {
    for (const document of [Buffer.from("{"), Buffer.from([0xff]), Buffer.alloc(0)]) {
      const request = { sessionId: fresh(), format: LAUREN, document };
      const failure = await failImport(server.client, request);
      expect([failure.reason, failure.fields]).toEqual(["SNAPSHOT_INVALID", ["document"]]);
    }
  });

  test("when its window passes the ceiling", async () => {
    const messages = Array.from({ length: 10_001 }, () => ({ role: "user" }));
    expect((await refused(LAUREN, messages)).reason).toBe("WINDOW_FULL");
    const large = Array.from({ length: 4 }, () => ({ role: "user", content: "x".repeat(900_000) }));
    expect((await refused(LAUREN, large)).reason).toBe("WINDOW_FULL");
  });

  test("when all its pieces are too large", async () => {
    const piece = Buffer.alloc(4_000_000, 0x20);
    const first = { format: LAUREN, document: piece, more: true };
    const { uploadId } = await importChunk(server.client, first);
    for (let chunkIndex = 1; chunkIndex < 8; chunkIndex++) {
      await importChunk(server.client, {
        uploadId,
        chunkIndex,
        document: piece,
        more: true,
      });
    }
    const last = { uploadId, chunkIndex: 8, document: piece };
    expect(8 * piece.length).toBeLessThan(LIMITS.snapshotDocumentBytes);
    const failure = await failImport(server.client, last);
    expect([failure.reason, failure.fields]).toEqual(["REQUEST_INVALID", ["chunk.document"]]);
  });

  test("when it comes as a native snapshot, or the other way round", async () => {
    const document = bytesOf([]);
    const native = await failImport(server.client, { document });
    expect([native.reason, native.fields]).toEqual(["SNAPSHOT_INVALID", ["chunk.document"]]);
    const messages = [message({ text: "x" })];
    const foreign = await failImport(server.client, { format: LAUREN, messages });
    expect([foreign.reason, foreign.fields]).toEqual(["REQUEST_INVALID", ["chunk.messages"]]);
  });
});

test("a summary without a time goes through a native snapshot", async () => {
  const sessionId = await load(DEFINABLE, [summary({ memory_id: "a" })]);
  const snapshot = await takeSnapshot(server.client, sessionId);
  const copy = fresh();
  await bringSnapshot(server.client, snapshot, { sessionId: copy });
  expect(comparable(await takeSnapshot(server.client, copy))).toEqual(comparable(snapshot));
});

describe("a tool call without a name and an id", () => {
  const use = { type: "tool_use", input: { a: "1.0" } };
  const documents: readonly (readonly [string, unknown])[] = [
    [
      SELECTOOLS,
      {
        ...{ max_messages: 9, max_tokens: null, message_count: 2, summary: null },
        messages: [
          { role: "user", content: "x" },
          { role: "assistant", content: "", tool_calls: [{ parameters: {} }, { id: "call-0" }] },
        ],
      },
    ],
    [
      LAUREN,
      {
        messages: [{ role: "assistant", content: [{ type: "text", text: "I look." }, use, use] }],
      },
    ],
    [
      DEFINABLE,
      [{ role: "assistant", memory_id: "m", message_data: { tool_calls: [{ function: {} }] } }],
    ],
  ];

  test.each(documents)(
    "is taken from %s, and a native snapshot keeps it",
    async (format, document) => {
      const sessionId = await load(format, document);
      const { window } = await windowed(sessionId);
      const calls = window.at(-1)?.toolCalls ?? [];
      expect(calls.map(({ name }) => name)).toEqual(calls.map(() => ""));
      expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(calls.length);
      const copy = fresh();
      await bringSnapshot(server.client, await takeSnapshot(server.client, sessionId), {
        sessionId: copy,
      });
      expect(await save(format, copy)).toEqual(document);
    },
  );
});

test("text before calls in a document of lauren is the text of the message", async () => {
  const messages = [
    { ...message({ role: Role.ASSISTANT, text: "I look." }), toolCalls: [toolCall("c")] },
  ];
  const sessionId = fresh();
  await server.client.call("createSession", { session: session({ sessionId }) });
  await server.client.call("appendMessages", { sessionId, messages });
  const { window } = await windowed(await load(LAUREN, await save(LAUREN, sessionId)));
  expect(window.map(({ parts, text }) => ({ parts, text }))).toEqual([
    { parts: [], text: "I look." },
  ]);
});

test("a summary in a document of definable has the time of the first it stands for", async () => {
  const sessionId = fresh();
  const messages = ["a", "b", "c", "d"].map((text, index) =>
    message({ messageId: text, text, sentTime: { seconds: BigInt(100 + index), nanos: 5e8 } }),
  );
  await server.client.call("createSession", { session: session({ sessionId }) });
  await server.client.call("appendMessages", { sessionId, messages });
  await server.client.call("setSummary", {
    ...{ sessionId, text: "so far", replacedMessageIds: ["b", "c"], placement: 2 },
  });
  const entries = (await save(DEFINABLE, sessionId)) as Record<string, unknown>[];
  expect(entries.map(({ created_at: at }) => at)).toEqual([100.5, 101.5, 103.5]);
  const { window } = await windowed(await load(DEFINABLE, entries));
  expect(window.map(({ text }) => text)).toEqual(["a", "so far", "d"]);
});

test("messages that were said out of turn keep their order in a document of definable", async () => {
  const sessionId = fresh();
  const messages = [9n, 3n, 5n].map((seconds) =>
    message({ text: String(seconds), sentTime: { seconds, nanos: 0 } }),
  );
  await server.client.call("createSession", { session: session({ sessionId }) });
  await server.client.call("appendMessages", { sessionId, messages });
  const entries = (await save(DEFINABLE, sessionId)) as Record<string, unknown>[];
  expect(entries.map(({ created_at: at }) => at)).toEqual([9, 9, 9]);
  const { window } = await windowed(await load(DEFINABLE, entries));
  expect(window.map(({ text }) => text)).toEqual(["9", "3", "5"]);
});

test("text that is no Unicode is replaced in the session, and comes back", async () => {
  const entry = { role: "user", user_id: "a\ud800", memory_id: "m", content: "x" };
  const sessionId = await load(DEFINABLE, [entry]);
  const { session: made } = await windowed(sessionId);
  expect(made?.userId).toBe("a\ufffd");
  expect(await save(DEFINABLE, sessionId)).toEqual([entry]);
});

async function windowed(sessionId: string) {
  const { session: made } = await server.client.call("getSession", { sessionId });
  const { messages } = await windowOf(sessionId);
  return { session: made, window: messages };
}
