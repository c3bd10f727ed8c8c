import type { RpcContext, UnaryRpc } from "../edge/rpc.ts";
import type { Services } from "../edge/services-api.ts";
import { EmbeddingPurpose } from "../gen/memorysidecar/v1/document.ts";
import {
  type CountItemsRequest,
  CountItemsResponse,
  type EmbedRequest,
  ItemGroupOrder,
  type RecallRequest,
  RecallResponse,
} from "../gen/memorysidecar/v1/recall_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { fillPage, numberPosition } from "../grpc/page-token.ts";
import { spliceField } from "../grpc/splice.ts";
import { fromOptionalTimestamp } from "../grpc/time.ts";
import type { Call } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import { encodeMemory } from "../memory/wire.ts";
import { recordId, recordNameOf } from "../records/rules/record.ts";
import {
  type CountItemsInput,
  FULL_COVERAGE,
  type RecallHit,
  type RecallInput,
  type RecallResult,
} from "./api.ts";
import { checkCountItems, checkEmbed, checkRecall } from "./checks.ts";
import { encodeEmbedding } from "./documents/wire.ts";
import { fromMemoryFilter, fromRecallFilter } from "./filter-wire.ts";
import type { RecallFilter } from "./rules/filter.ts";
import type { MemoryFilter } from "./rules/memory-filter.ts";
import { isScoringOf, type ScoringOf, scoredKind } from "./rules/scoring.ts";
import { encodeHit, fromRecall, type RecallPlace, toCoverage, withRecord } from "./wire.ts";

const HITS_FIELD = 1;
/** A tag, and a length. */
const HIT_FRAME_BYTES = 6;

/** Recall. */
export const recall: UnaryRpc<RecallRequest> = {
  validate: checkRecall,
  cancelable: true,
  handle: async ({ services, etags, pageTokens }, call, request) => {
    const { pageToken } = request;
    const place = pageTokens.read(call, pageToken, placeOf) ?? { offset: 0 };
    const input = fromRecall(request, place);
    const found =
      scoredKind(request.scoring) === undefined
        ? await services.recall.recall(call, input)
        : await recallScored({ services, etags }, call, input, request.scoring);
    const { hits, next, groups, coverage } = found;
    const rest = encodeWire(RecallResponse, {
      hits: [],
      nextPageToken: pageTokens.make(
        call,
        next === undefined ? undefined : `${next}/${input.perLeg}`,
      ),
      sessions: groups.map(({ kind, id, score, hitCount }) => ({
        sessionId: kind === "session" ? id : "",
        collectionId: kind === "collection" ? id : "",
        score,
        hitCount,
      })),
      coverage: toCoverage(coverage),
    });
    const encoded = hits.map((hit) =>
      encodeHit(hit, { withEmbeddings: input.withEmbeddings, etags }),
    );
    const items = request.includeRecords
      ? await withRecords({ services, etags }, call, { namespace: input.namespace, hits, encoded })
      : encoded;
    return spliceField(HITS_FIELD, items, rest);
  },
};

/** Adds its record to the first hit of each record, as far as the answer has room. */
async function withRecords(
  { services, etags }: Pick<RpcContext, "services" | "etags">,
  call: Call,
  found: {
    readonly namespace: string;
    readonly hits: readonly RecallHit[];
    readonly encoded: readonly Uint8Array[];
  },
): Promise<readonly Uint8Array[]> {
  const { encoded, hits, namespace } = found;
  const names = hits.map(({ record }) =>
    record.kind === "document" ? recordNameOf(record.document.recordId ?? "") : undefined,
  );
  let room =
    LIMITS.renderedBytes - encoded.reduce((sum, { length }) => sum + length + HIT_FRAME_BYTES, 0);
  const wanted = new Map(names.flatMap((name) => (name ? [[recordId(name), name]] : [])));
  const records = await services.records.readRecords(call, {
    ...{ namespace, names: [...wanted.values()], valuesMax: Math.max(0, room), refresh: false },
  });
  const byId = new Map(records.flatMap((one) => (one ? [[recordId(one), one]] : [])));
  return encoded.map((hit, at) => {
    const name = names[at];
    const id = name === undefined ? "" : recordId(name);
    const record = byId.get(id);
    if (record === undefined) return hit;
    byId.delete(id);
    const whole = withRecord(hit, record, { etags, room });
    room -= whole.length - hit.length;
    return whole;
  });
}

/** Reads the position of a token; one of an older server has the offset alone. */
function placeOf(position: string): RecallPlace {
  const [offset = "", perLeg] = position.split("/");
  if (perLeg === undefined) return { offset: numberPosition(offset) };
  const pool = Math.min(numberPosition(perLeg), LIMITS.recallHits);
  return { offset: numberPosition(offset), perLeg: pool };
}

