// Messages of Mastra as messages of a log.
//
// The row, which is the JSON text of Mastra's message, is the payload of the message in the log.
// Texts, calls and results are copied out of it, so that windows, recall and extraction see them.

import type { MastraDBMessage } from "@mastra/core/memory";
import { type Message, type MessageFields, Role } from "@memory-sidecar/client";
import { CUT_CHARS, MAX_PAYLOAD_BYTES } from "@memory-sidecar/client/adapters";
import { messageIdOf } from "./names.ts";

const PROVIDER = "mastra.message";
/** Provider of a payload that stands for a row in a record of its own. */
const RECORDED = "mastra.message.record";

type Json = Readonly<Record<string, unknown>>;

/** Role of a message in the log. It stays, whatever becomes of the role in the row. */
export type LogRole = "assistant" | "system" | "user";

/** A message of Mastra as it is kept. */
export interface Row {
  readonly id: string;
  readonly threadId: string;
  readonly resourceId?: string | undefined;
  readonly role: MastraDBMessage["role"];
  readonly type?: string | undefined;
  readonly createdAt: Date;
  readonly content: unknown;
}

/** Makes the row of a message. Throws when it cannot be kept. */
export function rowOf(message: MastraDBMessage): Row {
  const { content, createdAt, id, resourceId, role, threadId, type } = message;
  if (typeof id !== "string" || id === "") throw new TypeError("a message has no id");
  if (!threadId) throw new TypeError(`message "${id}" has no threadId: it belongs to a thread`);
  const time = new Date(createdAt ?? Date.now());
  if (Number.isNaN(time.getTime())) {
    throw new RangeError(`message "${id}" has an invalid createdAt: give a Date`);
  }
  const owned = resourceId ? { resourceId } : {};
  return { id, role, createdAt: time, threadId, ...owned, ...(type ? { type } : {}), content };
}

/** The bytes of a row. */
export function bytesOf(row: Row): Buffer {
  return Buffer.from(JSON.stringify(row));
}

/** Reads what `bytesOf` made. */
export function rowFrom(bytes: Uint8Array): Row {
  const row = JSON.parse(Buffer.from(bytes).toString()) as Row;
  return { ...row, createdAt: new Date(row.createdAt) };
}

/** Makes the message that keeps a row, whose bytes are given. */
export function loggedOf(row: Row, bytes: Buffer, role: LogRole): MessageFields {
  const isLarge = bytes.length > MAX_PAYLOAD_BYTES;
  const text = textOf(row.content);
  return {
    ...{ role, messageId: messageIdOf(row.id), sentTime: row.createdAt },
    text: isLarge ? text.slice(0, CUT_CHARS) : text,
    ...(row.role === role ? {} : { providerRole: row.role }),
    providerPayload: {
      provider: isLarge ? RECORDED : PROVIDER,
      ...{ mediaType: "application/json", data: isLarge ? idBytes(row.id) : bytes },
    },
  };
}

/**
 * A row as a window counts it, where the text of the message is the beginning of the row's: this
 * text under an id of its own, so that an agent that saves what it got replaces no whole message.
 */
export function cutRow(row: Row, { text }: Message): Row {
  if (text.length < CUT_CHARS || bytesOf(row).length <= MAX_PAYLOAD_BYTES) return row;
  const content = { format: 2, parts: [{ type: "text", text }] };
  return { ...row, id: `${row.id}#cut`, content };
}

/** The role in the log of a new message. Signals reach the model as what the user says. */
export function logRoleOf({ role }: Row): LogRole {
  return role === "assistant" || role === "system" ? role : "user";
}

/** Row of a message in the log; or the id of the row if a record of its own keeps it. */
export type Kept = { readonly row: Row } | { readonly recordedId: string };

/**
 * Reads the row of a message. A message that the server or another client made becomes a row with
 * its text, of the given resource.
 */
export function keptIn(message: Message, threadId: string, resourceId?: string): Kept {
  const { providerPayload: payload, role } = message;
  if (payload?.provider === PROVIDER) return { row: rowFrom(payload.data) };
  if (payload?.provider === RECORDED) return { recordedId: JSON.parse(payload.data.toString()) };
  const parts = message.parts.flatMap(({ part }) => (part?.$case === "text" ? part.value : []));
  const text = [message.text, ...parts].filter((one) => one !== "").join("\n");
  const createdAt = message.sentTime ?? message.createTime ?? new Date(0);
  const names = { [Role.USER]: "user", [Role.SYSTEM]: "system" } as const;
  return {
    row: {
      ...{ id: message.messageId, threadId, createdAt, resourceId },
      role: role === Role.USER || role === Role.SYSTEM ? names[role] : "assistant",
      content: { format: 2, parts: [{ type: "text", text }] },
    },
  };
}

/** Makes the message of Mastra that a row keeps. */
export function messageOf(row: Row): MastraDBMessage {
  const { content, createdAt, id, resourceId, role = "user", threadId, type = "text" } = row;
  const isText = typeof content === "string";
  const parts = isText ? [{ type: "text" as const, text: content }] : [];
  const whole = isText ? { format: 2 as const, content, parts } : content;
  return {
    ...{ id, role, createdAt, threadId, type },
    ...(resourceId ? { resourceId } : {}),
    content: whole as MastraDBMessage["content"],
  };
}

function idBytes(id: string): Buffer {
  return Buffer.from(JSON.stringify(id));
}

/** Joins the texts of a content, with the calls of tools and their results. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const { content: whole, parts } = (content ?? {}) as Json;
  const texts = (Array.isArray(parts) ? parts : []).flatMap((part) =>
    textsOf((part ?? {}) as Json),
  );
  if (texts.length > 0) return texts.join("\n");
  return typeof whole === "string" ? whole : "";
}

function textsOf({ reasoning, text, toolInvocation, type }: Json): string[] {
  if (type === "text") return typeof text === "string" ? [text] : [];
  if (type === "reasoning") return typeof reasoning === "string" && reasoning ? [reasoning] : [];
  if (type !== "tool-invocation") return [];
  const { args, result, toolName } = (toolInvocation ?? {}) as Json;
  const call = [String(toolName), ...written(args)].join(" ");
  return [call, ...written(result)];
}

function written(value: unknown): string[] {
  if (value === undefined) return [];
  return [typeof value === "string" ? value : JSON.stringify(value)];
}
