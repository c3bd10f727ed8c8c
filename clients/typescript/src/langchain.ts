// Messages of LangChain, as elements of Chat Completions and back.
//
// LangChain stores a message as `{ type, data }`. If an element cannot hold the whole message, it
// also carries the stored message under the key `langchain`. The server gives an element back as it
// came, so the message comes back equal. An element that the server rewrote, such as a shortened
// one, has no such key.

import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "./message.ts";

/** A message as LangChain stores it. */
interface Stored {
  readonly type: string;
  readonly data: JsonObject;
}

/** The part of `@langchain/core/messages` that makes messages. */
export interface LangChainMessages {
  readonly mapStoredMessagesToChatMessages: (stored: never[]) => object[];
}

const KEY = "langchain";
const ROLES: Readonly<Record<string, string>> = {
  human: "user",
  ai: "assistant",
  system: "system",
  tool: "tool",
};
// Other parts, such as the reasoning of a model, are kept only under the key.
const PARTS: ReadonlySet<unknown> = new Set(["text", "image_url", "file", "refusal"]);

let loaded: LangChainMessages | undefined;

/**
 * Gives the client `@langchain/core/messages` where it does not find the package by itself:
 * `useLangChain(await import("@langchain/core/messages"))`.
 */
export function useLangChain(messages: LangChainMessages): void {
  loaded = messages;
}

const MISSING =
  'form "langchain" needs the package @langchain/core: install it, or name it with ' +
  'useLangChain(await import("@langchain/core/messages"))';

/** Loads `@langchain/core/messages`, unless `useLangChain` has given it. */
export async function loadLangChain(): Promise<void> {
  // The compiler must not resolve this name: a program without LangChain must compile.
  const name: string = "@langchain/core/messages";
  try {
    loaded ??= (await import(name)) as LangChainMessages;
  } catch (cause) {
    throw new TypeError(MISSING, { cause });
  }
}

function storedOf(message: object): Stored {
  if (!("toDict" in message) || typeof message.toDict !== "function") {
    throw new TypeError('form "langchain" takes messages of LangChain');
  }
  // As JSON, without fields that are undefined.
  return JSON.parse(JSON.stringify(message.toDict()));
}

/** Makes elements of messages. */
export function langChainElements(messages: readonly object[]): JsonObject[] {
  return messages.map((message) => {
    const stored = storedOf(message);
    const element = elementOf(stored);
    if (isDeepStrictEqual(storedOfElement(element), stored)) return element;
    const { content, ...rest } = stored.data;
    const data = isDeepStrictEqual(content, element["content"]) ? rest : stored.data;
    return { ...element, [KEY]: { ...stored, data } };
  });
}

function elementOf({ type, data }: Stored): JsonObject {
  const role = ROLES[type];
  if (role === undefined) throw new TypeError(`form "langchain" takes no messages of type ${type}`);
  const { content, name, tool_calls: calls = [], tool_call_id } = data;
  const parts = (Array.isArray(content) ? content : []).filter(({ type }) => PARTS.has(type));
  return {
    role,
    content: Array.isArray(content) ? parts : content,
    ...(typeof name === "string" && name !== "" && role !== "tool" ? { name } : {}),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls.map(toCall) } : {}),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  };
}

function toCall({ args, id, name }: { args: unknown; id: string; name: string }): JsonObject {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

/** Makes messages of elements. */
export function langChainMessages(elements: readonly JsonObject[]): object[] {
  if (loaded === undefined) throw new TypeError(MISSING);
  return loaded.mapStoredMessagesToChatMessages(elements.map(restored) as never[]);
}

function restored(element: JsonObject): Stored {
  const { [KEY]: own, ...rest } = element as JsonObject & { [KEY]?: Stored };
  if (own === undefined) return storedOfElement(rest);
  return { ...own, data: { content: element["content"], ...own.data } };
}

interface Call {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
  readonly custom?: { readonly name: string; readonly input: string };
}

function storedOfElement(element: JsonObject): Stored {
  const { role, content, name, tool_calls: calls = [], tool_call_id } = element;
  const type = Object.keys(ROLES).find((one) => ROLES[one] === role) ?? "system";
  const made = type === "ai" ? { tool_calls: (calls as Call[]).map(ofCall) } : {};
  return {
    type,
    data: {
      content: content ?? "",
      ...(name === undefined ? {} : { name }),
      ...made,
      ...(tool_call_id === undefined ? {} : { tool_call_id }),
      ...(type === "ai" ? { invalid_tool_calls: [] } : {}),
      additional_kwargs: {},
      response_metadata: {},
    },
  };
}

function ofCall({ id, function: called, custom }: Call): JsonObject {
  const name = called?.name ?? custom?.name ?? "";
  const args = called === undefined ? { input: custom?.input } : argumentsOf(called.arguments);
  return { name, args, id, type: "tool_call" };
}

/** Reads the arguments of a call; a model may have written something other than a JSON object. */
function argumentsOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The text itself, then.
  }
  return { input: text };
}
