// Goal: AssembleContext gives a whole prompt in the form of a model API: the messages of the window
// and the text among them, within one budget that counts everything, by the rules of the API.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ErrorReason } from "../../src/gen/memorysidecar/v1/error_reason.ts";
import { MessageForm } from "../../src/gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import {
  ContextCutReason,
  ContextFence,
  ContextSection,
  ContextSectionKind,
} from "../../src/gen/memorysidecar/v1/recall.ts";
import {
  AssembleContextRequest,
  type AssembleContextResponse,
} from "../../src/gen/memorysidecar/v1/recall_service.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import { memory, memoryScope, message, session } from "../support/contract/samples.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
  await server.client.call("remember", {
    memories: [memory({ userId: "ana", text: "Ana lives in Berlin.", importance: 0.9 })],
  });
});

afterAll(() => server[Symbol.asyncDispose]());

const { OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, GEMINI } = MessageForm;
const { CONVERSATION, LONG_TERM, SUMMARY } = ContextSectionKind;
const NOTHING = new Uint8Array(0);
const section = (kind: ContextSectionKind, fields: Partial<ContextSection> = {}) => ({
  ...ContextSection.decode(NOTHING),
  kind,
  ...fields,
});

type Asked = Partial<RequestOf<"assembleContext">>;

/** Facts of Ana without headings and marks, for short texts. */
const BARE: Asked = {
  fence: ContextFence.OFF,
  sections: [section(LONG_TERM, { heading: "" })],
};
const FACT = "- Ana lives in Berlin.";

async function appended(elements: readonly object[], more: object = {}): Promise<string> {
  const sessionId = `prompt-${count++}`;
  await server.client.call("appendMessages", {
    ...{ sessionId, createSession: true, session: session({ userId: "ana", ...more }) },
    ...{ form: OPENAI_CHAT, formMessages: Buffer.from(JSON.stringify(elements)) },
  });
  return sessionId;
}

async function promptOf(sessionId: string, form: MessageForm, fields: Asked = BARE) {
  const answer = await server.client.call("assembleContext", { sessionId, form, ...fields });
  const { messages, system } = answer.rendered ?? { messages: NOTHING, system: NOTHING };
  const read = (bytes: Uint8Array) =>
    bytes.length === 0 ? undefined : JSON.parse(Buffer.from(bytes).toString());
  return { answer, messages: read(messages), system: read(system) };
}

function refused(fields: Asked) {
  return server.client.fail("assembleContext", { form: OPENAI_CHAT, ...fields });
}

async function tokensOf(texts: readonly string[], tokenRule: TokenRule): Promise<number> {
  const counted = await server.client.call("countTokens", { texts: [...texts], tokenRule });
  return counted.textTokenCounts.reduce((sum, one) => sum + Number(one), 0);
}

function talkOf({ parts }: AssembleContextResponse) {
  return parts.find(({ kind }) => kind === CONVERSATION);
}

const PROMPT = { role: "system", content: "You help." };
const HELLO = { role: "user", content: "Hello!" };
const HI = { role: "assistant", content: "Hi, Ana." };
const QUESTION = { role: "user", content: "Where do I live?" };
const call = (id: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }],
});
const result = (id: string, content = "Nothing.") => ({
  role: "tool",
  tool_call_id: id,
  content,
});

