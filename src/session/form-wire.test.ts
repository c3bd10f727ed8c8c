// The table of docs/messages.md: what each form makes of what the others say.

import { describe, expect, test } from "vitest";
import type { FormName } from "../forms/form.ts";
import { FORM_NAMES } from "../forms/form.ts";
import { FormNoteKind, Message, MessageForm, Role } from "../gen/memorysidecar/v1/message.ts";
import { fromFormMessages, toRendered } from "./form-wire.ts";

const FORMS = {
  openai_chat: MessageForm.OPENAI_CHAT,
  openai_responses: MessageForm.OPENAI_RESPONSES,
  anthropic: MessageForm.ANTHROPIC,
  gemini: MessageForm.GEMINI,
} as const;

const EMPTY = Message.decode(new Uint8Array(0));

function stored(messages: readonly Message[]): readonly Uint8Array[] {
  return messages.map((message, index) => {
    const seq = BigInt(index + 1);
    return Message.encode({ ...message, messageId: `m${seq}`, seq }).finish();
  });
}

function window(form: FormName, messages: readonly Message[]) {
  const made = toRendered(FORMS[form], stored(messages), "window");
  const system = made?.system.toString() ?? "";
  return {
    messages: JSON.parse(made?.messages.toString() ?? ""),
    system: system === "" ? undefined : JSON.parse(system),
    notes: (made?.notes ?? []).map(({ kind, messageId, subject }) => {
      const name = Object.entries(FormNoteKind).find(([, value]) => value === kind)?.[0];
      return `${messageId} ${name} ${subject}`;
    }),
  };
}

function read(form: FormName, ...elements: readonly unknown[]): readonly Message[] {
  return fromFormMessages(form, Buffer.from(JSON.stringify(elements))).messages;
}

/** The last message of a window in each form, behind a user message. */
function eachForm(messages: readonly Message[]): Readonly<Record<FormName, unknown>> {
  const all = [{ ...EMPTY, role: Role.USER, text: "Hi" }, ...messages];
  const last = FORM_NAMES.map((form) => [form, window(form, all).messages.at(-1)] as const);
  return Object.fromEntries(last) as Record<FormName, unknown>;
}

const PNG = "iVBORw0KGgo=";
const PDF = "JVBERi0=";

function user(...content: readonly unknown[]): readonly Message[] {
  return read("openai_responses", { role: "user", content });
}

describe("pictures and files of the user", () => {
  test("a picture in Base64 is one in every form", () => {
    const said = user(
      { type: "input_text", text: "See" },
      { type: "input_image", detail: "low", image_url: `data:image/png;base64,${PNG}` },
    );
    const image_url = { url: `data:image/png;base64,${PNG}`, detail: "low" };
    const text = { type: "text", text: "See" };
    const source = { type: "base64", media_type: "image/png", data: PNG };
    const inlineData = { mimeType: "image/png", data: PNG };
    const first = window("anthropic", said).messages[0];
    expect(first).toEqual({ role: "user", content: [text, { type: "image", source }] });
    expect(window("openai_chat", said).messages[0].content).toEqual([
      text,
      { type: "image_url", image_url },
    ]);
    expect(window("gemini", said).messages[0].parts).toEqual([{ text: "See" }, { inlineData }]);
  });

  test("a file by URL, in Base64 and by id", () => {
    const said = user(
      { type: "input_file", filename: "a.pdf", file_url: "https://example.com/a.pdf" },
      { type: "input_file", filename: "b.pdf", file_data: `data:application/pdf;base64,${PDF}` },
      { type: "input_file", file_id: "file-1" },
    );
    const document = { type: "document", title: "b.pdf" };
    const source = { type: "base64", media_type: "application/pdf", data: PDF };
    const { messages, notes } = window("anthropic", said);
    expect(messages[0].content).toEqual([
      {
        type: "document",
        title: "a.pdf",
        source: { type: "url", url: "https://example.com/a.pdf" },
      },
      { ...document, source },
      { type: "text", text: "[file]" },
    ]);
    expect(notes).toEqual(["m1 AS_TEXT file"]);
    const file_data = `data:application/pdf;base64,${PDF}`;
    expect(window("openai_chat", said).messages[0].content).toEqual([
      { type: "text", text: "[file a.pdf https://example.com/a.pdf]" },
      { type: "file", file: { filename: "b.pdf", file_data } },
      { type: "file", file: { file_id: "file-1" } },
    ]);
    expect(window("gemini", said).messages[0].parts).toEqual([
      { fileData: { fileUri: "https://example.com/a.pdf" } },
      { inlineData: { mimeType: "application/pdf", data: PDF } },
      { text: "[file]" },
    ]);
  });

  test("the bytes of a file cost no tokens, and are gone with the payload", () => {
    const [said] = user({
      ...{ type: "input_file", filename: "b.pdf" },
      file_data: `data:application/pdf;base64,${PDF}`,
    });
    const json = JSON.parse(said?.parts[0]?.part?.value.toString() ?? "");
    const file = { name: "b.pdf", media_type: "application/pdf", byte_count: 5 };
    expect(json).toEqual({ file });
    const changed = [{ ...EMPTY, ...said, providerPayload: undefined }];
    const { messages, notes } = window("openai_responses", changed);
    expect(messages[0].content).toEqual([{ type: "input_text", text: "[file b.pdf]" }]);
    expect(notes).toEqual(["m1 AS_TEXT file"]);
  });

  test("a part that only one form knows is a text in the others", () => {
    const audio = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } };
    const said = read("openai_chat", { role: "user", content: [audio] });
    expect(window("anthropic", said)).toMatchObject({
      messages: [{ role: "user", content: "[input_audio]" }],
      notes: ["m1 AS_TEXT input_audio"],
    });
    expect(window("openai_chat", said).messages[0].content).toEqual([audio]);
  });
});

