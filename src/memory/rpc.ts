import { fromMemoryScope, toListTotal } from "../core/wire.ts";
import type { UnaryRpc } from "../edge/rpc.ts";
import {
  ConflictMode,
  FoundRelation,
  MemoryOrder as Order,
} from "../gen/memorysidecar/v1/memory.ts";
import {
  type ConsolidateSessionRequest,
  ConsolidateSessionResponse,
  type DecayMemoriesRequest,
  DecayMemoriesResponse,
  type ExtractMemoriesRequest,
  ExtractMemoriesResponse,
  type ForgetMemoriesRequest,
  ForgetMemoriesResponse,
  type GetMemoryRequest,
  GetMemoryResponse,
  type ListMemoriesRequest,
  ListMemoriesResponse,
  type ListMemoryVersionsRequest,
  ListMemoryVersionsResponse,
  type MergeEntitiesRequest,
  MergeEntitiesResponse,
  type PurgeMemoriesRequest,
  PurgeMemoriesResponse,
  type QueryRelationsRequest,
  QueryRelationsResponse,
  type ReinforceMemoriesRequest,
  ReinforceMemoriesResponse,
  type RememberRequest,
  RememberResponse,
  type RestoreMemoryVersionRequest,
  RestoreMemoryVersionResponse,
  type UpdateMemoryRequest,
  UpdateMemoryResponse,
} from "../gen/memorysidecar/v1/memory_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { checkDistinct } from "../grpc/fields.ts";
import { fillPage, numberPosition, pageLimit } from "../grpc/page-token.ts";
import { digestOfPage } from "../grpc/request-digest.ts";
import { spliceField } from "../grpc/splice.ts";
import { floorTimestamp, fromOptionalSpan } from "../grpc/time.ts";
import { takeIds } from "../kit/id-list.ts";
import {
  checkMemoryFilter,
  checkRequiredFilter,
  fromMemoryFilter,
  fromWholeFilter,
} from "../recall/filter-wire.ts";
import type { MemoryOrder, RelationPlace } from "./api.ts";
import {
  checkExtractMemories,
  checkForgetMemories,
  checkMergeEntities,
  checkQueryRelations,
  checkRemember,
  checkUpdateMemory,
} from "./checks.ts";
import { fromExtraction, fromImportanceRules } from "./policy-wire.ts";
import {
  encodeMemory,
  fromConflict,
  fromDedupe,
  memoryIdRoom,
  memoryPaths,
  toChanged,
  toMemory,
  toMemoryDraft,
  toRememberResponse,
} from "./wire.ts";

/** Remember. */
export const remember: UnaryRpc<RememberRequest> = {
  validate: checkRemember,
  // A hook is waited for; all else is one decision.
  cancelable: ({ conflict }) => conflict?.mode === ConflictMode.ASK_HOOK,
  handle: ({ services }, call, request) =>
    services.memories.remember(call, {
      namespace: request.namespace,
      drafts: request.memories.map(toMemoryDraft),
      dedupe: fromDedupe(request.dedupe),
      conflict: fromConflict(request.conflict),
      maxMemories: request.maxMemories,
      neutralizePromptMarkers: request.neutralizePromptMarkers,
      reason: request.reason,
      encode: (result) => encodeWire(RememberResponse, toRememberResponse(result)),
    }),
};

/** GetMemory. */
export const getMemory: UnaryRpc<GetMemoryRequest> = {
  handle: async ({ services, etags }, call, { namespace, memoryId, asOfTime }) => {
    const memory = await services.memories.getMemory(call, {
      ...{ namespace, memoryId },
      asOfMs: asOfTime === undefined ? undefined : floorTimestamp(asOfTime),
    });
    return encodeWire(GetMemoryResponse, { memory: toMemory(memory, etags) });
  },
};

const PAGE_SIZE_DEFAULT = 100;
/** The number of the list in every answer that holds a list of memories. */
const LIST_FIELD = 1;
const ORDERS: Readonly<Partial<Record<number, MemoryOrder>>> = {
  [Order.CREATE_TIME_DESC]: "newest",
  [Order.IMPORTANCE_DESC]: "importance",
  [Order.CONFIDENCE_DESC]: "confidence",
  [Order.LAST_SEEN_TIME_DESC]: "last-seen",
};

/**
 * ListMemories. The position of a page token is the number of the last memory for the orders of
 * time, else how many memories were shown.
 */
