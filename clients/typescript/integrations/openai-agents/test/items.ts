// Items as the SDK makes them.

import type { AgentInputItem } from "@openai/agents-core";

/** One of each kind, among them values that JSON cannot say. */
export const ITEMS: AgentInputItem[] = [
  { role: "system", content: "Answer in one sentence." },
  {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "Where are the storks?" }],
  },
  {
    type: "reasoning",
    id: "rs_1",
    content: [],
    rawContent: [{ type: "reasoning_text", text: "x" }],
  },
  { type: "function_call", callId: "c1", name: "look", arguments: '{"at": 1.0}' },
  { type: "function_call", callId: "c2", name: "look", arguments: "", status: "completed" },
  {
    type: "function_call_result",
    ...{ callId: "c2", name: "look", status: "completed" },
    output: [{ type: "input_text", text: "Nobody." }],
  },
  {
    type: "function_call_result",
    ...{ callId: "c1", name: "look", status: "completed" },
    output: { type: "text", text: "On the roof." },
  },
  {
    ...{ type: "message", role: "assistant", status: "completed", id: "m" },
    content: [{ type: "output_text", text: "On the roof." }],
    providerData: undefined,
  },
  {
    type: "unknown",
    providerData: {
      ...{ $odd: 1, z: -0, n: Number.NaN, none: undefined, null: null, "": "\ud800 😀 \u0000" },
      ...{ bytes: new Uint8Array([1, 2]), deep: [{ $bytes: "AQI=" }, [undefined]] },
    },
  },
  { type: "compaction", encrypted_content: "short" },
];

/** A question, a call, its result and an answer. */
export function turn(number: number): AgentInputItem[] {
  const call = { callId: `c${number}`, name: "read" };
  return [
    { role: "user", content: `What does note ${number} say about storks?` },
    { type: "function_call", ...call, arguments: "{}" },
    { type: "function_call_result", ...call, status: "completed", output: "They are back." },
    {
      ...{ role: "assistant", status: "completed" },
      content: [{ type: "output_text", text: `The storks are back, says note ${number}.` }],
    },
  ];
}
