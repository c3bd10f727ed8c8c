// Memories of the server and what the adapters do with them.

import {
  DedupeMode,
  DedupeRule,
  type DeepPartial,
  Memory,
  MemoryFilter,
  MemoryKind,
} from "../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import type {
  ListMemoriesRequest,
  RememberRequest,
  RememberResponse,
} from "../../clients/typescript/src/gen/memorysidecar/v1/memory_service.ts";
import type {
  AssembleContextRequest,
  AssembleContextResponse,
} from "../../clients/typescript/src/gen/memorysidecar/v1/recall_service.ts";
import { CaseFault, type Json, needText } from "./json.ts";
import type { Rpc } from "./rpc.ts";

/** A memory as an adapter writes it down. */
export type MemoryFields = DeepPartial<Memory>;
/** Filter fields that an adapter sets. */
export type FilterFields = DeepPartial<MemoryFilter>;

/** Means memories whoever they belong to: the source systems do not tell scopes apart. */
export const EVERYONE: FilterFields["scope"] = { scope: { $case: "everyone", value: {} } };

/** Means what belongs to a user. */
export function ownedBy(userId: string): FilterFields["scope"] {
  return { scope: { $case: "ownedBy", value: { userId } } };
}

/** The kinds of what is neither entity, relation nor episode. */
export const LONG_TERM = [
  ...[MemoryKind.FACT, MemoryKind.PREFERENCE, MemoryKind.KNOWLEDGE, MemoryKind.SUMMARY],
];

const MS_PER_SECOND = 1_000;

/** A time in milliseconds, of a text or of a number of seconds. */
export function msOf(value: Json | undefined): number {
  if (typeof value === "number") return value * MS_PER_SECOND;
  const ms = Date.parse(needText(value, "a time"));
  if (Number.isNaN(ms)) throw new CaseFault(`"${String(value)}" is no time`);
  return ms;
}

/** A time on the wire. */
export function toTime(ms: number): Date {
  return new Date(ms);
}

/** A time as cases write it; undefined stays so. */
export function timeOf(value: Json | undefined): Date | undefined {
  return value === undefined || value === null ? undefined : toTime(msOf(value));
}

/** The milliseconds of a time. */
export function fromTime(time: Date | undefined): number {
  return time?.getTime() ?? 0;
}

/** A time as cases write it. */
export function writtenTime(time: Date | undefined): string {
  return new Date(fromTime(time)).toISOString().replace(".000Z", "Z");
}

/** Duplicates are stored as well: the source systems keep all that they are given. */
const KEEP_ALL = DedupeRule.fromPartial({ mode: DedupeMode.NONE });

/** Remembers things, each as a memory of its own. */
export async function remember(
  rpc: Rpc,
  memories: readonly MemoryFields[],
  fields: Partial<RememberRequest> = {},
): Promise<RememberResponse> {
  const all = memories.map((memory) => Memory.fromPartial(memory));
  return await rpc.call("remember", { memories: all, dedupe: KEEP_ALL, ...fields });
}

/** Lists memories, whoever they belong to unless the filter says it. */
export async function listed(
  rpc: Rpc,
  filter: FilterFields,
  fields: Partial<ListMemoriesRequest> = {},
): Promise<readonly Memory[]> {
  const request = {
    filter: MemoryFilter.fromPartial({ scope: EVERYONE, ...filter }),
    pageSize: 1_000,
    ...fields,
  };
  return (await rpc.call("listMemories", request)).memories;
}

/** Room for everything. */
const MANY_TOKENS = 1_000_000;

/** Assembles a context, with room for everything unless the fields say less. */
export async function assemble(
  rpc: Rpc,
  fields: Partial<AssembleContextRequest>,
): Promise<AssembleContextResponse> {
  return await rpc.call("assembleContext", { maxTokens: MANY_TOKENS, ...fields });
}
