// Builds the requests of long-term memory.

import { choice, conditions, onlyFields, whole } from "./choice.ts";
import { type FormName, toForm } from "./forms.ts";
import {
  type ConflictRule,
  type DedupeRule,
  type DeepPartial,
  Memory,
  type MemoryFilter,
  MemoryOrigin,
  type MemorySource,
} from "./gen/memorysidecar/v1/memory.ts";
import { ExtractMemoriesRequest } from "./gen/memorysidecar/v1/memory_service.ts";
import { Trust } from "./gen/memorysidecar/v1/message.ts";
import { TokenRule } from "./gen/memorysidecar/v1/policy.ts";
import { type ContextBlock, ContextFence } from "./gen/memorysidecar/v1/recall.ts";
import { AssembleContextRequest } from "./gen/memorysidecar/v1/recall_service.ts";
import { MEMORY_KINDS } from "./memory-kinds.ts";
import type * as options from "./memory-options.ts";
import * as names from "./memory-options.ts";
import { toExtraction, toImportanceRules } from "./memory-policy.ts";
import { toCondition } from "./metadata.ts";
import { TRUSTS } from "./recall-options.ts";
import { checkBound, checkTokenRule, toWeights } from "./recall-requests.ts";
import {
  type ScopeInput,
  type ScopeMatch,
  scopeFilterOf,
  scopeOf,
  toScope,
} from "./scope-filter.ts";
import { toDate, toDuration } from "./time.ts";

function time(date: Date | undefined) {
  return date && toDate(date);
}

function structureOf(input: options.MemoryFields): DeepPartial<Memory>["structure"] {
  const { entity, relation, episode } = input;
  const given = [entity, relation, episode].filter((one) => one !== undefined);
  if (given.length > 1) throw new TypeError("give one of entity, relation and episode");
  if (entity !== undefined) {
    onlyFields("entity", entity, { name: true, type: true, aliases: true, attributes: true });
    const { name, type = "", aliases = [], attributes = {} } = entity;
    const value = { name, type, aliases: [...aliases], attributes: { ...attributes } };
    return { $case: "entity", value };
  }
  if (relation !== undefined) {
    onlyFields("relation", relation, { subject: true, predicate: true, objectValue: true });
    return { $case: "relation", value: { ...relation } };
  }
  if (episode === undefined) return undefined;
  onlyFields("episode", episode, { userText: true, assistantText: true });
  return { $case: "episode", value: { ...episode } };
}

/** Makes a memory of the contract; what names no scope gets the one given. */
export function toMemory(input: options.MemoryInput, scope: ScopeInput = {}): Memory {
  if (typeof input === "string") return toMemory({ text: input }, scope);
  onlyFields("memory", input, names.MEMORY_FIELDS);
  const structure = structureOf(input);
  const kind = input.kind ?? structure?.$case ?? "fact";
  const hasScope = [input.userId, input.agentId, input.sessionId].some(Boolean);
  const usual = toScope(scope);
  const { userId = "", agentId = "", sessionId = "" } = hasScope ? input : usual;
  const { memoryId = "", text = "", key = "", category = "", etag = "", source } = input;
  return Memory.fromPartial({
    ...{ memoryId, userId, agentId, sessionId, text, key, category, etag, structure },
    kind: choice("kind", MEMORY_KINDS, kind),
    topics: [...(input.topics ?? [])],
    importance: input.importance,
    confidence: input.confidence,
    trust: input.trust === undefined ? Trust.UNSPECIFIED : choice("trust", TRUSTS, input.trust),
    persistent: input.persistent ?? false,
    labels: { ...input.labels },
    metadata: input.metadata,
    validFromTime: time(input.validFromTime),
    validUntilTime: time(input.validUntilTime),
    ttl: input.ttlMs === undefined ? undefined : toDuration(input.ttlMs),
    lastSeenTime: time(input.lastSeenTime),
    source: toSource(source),
  });
}

function toSource(source: options.MemoryFields["source"]): DeepPartial<MemorySource> | undefined {
  if (source === undefined) return undefined;
  onlyFields("source", source, { sessionId: true, messageIds: true });
  return { sessionId: source.sessionId, messageIds: [...(source.messageIds ?? [])] };
}

/** Makes a filter of memories to read. */
export function toMemoryFilter(input: options.MemoryFilterInput): DeepPartial<MemoryFilter> {
  return filterOf(input, "visible-to");
}

/** Makes a filter of memories to purge or decay. */
export function toBoundFilter(input: options.MemoryFilterInput): DeepPartial<MemoryFilter> {
  checkBound(input);
  return filterOf(input, "owned-by");
}

function filterOf(input: options.MemoryFilterInput, usual: ScopeMatch): DeepPartial<MemoryFilter> {
  onlyFields("filter", input, names.MEMORY_FILTER);
  const { kinds = [], states = [], categories = [], topics = [], metadata = [] } = input;
  const { validAtTime, createTimeFrom, createTimeBefore } = input;
  const { lastSeenTimeFrom, lastSeenTimeBefore, minTrust, origin, labels = {} } = input;
  const { userId, agentId, sessionId, everyone, scope, key } = input;
  const { textContains, sourceSessionId } = input;
  const { minImportance = 0, minConfidence = 0, persistent } = input;
  return {
    scope: scopeFilterOf({ userId, agentId, sessionId, everyone }, scope, usual),
    ...conditions({ key, textContains, sourceSessionId }),
    ...{ minImportance, minConfidence, persistent },
    labels: { ...labels },
    kinds: kinds.map((kind) => choice("kind", MEMORY_KINDS, kind)),
    states: states.map((state) => choice("state", names.MEMORY_STATES, state)),
    categories: [...categories],
    topics: [...topics],
    metadata: metadata.map(toCondition),
    minTrust: minTrust === undefined ? Trust.UNSPECIFIED : choice("trust", TRUSTS, minTrust),
    origin:
      origin === undefined
        ? MemoryOrigin.UNSPECIFIED
        : choice("origin", names.MEMORY_ORIGINS, origin),
    validAtTime: time(validAtTime),
    createTimeFrom: time(createTimeFrom),
    createTimeBefore: time(createTimeBefore),
    lastSeenTimeFrom: time(lastSeenTimeFrom),
    lastSeenTimeBefore: time(lastSeenTimeBefore),
  };
}

