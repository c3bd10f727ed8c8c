// Messages of chats as the SDK makes them.

import type { UIMessage } from "ai";

/** Makes a message of the user. */
export function asked(text: string, id = `u-${text}`): UIMessage {
  return { id, role: "user", parts: [{ type: "text", text }] };
}

/** Makes an answer of two steps, with a tool call and its result. */
export function answered(number: number, place = `roof ${number}`): UIMessage {
  return {
    id: `a-${number}`,
    role: "assistant",
    metadata: { totalTokens: number },
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Look first.", state: "done" },
      {
        ...{ type: "tool-look", toolCallId: `c${number}`, state: "output-available" },
        ...{ input: { place }, output: { storks: number, at: place } },
      },
      { type: "step-start" },
      { type: "text", text: `The storks are on ${place}, says note ${number}.`, state: "done" },
    ],
  };
}

/** A question and its answer. */
export function turn(number: number): UIMessage[] {
  return [asked(`What does note ${number} say about storks?`), answered(number)];
}

const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

/** One of each kind, among them values that other stores lose. */
export const MESSAGES = [
  { id: "s", role: "system", parts: [{ type: "text", text: "Be brief.\ud800\u0000" }] },
  {
    ...{ metadata: { createdAt: 1, "": null, z: [1e-7, -5], a: { b: "\ud800 😀 \u0000" } } },
    ...{ id: "u1", role: "user", extra: { 2: "b", 1: "a" } },
    parts: [
      { type: "text", text: "Where are they?" },
      { type: "file", mediaType: "image/png", url: PIXEL },
      { type: "file", mediaType: "image/png", url: "https://example.org/stork.png" },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64," },
      { type: "file", mediaType: "application/pdf", filename: "a.pdf", url: "data:,x" },
    ],
  },
  answered(1),
  {
    ...{ id: "", role: "assistant" },
    parts: [
      { type: "data-weather", id: "w", data: { city: "Lisbon" } },
      { type: "step-start" },
      { type: "text", text: "" },
      { type: "source-url", sourceId: "1", url: "https://example.org" },
      { type: "tool-look", toolCallId: "c2", state: "input-streaming", input: undefined },
      { type: "tool-look", toolCallId: "c3", state: "output-error", input: {}, errorText: "No." },
      { type: "tool-look", toolCallId: "c3", state: "output-available", input: {}, output: "Yes." },
      {
        ...{ type: "dynamic-tool", toolName: "ask", toolCallId: "c4", state: "output-denied" },
        ...{ input: {}, approval: { id: "p", approved: false, reason: "too far" } },
      },
      { type: "tool-", toolCallId: "c5", state: "output-available", input: 1, output: 2 },
      { type: "text", text: "Ask them.", providerMetadata: { a: { signature: "x" } } },
    ],
  },
  { id: "e", role: "assistant", parts: [] },
] as unknown as UIMessage[];
