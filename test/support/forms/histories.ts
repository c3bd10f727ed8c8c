// Random histories: of our own messages, in any disorder, and in each form as its API takes them.

import fc from "fast-check";
import { FORM_NAMES, type FormName } from "../../../src/forms/form.ts";
import {
  type ContentPart,
  Message,
  type MessageForm,
  Role,
} from "../../../src/gen/memorysidecar/v1/message.ts";

/** The forms with their numbers. */
export const FORM_CASES: readonly { readonly name: FormName; readonly form: MessageForm }[] =
  FORM_NAMES.map((name, index) => ({ name, form: (index + 1) as MessageForm }));

const EMPTY = Message.decode(new Uint8Array(0));

const words = fc.oneof(
  fc.constantFrom("", " ", "Hi", '{"a": 1.0}', "[]", "Zoë 🌞", 'a "b" \\ \n c'),
  fc.string({ maxLength: 8, unit: "grapheme" }),
);
const id = fc.constantFrom("a", "b", "c", "call 1", "x:y", "ünï", "i".repeat(90));
const tool = fc.constantFrom("weather", "time");

const call = fc.record({
  toolCallId: id,
  name: tool,
  arguments: fc.constantFrom("", "{}", '{"n":1.0}', "no json", "[1]"),
});

const plainPart: fc.Arbitrary<ContentPart> = fc.oneof(
  words.map((value) => ({ part: { $case: "text" as const, value } })),
  fc.constantFrom("https://example.com/i", "gs://b/i").map((url) => ({
    part: {
      $case: "image" as const,
      value: { source: { $case: "url" as const, value: url }, mediaType: "image/png", detail: "" },
    },
  })),
  fc.constant({
    part: {
      $case: "image" as const,
      value: {
        source: { $case: "data" as const, value: Buffer.from("png") },
        mediaType: "",
        detail: "high",
      },
    },
  }),
  fc
    .constantFrom('{"k":[1]}', '{"file":{"id":"f"}}', '{"file":{"url":"u"}}', '{"file":{"x":1}}')
    .map((text) => ({ part: { $case: "json" as const, value: Buffer.from(text) } })),
);

const resultPart: fc.Arbitrary<ContentPart> = fc
  .record({ toolCallId: id, text: words, error: fc.boolean() })
  .map((value) => ({ part: { $case: "toolResult" as const, value: { ...value, parts: [] } } }));

const reasoningPart: fc.Arbitrary<ContentPart> = fc
  .record({
    text: words,
    summaries: fc.array(words, { maxLength: 2 }),
    signature: fc.constantFrom("", "sig"),
    reasoningId: fc.constantFrom("", "rs_1"),
    redacted: fc.boolean(),
  })
  .map((value) => ({ part: { $case: "reasoning" as const, value } }));

function distinct(calls: readonly Message["toolCalls"][number][]): Message["toolCalls"] {
  return [...new Map(calls.map((one) => [one.toolCallId, one])).values()];
}

const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  words.map((text) => ({ ...EMPTY, role: Role.SYSTEM, text })),
  words.map((text) => ({ ...EMPTY, role: Role.USER, text, name: "ana" })),
  fc
    .array(fc.oneof(plainPart, resultPart), { maxLength: 4 })
    .map((parts) => ({ ...EMPTY, role: Role.USER, parts })),
  fc.record({ text: words, calls: fc.array(call, { maxLength: 3 }) }).map(({ calls, text }) => ({
    ...EMPTY,
    role: Role.ASSISTANT,
    text,
    toolCalls: distinct(calls),
  })),
  fc
    .record({
      before: fc.array(fc.oneof(plainPart, reasoningPart), { maxLength: 2 }),
      calls: fc.array(call, { maxLength: 2 }),
      after: fc.array(plainPart, { maxLength: 1 }),
    })
    .map(({ after, before, calls }) => ({
      ...EMPTY,
      role: Role.ASSISTANT,
      parts: [
        ...before,
        ...distinct(calls).map((value) => ({ part: { $case: "toolCall" as const, value } })),
        ...after,
      ],
    })),
  fc
    .record({ toolCallId: fc.oneof(id, fc.constant("")), text: words, toolError: fc.boolean() })
    .map((fields) => ({ ...EMPTY, role: Role.TOOL, ...fields })),
);

/** Our own messages in any order: results without calls, calls without results, ids again. */
export function wildHistory(): fc.Arbitrary<readonly Message[]> {
  return fc.array(anyMessage, { maxLength: 12 });
}

// Histories in a form.

export interface History {
  readonly system: readonly string[];
  readonly messages: readonly string[];
}

/** Layouts of JSON that clients use. */
const layout = fc.constantFrom<number | string | undefined>(undefined, 1, "\t");

interface Turn {
  readonly text: string;
  readonly image: boolean;
  readonly steps: readonly { readonly calls: number; readonly thinks: boolean }[];
  readonly answer: string;
}

