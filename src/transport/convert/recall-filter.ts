// What a recall and a search of documents may look at, from the wire to the domain.

import { SHARED_RECORDS } from "../../domain/memories/scopes.ts";
import type {
  MetadataCondition,
  MetadataTest,
  RecallFilter,
  RecallKind,
  Scalar,
} from "../../domain/recall/filter.ts";
import type { MemoryConditions } from "../../domain/recall/memory-test.ts";
import type { Trust } from "../../domain/summaries/summary.ts";
import { ROLE, type Role } from "../../domain/window/types.ts";
import type * as document from "../../gen/memorysidecar/v1/document.ts";
import type * as wire from "../../gen/memorysidecar/v1/filter.ts";
import * as recallWire from "../../gen/memorysidecar/v1/recall.ts";
import type { DocumentFilter } from "../../service/recall-api.ts";
import { fromMemoryKind } from "./memory-enums.ts";
import { fromScopeFilter } from "./scope.ts";
import { fromTimestamp } from "./time.ts";

const KINDS: ReadonlyMap<number, RecallKind> = new Map([
  [recallWire.RecallKind.MESSAGE, "message"],
  [recallWire.RecallKind.DOCUMENT, "document"],
  [recallWire.RecallKind.MEMORY, "memory"],
]);

const DEFAULT_ROLES: ReadonlySet<Role> = new Set([ROLE.user, ROLE.assistant]);

const EVERYTHING: RecallFilter = {
  kinds: new Set(),
  sessionIds: [],
  excludeSessionIds: [],
  scope: SHARED_RECORDS,
  sessionLabels: new Map(),
  roles: DEFAULT_ROLES,
  collectionIds: [],
  labels: new Map(),
  metadata: [],
  fromMs: undefined,
  beforeMs: undefined,
  minTrust: undefined,
  sourceDocumentId: "",
  ...{ memoryKinds: new Set(), categories: new Set(), validity: "now", minConfidence: undefined },
};

const SHARED_DOCUMENTS: DocumentFilter = {
  ...{ scope: SHARED_RECORDS, labels: new Map(), metadata: [], sourceDocumentId: "" },
};

function fromRange({ min, lessThan, max }: wire.NumberRange): MetadataTest["test"] {
  return {
    kind: "range",
    ...(min === undefined ? {} : { min }),
    ...(lessThan === undefined ? {} : { lessThan }),
    ...(max === undefined ? {} : { max }),
  };
}

function fromCondition({ path, test }: wire.MetadataCondition): MetadataCondition {
  switch (test?.$case) {
    case "equalTo":
      return { path, test: { kind: "one-of", values: [test.value as Scalar] } };
    case "oneOf":
      return { path, test: { kind: "one-of", values: (test.value ?? []) as readonly Scalar[] } };
    case "range":
      return { path, test: fromRange(test.value) };
    case "exists":
      return { path, test: { kind: "exists", exists: test.value } };
    case "allOf":
      return { of: "all", conditions: fromConditions(test.value.conditions) };
    case "anyOf":
      return { of: "any", conditions: fromConditions(test.value.conditions) };
    case "noneOf":
      return { of: "none", conditions: fromConditions(test.value.conditions) };
    case undefined:
      throw new Error("the request was not checked");
  }
}

/** Gives what metadata must hold. */
export function fromConditions(
  conditions: readonly wire.MetadataCondition[],
): readonly MetadataCondition[] {
  return conditions.map(fromCondition);
}

/**
 * The kinds that a filter asks for. One that names sessions or roles is about messages, one that
 * names collections or a source about documents, one that names kinds of memories about memories;
 * one that names several of these is about all of them.
 */
function kindsOf(filter: recallWire.RecallFilter): ReadonlySet<RecallKind> {
  const { kinds, sessionIds, roles, collectionIds, memoryKinds } = filter;
  if (kinds.length > 0) return new Set(kinds.flatMap((kind) => KINDS.get(kind) ?? []));
  const named = new Set<RecallKind>();
  const namesSessions = sessionIds.length > 0 || filter.sessionIdPrefix !== undefined;
  if (namesSessions || roles.length > 0) named.add("message");
  if (collectionIds.length > 0 || filter.sourceDocumentId !== undefined) named.add("document");
  if (memoryKinds.length > 0) named.add("memory");
  return named;
}

/**
 * Gives what a checked filter asks for; what is empty asks for nothing. Default roles: user and
 * assistant.
 */
export function fromRecallFilter(filter: recallWire.RecallFilter | undefined): RecallFilter {
  if (filter === undefined) return EVERYTHING;
  const { roles, timeFrom, timeBefore, minTrust } = filter;
  return {
    kinds: kindsOf(filter),
    sessionIds: filter.sessionIds,
    excludeSessionIds: filter.excludeSessionIds,
    sessionIdPrefix: filter.sessionIdPrefix ?? "",
    scope: fromScopeFilter(filter.scope),
    sessionLabels: filter.sessionLabels,
    roles: roles.length === 0 ? DEFAULT_ROLES : new Set(roles as Role[]),
    collectionIds: filter.collectionIds,
    labels: filter.labels,
    metadata: fromConditions(filter.metadata),
    fromMs: timeFrom === undefined ? undefined : fromTimestamp(timeFrom),
    beforeMs: timeBefore === undefined ? undefined : fromTimestamp(timeBefore),
    minTrust: minTrust === 0 ? undefined : (minTrust as Trust),
    sourceDocumentId: filter.sourceDocumentId ?? "",
    ...memoryConditions(filter),
  };
}

/** What a filter asks of memories alone. */
function memoryConditions(filter: recallWire.RecallFilter): MemoryConditions {
  const { memoryKinds, categories, validAtTime, includeSuperseded } = filter;
  const atMs = validAtTime === undefined ? undefined : fromTimestamp(validAtTime);
  return {
    memoryKinds: new Set(memoryKinds.map(fromMemoryKind)),
    categories: new Set(categories.map((category) => category.toLowerCase())),
    validity: includeSuperseded ? "any" : (atMs ?? "now"),
    minConfidence: filter.minConfidence || undefined,
  };
}

/** Gives which documents a checked filter means; unset means those that everybody shares. */
export function fromDocumentFilter(filter: document.DocumentFilter | undefined): DocumentFilter {
  if (filter === undefined) return SHARED_DOCUMENTS;
  const { scope, labels, metadata, sourceDocumentId = "" } = filter;
  const conditions = { labels, metadata: fromConditions(metadata), sourceDocumentId };
  return { scope: fromScopeFilter(scope), ...conditions };
}
