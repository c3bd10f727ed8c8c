// Goal: messages in the forms of model APIs go in and come out over a real connection: byte for
// byte while nothing changed them, by the rules of the API when they are a window, and with the
// path inside the JSON when they are refused.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  FormNoteKind,
  MessageForm,
  MessageOrder,
  Role,
} from "../../src/gen/memorysidecar/v1/message.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import {
  dropOldest,
  keepStage,
  message,
  policy,
  session,
  written,
} from "../support/contract/samples.ts";
import { SAMPLES } from "../support/forms/samples.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

type Append = Partial<RequestOf<"appendMessages">>;

async function appended(form: MessageForm, json: string, more: Append = {}): Promise<string> {
  const sessionId = more.sessionId ?? `forms-${count++}`;
  const append = { sessionId, createSession: true, form, formMessages: Buffer.from(json), ...more };
  await server.client.call("appendMessages", append);
  return sessionId;
}

function refused(form: MessageForm, json: string, sessionId = "refused") {
  const append = { sessionId, createSession: true, form, formMessages: Buffer.from(json) };
  return server.client.fail("appendMessages", append);
}

async function windowIn(form: MessageForm, sessionId: string) {
  const { rendered } = await server.client.call("getWindow", { sessionId, form });
  return {
    text: rendered?.messages.toString() ?? "",
    system: rendered?.system.toString() ?? "",
    notes: rendered?.notes ?? [],
  };
}

function nameOf(kind: FormNoteKind): string | undefined {
  return Object.entries(FormNoteKind).find(([, value]) => value === kind)?.[0];
}

const { OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, GEMINI } = MessageForm;
const ALL = [OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, GEMINI] as const;

describe.each(ALL)("form %s", (form) => {
  test("gives back a whole conversation byte for byte", async () => {
    const { messages, system } = SAMPLES[form];
    const sessionId = await appended(form, `[ ${[...system, ...messages].join(" ,\n")} ]`);
    const window = await windowIn(form, sessionId);
    const hasPrompt = form === ANTHROPIC || form === GEMINI;
    const expected = hasPrompt ? messages : [...system, ...messages];
    expect(window.text).toBe(`[${expected.join(",")}]`);
    expect(window.notes).toEqual([]);
    expect(window.system === "").toBe(!hasPrompt);
    const { messages: plain, rendered } = await server.client.call("listMessages", {
      sessionId,
      form,
    });
    expect(plain).toEqual([]);
    expect(rendered?.messages.toString()).toBe(`[${[...system, ...messages].join(",")}]`);
  });

  test.each(ALL)("is written in form %s without orphans", async (other) => {
    const { messages, system } = SAMPLES[form];
    const sessionId = await appended(form, `[${[...system, ...messages].join(",")}]`);
    const { text } = await windowIn(other, sessionId);
    expect(JSON.parse(text).length).toBeGreaterThan(2);
    // The other form takes it.
    await appended(other, text);
  });
});

const CALL =
  '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]}';
const USE =
  '{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"look","input":{}}]}';
const ANSWER = '{"role":"tool","tool_call_id":"c1","content":"seen"}';