describe("what the model says", () => {
  test("a refusal", () => {
    const said = read("openai_chat", { role: "assistant", content: null, refusal: "No." });
    expect(said[0]).toMatchObject({ text: "No." });
    expect(eachForm(said)).toEqual({
      openai_chat: { role: "assistant", content: null, refusal: "No." },
      openai_responses: { role: "assistant", content: "No." },
      anthropic: { role: "assistant", content: "No." },
      gemini: { role: "model", parts: [{ text: "No." }] },
    });
  });

  test("reasoning goes to its own provider only", () => {
    const rest = { redacted: false, summaries: ["s"], text: "t" };
    const reasoning = (reasoningId: string, signature: string): Message => ({
      ...EMPTY,
      role: Role.ASSISTANT,
      parts: [
        { part: { $case: "reasoning", value: { ...rest, reasoningId, signature } } },
        { part: { $case: "text", value: "Done." } },
      ],
    });
    const responses = eachForm([reasoning("rs_1", "g")]);
    expect(responses.openai_chat).toEqual({ role: "assistant", content: "Done." });
    expect(responses.anthropic).toEqual({ role: "assistant", content: "Done." });
    expect(window("openai_responses", [reasoning("rs_1", "g")]).messages[0]).toEqual({
      ...{ type: "reasoning", id: "rs_1", encrypted_content: "g" },
      summary: [{ type: "summary_text", text: "s" }],
      content: [{ type: "reasoning_text", text: "t" }],
    });
    const claude = eachForm([reasoning("", "s")]);
    expect(claude.anthropic).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "t", signature: "s" },
        { type: "text", text: "Done." },
      ],
    });
    expect(window("openai_responses", [reasoning("", "s")]).notes).toEqual([
      "m1 DROPPED reasoning",
    ]);
    // Signed by another API.
    const payload = { provider: "gemini.contents", mediaType: "", data: Buffer.from("{}") };
    const foreign = { ...reasoning("", "s"), providerPayload: payload };
    expect(eachForm([foreign]).anthropic).toEqual({ role: "assistant", content: "Done." });
  });

  test("a custom call, and arguments that are no object", () => {
    const call = { id: "c", type: "custom", custom: { name: "code", input: "print(1)" } };
    const said = read("openai_chat", { role: "assistant", content: null, tool_calls: [call] });
    const input = { input: "print(1)" };
    expect(eachForm(said)).toEqual({
      openai_chat: { role: "assistant", content: null, tool_calls: [call] },
      openai_responses: { type: "custom_tool_call", call_id: "c", name: "code", input: "print(1)" },
      anthropic: {
        role: "assistant",
        content: [{ type: "tool_use", id: "c", name: "code", input }],
      },
      gemini: { role: "model", parts: [{ functionCall: { id: "c", name: "code", args: input } }] },
    });
  });

  test("a picture is a text, except in Gemini", () => {
    const inlineData = { mimeType: "image/png", data: PNG };
    const said = read("gemini", { role: "model", parts: [{ inlineData }] });
    expect(eachForm(said)).toEqual({
      openai_chat: { role: "assistant", content: "[image]" },
      openai_responses: { role: "assistant", content: "[image]" },
      anthropic: { role: "assistant", content: "[image]" },
      gemini: { role: "model", parts: [{ inlineData }] },
    });
  });
});

