// UIMessages of the messages of a log or of a window.

import { type Message, Role } from "@memory-sidecar/client";
import type { UIMessage } from "ai";
import { type Fragment, fragmentOf } from "./fragments.ts";
import { type Json, resultOf, type ToolText } from "./parts.ts";

/** Results of tools, by the ids of their calls. */
type Results = ReadonlyMap<string, ToolText>;

/** A UIMessage that is being put together. */
interface Open {
  readonly chain: string | undefined;
  readonly seq: number;
  readonly message: Json;
  readonly parts: Json[];
}

/** A UIMessage with its origin in the log. */
export interface Assembled {
  readonly message: UIMessage;
  /** The digest that its fragments hold; undefined for a message of another client. */
  readonly chain: string | undefined;
  /** The seq of its first message; 0 for one that the server made for a window. */
  readonly seq: number;
}

/**
 * Gives the UIMessages that the messages of a log keep. Those of a window may be shortened. A
 * message of another client, such as a summary in a window, becomes a UIMessage with its text and
 * calls.
 */
export function assembled(
  messages: readonly Message[],
  { isWindow, large }: { isWindow: boolean; large: ReadonlyMap<string, Fragment> },
): Assembled[] {
  const made: Open[] = [];
  for (const [index, message] of messages.entries()) {
    const named = fragmentOf(message);
    const fragment = named?.record === undefined ? named : large.get(named.record);
    if (named !== undefined && fragment === undefined) {
      throw new Error(`the chat lacks the record "${named.record}" of one of its messages`);
    }
    const results = resultsAfter(messages, index);
    if (fragment === undefined) {
      if (message.role !== Role.TOOL) made.push(foreign(message, results));
      continue;
    }
    const last = made.at(-1);
    const parts = isWindow ? shown(fragment, message, results) : fragment.parts;
    if (last?.chain === fragment.chain) last.parts.push(...parts);
    else if (fragment.message !== undefined) {
      const { seq } = message;
      made.push({ chain: fragment.chain, seq, message: fragment.message, parts: [...parts] });
    }
  }
  return made.map(({ chain, message, parts, seq }) => {
    return { message: { ...message, parts } as unknown as UIMessage, chain, seq };
  });
}

/** Gives the results that tools answer directly after a message. */
function resultsAfter(messages: readonly Message[], index: number): Results {
  const results = new Map<string, ToolText>();
  for (let at = index + 1; messages[at]?.role === Role.TOOL; at += 1) {
    const { parts = [], text = "", toolCallId = "", toolError: error = false } = messages[at] ?? {};
    for (const { part } of parts) {
      if (part?.$case === "toolResult") results.set(part.value.toolCallId, part.value);
    }
    const said = [text, ...textsOf(parts)].filter((one) => one !== "").join("\n");
    if (toolCallId !== "") results.set(toolCallId, { text: said, error });
  }
  return results;
}

/**
 * Gives the parts of a fragment. Where a policy has shortened a text or a result in the window, the
 * short one takes the place of the whole one.
 */
function shown({ message, parts }: Fragment, stored: Message, results: Results): readonly Json[] {
  if (message === undefined) return parts;
  const whole = new Map(parts.flatMap(resultOf));
  const said = parts.flatMap(({ text, type }) => (type === "text" && text !== "" ? [text] : []));
  const short = [stored.text, ...textsOf(stored.parts)].filter((one) => one !== "");
  const isShort = said.length > 0 && !said.every((text) => short.includes(inUtf8(text)));
  const first = parts.findIndex(({ type }) => type === "text");
  return parts.flatMap((part, index): readonly Json[] => {
    if (part["type"] === "text" && isShort) {
      return index === first ? [{ ...part, text: short.join("\n") }] : [];
    }
    const [found] = resultOf(part);
    const [id = ""] = found ?? [];
    const told = results.get(id);
    if (found === undefined || told === undefined || told.text === inUtf8(whole.get(id)?.text)) {
      return [part];
    }
    return [{ ...part, ...("output" in part ? { output: told.text } : { errorText: told.text }) }];
  });
}

function foreign(message: Message, results: Results): Open {
  const { messageId: id, parts: given, role, seq, text, toolCalls } = message;
  const parts: Json[] = [];
  for (const said of [text, ...textsOf(given)])
    if (said !== "") parts.push({ type: "text", text: said });
  const inParts = given.flatMap(({ part }) => (part?.$case === "toolCall" ? [part.value] : []));
  for (const { arguments: args, name, toolCallId } of [...toolCalls, ...inParts]) {
    const call = { type: "dynamic-tool", toolName: name, toolCallId, input: inputOf(args) };
    const result = results.get(toolCallId);
    if (result === undefined) parts.push({ ...call, state: "input-available" });
    else if (result.error) parts.push({ ...call, state: "output-error", errorText: result.text });
    else parts.push({ ...call, state: "output-available", output: result.text });
  }
  const name = role === Role.USER ? "user" : role === Role.SYSTEM ? "system" : "assistant";
  return { chain: undefined, seq, message: { id, role: name, parts: [] }, parts };
}

/** The text as the server gives it back: lone surrogates become the replacement character. */
function inUtf8(text: unknown): string {
  return Buffer.from(String(text)).toString();
}

function textsOf(parts: Message["parts"]): string[] {
  return parts.flatMap(({ part }) => (part?.$case === "text" ? [part.value] : []));
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A model may write what is no JSON.
    return text;
  }
}