/** Messages that are refused, with the place of the fault. */
const REFUSED: readonly (readonly [
  form: MessageForm,
  json: string,
  field: string,
  says: RegExp,
])[] = [
  [OPENAI_CHAT, "", "form_messages", /is required with form/],
  [OPENAI_CHAT, "[", "form_messages", /is not JSON/],
  [OPENAI_CHAT, "{}", "form_messages", /must be a JSON array/],
  [OPENAI_CHAT, "[]", "form_messages", /must have 1 element at least/],
  [
    OPENAI_CHAT,
    `[${Array(1_001).fill('{"role":"user","content":"x"}').join()}]`,
    "form_messages",
    /has 1001 elements; at most 1000/,
  ],
  [OPENAI_CHAT, `${"[".repeat(65)}${"]".repeat(65)}`, "form_messages", /more than 64 levels deep/],
  [OPENAI_CHAT, "[1]", "form_messages[0]", /must be an object/],
  [OPENAI_CHAT, '[{"role":"robot"}]', "form_messages[0].role", /must be one of system, developer/],
  [OPENAI_CHAT, '[{"role":"user"}]', "form_messages[0].content", /is required/],
  [OPENAI_CHAT, '[{"role":"user","content":1}]', "form_messages[0].content", /a text or an array/],
  [
    OPENAI_CHAT,
    '[{"role":"user","content":[{}]}]',
    "form_messages[0].content[0].type",
    /is required/,
  ],
  [
    OPENAI_CHAT,
    '[{"role":"user","content":"\\ud800"}]',
    "form_messages[0].content",
    /well-formed Unicode/,
  ],
  [
    OPENAI_CHAT,
    '[{"role":"user","content":[{"type":"image_url"}]}]',
    "form_messages[0].content[0].image_url",
    /is required/,
  ],
  [
    OPENAI_CHAT,
    '[{"role":"assistant","tool_calls":[{"type":"function"}]}]',
    "form_messages[0].tool_calls[0].id",
    /is required/,
  ],
  [
    OPENAI_CHAT,
    `[{"role":"tool","tool_call_id":"${"c".repeat(257)}","content":""}]`,
    "form_messages[0].tool_call_id",
    /takes 257 bytes; at most 256/,
  ],
  [OPENAI_CHAT, `[${ANSWER}]`, "form_messages[0].tool_call_id", /answers no tool call/],
  [
    OPENAI_CHAT,
    `[${CALL},${ANSWER},${ANSWER}]`,
    "form_messages[2].tool_call_id",
    /has a result already/,
  ],
  [
    OPENAI_RESPONSES,
    '[{"type":"message","role":"tool","content":""}]',
    "form_messages[0].role",
    /must be one of user/,
  ],
  [
    OPENAI_RESPONSES,
    '[{"type":"function_call","name":"x"}]',
    "form_messages[0].call_id",
    /is required/,
  ],
  [
    OPENAI_RESPONSES,
    '[{"type":"function_call_output","call_id":"c","output":""}]',
    "form_messages[0].call_id",
    /answers no tool call/,
  ],
  [
    OPENAI_RESPONSES,
    '[{"role":"user","content":[{"type":"input_file"}]}]',
    "form_messages[0].content[0].file_id",
    /is required/,
  ],
  [
    ANTHROPIC,
    `[${USE},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2"}]}]`,
    "form_messages[1].content[0].tool_use_id",
    /answers no tool call/,
  ],
  [
    ANTHROPIC,
    '[{"role":"user","content":[{"type":"tool_use","id":"c","name":"x","input":{}}]}]',
    "form_messages[0].content[0].type",
    /only allowed in a message with the role assistant/,
  ],
  [
    ANTHROPIC,
    '[{"role":"user","content":[{"type":"image","source":{"type":"disk"}}]}]',
    "form_messages[0].content[0].source.type",
    /must be one of base64/,
  ],
  [
    ANTHROPIC,
    '[{"role":"system","content":[{"type":"image"}]}]',
    "form_messages[0].content[0].type",
    /must be text/,
  ],
  [GEMINI, '[{"role":"user"}]', "form_messages[0].parts", /is required/],
  [GEMINI, '[{"role":"user","parts":[{}]}]', "form_messages[0].parts[0]", /must have a field/],
  [
    GEMINI,
    '[{"role":"user","parts":[{"functionCall":{"name":"x"}}]}]',
    "form_messages[0].parts[0].functionCall",
    /role model/,
  ],
  [
    GEMINI,
    '[{"role":"user","parts":[{"functionResponse":{"name":"x","response":{}}}]}]',
    "form_messages[0].parts[0].functionResponse.name",
    /answers no tool call/,
  ],
];

