// Recalls between the wire and the domain.

import * as wire from "../gen/memorysidecar/v1/recall.ts";
import type * as recallServiceWire from "../gen/memorysidecar/v1/recall_service.ts";
import { numbersByWord, wordsByNumber } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { spliceField, spliceFields } from "../grpc/splice.ts";
import { fromDuration, fromOptionalTimestamp } from "../grpc/time.ts";
import type { Etags } from "../kit/etag.ts";
import { LIMITS } from "../kit/limits.ts";
import { publicMessage } from "../kit/token-quarters.ts";
import { encodeMemory } from "../memory/wire.ts";
import { lookupBytes } from "../records/wire.ts";
import type { ReadRecord } from "../store/store.ts";
import type { RecallCoverage, RecallHit, RecallInput } from "./api.ts";
import { documentBytes, fromEmbedding } from "./documents/wire.ts";
import { fromRecallFilter } from "./filter-wire.ts";
import type { ScoreFeature, ScoreParts } from "./rank/types.ts";
import { poolPerLeg, type RecallWeights, WEIGHT_NAMES } from "./rank/weights.ts";

const MS_PER_DAY = 86_400_000;

// The fields that are spliced in, as in recall.proto.
const RECALLED = { message: 3, before: 4, after: 5 } as const;
const HIT = { message: 4, document: 5, memory: 8, foundRecord: 9 } as const;
/** A tag, and a length. */
const LOOKUP_FRAME_BYTES = 6;

const MODES = wordsByNumber(wire.RecallMode, "hybrid");
const FUSIONS = wordsByNumber(wire.FusionMethod, "scores");
const DENSE_STATES = numbersByWord(wire.DenseState);
const RERANK_STATES = numbersByWord(wire.RerankState);

const FEATURES = {
  words: wire.ScoreFeature.WORDS,
  neighbors: wire.ScoreFeature.NEIGHBORS,
  dense: wire.ScoreFeature.DENSE,
  coverage: wire.ScoreFeature.COVERAGE,
  nearWords: wire.ScoreFeature.NEAR_WORDS,
  identifier: wire.ScoreFeature.IDENTIFIER,
  author: wire.ScoreFeature.AUTHOR,
  userRole: wire.ScoreFeature.USER_ROLE,
  length: wire.ScoreFeature.LENGTH,
  question: wire.ScoreFeature.QUESTION,
  date: wire.ScoreFeature.DATE,
  recency: wire.ScoreFeature.RECENCY,
  importance: wire.ScoreFeature.IMPORTANCE,
  trust: wire.ScoreFeature.TRUST,
  session: wire.ScoreFeature.SESSION,
  confidence: wire.ScoreFeature.CONFIDENCE,
  facts: wire.ScoreFeature.FACTS,
  entities: wire.ScoreFeature.ENTITIES,
  wordsRank: wire.ScoreFeature.WORDS_RANK,
  denseRank: wire.ScoreFeature.DENSE_RANK,
} as const satisfies Readonly<Record<ScoreFeature, wire.ScoreFeature>>;

/** Gives the weights that a request sets. */
export function fromWeights(weights: wire.RecallWeights | undefined): Partial<RecallWeights> {
  if (weights === undefined) return {};
  const set = WEIGHT_NAMES.flatMap((name) => {
    const weight = weights[name];
    if (weight === undefined) return [];
    const isNumber = typeof weight === "number";
    return [[name, isNumber ? weight : fromDuration(weight) / MS_PER_DAY] as const];
  });
  return Object.fromEntries(set);
}

function groupHits(group: wire.GroupBySession | undefined): number | undefined {
  if (group === undefined) return undefined;
  return group.hitsPerSession === 0 ? LIMITS.recallGroupHitsDefault : group.hitsPerSession;
}

function fromRerank(rerank: wire.Rerank | undefined): RecallInput["rerank"] {
  if (rerank === undefined) return undefined;
  const { hook, candidates } = rerank;
  return { hook, candidates: candidates === 0 ? LIMITS.rerankCandidatesDefault : candidates };
}

/** The start of a page: the hits before it, and the candidates of each leg on the first page. */
export interface RecallPlace {
  readonly offset: number;
  readonly perLeg?: number;
}

