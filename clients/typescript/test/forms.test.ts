// Messages in the forms of model APIs: requests, and the real server's answers.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../../test/support/process/server.ts";
import {
  connect,
  FormNoteKind,
  type MemorySidecar,
  renderedIn,
  renderedPreviews,
  Status,
} from "../src/index.ts";

let server: RunningServer;
let client: MemorySidecar;
let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "forms-"));
  server = await startServer({ dataDir });
  client = connect(server.address);
});

afterAll(async () => {
  client.close();
  await server.stop();
  rmSync(dataDir, { recursive: true });
});

const CALL = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
const CHAT = [
  { role: "system", content: "You plan trips." },
  { role: "user", content: "Wo ist es wärmer? 🌞" },
  { role: "assistant", content: null, tool_calls: [CALL] },
  { role: "tool", tool_call_id: "c1", content: "Funchal" },
];

const NOT_IN_A_FORM = "There are no rendered messages: the reply was not requested in a form.";

function errorOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("messages in a form", () => {
  test("come out as they went in, from a window and from the log", async () => {
    await client.append("chat", CHAT, { form: "openai_chat", createSession: true });
    const window = await client.window("chat", { form: "openai_chat" });
    expect(window).toMatchObject({ messages: CHAT, system: undefined, notes: [] });
    expect(window.response.lastSeq).toBe(4);
    const listed: object[] = [];
    const pages = client.listMessages("chat", { form: "openai_chat", pageSize: 3 });
    for await (const message of pages) listed.push(message);
    expect(listed).toEqual(CHAT);
    const plain = await client.window("chat");
    expect(plain.messages[0]?.text).toBe("You plan trips.");
  });

  test("may be typed, and have the system prompt apart", async () => {
    interface Claude {
      readonly role: "user" | "assistant";
      readonly content: unknown;
    }
    const window = await client.window<Claude>("chat", { form: "anthropic" });
    expect(window.system).toEqual([{ type: "text", text: "You plan trips." }]);
    expect(window.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("may be JSON text or one object, and say what another form does not take", async () => {
    const json = '[ {"role": "user", "content": "Hi", "mood": "glad"} ]';
    await client.append("json", json, { form: "openai_chat", createSession: true });
    await client.append("json", CHAT[1] ?? {}, { form: "openai_chat" });
    const { notes, totalNoteCount } = await client.window("json", { form: "gemini" });
    expect(notes).toMatchObject([{ kind: FormNoteKind.ATTRIBUTE_DROPPED, subject: "mood" }]);
    expect(totalNoteCount).toBe(1);
  });

  test("are in the window that an append answers with", async () => {
    const opts = {
      form: "openai_chat",
      createSession: true,
      window: { form: "anthropic" },
    } as const;
    const { window } = await client.append("turn", CHAT, opts);
    const { messages, system } = renderedIn(window);
    expect(system).toEqual([{ type: "text", text: "You plan trips." }]);
    expect(messages).toHaveLength(3);
  });

  test("make a whole prompt with the context", async () => {
    const opts = { form: "openai_chat", createSession: true } as const;
    await client.remember({ text: "Ana likes the sea.", userId: "ana" });
    const { context } = await client.append("prompt", CHAT, {
      ...{ ...opts, session: { userId: "ana" } },
      context: { form: "anthropic" },
    });
    const prompt = await client.assembleContext({ sessionId: "prompt", form: "anthropic" });
    expect(prompt.system).toEqual([{ type: "text", text: "You plan trips." }]);
    expect(JSON.stringify(prompt.messages[0])).toContain("Ana likes the sea.");
    expect(prompt.response.tokenCount).toBeLessThanOrEqual(4_000);
    expect(renderedIn(context).messages).toEqual(prompt.messages);
  });

  test("are read from the whole answer of an append", async () => {
    const opts = { form: "openai_chat", createSession: true } as const;
    for (const reply of [
      { window: { form: "gemini" } },
      { context: { form: "gemini" } },
    ] as const) {
      const answer = await client.append("whole", CHAT[1] ?? {}, { ...opts, ...reply });
      const { messages, response } = renderedIn(answer);
      expect(messages.at(-1)).toMatchObject({ role: "user" });
      expect(response).toBe(answer.context ?? answer.window);
    }
  });

  test("that could not be made are an error with the reason of the server", async () => {
    const long = { role: "user", content: "word ".repeat(4_000) };
    const answer = await client.append("long", long, {
      ...({ form: "openai_chat", createSession: true } as const),
      context: { form: "openai_chat", maxTokens: 4_000 },
    });
    expect(() => renderedIn(answer)).toThrow(
      `CONTEXT_BUDGET_TOO_SMALL: ${answer.contextError?.message}`,
    );
    expect(errorOf(() => renderedIn(answer))).toMatchObject({
      ...{ name: "MemorySidecarError", code: Status.FAILED_PRECONDITION },
      ...{ reason: "CONTEXT_BUDGET_TOO_SMALL", metadata: answer.contextError?.metadata },
    });
    expect(() => renderedIn(answer.context)).toThrow(
      `${NOT_IN_A_FORM} Pass the whole answer of an append`,
    );
  });

  test("that were not requested are an error", async () => {
    const opts = { form: "openai_chat", createSession: true } as const;
    const both = { window: { form: "gemini" }, context: { form: "gemini" } } as const;
    const bare = await client.append("bare", CHAT, { ...opts, window: true, context: true });
    const nothing = await client.append("bare", CHAT, opts);
    for (const given of [bare, bare.window, bare.context, nothing]) {
      expect(errorOf(() => renderedIn(given as never))).toEqual(new TypeError(NOT_IN_A_FORM));
    }
    const two = await client.append("bare", CHAT, { ...opts, ...both });
    expect(() => renderedIn(two)).toThrow("a window and a context in a form: give one of the two");
    expect(renderedIn(two.window).messages).not.toEqual([]);
  });

  test("make a prompt with blocks in their places", async () => {
    await client.append("blocks", CHAT, {
      ...{ form: "openai_chat", createSession: true, session: { userId: "bo" } },
    });
    await client.remember({ text: "Bo likes the sea.", userId: "bo" });
    const fact = { name: "facts", sections: ["long-term"], fence: "facts" } as const;
    const system = { ...fact, place: "system" } as const;
    const opts = { sessionId: "blocks", form: "anthropic" } as const;
    const prompt = await client.assembleContext({ ...opts, blocks: [system] });
    const [told] = prompt.response.blocks;
    expect(told?.text).toMatch(/^<facts trust="medium">\n[\s\S]*Bo likes the sea\.\n<\/facts>$/);
    expect(prompt.system).toEqual([
      { type: "text", text: "You plan trips." },
      { type: "text", text: told?.text },
    ]);
    expect(told?.tokenCount).toBeGreaterThan(5);
    const result = {
      ...fact,
      ...({ place: "tool-result", fence: { open: "<<<", close: ">>>" } } as const),
      ...{ toolName: "recall", toolArguments: { query: "sea" }, maxTokens: 200 },
    } as const;
    const { context } = await client.append("blocks", "And where is Bo?", {
      context: { form: "openai_chat", blocks: [result] },
    });
    expect(renderedIn(context).messages.slice(-3)).toMatchObject([
      { tool_calls: [{ id: "facts", function: { name: "recall", arguments: '{"query":"sea"}' } }] },
      { role: "tool", tool_call_id: "facts", content: expect.stringMatching(/^<<<\n/) },
      { role: "user", content: "And where is Bo?" },
    ]);
    const place = "nowhere" as "system";
    const wrong = client.assembleContext({ ...opts, blocks: [{ ...fact, place }] });
    await expect(wrong).rejects.toThrow(/the place is one of system, user-message, tool-result/);
  });

  test("replace others, and are in the windows of a preview", async () => {
    await client.append("rewrite", CHAT, { form: "openai_chat", createSession: true });
    const opts = { form: "openai_chat" } as const;
    const done = await client.replaceMessages("rewrite", 3, CHAT.slice(2), opts);
    expect(done.deletedTotals?.messageCount).toBe(2);
    expect((await client.window("rewrite", opts)).messages).toEqual(CHAT);
    const preview = await client.previewPolicy("rewrite", [], { form: "anthropic" });
    const [window] = renderedPreviews(preview);
    expect(window?.messages).toHaveLength(3);
    expect(window?.response.afterTotals?.messageCount).toBe(4);
  });

  test("are refused with the path inside the JSON", async () => {
    const append = client.append("none", CHAT.slice(3), {
      form: "openai_chat",
      createSession: true,
    });
    const violations = [expect.objectContaining({ field: "form_messages[0].tool_call_id" })];
    await expect(append).rejects.toMatchObject({ reason: "REQUEST_INVALID", violations });
    const form = "openai" as "openai_chat";
    expect(() => client.append("none", CHAT, { form })).toThrow(/the form is one of openai_chat/);
  });
});
