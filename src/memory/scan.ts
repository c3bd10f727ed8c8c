// Goes over the memories that a filter may mean, by their numbers, a piece at a time: through its
// scopes or its user alone where it names them, else through the namespace.

import { checkLive } from "../kit/call.ts";
import { type MemoryFilter, matchesMemory } from "../recall/rules/memory-filter.ts";
import type { MemoryQuery } from "../store/store.ts";
import type { MemoryParts } from "./parts.ts";
import { isMemoryExpired, type Memory } from "./rules/memory.ts";
import { namedScopes } from "./rules/scopes.ts";

/** Memories that are read at one time. */
const READ = 128;

/** A scan over memories. */
export interface Scan {
  readonly namespace: string;
  readonly filter: MemoryFilter;
  readonly order: "asc" | "desc";
  /** Continues after this number, in the order of the scan; 0 from the start. */
  readonly after?: number;
  /** Gives the states of this time. Default: the current ones. */
  readonly asOfMs?: number | undefined;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** A piece of a scan. */
export interface ScanPiece {
  /** In the order of the scan; those that the filter does not mean are among them. */
  readonly memories: readonly Memory[];
  /** Everything up to this number was read; undefined at the end. */
  readonly next: number | undefined;
}

type Within = NonNullable<MemoryQuery["within"]>;

/** The range that a filter covers; undefined for the whole namespace. */
function withinOf({ scope: filter, kinds }: MemoryFilter): readonly (Within | undefined)[] {
  const scopes = namedScopes(filter);
  if (scopes !== undefined) {
    const some = kinds.size === 0 ? {} : { kinds };
    return scopes.map((scope) => ({ kind: "scope", scope, ...some }));
  }
  const userId = filter.kind === "everyone" ? "" : filter.scope.userId;
  return [userId === "" ? undefined : { kind: "user", userId }];
}

/** One of the places that a scan merges. */
interface Source {
  readonly within: Within | undefined;
  /** Read, and not given yet. */
  ready: readonly Memory[];
  /** Everything up to this number was read; undefined when all was. */
  next: number | undefined;
}

/** Gives the memories of a scan in its order, with a turn of the loop for each piece. */
export async function* scanPieces(parts: MemoryParts, scan: Scan): AsyncGenerator<ScanPiece> {
  const { order, after = 0, signal } = scan;
  const sources = withinOf(scan.filter).map((within): Source => {
    return { within, ready: [], next: after };
  });
  const isBefore = (a: number, b: number): boolean => (order === "asc" ? a < b : a > b);
  let horizon: number | undefined = after;
  do {
    checkLive(signal);
    // The ranges that are read least far hold the others back.
    for (const source of sources) if (source.next === horizon) await readMore(parts, scan, source);
    horizon = undefined;
    for (const { next } of sources) {
      if (next !== undefined && (horizon === undefined || isBefore(next, horizon))) horizon = next;
    }
    const end = horizon;
    const isRead = ({ memoryNo }: Memory): boolean => end === undefined || !isBefore(end, memoryNo);
    const memories = sources.flatMap(({ ready }) => ready.filter(isRead));
    for (const source of sources) source.ready = source.ready.filter((one) => !isRead(one));
    if (sources.length > 1) {
      memories.sort((a, b) =>
        order === "asc" ? a.memoryNo - b.memoryNo : b.memoryNo - a.memoryNo,
      );
    }
    yield { memories, next: horizon };
    if (horizon !== undefined) await parts.pace.turn(true);
  } while (horizon !== undefined);
}

async function readMore(parts: MemoryParts, scan: Scan, source: Source): Promise<void> {
  const { namespace, order, asOfMs, nowMs } = scan;
  const { store } = parts.context;
  const { within, next: after = 0 } = source;
  const page = await store.listMemories({
    ...{ namespace, order, limit: READ },
    ...(within === undefined ? {} : { within }),
    ...(after === 0 ? {} : { after }),
    ...(asOfMs === undefined ? {} : { asOfMs }),
  });
  const states =
    asOfMs === undefined ? page.memories : await stillThere(parts, namespace, page.memories, nowMs);
  source.ready = [...source.ready, ...states];
  source.next = page.next;
}

/** Former states of memories whose time has not run out. */
async function stillThere(
  { context }: MemoryParts,
  namespace: string,
  states: readonly Memory[],
  nowMs: number,
): Promise<readonly Memory[]> {
  const ids = states.map(({ memoryId }) => memoryId);
  const current = await context.store.readMemories(namespace, ids);
  return states.filter(({ memoryId, memoryNo }) => {
    const memory = current.get(memoryId);
    return memory?.memoryNo === memoryNo && !isMemoryExpired(memory, nowMs);
  });
}

/** Whether a filter means a memory at a time. */
export function isMeant(
  { codec }: Pick<MemoryParts, "codec">,
  memory: Memory,
  filter: MemoryFilter,
  nowMs: number,
): boolean {
  const flat = (of: Memory) => codec.flatMetadata(of.content.metadata);
  return matchesMemory(memory, filter, { nowMs, flat });
}

/** Every memory that the filter of a scan means, in its order, until the caller ends it. */
export async function* scanMeant(
  parts: MemoryParts,
  scan: Scan,
): AsyncGenerator<readonly Memory[]> {
  for await (const { memories } of scanPieces(parts, scan)) {
    yield memories.filter((memory) => isMeant(parts, memory, scan.filter, scan.nowMs));
  }
}