/** Gives what a checked request asks for. */
export function fromRecall(
  request: recallServiceWire.RecallRequest,
  { offset, perLeg }: RecallPlace,
): RecallInput {
  const { namespace, pageSize, query, referenceTime } = request;
  const limit = Math.min(
    pageSize === 0 ? LIMITS.recallHitsDefault : pageSize,
    request.diversity > 0 ? LIMITS.recallDiverseHits : LIMITS.recallHits,
  );
  const isGrouped = request.groupBySession !== undefined || request.rerank !== undefined;
  return {
    ...{ namespace, query },
    embedding: fromEmbedding(request.embedding),
    filter: fromRecallFilter(request.filter),
    limit,
    offset,
    perLeg: perLeg ?? poolPerLeg(limit, isGrouped),
    mode: MODES[request.mode] ?? "hybrid",
    fusion: FUSIONS[request.fusion] ?? "scores",
    weights: fromWeights(request.weights),
    minScore: request.minScore,
    minRelevance: request.minRelevance ?? 0,
    diversity: request.diversity,
    contextBefore: request.contextBefore,
    contextAfter: request.contextAfter,
    hitsPerGroup: groupHits(request.groupBySession),
    rerank: fromRerank(request.rerank),
    allowPartial: request.allowPartial,
    withEmbeddings: request.includeEmbeddings,
    withPayloads: request.includePayloads,
    bestOfRecord: request.bestOfRecord,
    referenceMs: fromOptionalTimestamp(referenceTime),
  };
}

function toParts(parts: ScoreParts): wire.ScorePart[] {
  return parts.map((part) => ({ ...part, feature: FEATURES[part.feature] }));
}

/** Gives the wire form of a hit, with the messages, the document or the memory. */
export function encodeHit(
  hit: RecallHit,
  { withEmbeddings, etags }: { readonly withEmbeddings: boolean; readonly etags: Etags },
): Uint8Array {
  const { record, score, relevance, passage, rerankScore } = hit;
  const rest = encodeWire(wire.RecallHit, {
    score,
    relevance,
    parts: toParts(hit.parts),
    record: undefined,
    passage,
    ...(rerankScore === undefined ? {} : { rerankScore }),
    foundRecord: undefined,
  });
  if (record.kind === "memory") {
    return spliceField(HIT.memory, [encodeMemory(record.memory, etags)], rest);
  }
  if (record.kind === "document") {
    return spliceField(HIT.document, [documentBytes(record.document, withEmbeddings)], rest);
  }
  const { sessionId, userId, message, before, after } = record;
  const names = { sessionId, userId, message: undefined, before: [], after: [] };
  const recalled = spliceFields(
    [
      { field: RECALLED.message, items: [publicMessage(message.bytes)] },
      { field: RECALLED.before, items: before.map(({ bytes }) => publicMessage(bytes)) },
      { field: RECALLED.after, items: after.map(({ bytes }) => publicMessage(bytes)) },
    ],
    encodeWire(wire.RecalledMessage, names),
  );
  return spliceField(HIT.message, [recalled], rest);
}

/** Adds the record that its document belongs to to the wire form of a hit. */
export function withRecord(
  hit: Uint8Array,
  record: ReadRecord,
  { etags, room }: { readonly etags: Etags; readonly room: number },
): Uint8Array {
  const lookups = [record, { ...record, value: undefined }].map((one) => lookupBytes(one, etags));
  const fitting = lookups.find(({ length }) => length + LOOKUP_FRAME_BYTES <= room);
  return fitting === undefined ? hit : spliceField(HIT.foundRecord, [fitting], hit);
}

/** Turns the coverage of a search into its public form. */
export function toCoverage(coverage: RecallCoverage): wire.RecallCoverage {
  return {
    complete: coverage.complete,
    pendingCount: BigInt(coverage.pendingCount),
    leftOutCount: BigInt(coverage.leftOutCount),
    dense: DENSE_STATES[coverage.dense],
    embeddingModel: coverage.embeddingModel,
    withoutVectorCount: BigInt(coverage.withoutVectorCount),
    rerank: RERANK_STATES[coverage.rerank],
  };
}
