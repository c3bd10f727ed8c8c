// GetMemory, and helpers that reads of memories share.

import { type Call, checkLive } from "../kit/call.ts";
import { requestInvalid } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { ListTotal } from "../store/store.ts";
import type { ListMemoriesInput, MemoryOrder } from "./api.ts";
import type { MemoryParts } from "./parts.ts";
import {
  isMemoryExpired,
  type Memory,
  type MemoryRef,
  type MemoryStructure,
  mapTexts,
  memoryNotFound,
} from "./rules/memory.ts";
import { isMeant, type Scan, scanPieces } from "./scan.ts";

/** A memory that exists for the caller: neither missing nor past its time. */
export function liveMemory(memory: Memory | undefined, memoryId: string, nowMs: number): Memory {
  if (memory === undefined || isMemoryExpired(memory, nowMs)) throw memoryNotFound(memoryId);
  return memory;
}

/** Refuses times in the future. */
function checkAsOf(asOfMs: number | undefined, nowMs: number): void {
  if (asOfMs === undefined || asOfMs <= nowMs) return;
  throw requestInvalid([{ field: "as_of_time", description: "must not be in the future" }]);
}

/** Gives a memory as it is, or as it was known at a past time. */
export async function getMemory(
  { context }: MemoryParts,
  call: Call,
  input: MemoryRef & { readonly asOfMs: number | undefined },
): Promise<Memory> {
  checkLive(call.signal);
  const { namespace, memoryId, asOfMs } = input;
  const { store, world } = context;
  const nowMs = world.nowMs();
  checkAsOf(asOfMs, nowMs);
  const memory = liveMemory(await store.readMemory(namespace, memoryId), memoryId, nowMs);
  if (asOfMs === undefined || memory.updateMs <= asOfMs) return memory;
  const { scope, memoryNo } = memory;
  const page = await store.listMemories({
    ...{ namespace, order: "asc", after: memoryNo - 1, limit: 1, asOfMs },
    within: { kind: "scope", scope },
  });
  const state = page.memories.find((one) => one.memoryNo === memoryNo);
  if (state === undefined) throw memoryNotFound(memoryId);
  return state;
}

// About how many bytes a memory takes in an answer.

/** The bytes of a field beside its value. */
const FIELD_BYTES = 4;
/** Numbers, times, the etag, the enums. */
const PLAIN_BYTES = 256;

function textBytes(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text) + FIELD_BYTES;
  return bytes;
}

function structureBytes(structure: MemoryStructure): number {
  let bytes = structure.kind === "entity" ? structure.entity.attributes.size * FIELD_BYTES : 0;
  mapTexts(structure, (text) => {
    bytes += Buffer.byteLength(text) + FIELD_BYTES;
    return text;
  });
  return bytes;
}

/** Upper estimate of the bytes of a memory in an answer. */
function memoryBytes(memory: Memory): number {
  const { memoryId, scope, content, source, supersededBy, contradictsIds, writer } = memory;
  const { text, structure, key, category, topics, labels, metadata } = content;
  const { userId, agentId, sessionId } = scope;
  const ids = [memoryId, userId, agentId, sessionId, supersededBy];
  return (
    PLAIN_BYTES +
    textBytes([...ids, text, key, category, ...topics, writer, memory.reason]) +
    textBytes(contradictsIds) +
    textBytes([source.sessionId, ...source.messageIds, source.hook, source.model]) +
    textBytes(labels.keys()) +
    textBytes(labels.values()) +
    labels.size * FIELD_BYTES +
    metadata.length +
    (structure === undefined ? 0 : structureBytes(structure))
  );
}

// ListMemoryVersions: the states that a memory has had, the newest first.

/** States read at one time: of the largest there are several MiB. */
const READ = 16;

/** Lists the states of a memory. */
export async function listMemoryVersions(
  { context, pace }: MemoryParts,
  call: Call,
  input: MemoryRef & { readonly before: number; readonly limit: number },
): Promise<{ revisions: readonly Memory[]; next: number | undefined }> {
  checkLive(call.signal);
  const { namespace, memoryId, limit } = input;
  const { store, world } = context;
  liveMemory(await store.readMemory(namespace, memoryId), memoryId, world.nowMs());
  const revisions: Memory[] = [];
  let bytes = 0;
  let { before } = input;
  for (;;) {
    checkLive(call.signal);
    const page = { ...(before === 0 ? {} : { before }), limit: READ };
    const states = await store.listMemoryVersions(namespace, memoryId, page);
    for (const state of states) {
      const size = memoryBytes(state);
      const isFull = revisions.length > 0 && bytes + size > LIMITS.pageBytes;
      if (revisions.length >= limit || isFull) return { revisions, next: before };
      bytes += size;
      revisions.push(state);
      before = state.version;
    }
    // The first state has the number 1: nothing comes after it.
    if (states.length === 0 || before <= 1) return { revisions, next: undefined };
    await pace.turn(true);
  }
}

// ListMemories: page by page in order of number, or by weight over the newest memories.

/** A page of memories. */
interface MemoriesPage {
  readonly memories: readonly Memory[];
  /** The `after` of the next page; undefined at the end. */
  readonly next: number | undefined;
  /** Set with `includeTotal`. */
  readonly total?: ListTotal | undefined;
}