describe("messages of a replacement in a form", () => {
  const ALL_OF = { target: { $case: "all", value: {} } } as const;
  const from = (seq: bigint) => ({ target: { $case: "fromSeq", value: seq } }) as const;
  const logIn = async (form: MessageForm, sessionId: string) =>
    (await server.client.call("listMessages", { sessionId, form })).rendered?.messages.toString();

  test.each(ALL)("come out byte for byte in form %s", async (form) => {
    const { messages, system } = SAMPLES[form];
    const sessionId = await appended(OPENAI_CHAT, '[{"role":"user","content":"Old"}]');
    const elements = [...system, ...messages];
    const formMessages = Buffer.from(`[ ${elements.join(" ,\n")} ]`);
    const replace = { sessionId, form, formMessages };
    const answer = await server.client.call("replaceMessages", { ...replace, ...ALL_OF });
    expect(answer.messages).toHaveLength(elements.length);
    expect(answer.deletedTotals?.messageCount).toBe(1n);
    expect(await logIn(form, sessionId)).toBe(`[${elements.join(",")}]`);
    // The same list again changes nothing.
    const keep = { ...replace, ...from(2n), keepCommonPrefix: true };
    const again = await server.client.call("replaceMessages", keep);
    expect(again.revision).toBe(answer.revision);
    expect(await logIn(form, sessionId)).toBe(`[${elements.join(",")}]`);
  });

  test.each(REFUSED)("are refused, %s: %s", async (form, json, field, says) => {
    const sessionId = await appended(OPENAI_CHAT, '[{"role":"user","content":"Old"}]');
    const replace = { sessionId, form, formMessages: Buffer.from(json), ...ALL_OF };
    if (json === "[]") {
      await server.client.call("replaceMessages", replace);
      expect(await logIn(form, sessionId)).toBe("[]");
      return;
    }
    const failure = await server.client.fail("replaceMessages", replace);
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(failure.fields).toEqual([field]);
    expect(failure.message).toMatch(says);
    expect(await logIn(OPENAI_CHAT, sessionId)).toBe('[{"role":"user","content":"Old"}]');
  });

  test("come with a form and without messages of ours", async () => {
    const formMessages = Buffer.from(`[${CALL}]`);
    const cases = [
      [{ form: 9 as MessageForm, formMessages }, "form"],
      [{ form: OPENAI_CHAT, formMessages, messages: [message()] }, "messages"],
      [{ formMessages }, "form"],
    ] satisfies readonly (readonly [Partial<RequestOf<"replaceMessages">>, string])[];
    for (const [fields, field] of cases) {
      const replace = { sessionId: "refused", createSession: true, ...ALL_OF, ...fields };
      const failure = await server.client.fail("replaceMessages", replace);
      expect([failure.reason, failure.fields]).toEqual(["REQUEST_INVALID", [field]]);
    }
  });

  test("may answer a call that stays, and none that is erased", async () => {
    const user = '{"role":"user","content":"Look"}';
    const sessionId = await appended(OPENAI_CHAT, `[${user},${CALL},${ANSWER}]`);
    const replace = { sessionId, form: OPENAI_CHAT, formMessages: Buffer.from(`[${ANSWER}]`) };
    for (const target of [ALL_OF, from(1n), from(2n)]) {
      const failure = await server.client.fail("replaceMessages", { ...replace, ...target });
      expect(failure.fields).toEqual(["form_messages[0].tool_call_id"]);
    }
    expect(await logIn(OPENAI_CHAT, sessionId)).toBe(`[${user},${CALL},${ANSWER}]`);
    await server.client.call("replaceMessages", { ...replace, ...from(3n) });
    expect(await logIn(OPENAI_CHAT, sessionId)).toBe(`[${user},${CALL},${ANSWER}]`);
    expect((await windowIn(OPENAI_CHAT, sessionId)).text).toBe(`[${user},${CALL},${ANSWER}]`);
  });
});