describe("the text of a prompt", () => {
  test("stands directly before the newest message of the user", async () => {
    const sessionId = await appended([PROMPT, HELLO, HI, QUESTION, call("c"), result("c")]);
    const { answer, messages } = await promptOf(sessionId, OPENAI_CHAT);
    const text = { role: "user", content: FACT };
    expect(messages).toEqual([PROMPT, HELLO, HI, text, QUESTION, call("c"), result("c")]);
    expect(answer.text).toBe(FACT);
    expect(answer.rendered?.form).toBe(OPENAI_CHAT);
  });

  test("becomes a part of the user's turn where roles alternate", async () => {
    const sessionId = await appended([PROMPT, HELLO, HI, QUESTION]);
    const parts = [FACT, QUESTION.content];
    const claude = await promptOf(sessionId, ANTHROPIC);
    expect(claude.system).toEqual([{ type: "text", text: PROMPT.content }]);
    expect(claude.messages).toEqual([
      HELLO,
      HI,
      { role: "user", content: parts.map((text) => ({ type: "text", text })) },
    ]);
    const gemini = await promptOf(sessionId, GEMINI);
    expect(gemini.system).toEqual({ parts: [{ text: PROMPT.content }] });
    expect(gemini.messages.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "model",
      "user",
    ]);
    expect(gemini.messages[2].parts).toEqual(parts.map((text) => ({ text })));
    const responses = await promptOf(sessionId, OPENAI_RESPONSES);
    expect(responses.messages).toEqual([
      ...[PROMPT, HELLO, HI],
      { role: "user", content: FACT },
      QUESTION,
    ]);
  });

  test("follows the system messages when the user said nothing", async () => {
    const sessionId = await appended([PROMPT, HI]);
    const { messages } = await promptOf(sessionId, OPENAI_CHAT);
    expect(messages).toEqual([PROMPT, { role: "user", content: FACT }, HI]);
    const only = await appended([PROMPT]);
    expect((await promptOf(only, OPENAI_CHAT)).messages).toEqual([
      PROMPT,
      { role: "user", content: FACT },
    ]);
  });

  test("is all there is without a session, or without its messages", async () => {
    for (const sessionId of ["", "no-such-session"]) {
      const scope = memoryScope({ userId: "ana" });
      const { messages } = await promptOf(sessionId, OPENAI_CHAT, { ...BARE, scope });
      expect(messages).toEqual([{ role: "user", content: FACT }]);
    }
  });

  test("has no message when it is empty", async () => {
    const sessionId = await appended([QUESTION], { userId: "nobody" });
    const { answer, messages } = await promptOf(sessionId, OPENAI_CHAT);
    expect(messages).toEqual([QUESTION]);
    expect(answer.text).toBe("");
  });

  test("holds no conversation, and nothing that the messages say", async () => {
    const sessionId = await appended([PROMPT, HELLO, HI, QUESTION]);
    const { answer } = await promptOf(sessionId, OPENAI_CHAT, {});
    expect(answer.text).toContain(FACT);
    expect(answer.text).not.toContain("Hello!");
    const talk = talkOf(answer);
    expect(talk?.heading).toBe("");
    expect(talk?.items.map(({ text }) => text)).toEqual(["", "", "", ""]);
    expect(talk?.items.map(({ ref }) => ref?.ref?.$case)).toEqual(Array(4).fill("message"));
  });
});

describe("the summary of a prompt", () => {
  test("stands behind the system prompt, and not in the text", async () => {
    const sessionId = await appended([PROMPT, HELLO, HI, QUESTION]);
    await server.client.call("setSummary", { sessionId, text: "They greeted." });
    const { answer, messages } = await promptOf(sessionId, OPENAI_CHAT, {});
    expect(messages[0]).toEqual(PROMPT);
    expect(messages[1].role).toBe("system");
    expect(messages[1].content).toContain("They greeted.");
    expect(messages[2]).toEqual(HELLO);
    expect(answer.parts.map(({ kind }) => kind)).not.toContain(SUMMARY);
    const window = await server.client.call("getWindow", { sessionId, form: OPENAI_CHAT });
    const shown = JSON.parse(Buffer.from(window.rendered?.messages ?? NOTHING).toString());
    expect(messages.toSpliced(4, 1)).toEqual(shown);
  });
});

