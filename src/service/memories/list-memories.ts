// ListMemories: by number a page at a time, or by what memories weigh over the newest of them.

import { LIMITS } from "../../domain/limits.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import type { Call } from "../call.ts";
import { checkLive } from "../change.ts";
import type { ListMemoriesInput, MemoryOrder } from "../memory-api.ts";
import type { MemoryParts } from "./parts.ts";
import { checkAsOf } from "./read-memories.ts";
import { isMeant, type Scan, scanPieces } from "./scan.ts";
import { memoryBytes } from "./size.ts";

/** A page of memories. */
interface MemoriesPage {
  readonly memories: readonly Memory[];
  /** What `after` of the next page is; undefined at the end. */
  readonly next: number | undefined;
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
  // What was known then had not run out then; what has run out by now is left out by the scan.
  const at = { ...scan, nowMs };
  if (order === "oldest" || order === "newest") {
    return await byNumber(parts, { ...at, order: order === "oldest" ? "asc" : "desc" }, input);
  }
  return await byWeight(parts, { ...at, order: "desc" }, { ...input, order });
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

/** What is kept of a memory while it is put in order. */
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

/** Reads the memories of a page; what has gone or changed its meaning meanwhile is left out. */
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