/** Lists memories as they are, or as they were known at a past time. */
export async function listMemories(
  parts: MemoryParts,
  call: Call,
  input: ListMemoriesInput,
): Promise<MemoriesPage> {
  checkLive(call.signal);
  const { namespace, filter, asOfMs, order } = input;
  const nowMs = parts.context.world.nowMs();
  checkAsOf(asOfMs, nowMs);
  const scan = { namespace, filter, asOfMs, signal: call.signal };
  // The scan leaves out memories whose time has run out by now, whatever held at `asOfMs`.
  const at = { ...scan, nowMs };
  const page =
    order === "oldest" || order === "newest"
      ? await byNumber(parts, { ...at, order: order === "oldest" ? "asc" : "desc" }, input)
      : await byWeight(parts, { ...at, order: "desc" }, { ...input, order });
  const total = input.includeTotal ? await counted(parts, { ...at, order: "desc" }) : undefined;
  return { ...page, total };
}

/** Counts the memories of a list, as far as one page would examine it. */
async function counted(parts: MemoryParts, scan: Scan): Promise<ListTotal> {
  let count = 0;
  let looked = 0;
  for await (const { memories } of scanPieces(parts, scan)) {
    for (const memory of memories) {
      if (looked === LIMITS.pageScan) return { count, isAtLeast: true };
      looked += 1;
      if (isMeant(parts, memory, scan.filter, matchMs(scan))) count += 1;
    }
  }
  return { count, isAtLeast: false };
}

/** The time at which a filter is compared. */
function matchMs({ asOfMs, nowMs }: Scan): number {
  return asOfMs ?? nowMs;
}

async function byNumber(
  parts: MemoryParts,
  scan: Scan,
  { after, limit }: Pick<ListMemoriesInput, "after" | "limit">,
): Promise<MemoriesPage> {
  const memories: Memory[] = [];
  let bytes = 0;
  let looked = 0;
  let last = after;
  for await (const piece of scanPieces(parts, { ...scan, after })) {
    for (const memory of piece.memories) {
      if (looked >= LIMITS.pageScan) return { memories, next: last };
      looked += 1;
      if (isMeant(parts, memory, scan.filter, matchMs(scan))) {
        const size = memoryBytes(memory);
        const isFull = memories.length > 0 && bytes + size > LIMITS.pageBytes;
        if (memories.length >= limit || isFull) return { memories, next: last };
        bytes += size;
        memories.push(memory);
      }
      last = memory.memoryNo;
    }
    if (piece.next === undefined) return { memories, next: undefined };
    last = piece.next;
  }
  return { memories, next: undefined };
}

type WeighedOrder = Exclude<MemoryOrder, "oldest" | "newest">;

/** The sort key of a memory. */
interface Weighed {
  readonly memoryId: string;
  readonly memoryNo: number;
  readonly weight: number;
}

function weightOf({ content, strength }: Memory, order: WeighedOrder): number {
  if (order === "importance") return content.importance;
  return order === "confidence" ? strength.confidence : strength.lastSeenMs;
}

async function byWeight(
  parts: MemoryParts,
  scan: Scan,
  { after, limit, order }: Pick<ListMemoriesInput, "after" | "limit"> & { order: WeighedOrder },
): Promise<MemoriesPage> {
  const weighed: Weighed[] = [];
  let looked = 0;
  for await (const { memories } of scanPieces(parts, scan)) {
    const some = memories.slice(0, LIMITS.orderMemories - looked);
    looked += some.length;
    for (const memory of some) {
      if (!isMeant(parts, memory, scan.filter, matchMs(scan))) continue;
      const { memoryId, memoryNo } = memory;
      weighed.push({ memoryId, memoryNo, weight: weightOf(memory, order) });
    }
    if (looked >= LIMITS.orderMemories) break;
  }
  // Equal ones by number: the oldest first, and the newest first where the time decides.
  const sign = order === "last-seen" ? -1 : 1;
  weighed.sort((a, b) => b.weight - a.weight || sign * (a.memoryNo - b.memoryNo));
  const chosen = weighed.slice(after, after + limit);
  const known = await readAgain(parts, scan, chosen);
  return cutPage(chosen, known, { after, hasMore: weighed.length > after + limit });
}

/** Reads the memories of a page, without those that are gone or no longer match. */
async function readAgain(
  parts: MemoryParts,
  scan: Scan,
  chosen: readonly Weighed[],
): Promise<ReadonlyMap<string, Memory>> {
  const { namespace, filter, asOfMs, signal } = scan;
  const { store } = parts.context;
  const read: Memory[] = [];
  if (asOfMs === undefined) {
    const ids = chosen.map(({ memoryId }) => memoryId);
    read.push(...(await store.readMemories(namespace, ids)).values());
  } else {
    for (const { memoryNo } of chosen) {
      checkLive(signal);
      const query = { namespace, order: "asc", after: memoryNo - 1, limit: 1, asOfMs } as const;
      read.push(...(await store.listMemories(query)).memories);
    }
  }
  const meant = read.filter((memory) => isMeant(parts, memory, filter, matchMs(scan)));
  return new Map(meant.map((memory) => [memory.memoryId, memory]));
}

function cutPage(
  chosen: readonly Weighed[],
  known: ReadonlyMap<string, Memory>,
  { after, hasMore }: { readonly after: number; readonly hasMore: boolean },
): MemoriesPage {
  const memories: Memory[] = [];
  let bytes = 0;
  let passed = 0;
  for (const { memoryId } of chosen) {
    const memory = known.get(memoryId);
    const size = memory === undefined ? 0 : memoryBytes(memory);
    if (memories.length > 0 && bytes + size > LIMITS.pageBytes) {
      return { memories, next: after + passed };
    }
    passed += 1;
    bytes += size;
    if (memory !== undefined) memories.push(memory);
  }
  return { memories, next: hasMore ? after + passed : undefined };
}