export const listMemories: UnaryRpc<ListMemoriesRequest> = {
  validate: ({ filter }, v) => checkMemoryFilter(v, filter),
  cancelable: true,
  handle: async ({ services, etags, pageTokens }, call, { pageToken, asOfTime, ...request }) => {
    const order = ORDERS[request.order] ?? "oldest";
    const after = pageTokens.read(call, pageToken, numberPosition) ?? 0;
    const {
      memories,
      next,
      total: counted,
    } = await services.memories.listMemories(call, {
      namespace: request.namespace,
      filter: fromMemoryFilter(request.filter),
      asOfMs: asOfTime === undefined ? undefined : floorTimestamp(asOfTime),
      order,
      after,
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
      includeTotal: request.includeTotal,
    });
    const total = counted && toListTotal(counted);
    const shown = fillPage(memories, (memory) => encodeMemory(memory, etags));
    const isOfTime = order === "oldest" || order === "newest";
    const cut = isOfTime ? memories[shown.length - 1]?.memoryNo : after + shown.length;
    const position = shown.length < memories.length ? cut : next;
    const nextPageToken = pageTokens.make(call, position);
    const rest = encodeWire(ListMemoriesResponse, { memories: [], nextPageToken, total });
    return spliceField(LIST_FIELD, shown, rest);
  },
};

/** UpdateMemory. */
export const updateMemory: UnaryRpc<UpdateMemoryRequest> = {
  validate: checkUpdateMemory,
  handle: ({ services, etags }, call, request) => {
    const { memory: given } = request;
    if (given === undefined) throw new Error("the request was not checked");
    return services.memories.updateMemory(call, {
      namespace: request.namespace,
      memoryId: given.memoryId,
      draft: toMemoryDraft(given),
      paths: memoryPaths(given, request.updateMask),
      reason: request.reason,
      encode: (changed) => encodeWire(UpdateMemoryResponse, toChanged(changed, etags)),
    });
  },
};

const AMOUNT_DEFAULT = 0.1;
/** ReinforceMemories. The answer ends where a page does. */
export const reinforceMemories: UnaryRpc<ReinforceMemoriesRequest> = {
  validate: ({ memoryIds }, v) => checkDistinct(v, "memory_ids", memoryIds),
  handle: ({ services, etags }, call, { namespace, memoryIds, amount, allowMissing }) =>
    services.memories.reinforceMemories(call, {
      ...{ namespace, memoryIds },
      amount: amount ?? AMOUNT_DEFAULT,
      allowMissing,
      encode: ({ memories, revision }) => {
        const answer = { memories: [], revision: BigInt(revision) };
        const rest = encodeWire(ReinforceMemoriesResponse, answer);
        return spliceField(
          LIST_FIELD,
          fillPage(memories, (memory) => encodeMemory(memory, etags)),
          rest,
        );
      },
    }),
};

/** ForgetMemories. */
export const forgetMemories: UnaryRpc<ForgetMemoriesRequest> = {
  validate: checkForgetMemories,
  handle: ({ services }, call, { namespace, memoryIds, etag, allowMissing }) =>
    services.memories.forgetMemories(call, {
      ...{ namespace, memoryIds, etag, allowMissing },
      encode: ({ forgottenCount, revision }) =>
        encodeWire(ForgetMemoriesResponse, { forgottenCount, revision: BigInt(revision) }),
    }),
};

/** PurgeMemories. */
export const purgeMemories: UnaryRpc<PurgeMemoriesRequest> = {
  validate: ({ filter }, v) => checkRequiredFilter(v, filter),
  handle: ({ services }, call, { namespace, filter, force }) =>
    services.memories.purgeMemories(call, {
      namespace,
      filter: fromWholeFilter(filter),
      force,
      encode: ({ memoryCount, sampleIds, more, revision }) =>
        encodeWire(PurgeMemoriesResponse, {
          memoryCount,
          sampleMemoryIds: [...sampleIds],
          more,
          revision: BigInt(revision),
        }),
    }),
};

const FACTOR_DEFAULT = 0.8;

/** DecayMemories. The position of a page token is the number of the last memory. */
export const decayMemories: UnaryRpc<DecayMemoriesRequest> = {
  validate: ({ filter }, v) => checkRequiredFilter(v, filter),
  handle: async ({ services, pageTokens }, call, { pageToken, ...request }) => {
    const after = pageTokens.read(call, pageToken, numberPosition) ?? 0;
    const own = { ...call, digest: digestOfPage(call.digest, pageToken) };
    return services.memories.decayMemories(own, {
      namespace: request.namespace,
      filter: fromMemoryFilter(request.filter),
      factor: request.factor ?? FACTOR_DEFAULT,
      deleteBelow: request.deleteBelow,
      unseenForMs: fromOptionalSpan(request.unseenFor, 0),
      after,
      encode: ({ decayedCount, deletedIds, next, revision }) =>
        encodeWire(DecayMemoriesResponse, {
          decayedCount,
          deletedMemoryIds: [...deletedIds],
          nextPageToken: pageTokens.make(call, next),
          revision: BigInt(revision),
        }),
    });
  },
};

