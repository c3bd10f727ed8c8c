// Memories as lines of JSON: the JSON form of the contract's `Memory`, names as in the proto.

import type { Memory } from "./gen/memorysidecar/v1/memory.ts";
import type { MemoryMethods } from "./memories.ts";
import { MEMORY_KINDS, type MemoryKindName } from "./memory-kinds.ts";
import type { MemoryFields, MemoryFilterInput } from "./memory-options.ts";
import type { JsonObject } from "./message.ts";
import { checkBound } from "./recall-requests.ts";
import { toDate } from "./time.ts";
import { durationText, timeText } from "./wire.ts";

// Limits of one call.
const BATCH = 100;

/** Content of a line; other fields are ignored. */
interface Line {
  readonly memory_id?: string;
  readonly kind?: string;
  readonly user_id?: string;
  readonly agent_id?: string;
  readonly session_id?: string;
  readonly text?: string;
  readonly entity?: MemoryFields["entity"];
  readonly relation?: {
    readonly subject?: string;
    readonly predicate?: string;
    readonly object_value?: string;
  };
  readonly episode?: { readonly user_text?: string; readonly assistant_text?: string };
  readonly key?: string;
  readonly category?: string;
  readonly topics?: readonly string[];
  readonly importance?: number;
  readonly confidence?: number;
  readonly trust?: string;
  readonly persistent?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: JsonObject;
  readonly valid_from_time?: string;
  readonly valid_until_time?: string;
  readonly ttl?: string;
  readonly source?: { readonly session_id?: string; readonly message_ids?: readonly string[] };
  readonly last_seen_time?: string;
}

function structureOf({ structure }: Memory): Pick<Line, "entity" | "relation" | "episode"> {
  if (structure?.$case === "entity") {
    const { name, type, aliases, attributes } = structure.value;
    return { entity: { name, type, aliases, attributes: { ...attributes } } };
  }
  if (structure?.$case === "relation") {
    const { subject, predicate, objectValue } = structure.value;
    return { relation: { subject, predicate, object_value: objectValue } };
  }
  if (structure?.$case !== "episode") return {};
  const { userText, assistantText } = structure.value;
  return { episode: { user_text: userText, assistant_text: assistantText } };
}

/** Writes a memory as a line of JSON, without what the server sets by itself. */
export function memoryToLine(memory: Memory): string {
  const { source } = memory;
  const hasSource = source !== undefined && source.sessionId !== "";
  const line: { [name in keyof Line]: Line[name] | undefined } = {
    memory_id: memory.memoryId,
    kind: memory.kind,
    user_id: memory.userId || undefined,
    agent_id: memory.agentId || undefined,
    session_id: memory.sessionId || undefined,
    text: memory.text,
    ...structureOf(memory),
    key: memory.key || undefined,
    category: memory.category || undefined,
    topics: memory.topics.length > 0 ? memory.topics : undefined,
    importance: memory.importance,
    confidence: memory.confidence,
    trust: memory.trust,
    persistent: memory.persistent || undefined,
    labels: Object.keys(memory.labels).length > 0 ? { ...memory.labels } : undefined,
    metadata: memory.metadata as JsonObject | undefined,
    valid_from_time: memory.validFromTime && timeText(memory.validFromTime),
    valid_until_time: memory.validUntilTime && timeText(memory.validUntilTime),
    ttl: memory.ttl && durationText(memory.ttl),
    source: hasSource
      ? { session_id: source.sessionId, message_ids: source.messageIds }
      : undefined,
    last_seen_time: memory.lastSeenTime && timeText(memory.lastSeenTime),
  };
  return JSON.stringify(line);
}

type Form = "string" | "number" | "boolean" | "object" | "texts" | "map" | Forms;
type Forms = { readonly [name: string]: Form };

/** Types of the fields of a line; other fields are ignored. */
const FORMS = {
  ...{ memory_id: "string", kind: "string", text: "string", key: "string", category: "string" },
  ...{ user_id: "string", agent_id: "string", session_id: "string", trust: "string" },
  entity: { name: "string", type: "string", aliases: "texts", attributes: "map" },
  relation: { subject: "string", predicate: "string", object_value: "string" },
  episode: { user_text: "string", assistant_text: "string" },
  ...{ topics: "texts", importance: "number", confidence: "number", persistent: "boolean" },
  ...{ labels: "map", metadata: "object", ttl: "string", last_seen_time: "string" },
  ...{ valid_from_time: "string", valid_until_time: "string" },
  source: { session_id: "string", message_ids: "texts" },
} as const satisfies Readonly<Record<keyof Line, Form>>;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function areTexts(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

/** Gives the fields that are known and set. */
function fieldsOf(from: Readonly<Record<string, unknown>>, forms: Forms): object {
  const found: Record<string, unknown> = {};
  for (const [name, form] of Object.entries(forms)) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    if (value !== undefined && value !== null) found[name] = fieldOf(name, value, form);
  }
  return found;
}

