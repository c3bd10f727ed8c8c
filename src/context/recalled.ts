// Messages, documents and memories that recall finds for the query of a context. Recall that
// fails leaves them out; the coverage says so.

import { checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import { later } from "../kit/world.ts";
import { type Memory, type MemoryKind, SHARED_SCOPE } from "../memory/rules/memory.ts";
import type { ScopeFilter } from "../memory/rules/scopes.ts";
import {
  FULL_COVERAGE,
  type RecallCoverage,
  type RecallHit,
  type RecallInput,
  type RecallResult,
} from "../recall/api.ts";
import { CONTEXT_FLOORS } from "../recall/rank/relevance.ts";
import { poolPerLeg } from "../recall/rank/weights.ts";
import { ANY_RECORD, type RecallFilter, type RecallKind } from "../recall/rules/filter.ts";
import { ROLE } from "../window/rules/types.ts";
import { saidIn } from "./conversation.ts";
import type { Asking } from "./parts.ts";
import { candidateOf, counts } from "./remembered.ts";
import type { Candidate } from "./rules/types.ts";

/** A message costs about so many tokens at least: no more are looked for than there is room. */
const TOKENS_EACH = 20;
const HITS_MIN = 10;
const HITS_MAX = 100;
// Weights of a message by its length, tuned with `bench:context`; see bench/README.md.
/** So many places more count for each message: the first ones differ less than their places do. */
const PLACES_MORE = 2;
/** So many characters more count for each message, so that the shortest ones do not win by that. */
const FRAME_CHARS = 100;
const LENGTH_POWER = 0.6;
/** Time to wait for an index that is being built. */
const WAIT_MS = 1_000;
const LONG_TERM: ReadonlySet<MemoryKind> = new Set(["fact", "preference", "knowledge", "summary"]);

/** Kinds of records that may be too long to stand in a context as a whole. */
const LONG: ReadonlySet<RecallKind> = new Set(["document"]);

/** Results of recall, and its coverage. */
export interface Recalled {
  readonly candidates: readonly Candidate[];
  /** Undefined when nothing was recalled. */
  readonly coverage: RecallCoverage | undefined;
}

/** Results of a search, weak ones included. */
interface Found extends Recalled {
  /** An item is weak below the first, and every item where the best one is below the second. */
  readonly floors: { readonly each: number; readonly best: number };
}

const NOTHING: Found = { candidates: [], coverage: undefined, floors: { each: 0, best: 0 } };

/** The coverage of a recall that failed. */
const FAILED: RecallCoverage = { ...FULL_COVERAGE, complete: false, dense: "unavailable" };

/** Messages of the sessions of the user, those worth most first. */
export async function messagesFor(asking: Asking, limit: number): Promise<Recalled> {
  const { viewer, input } = asking;
  // Without a user, what others said in sessions of theirs is none of this one's.
  if (viewer.userId === "" && input.sessionId === "") return NOTHING;
  const filter: RecallFilter = {
    ...ANY_RECORD,
    kinds: new Set(["message"]),
    roles: new Set([ROLE.user, ROLE.assistant]),
    ...(viewer.userId === ""
      ? { sessionIds: [input.sessionId] }
      : { scope: { kind: "owned-by", scope: { ...SHARED_SCOPE, userId: viewer.userId } } }),
  };
  const { codec } = asking.parts.context;
  const found = await find(asking, filter, limit, ({ record, relevance }) => {
    if (record.kind !== "message") return undefined;
    const { sessionId, message } = record;
    const { messageId, role } = codec.readFacts(message.bytes);
    return {
      ref: { kind: "message", sessionId, messageId, seq: message.seq },
      said: saidIn(codec, { role, bytes: message.bytes }),
      relevance,
      trust: codec.readTrust(message.bytes),
    };
  });
  const valued = withFloors(found).map((one, place) => ({ one, worth: worthOf(one, place) }));
  valued.sort((a, b) => b.worth - a.worth);
  return { ...found, candidates: valued.map(({ one }) => one) };
}

/** Marks what is too weak: no item at all is a better answer than the best of a hopeless lot. */
function withFloors({ candidates, floors }: Found): readonly Candidate[] {
  const best = Math.max(0, ...candidates.map(({ relevance }) => relevance));
  return candidates.map((one) => {
    const isWeak = best < floors.best || one.relevance < floors.each;
    return { ...one, isWeak, isFitting: !isWeak };
  });
}

/**
 * Value of a message relative to its cost: a few short ones hold more of what is asked for than
 * one long one that takes their room. Its place among the hits says more than its relevance, which
 * knows less of it than what they are ordered by.
 */
function worthOf({ said }: Candidate, place: number): number {
  const chars = FRAME_CHARS + (said.kind === "message" ? said.text.length : 0);
  return 1 / ((PLACES_MORE + place) * chars ** LENGTH_POWER);
}

/** Records that the viewer sees. */
function seenBy({ viewer }: Asking): ScopeFilter {
  return { kind: "visible-to", scope: viewer };
}

/** Documents of the namespace that the viewer sees, the best first. */
export async function documentsFor(asking: Asking, limit: number): Promise<Recalled> {
  const { store } = asking.parts.context;
  const { collectionIds, namespace } = asking.input;
  const any = await store.listCollections({ namespace, after: "", limit: 1 });
  if (any.length === 0) return NOTHING;
  const filter: RecallFilter = {
    ...ANY_RECORD,
    kinds: new Set(["document"]),
    scope: seenBy(asking),
    collectionIds,
    isRecursive: true,
  };
  const found = await find(asking, filter, limit, ({ record, relevance, passage }) => {
    if (record.kind !== "document") return undefined;
    const { collectionId } = record;
    const { documentId, bytes } = record.document;
    const { text, trust } = asking.parts.codec.readDocument(bytes);
    const isShort = Buffer.byteLength(text) <= LIMITS.recallPassageBytes;
    return {
      ref: { kind: "document", collectionId, documentId },
      said: { kind: "document", text: isShort ? text : passage },
      relevance,
      trust,
    };
  });
  return { ...found, candidates: withFloors(found) };
}

/**
 * Long-term memories that fit, the best first, then the others of `important`: those that were
 * found in the order in which they were. What was found and is neither is weak.
 */
export async function longTermFor(
  asking: Asking,
  limit: number,
  important: readonly Memory[],
): Promise<Recalled> {
  const { input } = asking;
  const rest = important.map((memory) => candidateOf(memory));
  if (!input.profile.searches || important.length === 0) {
    return { candidates: rest, coverage: undefined };
  }
  const filter: RecallFilter = {
    ...ANY_RECORD,
    kinds: new Set(["memory"]),
    memoryKinds: LONG_TERM,
    scope: seenBy(asking),
    validity: input.referenceMs ?? "now",
  };
  const found = await find(asking, filter, limit, ({ record, relevance }) => {
    if (record.kind !== "memory") return undefined;
    const { memory } = record;
    return counts(memory, asking) ? candidateOf(memory, relevance) : undefined;
  });
  const { candidates, coverage, floors } = found;
  const isKnown = new Set(rest.map(idOf));
  const marked = candidates.map((one) => {
    const isFitting = one.relevance >= floors.each;
    return { ...one, isFitting, isWeak: !isFitting && !isKnown.has(idOf(one)) };
  });
  const ids = new Set(candidates.map(idOf));
  const others = rest.filter((one) => !ids.has(idOf(one)));
  return {
    coverage,
    candidates: [
      ...marked.filter(({ isFitting }) => isFitting),
      ...marked.filter(({ isFitting }) => !isFitting),
      ...others,
    ],
  };
}

function idOf({ ref }: Candidate): string {
  return ref.kind === "memory" ? ref.memoryId : "";
}

async function find(
  asking: Asking,
  filter: RecallFilter,
  limit: number,
  read: (hit: RecallHit) => Candidate | undefined,
): Promise<Found> {
  const { call, query, input, budgetTokens } = asking;
  if (query.trim() === "") return NOTHING;
  const room = Math.max(HITS_MIN, Math.ceil(budgetTokens / TOKENS_EACH));
  const count = Math.min(limit, HITS_MAX, room);
  const asked: RecallInput = {
    namespace: input.namespace,
    query,
    embedding: undefined,
    filter,
    offset: 0,
    limit: count,
    perLeg: poolPerLeg(count, false),
    mode: "hybrid",
    fusion: "scores",
    weights: input.weights,
    minScore: undefined,
    minRelevance: 0,
    diversity: 0,
    contextBefore: 0,
    contextAfter: 0,
    hitsPerGroup: undefined,
    rerank: undefined,
    withEmbeddings: false,
    allowPartial: false,
    referenceMs: asking.referenceMs,
    passagesOf: LONG,
  };
  try {
    const { hits, coverage, isCalibrated } = await recallInTime(asking, asked);
    const floors = {
      each: input.minRelevance ?? (isCalibrated ? CONTEXT_FLOORS.each : 0),
      best: input.minBestRelevance ?? (isCalibrated ? CONTEXT_FLOORS.best : 0),
    };
    return { candidates: hits.flatMap((hit) => read(hit) ?? []), coverage, floors };
  } catch {
    checkLive(call.signal);
    return { ...NOTHING, coverage: FAILED };
  }
}

/** Waits a while for an index that is being built, then takes what it holds. */
async function recallInTime({ call, parts }: Asking, asked: RecallInput): Promise<RecallResult> {
  const waiting = new AbortController();
  const cancel = later(parts.context.world, () => waiting.abort(), WAIT_MS);
  const signal = AbortSignal.any([call.signal, waiting.signal]);
  try {
    return await parts.recall({ ...call, signal }, asked);
  } catch (error) {
    if (!waiting.signal.aborted || call.signal.aborted) throw error;
    return await parts.recall(call, { ...asked, withEmbeddings: false, allowPartial: true });
  } finally {
    cancel();
  }
}

/** The combined coverage of several recalls. */
export function coverageOf(all: readonly Recalled[]): RecallCoverage | undefined {
  const known = all.flatMap(({ coverage }) => coverage ?? []);
  const [first] = known;
  if (first === undefined) return undefined;
  const most = (value: (one: RecallCoverage) => number): number => Math.max(...known.map(value));
  const worst = known.find(({ dense }) => dense === "unavailable") ?? first;
  return {
    complete: known.every(({ complete }) => complete),
    pendingCount: most(({ pendingCount }) => pendingCount),
    leftOutCount: most(({ leftOutCount }) => leftOutCount),
    dense: worst.dense,
    embeddingModel: known.find(({ embeddingModel }) => embeddingModel !== "")?.embeddingModel ?? "",
    withoutVectorCount: most(({ withoutVectorCount }) => withoutVectorCount),
    rerank: "off",
  };
}