describe("a preview in a form", () => {
  const keep = (maxMessages: number) => {
    const value = dropOldest({ maxMessages });
    return written(policy({ stages: [keepStage({ select: { $case: "dropOldest", value } })] }));
  };

  test("gives the window that a read would show under each policy", async () => {
    const texts = ["a", "b", "c"].map((text) => `{"role":"user","content":"${text}"}`);
    const sessionId = await appended(OPENAI_CHAT, `[${texts.join(",")}]`);
    await server.client.call("setSummary", { sessionId, text: "Before." });
    const preview = { sessionId, policies: [keep(2), keep(9)], form: OPENAI_CHAT };
    const { previews, rendered } = await server.client.call("previewPolicy", preview);
    expect(previews).toHaveLength(2);
    const contents = rendered.map(({ form, messages }) => {
      expect(form).toBe(OPENAI_CHAT);
      return JSON.parse(messages.toString()).map((one: { content: string }) => one.content);
    });
    expect(contents.map((one) => one.slice(1))).toEqual([
      ["b", "c"],
      ["a", "b", "c"],
    ]);
    expect(contents[0][0]).toContain("Before.");
    // As a read through the policy gives it.
    const read = { sessionId, policy: keep(2), form: OPENAI_CHAT };
    const window = await server.client.call("getWindow", read);
    expect(rendered[0]).toEqual(window.rendered);
    const plain = await server.client.call("previewPolicy", { ...preview, form: 0 });
    expect(plain).toEqual({ ...plain, previews, rendered: [] });
  });

  test("says when the windows have no room in an answer", async () => {
    const long = `{"role":"user","content":"${"x".repeat(900_000)}"}`;
    const sessionId = await appended(OPENAI_CHAT, `[${long},${long},${long}]`, {
      session: session({ policy: keep(9) }),
    });
    const policies = [keep(9), keep(10)];
    const preview = { sessionId, form: GEMINI, policies };
    const failure = await server.client.fail("previewPolicy", preview);
    expect(failure).toMatchObject({ code: "FAILED_PRECONDITION", reason: "WINDOW_FULL" });
    expect(failure.metadata["limit"]).toBe("4194304");
    expect(failure.message).toMatch(/Preview fewer policies/);
    const first = { ...preview, policies: policies.slice(0, 1) };
    const one = await server.client.call("previewPolicy", first);
    expect(one.rendered[0]?.messages.length).toBeGreaterThan(2_700_000);
    const unknown = { sessionId, form: 9 as MessageForm };
    expect((await server.client.fail("previewPolicy", unknown)).fields).toEqual(["form"]);
  });
});

describe("messages in a form are refused", () => {
  test.each(REFUSED)("%s: %s", async (form, json, field, says) => {
    const failure = await refused(form, json);
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
    expect(failure.fields).toEqual([field]);
    expect(failure.message).toMatch(says);
    const missing = await server.client.fail("getSession", { sessionId: "refused" });
    expect(missing.reason).toBe("SESSION_NOT_FOUND");
  });

  test("when they are not UTF-8", async () => {
    const formMessages = Buffer.from([0x5b, 0xff, 0x5d]);
    const append = { sessionId: "refused", createSession: true, form: OPENAI_CHAT, formMessages };
    const failure = await server.client.fail("appendMessages", append);
    expect(failure.message).toMatch(/form_messages: is not UTF-8/);
  });

  test("with a form that there is not, beside messages, or without a form", async () => {
    const formMessages = Buffer.from(`[${CALL}]`);
    const base = { sessionId: "refused", createSession: true };
    const cases = [
      [{ form: 9 as MessageForm, formMessages }, "form"],
      [{ form: OPENAI_CHAT, formMessages, messages: [message()] }, "messages"],
      [{ formMessages }, "form"],
    ] satisfies readonly (readonly [Append, string])[];
    for (const [append, field] of cases) {
      const failure = await server.client.fail("appendMessages", { ...base, ...append });
      expect([failure.reason, failure.fields]).toEqual(["REQUEST_INVALID", [field]]);
    }
    for (const rpc of ["getWindow", "listMessages"] as const) {
      const failure = await server.client.fail(rpc, { sessionId: "x", form: 9 as MessageForm });
      expect([failure.reason, failure.fields]).toEqual(["REQUEST_INVALID", ["form"]]);
    }
  });

  test("when an element is larger than a payload and the fields cannot say it", async () => {
    const text = "x".repeat(LIMITS.providerPayloadBytes);
    const json = `[{"role":"user","content":"${text}","mood":"glad"}]`;
    const failure = await refused(OPENAI_CHAT, json);
    expect(failure.fields).toEqual(["form_messages[0]"]);
    expect(failure.metadata["limit"]).toBe(String(LIMITS.providerPayloadBytes));
    const sessionId = await appended(OPENAI_CHAT, `[{"role":"user","content":"${text}"}]`);
    expect((await windowIn(OPENAI_CHAT, sessionId)).text).toContain(text);
  });
});