describe("the budget of a prompt", () => {
  const turns = Array.from({ length: 30 }, (_, n) => [
    { role: "user", content: `Question ${n} of the user.` },
    { role: "assistant", content: `Answer ${n} of the model.` },
  ]).flat();

  test.each([TokenRule.UNSPECIFIED, TokenRule.O200K, TokenRule.WORDS])(
    "holds messages and text together by rule %s, and counts them exactly",
    async (tokenRule) => {
      const sessionId = await appended([PROMPT, ...turns, QUESTION]);
      const fields = { ...BARE, maxTokens: 120, tokenRule };
      const { answer, messages } = await promptOf(sessionId, OPENAI_CHAT, fields);
      expect(answer.tokenCount).toBeLessThanOrEqual(120);
      expect(answer.tokenCount).toBeGreaterThan(90);
      const talk = talkOf(answer)?.tokenCount ?? 0;
      const [text = 0] = answer.parts
        .filter(({ kind }) => kind === LONG_TERM)
        .map(({ tokenCount }) => tokenCount);
      expect(answer.tokenCount).toBe(talk + text);
      if (tokenRule !== TokenRule.UNSPECIFIED) {
        const texts = messages.map(({ content }: { content: string }) => content);
        expect(answer.tokenCount).toBe(await tokensOf(texts, tokenRule));
      }
      // The newest ones, without a gap.
      expect(messages[0]).toEqual(PROMPT);
      expect(messages.at(-1)).toEqual(QUESTION);
      const kept = messages.slice(1, -2);
      expect(kept.length).toBeGreaterThan(4);
      expect(kept).toEqual(turns.slice(-kept.length));
      const cuts = answer.cuts.filter(({ kind }) => kind === CONVERSATION);
      expect(cuts.length).toBe(turns.length - kept.length);
      expect(new Set(cuts.map(({ reason }) => reason))).toEqual(new Set([ContextCutReason.BUDGET]));
    },
  );

  test("counts what the form adds", async () => {
    const sessionId = await appended([HI, QUESTION]);
    const { answer, messages } = await promptOf(sessionId, ANTHROPIC, {
      ...BARE,
      tokenRule: TokenRule.O200K,
    });
    const opening = "(Earlier messages are not shown.)";
    expect(messages[0]).toEqual({ role: "user", content: opening });
    const texts = [opening, HI.content, FACT, QUESTION.content];
    expect(answer.tokenCount).toBe(await tokensOf(texts, TokenRule.O200K));
  });

  test("gives the conversation its share first, and the text the rest", async () => {
    const sessionId = await appended([PROMPT, ...turns, QUESTION]);
    const few = { ...BARE, maxTokens: 120 };
    const { sections = [] } = BARE;
    const share = (value: number) => ({
      ...few,
      sections: [...sections, section(CONVERSATION, { share: value })],
    });
    const [all, some, none] = await Promise.all(
      [few, share(0.5), share(0)].map((fields) => promptOf(sessionId, OPENAI_CHAT, fields)),
    );
    // One short fact leaves room, and the messages take it.
    expect(some?.messages).toEqual(all?.messages);
    expect(none?.messages).toEqual(all?.messages);
    const documents = { ...share(0), sections: [section(CONVERSATION, { share: 0.2 })] };
    const talk = talkOf((await promptOf(sessionId, OPENAI_CHAT, documents)).answer);
    expect(talk?.tokenCount).toBeGreaterThan(90);
  });

  test("leaves the text a quarter when the conversation would take all", async () => {
    const facts = Array.from({ length: 40 }, (_, n) =>
      memory({ userId: "eva", text: `Eva knows fact ${n} about the river.`, importance: 0.5 }),
    );
    await server.client.call("remember", { memories: facts });
    const sessionId = await appended([...turns, QUESTION], { userId: "eva" });
    const { answer } = await promptOf(sessionId, OPENAI_CHAT, { ...BARE, maxTokens: 400 });
    const talk = talkOf(answer)?.tokenCount ?? 0;
    expect(talk).toBeLessThan(310);
    expect(talk).toBeGreaterThan(260);
    expect(answer.tokenCount).toBeGreaterThan(380);
  });

  test("takes tool calls with their results or not at all", async () => {
    const long = "A long result of a tool. ".repeat(20);
    const sessionId = await appended([
      ...[HELLO, call("a"), result("a", long)],
      ...[HI, QUESTION, call("b"), result("b"), call("c"), result("c")],
    ]);
    const { messages } = await promptOf(sessionId, OPENAI_CHAT, { ...BARE, maxTokens: 60 });
    const text = { role: "user", content: FACT };
    expect(messages).toEqual([HI, text, QUESTION, call("b"), result("b"), call("c"), result("c")]);
  });

  test("counts a limit beside the messages that are always included", async () => {
    const sessionId = await appended([PROMPT, ...turns, QUESTION, HI]);
    const limited = { ...BARE, sections: [section(CONVERSATION, { limit: 2 })] };
    const { answer, messages } = await promptOf(sessionId, OPENAI_CHAT, limited);
    expect(messages).toEqual([PROMPT, ...turns.slice(-2), QUESTION, HI]);
    expect(answer.cuts[0]?.reason).toBe(ContextCutReason.LIMIT);
  });
});

