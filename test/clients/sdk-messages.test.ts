// The messages of LangChain and of the Vercel AI SDK go in and come out equal, by the types and the
// validators of their SDKs. Conversations are random.

import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  connect,
  type LangChainMessages,
  type MemorySidecar,
  renderedIn,
  useLangChain,
} from "../../clients/typescript/src/index.ts";
import { installSdks, SDKS } from "../support/forms/sdks.ts";
import { testSeed } from "../support/kit/random.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";

const RUNS = 40;
const PARAMETERS = { numRuns: RUNS, seed: testSeed("messages of SDKs") };
const PICTURE = "iVBORw0KGgo=";

type MadeOf = new (fields: object | string) => object;

/** The parts of `@langchain/core/messages` that are used here. */
interface LangChain extends LangChainMessages {
  readonly AIMessage: MadeOf;
  readonly HumanMessage: MadeOf & { isInstance(value: unknown): boolean };
  readonly SystemMessage: MadeOf;
  readonly ToolMessage: MadeOf;
  isBaseMessage(value: unknown): boolean;
  mapChatMessagesToStoredMessages(messages: readonly object[]): object[];
}

/** The part of `ai` that is used here. */
interface AiSdk {
  readonly modelMessageSchema: {
    safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown };
  };
}

let server: RunningServer;
let directory: TempDir;
let client: MemorySidecar;
let langchain: LangChain;
let ai: AiSdk;
let count = 0;

beforeAll(async () => {
  installSdks();
  langchain = await import(join(SDKS, "node_modules/@langchain/core/dist/messages/index.js"));
  ai = await import(join(SDKS, "node_modules/ai/dist/index.js"));
  useLangChain(langchain);
  directory = await makeTempDir();
  server = await startServer({ dataDir: directory.path });
  client = connect(server.address);
}, 300_000);

afterAll(async () => {
  client?.close();
  await server?.stop();
  await directory?.[Symbol.asyncDispose]();
});

/** A conversation as the log, the window, and the answer of an append give it. */
async function throughServer(messages: readonly object[], form: "langchain" | "ai_sdk") {
  count += 1;
  const sessionId = `talk-${count}`;
  const options = { form, createSession: true, window: { form } } as const;
  const appended = await client.append(sessionId, messages, options);
  const listed: object[] = [];
  // Pages of two part messages with several results.
  const pages = client.listMessages(sessionId, { form, pageSize: 2 });
  for await (const message of pages) listed.push(message);
  const window = await client.window<object>(sessionId, { form });
  const answered = renderedIn<object>(appended.window, form);
  return [listed, window.messages, answered.messages];
}

const text = fc.constantFrom("Where to?", "Olá 🌞", "To Funchal.", '{"a":1}');
/** Fields that one message of four has. */
const rare = (fields: object) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant(fields) },
  );
const input = fc.constantFrom({}, { month: 3 }, { to: ["é", null], deep: { n: 0.5 } });
const turns = <T>(turn: (id: string) => fc.Arbitrary<readonly T[]>) =>
  fc
    .integer({ min: 1, max: 4 })
    .chain((length) => fc.tuple(...Array.from({ length }, (_, at) => turn(`c${at}`))))
    .map((all) => all.flat());

describe("messages of the AI SDK", () => {
  const marked = rare({ providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } });
  const said = fc.oneof(
    text,
    fc.array(
      fc.oneof(
        fc.tuple(text, marked).map(([one, more]) => ({ type: "text", text: one, ...more })),
        fc.constantFrom(
          { type: "image", image: PICTURE, mediaType: "image/png" },
          { type: "image", image: new URL("https://example.com/a.png") },
          { type: "image", image: new Uint8Array([137, 80, 78, 71]) },
          { type: "file", data: "JVBERi0=", mediaType: "application/pdf", filename: "a.pdf" },
          {
            type: "file",
            data: new URL("https://example.com/a.pdf"),
            mediaType: "application/pdf",
          },
        ),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  );
  const reasoned = fc.constantFrom(
    [],
    [
      {
        type: "reasoning",
        text: "Look it up.",
        providerOptions: { anthropic: { signature: "E" } },
      },
    ],
  );
  const output = fc.constantFrom(
    { type: "text", value: "20 degrees" },
    { type: "json", value: { degrees: 20, list: [null] } },
    { type: "error-text", value: "no answer" },
    { type: "content", value: [{ type: "text", text: "20 degrees" }] },
  );
  const answer = fc.oneof(
    text,
    fc.tuple(reasoned, text).map(([before, one]) => [...before, { type: "text", text: one }]),
  );
  const turn = (id: string) =>
    fc.record({ said, marked, answer, output, input, calls: fc.nat(3), reasoned }).map((given) => {
      const ids = Array.from({ length: given.calls }, (_, at) => `${id}-${at}`);
      const called = ids.map((toolCallId) => ({
        ...{ type: "tool-call", toolCallId, toolName: "look", input: given.input },
      }));
      const found = ids.map((toolCallId) => ({
        ...{ type: "tool-result", toolCallId, toolName: "look", output: given.output },
      }));
      const tools = [
        { role: "assistant", content: [...given.reasoned, ...called] },
        { role: "tool", content: found },
      ];
      return [
        { role: "user", content: given.said, ...given.marked },
        ...(ids.length > 0 ? tools : []),
        { role: "assistant", content: given.answer },
      ];
    });

  test("come back equal, and its schema takes them", async () => {
    const conversations = fc.tuple(fc.boolean(), turns(turn));
    const property = fc.asyncProperty(conversations, async ([hasSystem, rest]) => {
      const system = { role: "system", content: "You plan trips." };
      const messages = hasSystem ? [system, ...rest] : rest;
      for (const made of await throughServer(messages, "ai_sdk")) {
        expect(made).toEqual(messages);
        for (const one of made) expect(ai.modelMessageSchema.safeParse(one).error).toBeUndefined();
      }
    });
    await fc.assert(property, PARAMETERS);
  }, 120_000);

  test("of a log that another SDK wrote are made of it", async () => {
    const use = { type: "tool_use", id: "c1", name: "look", input: { month: 3 } };
    const result = { type: "tool_result", tool_use_id: "c1", content: "20 degrees" };
    const log = [
      { role: "user", content: "Where to?" },
      { role: "assistant", content: [use] },
      { role: "user", content: [result] },
    ];
    await client.append("other", log, { form: "anthropic", createSession: true });
    const { messages } = await client.window<object>("other", { form: "ai_sdk" });
    const tool = { toolCallId: "c1", toolName: "look" };
    expect(messages).toEqual([
      { role: "user", content: "Where to?" },
      { role: "assistant", content: [{ type: "tool-call", ...tool, input: { month: 3 } }] },
      {
        role: "tool",
        content: [{ type: "tool-result", ...tool, output: { type: "text", value: "20 degrees" } }],
      },
    ]);
    for (const one of messages) expect(ai.modelMessageSchema.safeParse(one).success).toBe(true);
  });

  test("keep approvals, and calls that the provider ran", async () => {
    const call = { toolCallId: "p1", toolName: "search" };
    const messages = [
      { role: "user", content: "Where to?" },
      {
        role: "assistant",
        content: [
          { type: "tool-call", ...call, input: {}, providerExecuted: true },
          { type: "tool-result", ...call, output: { type: "json", value: [1] } },
          { type: "tool-approval-request", approvalId: "a1", toolCallId: "p1" },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }],
      },
    ];
    for (const made of await throughServer(messages, "ai_sdk")) expect(made).toEqual(messages);
  });

  test("are refused when they are none", () => {
    const options = { form: "ai_sdk", createSession: true } as const;
    expect(() => client.append("none", [{ text: "x" }], options)).toThrow("{ role, content }");
  });
});