describe("a result", () => {
  test("may come in an append of its own, once its call is in the window", async () => {
    const sessionId = await appended(OPENAI_CHAT, `[{"role":"user","content":"Look"},${CALL}]`);
    const twice = await refused(
      ANTHROPIC,
      '[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":""}]}]',
      sessionId,
    );
    expect(twice.fields).toEqual(["form_messages[0].content[0].tool_use_id"]);
    await appended(OPENAI_CHAT, `[${ANSWER}]`, { sessionId });
    const { notes, text } = await windowIn(ANTHROPIC, sessionId);
    expect(notes).toEqual([]);
    expect(JSON.parse(text)).toEqual([
      { role: "user", content: "Look" },
      JSON.parse(USE),
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "seen" }] },
    ]);
  });

  test("of a Gemini call without an id finds it in a later append", async () => {
    const call = '{"role":"model","parts":[{"functionCall":{"name":"look","args":{}}}]}';
    const first = '{"role":"user","parts":[{"text":"Look"}]}';
    const answer =
      '{"role":"user","parts":[{"functionResponse":{"name":"look","response":{"output":"x"}}}]}';
    const sessionId = await appended(GEMINI, `[${first},${call}]`);
    await appended(GEMINI, `[${answer}]`, { sessionId });
    await appended(GEMINI, `[${call}]`, { sessionId });
    await appended(GEMINI, `[${answer}]`, { sessionId });
    const { text } = await windowIn(GEMINI, sessionId);
    expect(text).toBe(`[${[first, call, answer, call, answer].join(",")}]`);
    const chat = JSON.parse((await windowIn(OPENAI_CHAT, sessionId)).text);
    expect(chat[1].tool_calls[0].id).toBe(chat[2].tool_call_id);
  });
});

describe("a message that came in a form", () => {
  const element =
    '{"role":"user", "content":[{"type":"text","text":"Hi","prompt_cache_breakpoint":{"mode":"explicit"}}]}';

  test("is written anew once its text was changed, and exact once more when it is set back", async () => {
    const sessionId = await appended(OPENAI_CHAT, `[${element}]`);
    const [stored] = (await server.client.call("listMessages", { sessionId })).messages;
    const { messageId = "" } = stored ?? {};
    expect(stored).toMatchObject({ role: Role.USER, text: "Hi" });
    expect(stored?.providerPayload?.provider).toBe("openai.chat");
    const update = (text: string) =>
      server.client.call("updateMessage", {
        sessionId,
        message: message({ messageId, text }),
        updateMask: ["text"],
      });
    await update("Bye");
    expect((await windowIn(OPENAI_CHAT, sessionId)).text).toBe('[{"role":"user","content":"Bye"}]');
    await update("Hi");
    expect((await windowIn(OPENAI_CHAT, sessionId)).text).toBe(`[${element}]`);
    await server.client.call("updateMessage", {
      sessionId,
      message: message({ messageId, labels: new Map([["a", "b"]]) }),
      updateMask: ["labels"],
    });
    expect((await windowIn(OPENAI_CHAT, sessionId)).text).toBe(`[${element}]`);
  });

  test("keeps no payload when its fields say all of it, and costs the same tokens", async () => {
    const plain = '{"role":"user","content":"Hi"}';
    const sessionId = await appended(OPENAI_CHAT, `[${plain},${element}]`);
    const { messages } = await server.client.call("listMessages", { sessionId });
    expect(messages.map((one) => one.providerPayload === undefined)).toEqual([true, false]);
    expect(messages[0]?.tokenCount).toBe(messages[1]?.tokenCount);
  });

  test("tells what another form does not take", async () => {
    const sessionId = await appended(ANTHROPIC, `[${SAMPLES[ANTHROPIC].messages.join(",")}]`);
    const { messages } = await server.client.call("listMessages", { sessionId });
    const { notes } = await windowIn(OPENAI_CHAT, sessionId);
    const told = notes.map(({ kind, messageId, subject }) => [
      messages.findIndex((one) => one.messageId === messageId),
      nameOf(kind),
      subject,
    ]);
    expect(told).toContainEqual([0, "ATTRIBUTE_DROPPED", "cache_control"]);
    expect(told).toContainEqual([1, "DROPPED", "reasoning"]);
    expect(told).toContainEqual([3, "AS_TEXT", "web_search_tool_result"]);
  });
});