const DEDUPE_FIELDS = { mode: true, threshold: true, window: true, keepUnchanged: true } as const;

/** Makes a rule of what is known. */
export function toDedupe(
  input: options.RememberOptions["dedupe"],
): DeepPartial<DedupeRule> | undefined {
  if (input === undefined) return undefined;
  if (typeof input === "string") return { mode: choice("dedupe", names.DEDUPES, input) };
  onlyFields("dedupe option", input, DEDUPE_FIELDS);
  return { ...input, mode: choice("dedupe", names.DEDUPES, input.mode) };
}

/** Makes a rule of what happens to contradictions. */
export function toConflict(
  input: options.RememberOptions["conflict"],
): DeepPartial<ConflictRule> | undefined {
  if (input === undefined) return undefined;
  if (typeof input === "string") return { mode: choice("conflict", names.CONFLICTS, input) };
  onlyFields("conflict option", input, { mode: true, hook: true, singleObject: true });
  return { ...input, mode: choice("conflict", names.CONFLICTS, input.mode) };
}

/** The paths of an update: the fields that are given, by their names in the contract. */
export function pathsOf(changes: object): string[] {
  const named: Readonly<Record<string, string>> = { ttlMs: "ttl" };
  return Object.keys(changes)
    .filter((name) => name !== "etag")
    .map((name) => named[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** Makes the request of an extraction. */
export function extractRequest(
  head: { readonly namespace: string; readonly requestId: string },
  opts: options.ExtractOptions,
): ExtractMemoriesRequest {
  const { sessionId = "", text = "", scope, preview = false } = opts;
  return ExtractMemoriesRequest.fromPartial({
    ...{ ...head, sessionId, text, preview },
    scope: toScope(scope),
    firstSeq: whole(opts.firstSeq ?? 0),
    lastSeq: whole(opts.lastSeq ?? 0),
    extraction: opts.extraction && toExtraction(opts.extraction),
    importanceRules: toImportanceRules(opts.importanceRules),
  });
}

function toFence(fence: boolean | undefined): ContextFence {
  if (fence === undefined) return ContextFence.UNSPECIFIED;
  return fence ? ContextFence.ON : ContextFence.OFF;
}

function toBlock(block: options.BlockInput): DeepPartial<ContextBlock> {
  onlyFields("block", block, names.BLOCK_FIELDS);
  const { name, fence, maxTokens = 0, toolName = "", toolCallId = "", toolArguments } = block;
  return {
    ...{ name, maxTokens, toolName, toolCallId },
    place: choice("place", names.PLACES, block.place),
    sections: block.sections.map((one) => choice("section", names.SECTIONS, one)),
    fence: fence === undefined ? undefined : { marks: toMarks(fence) },
    toolArguments: toolArguments === undefined ? "" : JSON.stringify(toolArguments),
  };
}

function toMarks(fence: NonNullable<options.BlockInput["fence"]>) {
  if (typeof fence === "string") return { $case: "tag", value: fence } as const;
  onlyFields("fence", fence, { open: true, close: true });
  return { $case: "lines", value: fence } as const;
}

/** Makes the request of a context. */
export function contextRequest(
  namespace: string,
  opts: options.ContextOptions & { readonly form?: FormName | undefined },
): AssembleContextRequest {
  const { sessionId = "", userId, agentId, query = "", sections = [] } = opts;
  if (opts.customTokenRule !== undefined) checkTokenRule(opts.customTokenRule);
  const isNamed = userId !== undefined || agentId !== undefined;
  const viewer = { userId, agentId, sessionId: sessionId === "" ? undefined : sessionId };
  return AssembleContextRequest.fromPartial({
    ...{ namespace, sessionId, query },
    scope: isNamed ? scopeOf(viewer) : undefined,
    maxTokens: opts.maxTokens ?? 0,
    tokenRule: opts.tokenRule ?? (opts.tokenPreset ? TokenRule.PRESET : TokenRule.UNSPECIFIED),
    tokenPreset: opts.tokenPreset ?? "",
    model: opts.model ?? "",
    customTokenRule: opts.customTokenRule,
    sections: sections.map((one) => {
      const section = typeof one === "string" ? { kind: one } : one;
      onlyFields("section", section, names.SECTION_FIELDS);
      const { kind, ...rest } = section;
      return { ...rest, kind: choice("section", names.SECTIONS, kind) };
    }),
    profile: opts.profile ?? "",
    excludeConversation: opts.excludeConversation ?? false,
    compactionThreshold: opts.compactionThreshold,
    minRelevance: opts.minRelevance,
    minBestRelevance: opts.minBestRelevance,
    collectionIds: [...(opts.collectionIds ?? [])],
    weights: toWeights(opts.weights),
    referenceTime: time(opts.referenceTime),
    fence: toFence(opts.fence),
    blocks: (opts.blocks ?? []).map(toBlock),
    form: toForm(opts.form),
  });
}