describe("messages of LangChain", () => {
  const block = fc.constantFrom(
    { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } },
    { type: "image", data: PICTURE, mimeType: "image/png" },
    { type: "vendor_block", value: [1, null] },
    { type: "reasoning", reasoning: "Look it up." },
  );
  const content = fc.oneof(
    text,
    fc.tuple(text, block).map(([one, other]) => [{ type: "text", text: one }, other]),
  );
  const more = fc.oneof(
    rare({ id: "m1" }),
    rare({ name: "ana" }),
    rare({ additional_kwargs: { cache: { ttl: "5m" } } }),
    rare({ response_metadata: { model_name: "m-1" } }),
  );
  const turn = (id: string) =>
    fc
      .record({ said: content, answer: content, more, input, calls: fc.nat(2), result: text })
      .map((given) => {
        const { AIMessage, HumanMessage, ToolMessage } = langchain;
        const ids = Array.from({ length: given.calls }, (_, at) => `${id}-${at}`);
        const calls = ids.map((one) => {
          return { type: "tool_call", id: one, name: "look", args: given.input };
        });
        const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };
        const asked = { content: "", tool_calls: calls, usage_metadata: usage };
        const found = ids.map((one) => {
          const status = given.calls === 1 ? "error" : "success";
          const artifact = { rows: [1] };
          return new ToolMessage({ content: given.result, tool_call_id: one, status, artifact });
        });
        return [
          new HumanMessage({ content: given.said, ...given.more }),
          ...(ids.length > 0 ? [new AIMessage(asked), ...found] : []),
          new AIMessage({ content: given.answer, ...given.more }),
        ];
      });

  test("come back equal, of its classes", async () => {
    const conversations = fc.tuple(fc.boolean(), turns<object>(turn));
    const property = fc.asyncProperty(conversations, async ([hasSystem, rest]) => {
      const messages = hasSystem ? [new langchain.SystemMessage("You plan trips."), ...rest] : rest;
      const stored = langchain.mapChatMessagesToStoredMessages(messages);
      for (const made of await throughServer(messages, "langchain")) {
        expect(made.every((one) => langchain.isBaseMessage(one))).toBe(true);
        expect(plain(langchain.mapChatMessagesToStoredMessages(made))).toEqual(plain(stored));
      }
    });
    await fc.assert(property, PARAMETERS);
  }, 120_000);

  test("are one log with those of Python", async () => {
    // As `messages_to_dict` of Python has it.
    const own = { type: "human", data: { id: "h1", type: "human", additional_kwargs: { a: 1 } } };
    const element = { role: "user", content: "Where to?", langchain: own };
    await client.append("python", element, { form: "openai_chat", createSession: true });
    const [made] = (await client.window<object>("python", { form: "langchain" })).messages;
    expect(langchain.HumanMessage.isInstance(made)).toBe(true);
    expect(made).toMatchObject({ id: "h1", content: "Where to?", additional_kwargs: { a: 1 } });
  });

  test("are refused when they are none", () => {
    const options = { form: "langchain", createSession: true } as const;
    const given = [{ role: "user", content: "x" }];
    expect(() => client.append("none", given, options)).toThrow("takes messages of LangChain");
  });
});

/** Plain data, without fields that are undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
