// Recall by the scorings besides the default one: each looks at one kind of record.

import { LIMITS } from "../domain/limits.ts";
import type { MemoryFilter } from "../domain/memories/filter.ts";
import type { RecallFilter } from "../domain/recall/filter.ts";
import { isScoringOf, type ScoringOf } from "../domain/recall/scoring.ts";
import type { Call, Services } from "../service/api.ts";
import type {
  RecallCoverage,
  RecallHit,
  RecallInput,
  RecallResult,
} from "../service/recall-api.ts";
import { encodeMemory } from "./convert/memory.ts";
import { fillPage } from "./convert/page.ts";
import type { RpcContext } from "./rpc.ts";

/** What a checked request asks for. */
interface Asked {
  readonly input: RecallInput;
  readonly scoring: string;
}

const COVERAGE: RecallCoverage = {
  ...{ complete: true, pendingCount: 0, leftOutCount: 0, dense: "off", embeddingModel: "" },
  ...{ withoutVectorCount: 0, rerank: "off" },
};
const NOT_CALIBRATED = { isCalibrated: false } as const;
const EXPLAINED = { relevance: 0, parts: [], rerankScore: undefined } as const;

/** Recalls by a scoring. */
export async function recallScored(
  context: Pick<RpcContext, "services" | "etags">,
  call: Call,
  { input, scoring }: Asked,
): Promise<RecallResult> {
  const limit = Math.min(input.limit, LIMITS.scoredHits - input.offset);
  const page = { ...input, limit };
  if (isScoringOf(scoring, "document"))
    return await documents(context.services, call, page, scoring);
  if (isScoringOf(scoring, "memory")) return await memories(context, call, page, scoring);
  return await sessions(context.services, call, page);
}

/** The place of the next page: lists end after so many hits. */
function nextOf(next: number | undefined): number | undefined {
  return next === undefined || next >= LIMITS.scoredHits ? undefined : next;
}

async function documents(
  { recall }: Services,
  call: Call,
  input: RecallInput,
  scoring: ScoringOf<"document">,
): Promise<RecallResult> {
  const { namespace, query, embedding, offset, limit, minScore, withEmbeddings } = input;
  const [collectionId = ""] = input.filter.collectionIds;
  const filter: RecallFilter = { ...input.filter, kinds: new Set(["document"]) };
  const { matches, next } = await recall.searchDocuments(call, {
    ...{ namespace, collectionId, query, embedding, scoring, filter },
    ...{ offset, limit, minScore, withEmbeddings },
  });
  const hits = matches.map(({ document, score }): RecallHit => {
    return {
      ...EXPLAINED,
      score,
      record: { kind: "document", collectionId, document },
      passage: "",
    };
  });
  const dense = scoring === "cosine" ? "used" : "off";
  return {
    hits,
    next: nextOf(next),
    groups: [],
    coverage: { ...COVERAGE, dense },
    ...NOT_CALIBRATED,
  };
}

async function memories(
  { services: { memories: service }, etags }: Pick<RpcContext, "services" | "etags">,
  call: Call,
  input: RecallInput,
  scoring: ScoringOf<"memory">,
): Promise<RecallResult> {
  const { namespace, query, filter, offset, limit, minScore } = input;
  const end = offset + limit;
  const found = await service.searchMemories(call, {
    ...{ namespace, query, filter: toMemoryFilter(filter), scoring, limit: end + 1, minScore },
    ...{ validity: filter.validity, referenceMs: input.referenceMs },
    ...{ fromMs: filter.fromMs, beforeMs: filter.beforeMs },
  });
  const page = found.slice(offset, end);
  const { length } = fillPage(page, ({ memory }) => encodeMemory(memory, etags));
  const hits = page.slice(0, length).map(({ memory, score }): RecallHit => {
    return { ...EXPLAINED, score, record: { kind: "memory", memory }, passage: "" };
  });
  const next = found.length > offset + length ? offset + length : undefined;
  return { hits, next: nextOf(next), groups: [], coverage: COVERAGE, ...NOT_CALIBRATED };
}

/** The memories that a recall may find, whenever they are true. */
function toMemoryFilter(filter: RecallFilter): MemoryFilter {
  const { scope, memoryKinds, categories, labels, metadata, minConfidence = 0, minTrust } = filter;
  return {
    ...{ scope, kinds: memoryKinds, categories, labels, metadata, minConfidence, minTrust },
    ...{ states: new Set(), validAtMs: undefined },
    ...{ topics: new Set(), key: "", textContains: "", sourceSessionId: "", origin: undefined },
    ...{ minImportance: 0, persistent: undefined, createFromMs: undefined },
    ...{ createBeforeMs: undefined, seenFromMs: undefined, seenBeforeMs: undefined },
  };
}

async function sessions(
  { sessions: service }: Services,
  call: Call,
  input: RecallInput,
): Promise<RecallResult> {
  const { namespace, query, offset, limit, minScore, hitsPerGroup = 0 } = input;
  const { sessionLabels: labels, sessionIds, excludeSessionIds, scope } = input.filter;
  const { matches, next } = await service.searchSessions(call, {
    ...{ namespace, query, offset, limit, minScore, hitsPerSession: hitsPerGroup },
    ...{ sessionIds, excludeSessionIds, sessionIdPrefix: input.filter.sessionIdPrefix ?? "" },
    ...{ labels, scope },
  });
  const hits = matches.flatMap(({ sessionId, userId: owner, score, hits: own }) =>
    own.map(({ message, snippet }): RecallHit => {
      const names = { sessionId, userId: owner };
      const record = { kind: "message", ...names, message, before: [], after: [] } as const;
      return { ...EXPLAINED, score, record, passage: snippet };
    }),
  );
  const groups = matches.map(({ sessionId: id, score, hits: own }) => {
    return { kind: "session", id, score, hitCount: own.length } as const;
  });
  return { hits, next: nextOf(next), groups, coverage: COVERAGE, ...NOT_CALIBRATED };
}