const spoken = fc.string({ minLength: 1, maxLength: 10 }).map((text) => `x${text}`);

const turn: fc.Arbitrary<Turn> = fc.record({
  text: spoken,
  image: fc.boolean(),
  steps: fc.array(fc.record({ calls: fc.integer({ min: 1, max: 3 }), thinks: fc.boolean() }), {
    maxLength: 2,
  }),
  answer: spoken,
});

/** A history of whole turns, as the API of a form takes it. */
export function historyIn(form: FormName): fc.Arbitrary<History> {
  return fc
    .record({ turns: fc.array(turn, { minLength: 1, maxLength: 4 }), layout, prompt: fc.boolean() })
    .map(({ layout: space, prompt, turns }) => {
      const write = (value: unknown): string => JSON.stringify(value, null, space);
      const values: unknown[] = [];
      for (const [index, one] of turns.entries()) values.push(...WRITERS[form](one, index));
      const system = prompt ? [SYSTEMS[form]] : [];
      return { system: system.map(write), messages: values.map(write) };
    });
}

const SYSTEMS: Readonly<Record<FormName, unknown>> = {
  openai_chat: { role: "system", content: "Plan." },
  openai_responses: { role: "developer", content: "Plan." },
  anthropic: { role: "system", content: "Plan." },
  gemini: { role: "system", parts: [{ text: "Plan." }] },
};

const URL = "https://example.com/i.png";

function idOf(...parts: readonly number[]): string {
  return `call_${parts.join("_")}`;
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

const WRITERS: Readonly<Record<FormName, (turn: Turn, index: number) => readonly unknown[]>> = {
  openai_chat: ({ answer, image, steps, text }, index) => [
    image
      ? {
          role: "user",
          content: [
            { type: "text", text },
            { type: "image_url", image_url: { url: URL } },
          ],
        }
      : { role: "user", content: text },
    ...steps.flatMap(({ calls }, step) => [
      {
        role: "assistant",
        content: null,
        tool_calls: numbers(calls).map((n) => ({
          id: idOf(index, step, n),
          type: "function",
          function: { name: "weather", arguments: '{"n": 1.0}' },
        })),
      },
      ...numbers(calls).map((n) => ({
        role: "tool",
        tool_call_id: idOf(index, step, n),
        content: text,
      })),
    ]),
    { role: "assistant", content: answer },
  ],
  openai_responses: ({ answer, image, steps, text }, index) => [
    {
      role: "user",
      content: image ? [{ type: "input_image", detail: "auto", image_url: URL }] : text,
    },
    ...steps.flatMap(({ calls, thinks }, step) => [
      ...(thinks ? [{ type: "reasoning", id: `rs_${index}_${step}`, summary: [] }] : []),
      ...numbers(calls).map((n) => ({
        type: "function_call",
        id: `fc_${index}_${step}_${n}`,
        call_id: idOf(index, step, n),
        name: "weather",
        arguments: "{}",
      })),
      ...numbers(calls).map((n) => ({
        type: "function_call_output",
        call_id: idOf(index, step, n),
        output: text,
      })),
    ]),
    {
      type: "message",
      id: `msg_${index}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: answer, annotations: [] }],
    },
  ],
  anthropic: ({ answer, image, steps, text }, index) => [
    {
      role: "user",
      content: image
        ? [
            { type: "image", source: { type: "url", url: URL } },
            { type: "text", text, cache_control: { type: "ephemeral" } },
          ]
        : text,
    },
    ...steps.flatMap(({ calls, thinks }, step) => [
      {
        role: "assistant",
        content: [
          ...(thinks ? [{ type: "thinking", thinking: "t", signature: "s" }] : []),
          ...numbers(calls).map((n) => ({
            type: "tool_use",
            id: idOf(index, step, n),
            name: "weather",
            input: { n },
          })),
        ],
      },
      {
        role: "user",
        content: numbers(calls).map((n) => ({
          type: "tool_result",
          tool_use_id: idOf(index, step, n),
          content: text,
        })),
      },
    ]),
    { role: "assistant", content: [{ type: "text", text: answer }] },
  ],
  gemini: ({ answer, image, steps, text }) => [
    {
      role: "user",
      parts: image ? [{ fileData: { fileUri: URL, mimeType: "image/png" } }] : [{ text }],
    },
    ...steps.flatMap(({ calls, thinks }) => [
      {
        role: "model",
        parts: [
          ...(thinks ? [{ text: "t", thought: true }] : []),
          ...numbers(calls).map((n) => ({
            functionCall: { name: n === 1 ? "time" : "weather", args: { n } },
            ...(n === 0 ? { thoughtSignature: "s" } : {}),
          })),
        ],
      },
      {
        role: "user",
        parts: numbers(calls).map((n) => ({
          functionResponse: { name: n === 1 ? "time" : "weather", response: { output: text } },
        })),
      },
    ]),
    { role: "model", parts: [{ text: answer }] },
  ],
};