describe("results", () => {
  const call = { ...EMPTY, role: Role.ASSISTANT };
  const calls: Message = {
    ...call,
    toolCalls: [
      { toolCallId: "a", name: "look", arguments: "{}" },
      { toolCallId: "b", name: "look", arguments: "{}" },
    ],
  };
  const result = (toolCallId: string, text: string, toolError = false): Message => {
    return { ...EMPTY, role: Role.TOOL, toolCallId, text, toolError };
  };

  test("an error, and JSON", () => {
    const said = [calls, result("b", '{"n":1.0}'), result("a", "late", true)];
    expect(eachForm(said)).toEqual({
      openai_chat: { role: "tool", tool_call_id: "a", content: "late" },
      openai_responses: { type: "function_call_output", call_id: "a", output: "late" },
      anthropic: {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "b", content: '{"n":1.0}' },
          { type: "tool_result", tool_use_id: "a", content: "late", is_error: true },
        ],
      },
      gemini: {
        role: "user",
        parts: [
          { functionResponse: { id: "a", name: "look", response: { error: "late" } } },
          { functionResponse: { id: "b", name: "look", response: { n: 1 } } },
        ],
      },
    });
    expect(window("openai_chat", said).notes).toEqual(["m3 ATTRIBUTE_DROPPED tool_error"]);
  });

  test("one that comes late moves up, one too many goes, one that is missing is made", () => {
    const hi = { ...EMPTY, role: Role.USER, text: "Hi" };
    const said = [result("z", "?"), hi, calls, hi, result("a", "1"), result("a", "2"), hi];
    const { messages, notes } = window("openai_chat", said);
    expect(
      messages.map((one: { role: string; content: string }) => [one.role, one.content]),
    ).toEqual([
      ["user", "Hi"],
      ["assistant", null],
      ["tool", "1"],
      ["tool", "No result was recorded."],
      ["user", "Hi"],
      ["user", "Hi"],
    ]);
    expect(notes).toEqual([
      "m1 DROPPED tool_result",
      "m5 MOVED tool_result",
      "m6 DROPPED tool_result",
      "m3 ADDED tool_result",
    ]);
  });

  test("calls in several messages are one message of Chat Completions", () => {
    const items = [
      { type: "reasoning", id: "rs", summary: [] },
      { type: "function_call", call_id: "a", name: "look", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "1" },
      { type: "function_call_output", call_id: "b", output: "2" },
    ];
    const { messages } = window("openai_chat", read("openai_responses", ...items));
    expect(messages.map((one: { role: string }) => one.role)).toEqual([
      "assistant",
      "tool",
      "tool",
    ]);
    expect(messages[0].tool_calls).toHaveLength(2);
  });
});

describe("Anthropic and Gemini", () => {
  test("messages in a row are one, behind a first one of the user; systems are apart", () => {
    const said = (role: Role, text: string): Message => ({ ...EMPTY, role, text });
    const all = [
      said(Role.SYSTEM, "Plan."),
      said(Role.ASSISTANT, "Hello."),
      said(Role.USER, "A"),
      said(Role.USER, "B"),
      said(Role.SYSTEM, "Hurry."),
      said(Role.USER, " "),
    ];
    const { messages, notes, system } = window("anthropic", all);
    expect(system.map(({ text }: { text: string }) => text)).toEqual(["Plan.", "Hurry."]);
    expect(messages.map(({ content }: { content: unknown }) => content)).toEqual([
      "(Earlier messages are not shown.)",
      "Hello.",
      [
        { type: "text", text: "A" },
        { type: "text", text: "B" },
      ],
    ]);
    expect(notes).toEqual(["m5 MOVED system", "m6 DROPPED message", " ADDED user_message"]);
    expect(window("gemini", all).system).toEqual({
      parts: [{ text: "Plan." }, { text: "Hurry." }],
    });
  });

  test("ids that Anthropic refuses are replaced, in the call and in its result", () => {
    const turn = (toolCallId: string): readonly Message[] => [
      {
        ...EMPTY,
        role: Role.ASSISTANT,
        toolCalls: [{ toolCallId, name: "look", arguments: "{}" }],
      },
      { ...EMPTY, role: Role.TOOL, toolCallId, text: "1" },
    ];
    const hi = { ...EMPTY, role: Role.USER, text: "Hi" };
    const { messages, notes } = window("anthropic", [
      hi,
      ...turn("a b"),
      ...turn("c"),
      ...turn("c"),
    ]);
    const ids = messages.flatMap(({ content }: { content: unknown }) =>
      Array.isArray(content) ? content.map((one) => one.id ?? one.tool_use_id) : [],
    );
    expect(ids).toEqual(["call_2_1", "call_2_1", "c", "c", "call_6_1", "call_6_1"]);
    expect(notes).toEqual(["m2 ID_REPLACED tool_call_id", "m6 ID_REPLACED tool_call_id"]);
  });

  test("only the newest four marks for caches stay", () => {
    const marked = (text: string) => ({
      role: "user",
      content: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
    });
    const answer = { role: "assistant", content: "Yes." };
    const said = [1, 2, 3, 4, 5].flatMap((n) => [marked(`${n}`), answer]);
    const { messages, notes } = window("anthropic", read("anthropic", ...said));
    expect(messages[0]).toEqual({ role: "user", content: "1" });
    expect(messages[2]).toEqual(marked("2"));
    expect(notes).toEqual([" ATTRIBUTE_DROPPED cache_control"]);
  });

  test("a call of the old kind keeps its way in Chat Completions", () => {
    const elements = [
      { role: "assistant", content: null, function_call: { name: "look", arguments: "{}" } },
      { role: "function", name: "look", content: "seen" },
    ];
    const said = read("openai_chat", ...elements);
    expect(window("openai_chat", said).messages).toEqual(elements);
    const anew = said.map((one) => ({ ...one, providerPayload: undefined }));
    expect(window("openai_chat", anew).messages).toEqual(elements);
    expect(window("anthropic", said).messages[1].content[0]).toMatchObject({ id: "look" });
  });
});