describe("a prompt is refused", () => {
  test("when its messages cost more than the budget", async () => {
    const sessionId = await appended([PROMPT, HELLO, { ...QUESTION, content: "why? ".repeat(40) }]);
    const { reason, metadata } = await refused({ sessionId, maxTokens: 30 });
    expect(reason).toBe("CONTEXT_BUDGET_TOO_SMALL");
    expect(metadata).toEqual({ token_count: "53", limit: "30" });
    const { messages } = await promptOf(sessionId, OPENAI_CHAT, { ...BARE, maxTokens: 53 });
    expect(messages).toHaveLength(2);
  });

  test("when what the form adds passes the budget", async () => {
    const sessionId = await appended([PROMPT, HI]);
    const { reason } = await refused({ sessionId, form: ANTHROPIC, maxTokens: 5 });
    expect(reason).toBe("CONTEXT_BUDGET_TOO_SMALL");
  });

  test("when its messages have no room in a response", async () => {
    const sessionId = `prompt-${count++}`;
    const policy = { createSession: true, sessionId };
    for (let part = 0; part < 3; part++) {
      const text = `${part}`.repeat(900_000);
      const messages = [message({ text, role: 3 })];
      await server.client.call("appendMessages", { ...policy, messages });
    }
    const { reason } = await refused({ sessionId, maxTokens: 1_000_000 });
    expect(reason).toBe("WINDOW_FULL");
  });

  test.each<[string, Asked]>([
    ["exclude_conversation", { excludeConversation: true }],
    ["profile", { profile: "selectools" }],
    ["profile", { profile: "definable" }],
    ["sections[0].heading", { sections: [section(CONVERSATION, { heading: "" })] }],
    ["sections[0].max_chars", { sections: [section(CONVERSATION, { maxChars: 100 })] }],
  ])("with %s", async (field, fields) => {
    const { reason, fields: faulty } = await refused(fields);
    expect(reason).toBe("REQUEST_INVALID");
    expect(faulty).toEqual([field]);
  });

  test("with a form that does not exist", async () => {
    const { fields } = await refused({ form: 99 as MessageForm });
    expect(fields).toEqual(["form"]);
  });
});

test("an append answers with the whole prompt", async () => {
  const sessionId = await appended([PROMPT, HELLO, HI]);
  const { context, contextError } = await server.client.call("appendMessages", {
    ...{ sessionId, form: OPENAI_CHAT, formMessages: Buffer.from(JSON.stringify([QUESTION])) },
    contextReply: { ...AssembleContextRequest.decode(NOTHING), ...BARE, form: ANTHROPIC },
  });
  expect(contextError).toBeUndefined();
  const messages = JSON.parse(Buffer.from(context?.rendered?.messages ?? NOTHING).toString());
  expect(messages.at(-1)).toEqual({
    role: "user",
    content: [FACT, QUESTION.content].map((text) => ({ type: "text", text })),
  });
  const asked = await promptOf(sessionId, ANTHROPIC);
  expect(messages).toEqual(asked.messages);
});

test("an append says why there is no prompt", async () => {
  const sessionId = await appended([PROMPT]);
  const { contextError } = await server.client.call("appendMessages", {
    ...{ sessionId, messages: [message({ text: "x ".repeat(100) })] },
    contextReply: {
      ...{ ...AssembleContextRequest.decode(NOTHING), form: OPENAI_CHAT, maxTokens: 10 },
    },
  });
  expect(contextError?.reason).toBe(ErrorReason.CONTEXT_BUDGET_TOO_SMALL);
});