/** ListMemoryVersions. The position of a page token is the number of the last state. */
export const listMemoryVersions: UnaryRpc<ListMemoryVersionsRequest> = {
  handle: async ({ services, etags, pageTokens }, call, { pageToken, ...request }) => {
    const { revisions, next } = await services.memories.listMemoryVersions(call, {
      namespace: request.namespace,
      memoryId: request.memoryId,
      before: pageTokens.read(call, pageToken, numberPosition) ?? 0,
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const shown = fillPage(revisions, (memory) => encodeMemory(memory, etags));
    const isCut = shown.length < revisions.length;
    const position = isCut ? revisions[shown.length - 1]?.version : next;
    const nextPageToken = pageTokens.make(call, position);
    const rest = encodeWire(ListMemoryVersionsResponse, { versions: [], nextPageToken });
    return spliceField(LIST_FIELD, shown, rest);
  },
};

/** RestoreMemoryVersion. */
export const restoreMemoryVersion: UnaryRpc<RestoreMemoryVersionRequest> = {
  handle: ({ services, etags }, call, { namespace, memoryId, version, etag, reason }) =>
    services.memories.restoreMemoryVersion(call, {
      ...{ namespace, memoryId },
      version: Number(version),
      etag,
      reason,
      encode: (changed) => encodeWire(RestoreMemoryVersionResponse, toChanged(changed, etags)),
    }),
};

/** MergeEntities. */
export const mergeEntities: UnaryRpc<MergeEntitiesRequest> = {
  validate: checkMergeEntities,
  handle: ({ services, etags }, call, { namespace, targetMemoryId, sourceMemoryIds, reason }) =>
    services.memories.mergeEntities(call, {
      ...{ namespace, targetMemoryId, sourceMemoryIds, reason },
      encode: ({ memory, revision }) =>
        encodeWire(MergeEntitiesResponse, {
          entity: toMemory(memory, etags),
          revision: BigInt(revision),
        }),
    }),
};

/** Reads the position of a page token: the place of the last relation that was shown. */
function placeAt(position: string): RelationPlace {
  const [hop = "", memoryNo = ""] = position.split(" ");
  return { hop: numberPosition(hop), memoryNo: numberPosition(memoryNo) };
}

/** QueryRelations. */
export const queryRelations: UnaryRpc<QueryRelationsRequest> = {
  validate: checkQueryRelations,
  cancelable: true,
  handle: async ({ services, etags, pageTokens }, call, { maxHops, pageToken, ...request }) => {
    const { subject = "", predicate = "", objectValue: object = "", entity = "" } = request;
    const found = await services.memories.queryRelations(call, {
      namespace: request.namespace,
      filter: fromMemoryFilter(request.filter),
      ...{ subject, predicate, object, entity, keywords: request.keywords },
      maxHops: maxHops === 0 ? 1 : maxHops,
      after: pageTokens.read(call, pageToken, placeAt),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const { relations, truncated } = found;
    const shown = fillPage(relations, ({ memory, hop }) =>
      encodeWire(FoundRelation, { memory: toMemory(memory, etags), hop }),
    );
    const last = relations[shown.length - 1];
    const hasMore = found.hasMore || shown.length < relations.length;
    const position = hasMore && last ? `${last.hop} ${last.memory.memoryNo}` : undefined;
    const nextPageToken = pageTokens.make(call, position);
    const rest = encodeWire(QueryRelationsResponse, { relations: [], nextPageToken, truncated });
    return spliceField(LIST_FIELD, shown, rest);
  },
};

/** ExtractMemories. The answer ends where a page does. */
export const extractMemories: UnaryRpc<ExtractMemoriesRequest> = {
  validate: checkExtractMemories,
  cancelable: true,
  handle: ({ services, etags }, call, { extraction, ...request }) =>
    services.memories.extractMemories(call, {
      namespace: request.namespace,
      sessionId: request.sessionId,
      firstSeq: Number(request.firstSeq),
      lastSeq: Number(request.lastSeq),
      text: request.text,
      scope: fromMemoryScope(request.scope),
      extraction: extraction === undefined ? undefined : fromExtraction(extraction),
      preview: request.preview,
      importanceRules: fromImportanceRules(request.importanceRules),
      encode: ({ memories, scores, revision, ...counts }) => {
        const rest = encodeWire(ExtractMemoriesResponse, {
          ...{ memories: [], ...counts, scores: [...scores], revision: BigInt(revision) },
        });
        const shown = fillPage(memories, (memory) => encodeMemory(memory, etags));
        return spliceField(LIST_FIELD, shown, rest);
      },
    }),
};

/** ConsolidateSession. */
export const consolidateSession: UnaryRpc<ConsolidateSessionRequest> = {
  cancelable: true,
  handle: ({ services }, call, { namespace, sessionId }) =>
    services.memories.consolidateSession(call, {
      ...{ namespace, sessionId },
      encode: ({ promotedIds, evictedIds, revision }) => {
        const room = memoryIdRoom();
        return encodeWire(ConsolidateSessionResponse, {
          promotedMemoryIds: takeIds(promotedIds, room),
          evictedMemoryIds: takeIds(evictedIds, room),
          revision: BigInt(revision),
        });
      },
    }),
};