function fieldOf(name: string, value: unknown, form: Form): unknown {
  if (form === "texts") {
    if (Array.isArray(value) && areTexts(value)) return value;
  } else if (form === "map") {
    if (isObject(value) && areTexts(Object.values(value))) return value;
  } else if (typeof form !== "string" || form === "object") {
    if (isObject(value)) return form === "object" ? value : fieldsOf(value, form);
  } else if (typeof value === form) return value;
  throw new TypeError(`${name} is of another type`);
}

/** Reads a line of JSON. Throws a TypeError for what is no memory. */
export function lineToMemory(line: string): MemoryFields {
  const value: unknown = JSON.parse(line);
  if (!isObject(value)) throw new TypeError("a memory is an object");
  const from: Line = fieldsOf(value, FORMS);
  const { relation, episode, source, kind } = from;
  return {
    ...{ memoryId: from.memory_id, kind: kind === undefined ? undefined : kindOf(kind) },
    ...{ userId: from.user_id, agentId: from.agent_id, sessionId: from.session_id },
    ...{ text: from.text, entity: from.entity },
    relation: relation && {
      subject: relation.subject ?? "",
      predicate: relation.predicate ?? "",
      objectValue: relation.object_value ?? "",
    },
    episode: episode && {
      userText: episode.user_text ?? "",
      assistantText: episode.assistant_text ?? "",
    },
    ...{ key: from.key, category: from.category, topics: from.topics },
    ...{ importance: from.importance, confidence: from.confidence },
    trust: from.trust === "TRUST_LOW" ? "low" : "medium",
    ...{ persistent: from.persistent, labels: from.labels, metadata: from.metadata },
    validFromTime: dateOf(from.valid_from_time),
    validUntilTime: dateOf(from.valid_until_time),
    ttlMs: from.ttl === undefined ? undefined : msOf(from.ttl),
    source: source?.session_id
      ? { sessionId: source.session_id, messageIds: source.message_ids ?? [] }
      : undefined,
    lastSeenTime: dateOf(from.last_seen_time),
  };
}

function kindOf(name: string): MemoryKindName {
  const kind = name.replace(/^MEMORY_KIND_/, "").toLowerCase();
  if (!Object.hasOwn(MEMORY_KINDS, kind)) throw new TypeError(`there is no kind "${name}"`);
  return kind as MemoryKindName;
}

function msOf(ttl: string): number {
  if (!/^\d+(\.\d+)?s$/.test(ttl)) throw new TypeError(`"${ttl}" is no duration`);
  return Number.parseFloat(ttl) * 1000;
}

function dateOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  try {
    return toDate(text);
  } catch {
    throw new TypeError(`"${text}" is no time`);
  }
}

/**
 * Gives memories as lines of JSON, without line ends, oldest first: the active ones of the user of
 * the filter, or with `everyone` those of the namespace. Former states are not among them.
 */
export async function* exportMemories(
  client: MemoryMethods,
  filter: MemoryFilterInput,
): AsyncGenerator<string, void, undefined> {
  checkBound(filter);
  const scope = filter.scope ?? (filter.everyone ? undefined : "owned-by");
  for await (const memory of client.listMemories({ filter: { ...filter, scope } }))
    yield memoryToLine(memory);
}

/**
 * Remembers what `exportMemories` gave, and gives how many lines there were. Ids are kept, so a
 * second import makes nothing twice. Throws a TypeError for a line that is no memory, naming it;
 * those before it are remembered.
 */
export async function importMemories(
  client: MemoryMethods,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<number> {
  let number = 0;
  let count = 0;
  let batch: MemoryFields[] = [];
  for await (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    try {
      batch.push(lineToMemory(line));
    } catch (error) {
      if (batch.length > 0) await client.remember(batch, { dedupe: "none" });
      const why = error instanceof Error ? error.message : "";
      throw new TypeError(`line ${number} is no memory: ${why}`);
    }
    count += 1;
    if (batch.length < BATCH) continue;
    await client.remember(batch, { dedupe: "none" });
    batch = [];
  }
  if (batch.length > 0) await client.remember(batch, { dedupe: "none" });
  return count;
}
