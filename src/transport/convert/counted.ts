// What of a message costs tokens, and which tool calls it answers.

import type { CountedContent } from "../../domain/token-rules.ts";
import type * as wire from "../../gen/memorysidecar/v1/message.ts";
import { structToJson } from "./struct-json.ts";

type Parts = readonly wire.ContentPart[];

function addTexts(texts: string[], text: string, parts: Parts): void {
  if (text !== "") texts.push(text);
  for (const { part } of parts) {
    if (part?.$case === "text") texts.push(part.value);
    else if (part?.$case === "data") texts.push(structToJson(part.value));
    else if (part?.$case === "json") texts.push(part.value.toString());
    else if (part?.$case === "toolResult") addTexts(texts, part.value.text, part.value.parts);
    else if (part?.$case === "reasoning") addReasoning(texts, part.value);
  }
}

function addReasoning(texts: string[], { text, summaries }: wire.Reasoning): void {
  for (const one of [text, ...summaries]) if (one !== "") texts.push(one);
}

/** Gives the tool calls of a message, which stand in one place or the other. */
export function callsIn({ parts, toolCalls }: wire.Message): readonly wire.ToolCall[] {
  if (parts.length === 0 || toolCalls.length > 0) return toolCalls;
  return parts.flatMap(({ part }) => (part?.$case === "toolCall" ? [part.value] : []));
}

/** Counts the images of parts, those of tool results included. */
export function countImages(parts: Parts): number {
  let count = 0;
  for (const { part } of parts) {
    if (part?.$case === "image") count += 1;
    else if (part?.$case === "toolResult") count += countImages(part.value.parts);
  }
  return count;
}

/** Gives the tool results among parts; undefined for none. */
export function resultsIn(parts: Parts): readonly wire.ToolResult[] | undefined {
  let results: wire.ToolResult[] | undefined;
  for (const { part } of parts) {
    if (part?.$case !== "toolResult") continue;
    results ??= [];
    results.push(part.value);
  }
  return results;
}

/** Takes a message apart for the token rules. */
export function countedContent(message: wire.Message): CountedContent {
  const content: string[] = [];
  addTexts(content, message.text, message.parts);
  const calls = callsIn(message).map((call) => ({ name: call.name, body: call.arguments }));
  for (const call of message.agentCalls) calls.push({ name: call.agentName, body: call.request });
  return {
    content,
    calls,
    name: message.name,
    hasCallId: message.toolCallId !== "",
    imageCount: message.parts.length === 0 ? 0 : countImages(message.parts),
  };
}
