// Pieces of content that several formats write alike.

import { ROLE, type Role } from "../../window/rules/types.ts";
import {
  type At,
  child,
  fault,
  isNone,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  parseObject,
  requiredTextAt,
  textAt,
} from "./json.ts";
import type { PlainCall, PlainImage, PlainMessage, PlainPart } from "./plain.ts";

/** The role of a message. */
export function roleAt({ value, path }: At): Role {
  const role = Object.entries(ROLE).find(([name]) => name === value);
  return role?.[1] ?? fault(path, `must be one of ${Object.keys(ROLE).join(", ")}`);
}

/** The id of a message: formats without ids may carry one all the same. */
export function idOf(source: JsonObject): string {
  for (const key of ["message_id", "id"]) {
    const { value } = child(source, key, "");
    if (typeof value === "string") return value.toWellFormed();
  }
  return "";
}

/** Arguments of a call as a text. */
export function argumentsOf(value: Json | undefined): string {
  if (isNone(value)) return "";
  return typeof value === "string" ? value.toWellFormed() : JSON.stringify(value);
}

/** Arguments of a call as an object where they are one. */
export function argumentsValue(text: string): Json {
  return parseObject(text) ?? text;
}

/** The id of a call. One without gets `call-` and its place, or the next number that is free. */
export function callIdAt(id: At, index: number, taken: ReadonlySet<unknown>): string {
  const given = textAt(id);
  if (given !== "") return given;
  let number = index;
  while (taken.has(`call-${number}`)) number += 1;
  return `call-${number}`;
}

/**
 * The tool calls of a message, with their parts named in one of the usual ways. A call may have no
 * name and no id, unless the system itself would refuse it.
 */
export function callsAt(at: At, strict: boolean): readonly PlainCall[] {
  const list = listAt(at);
  const taken = new Set<unknown>(list.map((value) => (isObject(value) ? value["id"] : undefined)));
  return list.map((value, index) => {
    const path = `${at.path}[${index}]`;
    const call = objectAt({ value, path });
    const nested = child(call, "function", path);
    const inner = isObject(nested.value) ? nested.value : call;
    const innerPath = isObject(nested.value) ? nested.path : path;
    const id = child(call, "id", path);
    const name = child(inner, inner["name"] === undefined ? "tool_name" : "name", innerPath);
    const key = ["arguments", "parameters", "input", "args"].find((k) => inner[k] !== undefined);
    const nameAt = strict ? requiredTextAt : textAt;
    const made = strict ? requiredTextAt(id) : callIdAt(id, index, taken);
    taken.add(made);
    return {
      id: made,
      name: nameAt({ ...name, path: `${innerPath}.name` }),
      arguments: argumentsOf(key === undefined ? undefined : inner[key]),
    };
  });
}

/** Tool calls as OpenAI writes them. */
export function functionCalls(calls: readonly PlainCall[]): Json {
  return calls.map(({ id, name, arguments: text }) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  }));
}

const QUAD = 4;
/** A group that repeats would overflow the stack on a large picture. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const SPARE_BITS = /[^AQgw]==$|[^AEIMQUYcgkosw048=]=$/;

/** Whether a text is base64 as everybody writes it, so that bytes give it back as it was. */
export function isBase64(text: string): boolean {
  return text !== "" && text.length % QUAD === 0 && BASE64.test(text) && !SPARE_BITS.test(text);
}

const DATA_URL = /^data:([^;,]*);base64,/;

/** A picture by its address, or out of an address that holds it. */
export function imageOf(url: string, detail = ""): PlainImage | undefined {
  if (url === "") return undefined;
  const [start, mediaType = ""] = DATA_URL.exec(url) ?? [];
  const base64 = start === undefined ? "" : url.slice(start.length);
  const isBytes = isBase64(base64);
  const source = isBytes ? { base64 } : { url: url.toWellFormed() };
  const named = isBytes ? mediaType.toWellFormed() : "";
  return { kind: "image", source, mediaType: named, detail: detail.toWellFormed() };
}

/** The address of a picture; one with bytes becomes an address that holds them. */
export function urlOf({ source, mediaType }: PlainImage): string {
  return "url" in source ? source.url : `data:${mediaType};base64,${source.base64}`;
}

/** All text of a content, parts joined by a line break. */
export function textOf(message: Pick<PlainMessage, "text" | "parts">): string {
  const texts = message.text === "" ? [] : [message.text];
  for (const part of message.parts) texts.push(...partTexts(part));
  return texts.join("\n");
}

function partTexts(part: PlainPart): readonly string[] {
  switch (part.kind) {
    case "text":
      return [part.text];
    case "data":
      return [JSON.stringify(part.value)];
    case "result":
      return [textOf(part)];
    default:
      return [];
  }
}