const EMBEDDINGS_FIELD = 1;

/** Embed. */
export const embed: UnaryRpc<EmbedRequest> = {
  validate: checkEmbed,
  cancelable: true,
  handle: async ({ services }, call, { namespace, texts, purpose }) => {
    const { model, vectors } = await services.recall.embed(call, {
      ...{ namespace, texts },
      purpose: purpose === EmbeddingPurpose.QUERY ? "query" : "passage",
    });
    const embeddings = vectors.map((values) => encodeEmbedding({ model, values }));
    return spliceField(EMBEDDINGS_FIELD, embeddings, new Uint8Array(0));
  },
};

/** CountItems. */
export const countItems: UnaryRpc<CountItemsRequest> = {
  validate: checkCountItems,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const { namespace, filter, allowPartial, referenceTime } = request;
    const { counts, groups, coverage } = await services.recall.countItems(call, {
      namespace,
      filter: fromRecallFilter(filter),
      groups: groupsOf(request),
      allowPartial,
      referenceMs: fromOptionalTimestamp(referenceTime),
    });
    return encodeWire(CountItemsResponse, {
      count: BigInt(counts.message + counts.document + counts.memory),
      messageCount: BigInt(counts.message),
      documentCount: BigInt(counts.document),
      memoryCount: BigInt(counts.memory),
      groups: (groups?.groups ?? []).map(({ value, count }) => ({ value, count: BigInt(count) })),
      valueCount: BigInt(groups?.valueCount ?? 0),
      withoutValueCount: BigInt(groups?.withoutCount ?? 0),
      groupsCut: groups?.isCut ?? false,
      coverage: toCoverage(coverage),
    });
  },
};

function groupsOf({ groupBy, order, maxGroups }: CountItemsRequest): CountItemsInput["groups"] {
  if (groupBy === undefined) return undefined;
  const { $case, value } = groupBy;
  return {
    by: $case === "labelKey" ? { label: value } : { path: value },
    order: order === ItemGroupOrder.VALUE_ASC ? "value" : "count",
    limit: maxGroups === 0 ? LIMITS.itemGroupsDefault : Math.min(maxGroups, LIMITS.itemGroups),
  };
}

const NOT_CALIBRATED = { isCalibrated: false } as const;
const EXPLAINED = { relevance: 0, parts: [], rerankScore: undefined } as const;

/** Recalls by a scoring besides the default one; each looks at one kind of record. */
async function recallScored(
  context: Pick<RpcContext, "services" | "etags">,
  call: Call,
  input: RecallInput,
  scoring: string,
): Promise<RecallResult> {
  const limit = Math.min(input.limit, LIMITS.scoredHits - input.offset);
  const page = { ...input, limit };
  if (isScoringOf(scoring, "document"))
    return await documents(context.services, call, page, scoring);
  if (isScoringOf(scoring, "memory")) return await memories(context, call, page, scoring);
  return await sessions(context.services, call, page);
}

/** The place of the next page; a list ends after `scoredHits`. */
function nextOf(next: number | undefined): number | undefined {
  return next === undefined || next >= LIMITS.scoredHits ? undefined : next;
}

async function documents(
  { recall }: Services,
  call: Call,
  input: RecallInput,
  scoring: ScoringOf<"document">,
): Promise<RecallResult> {
  const [collectionId = ""] = input.filter.collectionIds;
  const filter: RecallFilter = { ...input.filter, kinds: new Set(["document"]) };
  const search = { ...input, collectionId, scoring, filter };
  const { matches, next } = await recall.searchDocuments(call, search);
  const hits = matches.map(({ document, score }): RecallHit => {
    const record = { kind: "document", collectionId, document } as const;
    return { ...EXPLAINED, score, record, passage: "" };
  });
  const coverage = { ...FULL_COVERAGE, dense: scoring === "cosine" ? "used" : "off" } as const;
  return { hits, next: nextOf(next), groups: [], coverage, ...NOT_CALIBRATED };
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
  return { hits, next: nextOf(next), groups: [], coverage: FULL_COVERAGE, ...NOT_CALIBRATED };
}

/** The memories that a recall may find, whenever they are true. */
function toMemoryFilter(filter: RecallFilter): MemoryFilter {
  const { scope, memoryKinds, categories, labels, metadata, minConfidence = 0, minTrust } = filter;
  return {
    ...fromMemoryFilter(),
    scope,
    kinds: memoryKinds,
    categories,
    labels,
    metadata,
    minConfidence,
    minTrust,
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
  return { hits, next: nextOf(next), groups, coverage: FULL_COVERAGE, ...NOT_CALIBRATED };
}
