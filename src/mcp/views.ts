// The views that models get of memories, messages and sessions, as data and as lines of text.

import { z } from "zod";
import type {
  ContentPart,
  Document,
  Memory,
  Message,
  Session,
  Trust,
} from "../gen/client/index.ts";
import { MEMORY_KINDS } from "../memory/rules/memory.ts";

const TRUSTS = ["low", "medium", "high"] as const;
const ROLES = ["user", "assistant", "system", "tool"] as const;

const trust = z.enum(TRUSTS).describe("How far the content is trusted.");
const time = z.string().describe("In ISO 8601.");

/** A memory. */
export const MEMORY = z.object({
  memory_id: z.string(),
  kind: z.string(),
  content: z.string(),
  category: z.string(),
  key: z.string().optional(),
  topics: z.array(z.string()).optional(),
  importance: z.number().optional(),
  confidence: z.number().optional(),
  trust,
  version: z.number().int().describe("Rises with every change of the content."),
  created: time,
  updated: time,
});

/** A message of a session. */
export const MESSAGE = z.object({
  seq: z.number().int().describe("Place in the session, from 1; 0 for a text put in between."),
  role: z.string(),
  name: z.string().optional(),
  text: z.string(),
  tool_calls: z.array(z.object({ name: z.string(), arguments: z.string() })).optional(),
  tool_call_id: z.string().optional(),
});

/** A hit of recall. */
export const HIT = z.object({
  source: z.enum(["memory", "message", "document"]),
  id: z.string().describe("The memory_id, the id of the message or that of the document."),
  text: z.string(),
  relevance: z.number().describe("How probably it answers the query, 0 to 1."),
  trust,
  session_id: z.string().optional(),
  seq: z.number().int().optional(),
  role: z.string().optional(),
  collection: z.string().optional(),
  time: time.optional(),
});

/** A session. */
export const SESSION = z.object({
  session_id: z.string(),
  last_seq: z.number().int().describe("Number of messages that it ever had."),
  created: time,
  updated: time,
});

function iso(date: Date | undefined): string {
  return (date ?? new Date(0)).toISOString();
}

/** The word for a value of an enum; undefined for one that this version does not know. */
function wordOf<Word extends string>(
  words: readonly Word[],
  prefix: string,
  value: unknown,
): Word | undefined {
  return words.find((word) => value === `${prefix}_${word.toUpperCase()}`);
}

function trustWord(trust: Trust): (typeof TRUSTS)[number] {
  return wordOf(TRUSTS, "TRUST", trust) ?? "low";
}

/** Shows a memory. */
export function memoryView(memory: Memory): z.infer<typeof MEMORY> {
  const { key, topics, importance, confidence } = memory;
  return {
    memory_id: memory.memoryId,
    kind: wordOf(MEMORY_KINDS, "MEMORY_KIND", memory.kind) ?? "other",
    content: memory.text,
    category: memory.category === "" ? "general" : memory.category,
    ...(key === "" ? {} : { key }),
    ...(topics.length === 0 ? {} : { topics }),
    ...(importance === undefined ? {} : { importance }),
    ...(confidence === undefined ? {} : { confidence }),
    trust: trustWord(memory.trust),
    version: Number(memory.version),
    created: iso(memory.createTime),
    updated: iso(memory.updateTime),
  };
}

/** Shows a session. */
export function sessionView(session: Session): z.infer<typeof SESSION> {
  return {
    session_id: session.sessionId,
    last_seq: Number(session.lastSeq),
    created: iso(session.createTime),
    updated: iso(session.updateTime),
  };
}

function partText({ part }: ContentPart): string {
  switch (part?.$case) {
    case "text":
      return part.value;
    case "image":
      return "[image]";
    case "data":
      return JSON.stringify(part.value ?? {});
    case "json":
      return part.value.toString("utf8");
    case "toolResult":
      return [part.value.text, ...part.value.parts.map(partText)].filter(Boolean).join("\n");
    default:
      return "";
  }
}

/** Shows a message. Reasoning of models and opaque payloads stay out. */
export function messageView(message: Message): z.infer<typeof MESSAGE> {
  const { name, toolCallId } = message;
  const text = [message.text, ...message.parts.map(partText)].filter(Boolean).join("\n");
  const calls = [
    ...message.toolCalls,
    ...message.parts.flatMap(({ part }) => (part?.$case === "toolCall" ? [part.value] : [])),
  ].map((call) => ({ name: call.name, arguments: call.arguments }));
  return {
    seq: Number(message.seq),
    role: wordOf(ROLES, "ROLE", message.role) ?? "other",
    ...(name === "" ? {} : { name }),
    text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(toolCallId === "" ? {} : { tool_call_id: toolCallId }),
  };
}

/** Shows a document that recall found. */
export function documentView(document: Document, relevance: number): z.infer<typeof HIT> {
  return {
    source: "document",
    id: document.documentId,
    text: document.text,
    relevance,
    trust: trustWord(document.trust),
    collection: document.collectionId,
    ...(document.documentTime === undefined ? {} : { time: iso(document.documentTime) }),
  };
}

/** Shows a memory that recall found. */
export function memoryHit(memory: Memory, relevance: number): z.infer<typeof HIT> {
  const { memory_id: id, content: text, trust, updated: time } = memoryView(memory);
  return { source: "memory", id, text, relevance, trust, time };
}

/** Shows a message that recall found. */
export function messageHit(
  message: Message,
  sessionId: string,
  relevance: number,
): z.infer<typeof HIT> {
  const { seq, role, text } = messageView(message);
  return {
    ...{ source: "message" as const, id: message.messageId, text, relevance },
    trust: trustWord(message.trust),
    ...{ session_id: sessionId, seq, role, time: iso(message.createTime) },
  };
}

/** A memory as a line. */
export function memoryLine(memory: z.infer<typeof MEMORY>): string {
  const { memory_id: id, kind, category, content, version } = memory;
  return `- [${id}] ${content} (${kind}, ${category}, version ${version})`;
}

/** A message as lines. */
export function messageLine(message: z.infer<typeof MESSAGE>): string {
  const { seq, role, name, text, tool_calls: calls = [] } = message;
  const said = [
    text,
    ...calls.map(
      (call: { name: string; arguments: string }) => `[calls ${call.name} ${call.arguments}]`,
    ),
  ];
  const who = name === undefined ? role : `${role} ${name}`;
  return `${seq}. ${who} - ${said.filter(Boolean).join(" ")}`;
}

/** A hit as a line. */
export function hitLine(hit: z.infer<typeof HIT>): string {
  const { source, id, text, session_id: session } = hit;
  return `- [${source} ${id}${session === undefined ? "" : ` of session ${session}`}] ${text}`;
}