describe("a list in a form", () => {
  test("comes in pages, in both orders, filtered as ever", async () => {
    const json = `[{"role":"user","content":"Look"},${CALL},${ANSWER}]`;
    const sessionId = await appended(OPENAI_CHAT, json);
    const list = { sessionId, form: OPENAI_CHAT, pageSize: 2, order: MessageOrder.SEQ_DESC };
    const first = await server.client.call("listMessages", list);
    expect(first.rendered?.messages.toString()).toBe(`[${ANSWER},${CALL}]`);
    const pageToken = first.nextPageToken;
    const second = await server.client.call("listMessages", { ...list, pageToken });
    expect(second.rendered?.messages.toString()).toBe('[{"role":"user","content":"Look"}]');
    expect(second.nextPageToken).toBe("");
  });

  test("ends a page before its JSON gets too large, and says when one message is", async () => {
    const sessionId = `forms-${count++}`;
    const controls = "\u0001".repeat(300_000);
    const messages = [1, 2, 3].map(() =>
      message({ role: Role.USER, text: controls, tokenCount: 1 }),
    );
    await server.client.call("appendMessages", { sessionId, createSession: true, messages });
    const list = { sessionId, form: OPENAI_CHAT };
    const page = await server.client.call("listMessages", list);
    expect(JSON.parse(page.rendered?.messages.toString() ?? "")).toHaveLength(2);
    expect(page.nextPageToken).not.toBe("");
    const failure = await server.client.fail("getWindow", list);
    expect(failure).toMatchObject({ code: "FAILED_PRECONDITION", reason: "WINDOW_FULL" });
    expect(failure.metadata["limit"]).toBe(String(LIMITS.renderedBytes));
    const one = await server.client.call("getWindow", { ...list, newest: 1 });
    expect(one.rendered?.messages.length).toBeGreaterThan(1_800_000);
  });
});

test("an append answers with the window in a form", async () => {
  const sessionId = `forms-${count++}`;
  const formMessages = Buffer.from('[{"role":"user","content":"Hi"}]');
  const windowReply = { readOnly: false, policy: undefined, form: GEMINI };
  const append = { sessionId, createSession: true, form: OPENAI_CHAT, formMessages, windowReply };
  const { window } = await server.client.call("appendMessages", append);
  expect(window?.messages).toEqual([]);
  expect(window?.rendered?.messages.toString()).toBe('[{"role":"user","parts":[{"text":"Hi"}]}]');
});

test("notes are bounded, and counted beyond", async () => {
  const many = Array.from(
    { length: 150 },
    (_, n) => `{"role":"user","content":"${n}","k${"x".repeat(80)}":1}`,
  );
  const sessionId = await appended(OPENAI_CHAT, `[${many.join(",")}]`);
  const { rendered } = await server.client.call("getWindow", { sessionId, form: ANTHROPIC });
  expect(rendered?.notes).toHaveLength(LIMITS.formNotes);
  expect(rendered?.totalNoteCount).toBe(150);
  expect(rendered?.notes[0]?.subject).toHaveLength(LIMITS.formSubjectBytes);
});

test("the summary of a window stands behind the system prompt", async () => {
  const sessionId = await appended(
    OPENAI_CHAT,
    '[{"role":"system","content":"Plan."},{"role":"user","content":"Hi"}]',
  );
  await server.client.call("setSummary", { sessionId, text: "Ana lives in Oslo." });
  const chat = JSON.parse((await windowIn(OPENAI_CHAT, sessionId)).text);
  expect(chat.map((one: { role: string }) => one.role)).toEqual(["system", "system", "user"]);
  const { system, text } = await windowIn(ANTHROPIC, sessionId);
  const blocks = JSON.parse(system);
  expect(blocks[0]).toEqual({ type: "text", text: "Plan." });
  expect(blocks[1].text).toContain("Ana lives in Oslo.");
  expect(text).toBe('[{"role":"user","content":"Hi"}]');
});
