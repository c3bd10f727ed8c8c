// Generated from the rules in proto/memorysidecar/v1 by tools/gen-checks.ts. DO NOT EDIT.
//
// Checks every request field by field. Rules that join fields stand in src/transport/validate.

import * as fields from "../transport/validate/fields.ts";
import type { Violations } from "../transport/validate/violations.ts";
import { type ListHooksRequest } from "./memorysidecar/v1/admin_service.ts";
import { EmbeddingPurpose, type Document, type DocumentFilter, type Embedding } from "./memorysidecar/v1/document.ts";
import { EventType, StreamPosition, type EventFilter } from "./memorysidecar/v1/event.ts";
import { type CreateConsumerRequest, type ListEventsRequest, type WatchEventsRequest } from "./memorysidecar/v1/event_service.ts";
import { type MetadataCondition, type MetadataConditions, type NumberRange } from "./memorysidecar/v1/filter.ts";
import { ConflictMode, DedupeMode, ExtractionTarget, ExtractionTime, MemoryKind, MemoryOrder, MemoryOrigin, MemoryState, type ConflictRule, type DedupeRule, type ExtractionPolicy, type ImportanceRule, type Memory, type MemoryFilter, type MemoryPolicy, type MemorySource } from "./memorysidecar/v1/memory.ts";
import { type DecayMemoriesRequest, type ExtractMemoriesRequest, type GetMemoryRequest, type ListDocumentsRequest, type ListMemoriesRequest, type PurgeMemoriesRequest, type QueryRelationsRequest, type ReinforceMemoriesRequest, type RememberRequest, type UpdateMemoryRequest, type UpsertDocumentsRequest } from "./memorysidecar/v1/memory_service.ts";
import { MessageOrder, Role, Source, Trust, type Message, type MessageFilter } from "./memorysidecar/v1/message.ts";
import { BoundaryRule, FilterScope, PreviewSource, RemovedTo, StageEffect, StageOn, SummaryFailure, SummaryFlow, SummaryKeep, SummaryLeave, SummaryShape, SummaryShow, SystemProtection, TokenRounding, TokenRule, ToolPairing, ToolResultFillRule, TranscriptStyle, WindowUnit, type Boundary, type CustomTokenRule, type DropDuplicates, type DropOldest, type Filter, type PackNewest, type Policy, type PolicyChoice, type PolicyStage, type Protections, type Summarize, type SummaryView, type ToolResultFill, type Trigger } from "./memorysidecar/v1/policy.ts";
import { ContextFence, ContextSectionKind, FusionMethod, RecallKind, RecallMode, type ContextSection, type RecallFilter, type RecallWeights } from "./memorysidecar/v1/recall.ts";
import { type AssembleContextRequest, type EmbedRequest, type RecallRequest } from "./memorysidecar/v1/recall_service.ts";
import { SessionOrder, type Session, type SessionFilter } from "./memorysidecar/v1/session.ts";
import { type AppendMessagesRequest, type CompactSessionRequest, type CountTokensRequest, type CreateSessionRequest, type GetWindowRequest, type ImportSessionRequest, type ListMessagesRequest, type ListSessionsRequest, type ListSummariesRequest, type PreviewPolicyRequest, type RestoreMessagesRequest, type SetSummaryRequest, type TrimSessionRequest, type UpdateMessageRequest, type UpdateSessionRequest } from "./memorysidecar/v1/session_service.ts";
import { type SnapshotChunk, type SnapshotHeader, type SnapshotInsert } from "./memorysidecar/v1/snapshot.ts";
import { SummaryOrder, SummaryPlacement, type Summary, type SummaryOrigin } from "./memorysidecar/v1/summary.ts";
import { ResolveAction, TaskState, TaskType, type EmbedOutput, type ExtractOutput, type ExtractedFact, type ExtractedRelation, type RerankOutput, type ResolveOutput, type ScoreOutput, type TextVector } from "./memorysidecar/v1/task.ts";
import { type CompleteTaskRequest, type ExtendLeaseRequest, type FailTaskRequest, type ListTasksRequest, type PollTasksRequest } from "./memorysidecar/v1/task_service.ts";
import { type SeqRange } from "./memorysidecar/v1/window.ts";

const NAMESPACE = fields.textForm(/^(?:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/u, {"meaning":"must be 1 to 63 characters of a-z0-9-, the first a letter, the last no hyphen","maxChars":63});

/** Checks ListHooksRequest. */
export function checkListHooksRequest(v: Violations, m: ListHooksRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks WatchEventsRequest. */
export function checkWatchEventsRequest(v: Violations, m: WatchEventsRequest): void {
  switch (m.start?.$case) {
    case "position":
    if (m.start.value === 0) v.add("position", "must not be STREAM_POSITION_UNSPECIFIED");
    else fields.checkEnum(v, "position", m.start.value, StreamPosition);
    break;
  }
  if (m.filter !== undefined) {
    v.enter("filter");
    checkEventFilter(v, m.filter);
    v.leave();
  }
}

/** Checks EventFilter. */
export function checkEventFilter(v: Violations, m: EventFilter): void {
  for (let i = 0; i < m.eventTypes.length && !v.full; i++) {
    if (m.eventTypes[i]! === 0) v.add(`event_types[${i}]`, "must not be EVENT_TYPE_UNSPECIFIED");
    else fields.checkEnum(v, `event_types[${i}]`, m.eventTypes[i]!, EventType);
  }
}

/** Checks ListEventsRequest. */
export function checkListEventsRequest(v: Violations, m: ListEventsRequest): void {
  if (m.filter !== undefined) {
    v.enter("filter");
    checkEventFilter(v, m.filter);
    v.leave();
  }
}

/** Checks CreateConsumerRequest. */
export function checkCreateConsumerRequest(v: Violations, m: CreateConsumerRequest): void {
  switch (m.start?.$case) {
    case "position":
    if (m.start.value === 0) v.add("position", "must not be STREAM_POSITION_UNSPECIFIED");
    else fields.checkEnum(v, "position", m.start.value, StreamPosition);
    break;
  }
}

/** Checks RememberRequest. */
export function checkRememberRequest(v: Violations, m: RememberRequest): void {
  for (let i = 0; i < m.memories.length && !v.full; i++) {
    v.enterItem("memories", i);
    checkMemory(v, m.memories[i]!);
    v.leaveItem();
  }
  if (m.dedupe !== undefined) {
    v.enter("dedupe");
    checkDedupeRule(v, m.dedupe);
    v.leave();
  }
  if (m.conflict !== undefined) {
    v.enter("conflict");
    checkConflictRule(v, m.conflict);
    v.leave();
  }
}

/** Checks Memory. */
export function checkMemory(v: Violations, m: Memory): void {
  if (m.kind !== 0) fields.checkEnum(v, "kind", m.kind, MemoryKind);
  if (m.importance !== undefined) {
    fields.checkFinite(v, "importance", m.importance);
  }
  if (m.confidence !== undefined) {
    fields.checkFinite(v, "confidence", m.confidence);
  }
  if (m.trust !== 0) fields.checkEnum(v, "trust", m.trust, Trust);
  if (m.validFromTime !== undefined) {
    fields.checkTimestamp(v, "valid_from_time", m.validFromTime);
  }
  if (m.validUntilTime !== undefined) {
    fields.checkTimestamp(v, "valid_until_time", m.validUntilTime);
  }
  if (m.ttl !== undefined) {
    fields.checkDuration(v, "ttl", m.ttl, {});
  }
  if (m.source !== undefined) {
    v.enter("source");
    checkMemorySource(v, m.source);
    v.leave();
  }
  if (m.state !== 0) fields.checkEnum(v, "state", m.state, MemoryState);
  if (m.lastSeenTime !== undefined) {
    fields.checkTimestamp(v, "last_seen_time", m.lastSeenTime);
  }
  if (m.createTime !== undefined) {
    fields.checkTimestamp(v, "create_time", m.createTime);
  }
  if (m.updateTime !== undefined) {
    fields.checkTimestamp(v, "update_time", m.updateTime);
  }
  if (m.expireTime !== undefined) {
    fields.checkTimestamp(v, "expire_time", m.expireTime);
  }
}

/** Checks MemorySource. */
export function checkMemorySource(v: Violations, m: MemorySource): void {
  if (m.origin !== 0) fields.checkEnum(v, "origin", m.origin, MemoryOrigin);
}

/** Checks DedupeRule. */
export function checkDedupeRule(v: Violations, m: DedupeRule): void {
  if (m.mode !== 0) fields.checkEnum(v, "mode", m.mode, DedupeMode);
  if (m.threshold !== undefined) {
    fields.checkFinite(v, "threshold", m.threshold);
  }
}

/** Checks ConflictRule. */
export function checkConflictRule(v: Violations, m: ConflictRule): void {
  if (m.mode !== 0) fields.checkEnum(v, "mode", m.mode, ConflictMode);
}

/** Checks GetMemoryRequest. */
export function checkGetMemoryRequest(v: Violations, m: GetMemoryRequest): void {
  if (m.asOfTime !== undefined) {
    fields.checkTimestamp(v, "as_of_time", m.asOfTime);
  }
}

/** Checks ListMemoriesRequest. */
export function checkListMemoriesRequest(v: Violations, m: ListMemoriesRequest): void {
  if (m.filter !== undefined) {
    v.enter("filter");
    checkMemoryFilter(v, m.filter);
    v.leave();
  }
  if (m.asOfTime !== undefined) {
    fields.checkTimestamp(v, "as_of_time", m.asOfTime);
  }
  if (m.order !== 0) fields.checkEnum(v, "order", m.order, MemoryOrder);
}

/** Checks MemoryFilter. */
export function checkMemoryFilter(v: Violations, m: MemoryFilter): void {
  for (let i = 0; i < m.kinds.length && !v.full; i++) {
    if (m.kinds[i]! === 0) v.add(`kinds[${i}]`, "must not be MEMORY_KIND_UNSPECIFIED");
    else fields.checkEnum(v, `kinds[${i}]`, m.kinds[i]!, MemoryKind);
  }
  for (let i = 0; i < m.states.length && !v.full; i++) {
    if (m.states[i]! === 0) v.add(`states[${i}]`, "must not be MEMORY_STATE_UNSPECIFIED");
    else fields.checkEnum(v, `states[${i}]`, m.states[i]!, MemoryState);
  }
  for (let i = 0; i < m.metadata.length && !v.full; i++) {
    v.enterItem("metadata", i);
    checkMetadataCondition(v, m.metadata[i]!);
    v.leaveItem();
  }
  if (m.minImportance !== undefined) {
    fields.checkFinite(v, "min_importance", m.minImportance);
  }
  if (m.minConfidence !== undefined) {
    fields.checkFinite(v, "min_confidence", m.minConfidence);
  }
  if (m.minTrust !== 0) fields.checkEnum(v, "min_trust", m.minTrust, Trust);
  if (m.validAtTime !== undefined) {
    fields.checkTimestamp(v, "valid_at_time", m.validAtTime);
  }
  if (m.createTimeFrom !== undefined) {
    fields.checkTimestamp(v, "create_time_from", m.createTimeFrom);
  }
  if (m.createTimeBefore !== undefined) {
    fields.checkTimestamp(v, "create_time_before", m.createTimeBefore);
  }
  if (m.lastSeenTimeFrom !== undefined) {
    fields.checkTimestamp(v, "last_seen_time_from", m.lastSeenTimeFrom);
  }
  if (m.lastSeenTimeBefore !== undefined) {
    fields.checkTimestamp(v, "last_seen_time_before", m.lastSeenTimeBefore);
  }
  if (m.origin !== 0) fields.checkEnum(v, "origin", m.origin, MemoryOrigin);
}

/** Checks MetadataCondition. */
export function checkMetadataCondition(v: Violations, m: MetadataCondition): void {
  if (m.path !== "") fields.checkText(v, "path", m.path, 256);
  switch (m.test?.$case) {
    case undefined:
    v.add("test", "one of equal_to, range, exists, one_of, all_of, any_of and none_of is required");
    break;
    case "range":
    v.enter("range");
    checkNumberRange(v, m.test.value);
    v.leave();
    break;
    case "allOf":
    v.enter("all_of");
    checkMetadataConditions(v, m.test.value);
    v.leave();
    break;
    case "anyOf":
    v.enter("any_of");
    checkMetadataConditions(v, m.test.value);
    v.leave();
    break;
    case "noneOf":
    v.enter("none_of");
    checkMetadataConditions(v, m.test.value);
    v.leave();
    break;
  }
}

/** Checks NumberRange. */
export function checkNumberRange(v: Violations, m: NumberRange): void {
  if (m.min !== undefined) {
    fields.checkFinite(v, "min", m.min);
  }
  if (m.lessThan !== undefined) {
    fields.checkFinite(v, "less_than", m.lessThan);
  }
  if (m.max !== undefined) {
    fields.checkFinite(v, "max", m.max);
  }
}

/** Checks MetadataConditions. */
export function checkMetadataConditions(v: Violations, m: MetadataConditions): void {
  if (m.conditions.length === 0) v.add("conditions", "must have 1 entry at least", 1);
  else {
    if (m.conditions.length > 16) fields.addCount(v, "conditions", m.conditions.length, 16);
    else {
      for (let i = 0; i < m.conditions.length && !v.full; i++) {
        v.enterItem("conditions", i);
        checkMetadataCondition(v, m.conditions[i]!);
        v.leaveItem();
      }
    }
  }
}

/** Checks UpdateMemoryRequest. */
export function checkUpdateMemoryRequest(v: Violations, m: UpdateMemoryRequest): void {
  if (m.memory !== undefined) {
    v.enter("memory");
    checkMemory(v, m.memory);
    v.leave();
  }
}

/** Checks ReinforceMemoriesRequest. */
export function checkReinforceMemoriesRequest(v: Violations, m: ReinforceMemoriesRequest): void {
  if (m.amount !== undefined) {
    fields.checkFinite(v, "amount", m.amount);
  }
}

/** Checks DecayMemoriesRequest. */
export function checkDecayMemoriesRequest(v: Violations, m: DecayMemoriesRequest): void {
  if (m.filter !== undefined) {
    v.enter("filter");
    checkMemoryFilter(v, m.filter);
    v.leave();
  }
  if (m.factor !== undefined) {
    fields.checkFinite(v, "factor", m.factor);
  }
  if (m.deleteBelow !== undefined) {
    fields.checkFinite(v, "delete_below", m.deleteBelow);
  }
  if (m.unseenFor !== undefined) {
    fields.checkDuration(v, "unseen_for", m.unseenFor, {});
  }
}

/** Checks PurgeMemoriesRequest. */
export function checkPurgeMemoriesRequest(v: Violations, m: PurgeMemoriesRequest): void {
  if (m.filter !== undefined) {
    v.enter("filter");
    checkMemoryFilter(v, m.filter);
    v.leave();
  }
}

/** Checks QueryRelationsRequest. */
export function checkQueryRelationsRequest(v: Violations, m: QueryRelationsRequest): void {
  if (m.filter !== undefined) {
    v.enter("filter");
    checkMemoryFilter(v, m.filter);
    v.leave();
  }
}

/** Checks ExtractMemoriesRequest. */
export function checkExtractMemoriesRequest(v: Violations, m: ExtractMemoriesRequest): void {
  if (m.extraction !== undefined) {
    v.enter("extraction");
    checkExtractionPolicy(v, m.extraction);
    v.leave();
  }
  for (let i = 0; i < m.importanceRules.length && !v.full; i++) {
    v.enterItem("importance_rules", i);
    checkImportanceRule(v, m.importanceRules[i]!);
    v.leaveItem();
  }
}

/** Checks ExtractionPolicy. */
export function checkExtractionPolicy(v: Violations, m: ExtractionPolicy): void {
  if (m.on !== 0) fields.checkEnum(v, "on", m.on, ExtractionTime);
  for (let i = 0; i < m.targets.length && !v.full; i++) {
    if (m.targets[i]! === 0) v.add(`targets[${i}]`, "must not be EXTRACTION_TARGET_UNSPECIFIED");
    else fields.checkEnum(v, `targets[${i}]`, m.targets[i]!, ExtractionTarget);
  }
}

/** Checks ImportanceRule. */
export function checkImportanceRule(v: Violations, m: ImportanceRule): void {
  fields.checkFinite(v, "score", m.score);
}

/** Checks UpsertDocumentsRequest. */
export function checkUpsertDocumentsRequest(v: Violations, m: UpsertDocumentsRequest): void {
  for (let i = 0; i < m.documents.length && !v.full; i++) {
    v.enterItem("documents", i);
    checkDocument(v, m.documents[i]!);
    v.leaveItem();
  }
}

/** Checks Document. */
export function checkDocument(v: Violations, m: Document): void {
  if (m.documentTime !== undefined) {
    fields.checkTimestamp(v, "document_time", m.documentTime);
  }
  if (m.importance !== undefined) {
    fields.checkFinite(v, "importance", m.importance);
  }
  if (m.embedding !== undefined) {
    v.enter("embedding");
    checkEmbedding(v, m.embedding);
    v.leave();
  }
  if (m.trust !== 0) fields.checkEnum(v, "trust", m.trust, Trust);
  if (m.createTime !== undefined) {
    fields.checkTimestamp(v, "create_time", m.createTime);
  }
  if (m.updateTime !== undefined) {
    fields.checkTimestamp(v, "update_time", m.updateTime);
  }
}

/** Checks Embedding. */
export function checkEmbedding(v: Violations, m: Embedding): void {
  for (let i = 0; i < m.values.length && !v.full; i++) {
    fields.checkFinite(v, `values[${i}]`, m.values[i]!);
  }
}

/** Checks ListDocumentsRequest. */
export function checkListDocumentsRequest(v: Violations, m: ListDocumentsRequest): void {
  if (m.filter !== undefined) {
    v.enter("filter");
    checkDocumentFilter(v, m.filter);
    v.leave();
  }
}

/** Checks DocumentFilter. */
export function checkDocumentFilter(v: Violations, m: DocumentFilter): void {
  for (let i = 0; i < m.metadata.length && !v.full; i++) {
    v.enterItem("metadata", i);
    checkMetadataCondition(v, m.metadata[i]!);
    v.leaveItem();
  }
}

/** Checks RecallRequest. */
export function checkRecallRequest(v: Violations, m: RecallRequest): void {
  if (m.embedding !== undefined) {
    v.enter("embedding");
    checkEmbedding(v, m.embedding);
    v.leave();
  }
  if (m.filter !== undefined) {
    v.enter("filter");
    checkRecallFilter(v, m.filter);
    v.leave();
  }
  if (m.mode !== 0) fields.checkEnum(v, "mode", m.mode, RecallMode);
  if (m.fusion !== 0) fields.checkEnum(v, "fusion", m.fusion, FusionMethod);
  if (m.weights !== undefined) {
    v.enter("weights");
    checkRecallWeights(v, m.weights);
    v.leave();
  }
  if (m.minScore !== undefined) {
    fields.checkFinite(v, "min_score", m.minScore);
  }
  if (m.minRelevance !== undefined) {
    fields.checkFinite(v, "min_relevance", m.minRelevance);
  }
  fields.checkFinite(v, "diversity", m.diversity);
  if (m.referenceTime !== undefined) {
    fields.checkTimestamp(v, "reference_time", m.referenceTime);
  }
}

/** Checks RecallFilter. */
export function checkRecallFilter(v: Violations, m: RecallFilter): void {
  for (let i = 0; i < m.kinds.length && !v.full; i++) {
    if (m.kinds[i]! === 0) v.add(`kinds[${i}]`, "must not be RECALL_KIND_UNSPECIFIED");
    else fields.checkEnum(v, `kinds[${i}]`, m.kinds[i]!, RecallKind);
  }
  for (let i = 0; i < m.roles.length && !v.full; i++) {
    if (m.roles[i]! === 0) v.add(`roles[${i}]`, "must not be ROLE_UNSPECIFIED");
    else fields.checkEnum(v, `roles[${i}]`, m.roles[i]!, Role);
  }
  for (let i = 0; i < m.metadata.length && !v.full; i++) {
    v.enterItem("metadata", i);
    checkMetadataCondition(v, m.metadata[i]!);
    v.leaveItem();
  }
  if (m.timeFrom !== undefined) {
    fields.checkTimestamp(v, "time_from", m.timeFrom);
  }
  if (m.timeBefore !== undefined) {
    fields.checkTimestamp(v, "time_before", m.timeBefore);
  }
  if (m.minTrust !== 0) fields.checkEnum(v, "min_trust", m.minTrust, Trust);
  for (let i = 0; i < m.memoryKinds.length && !v.full; i++) {
    if (m.memoryKinds[i]! === 0) v.add(`memory_kinds[${i}]`, "must not be MEMORY_KIND_UNSPECIFIED");
    else fields.checkEnum(v, `memory_kinds[${i}]`, m.memoryKinds[i]!, MemoryKind);
  }
  if (m.validAtTime !== undefined) {
    fields.checkTimestamp(v, "valid_at_time", m.validAtTime);
  }
  if (m.minConfidence !== undefined) {
    fields.checkFinite(v, "min_confidence", m.minConfidence);
  }
}

/** Checks RecallWeights. */
export function checkRecallWeights(v: Violations, m: RecallWeights): void {
  if (m.words !== undefined) {
    fields.checkFinite(v, "words", m.words);
  }
  if (m.neighbors !== undefined) {
    fields.checkFinite(v, "neighbors", m.neighbors);
  }
  if (m.dense !== undefined) {
    fields.checkFinite(v, "dense", m.dense);
  }
  if (m.coverage !== undefined) {
    fields.checkFinite(v, "coverage", m.coverage);
  }
  if (m.author !== undefined) {
    fields.checkFinite(v, "author", m.author);
  }
  if (m.userRole !== undefined) {
    fields.checkFinite(v, "user_role", m.userRole);
  }
  if (m.length !== undefined) {
    fields.checkFinite(v, "length", m.length);
  }
  if (m.question !== undefined) {
    fields.checkFinite(v, "question", m.question);
  }
  if (m.date !== undefined) {
    fields.checkFinite(v, "date", m.date);
  }
  if (m.recency !== undefined) {
    fields.checkFinite(v, "recency", m.recency);
  }
  if (m.recencyHalfLife !== undefined) {
    fields.checkDuration(v, "recency_half_life", m.recencyHalfLife, {});
  }
  if (m.importance !== undefined) {
    fields.checkFinite(v, "importance", m.importance);
  }
  if (m.trust !== undefined) {
    fields.checkFinite(v, "trust", m.trust);
  }
  if (m.session !== undefined) {
    fields.checkFinite(v, "session", m.session);
  }
  if (m.nearWords !== undefined) {
    fields.checkFinite(v, "near_words", m.nearWords);
  }
  if (m.confidence !== undefined) {
    fields.checkFinite(v, "confidence", m.confidence);
  }
  if (m.facts !== undefined) {
    fields.checkFinite(v, "facts", m.facts);
  }
  if (m.entities !== undefined) {
    fields.checkFinite(v, "entities", m.entities);
  }
}

/** Checks AssembleContextRequest. */
export function checkAssembleContextRequest(v: Violations, m: AssembleContextRequest): void {
  if (m.tokenRule !== 0) fields.checkEnum(v, "token_rule", m.tokenRule, TokenRule);
  if (m.customTokenRule !== undefined) {
    v.enter("custom_token_rule");
    checkCustomTokenRule(v, m.customTokenRule);
    v.leave();
  }
  for (let i = 0; i < m.sections.length && !v.full; i++) {
    v.enterItem("sections", i);
    checkContextSection(v, m.sections[i]!);
    v.leaveItem();
  }
  if (m.compactionThreshold !== undefined) {
    fields.checkFinite(v, "compaction_threshold", m.compactionThreshold);
  }
  if (m.minRelevance !== undefined) {
    fields.checkFinite(v, "min_relevance", m.minRelevance);
  }
  if (m.weights !== undefined) {
    v.enter("weights");
    checkRecallWeights(v, m.weights);
    v.leave();
  }
  if (m.referenceTime !== undefined) {
    fields.checkTimestamp(v, "reference_time", m.referenceTime);
  }
  if (m.fence !== 0) fields.checkEnum(v, "fence", m.fence, ContextFence);
}

/** Checks CustomTokenRule. */
export function checkCustomTokenRule(v: Violations, m: CustomTokenRule): void {
  fields.checkFinite(v, "chars_per_token", m.charsPerToken);
  if (m.rounding !== 0) fields.checkEnum(v, "rounding", m.rounding, TokenRounding);
}

/** Checks ContextSection. */
export function checkContextSection(v: Violations, m: ContextSection): void {
  if (m.kind !== 0) fields.checkEnum(v, "kind", m.kind, ContextSectionKind);
  if (m.share !== undefined) {
    fields.checkFinite(v, "share", m.share);
  }
}

/** Checks EmbedRequest. */
export function checkEmbedRequest(v: Violations, m: EmbedRequest): void {
  if (m.purpose !== 0) fields.checkEnum(v, "purpose", m.purpose, EmbeddingPurpose);
}

/** Checks CreateSessionRequest. */
export function checkCreateSessionRequest(v: Violations, m: CreateSessionRequest): void {
  if (m.session !== undefined) {
    v.enter("session");
    checkSession(v, m.session);
    v.leave();
  }
}

/** Checks Session. */
export function checkSession(v: Violations, m: Session): void {
  if (m.policy !== undefined) {
    v.enter("policy");
    checkPolicyChoice(v, m.policy);
    v.leave();
  }
  if (m.effectivePolicy !== undefined) {
    v.enter("effective_policy");
    checkPolicy(v, m.effectivePolicy);
    v.leave();
  }
  if (m.ttl !== undefined) {
    fields.checkDuration(v, "ttl", m.ttl, {});
  }
  if (m.expireTime !== undefined) {
    fields.checkTimestamp(v, "expire_time", m.expireTime);
  }
  if (m.summary !== undefined) {
    v.enter("summary");
    checkSummary(v, m.summary);
    v.leave();
  }
  if (m.createTime !== undefined) {
    fields.checkTimestamp(v, "create_time", m.createTime);
  }
  if (m.updateTime !== undefined) {
    fields.checkTimestamp(v, "update_time", m.updateTime);
  }
  for (let i = 0; i < m.placedSummaries.length && !v.full; i++) {
    v.enterItem("placed_summaries", i);
    checkSummary(v, m.placedSummaries[i]!);
    v.leaveItem();
  }
  if (m.memoryPolicy !== undefined) {
    v.enter("memory_policy");
    checkMemoryPolicy(v, m.memoryPolicy);
    v.leave();
  }
}

/** Checks PolicyChoice. */
export function checkPolicyChoice(v: Violations, m: PolicyChoice): void {
  switch (m.choice?.$case) {
    case "policy":
    v.enter("policy");
    checkPolicy(v, m.choice.value);
    v.leave();
    break;
  }
}

/** Checks Policy. */
export function checkPolicy(v: Violations, m: Policy): void {
  if (m.tokenRule !== 0) fields.checkEnum(v, "token_rule", m.tokenRule, TokenRule);
  if (m.protections !== undefined) {
    v.enter("protections");
    checkProtections(v, m.protections);
    v.leave();
  }
  for (let i = 0; i < m.stages.length && !v.full; i++) {
    v.enterItem("stages", i);
    checkPolicyStage(v, m.stages[i]!);
    v.leaveItem();
  }
  if (m.customTokenRule !== undefined) {
    v.enter("custom_token_rule");
    checkCustomTokenRule(v, m.customTokenRule);
    v.leave();
  }
  if (m.toolPairing !== 0) fields.checkEnum(v, "tool_pairing", m.toolPairing, ToolPairing);
  if (m.toolResultFill !== undefined) {
    v.enter("tool_result_fill");
    checkToolResultFill(v, m.toolResultFill);
    v.leave();
  }
  if (m.summaryView !== undefined) {
    v.enter("summary_view");
    checkSummaryView(v, m.summaryView);
    v.leave();
  }
}

/** Checks Protections. */
export function checkProtections(v: Violations, m: Protections): void {
  if (m.system !== 0) fields.checkEnum(v, "system", m.system, SystemProtection);
}

/** Checks PolicyStage. */
export function checkPolicyStage(v: Violations, m: PolicyStage): void {
  if (m.on !== 0) fields.checkEnum(v, "on", m.on, StageOn);
  for (let i = 0; i < m.anyOf.length && !v.full; i++) {
    v.enterItem("any_of", i);
    checkTrigger(v, m.anyOf[i]!);
    v.leaveItem();
  }
  if (m.unit !== 0) fields.checkEnum(v, "unit", m.unit, WindowUnit);
  switch (m.select?.$case) {
    case "dropOldest":
    v.enter("drop_oldest");
    checkDropOldest(v, m.select.value);
    v.leave();
    break;
    case "packNewest":
    v.enter("pack_newest");
    checkPackNewest(v, m.select.value);
    v.leave();
    break;
    case "filter":
    v.enter("filter");
    checkFilter(v, m.select.value);
    v.leave();
    break;
    case "dropDuplicates":
    v.enter("drop_duplicates");
    checkDropDuplicates(v, m.select.value);
    v.leave();
    break;
  }
  if (m.boundary !== undefined) {
    v.enter("boundary");
    checkBoundary(v, m.boundary);
    v.leave();
  }
  if (m.effect !== 0) fields.checkEnum(v, "effect", m.effect, StageEffect);
  if (m.removedTo !== 0) fields.checkEnum(v, "removed_to", m.removedTo, RemovedTo);
  if (m.summarize !== undefined) {
    v.enter("summarize");
    checkSummarize(v, m.summarize);
    v.leave();
  }
}

/** Checks Trigger. */
export function checkTrigger(v: Violations, m: Trigger): void {
  switch (m.condition?.$case) {
    case "contextShareAtLeast":
    fields.checkFinite(v, "context_share_at_least", m.condition.value);
    break;
    case "ageOver":
    fields.checkDuration(v, "age_over", m.condition.value, {});
    break;
  }
}

/** Checks DropOldest. */
export function checkDropOldest(v: Violations, m: DropOldest): void {
  if (m.maxAge !== undefined) {
    fields.checkDuration(v, "max_age", m.maxAge, {});
  }
}

/** Checks PackNewest. */
export function checkPackNewest(v: Violations, m: PackNewest): void {
  fields.checkFinite(v, "headroom", m.headroom);
}

/** Checks Filter. */
export function checkFilter(v: Violations, m: Filter): void {
  if (m.scope !== 0) fields.checkEnum(v, "scope", m.scope, FilterScope);
}

/** Checks DropDuplicates. */
export function checkDropDuplicates(v: Violations, m: DropDuplicates): void {
  if (m.similarity !== undefined) {
    fields.checkFinite(v, "similarity", m.similarity);
  }
}

/** Checks Boundary. */
export function checkBoundary(v: Violations, m: Boundary): void {
  if (m.rule !== 0) fields.checkEnum(v, "rule", m.rule, BoundaryRule);
}

/** Checks Summarize. */
export function checkSummarize(v: Violations, m: Summarize): void {
  if (m.keep !== 0) fields.checkEnum(v, "keep", m.keep, SummaryKeep);
  if (m.flow !== 0) fields.checkEnum(v, "flow", m.flow, SummaryFlow);
  if (m.leave !== 0) fields.checkEnum(v, "leave", m.leave, SummaryLeave);
  if (m.onFailure !== 0) fields.checkEnum(v, "on_failure", m.onFailure, SummaryFailure);
  if (m.transcript !== 0) fields.checkEnum(v, "transcript", m.transcript, TranscriptStyle);
  if (m.shape !== 0) fields.checkEnum(v, "shape", m.shape, SummaryShape);
}

/** Checks ToolResultFill. */
export function checkToolResultFill(v: Violations, m: ToolResultFill): void {
  if (m.rule !== 0) fields.checkEnum(v, "rule", m.rule, ToolResultFillRule);
}

/** Checks SummaryView. */
export function checkSummaryView(v: Violations, m: SummaryView): void {
  if (m.show !== 0) fields.checkEnum(v, "show", m.show, SummaryShow);
}

/** Checks Summary. */
export function checkSummary(v: Violations, m: Summary): void {
  if (m.createTime !== undefined) {
    fields.checkTimestamp(v, "create_time", m.createTime);
  }
  for (let i = 0; i < m.seqRanges.length && !v.full; i++) {
    v.enterItem("seq_ranges", i);
    checkSeqRange(v, m.seqRanges[i]!);
    v.leaveItem();
  }
  if (m.trust !== 0) fields.checkEnum(v, "trust", m.trust, Trust);
  if (m.placement !== 0) fields.checkEnum(v, "placement", m.placement, SummaryPlacement);
  if (m.firstMessageTime !== undefined) {
    fields.checkTimestamp(v, "first_message_time", m.firstMessageTime);
  }
  if (m.origin !== undefined) {
    v.enter("origin");
    checkSummaryOrigin(v, m.origin);
    v.leave();
  }
}

/** Checks SeqRange. */
export function checkSeqRange(v: Violations, m: SeqRange): void {
  if (!(m.firstSeq >= 1)) fields.addRange(v, "first_seq", m.firstSeq, {"min":1});
}

/** Checks SummaryOrigin. */
export function checkSummaryOrigin(v: Violations, m: SummaryOrigin): void {
  for (let i = 0; i < m.addedSeqRanges.length && !v.full; i++) {
    v.enterItem("added_seq_ranges", i);
    checkSeqRange(v, m.addedSeqRanges[i]!);
    v.leaveItem();
  }
  if (m.duration !== undefined) {
    fields.checkDuration(v, "duration", m.duration, {});
  }
}

/** Checks MemoryPolicy. */
export function checkMemoryPolicy(v: Violations, m: MemoryPolicy): void {
  if (m.importanceThreshold !== undefined) {
    fields.checkFinite(v, "importance_threshold", m.importanceThreshold);
  }
  for (let i = 0; i < m.importanceRules.length && !v.full; i++) {
    v.enterItem("importance_rules", i);
    checkImportanceRule(v, m.importanceRules[i]!);
    v.leaveItem();
  }
  if (m.episodeRetention !== undefined) {
    fields.checkDuration(v, "episode_retention", m.episodeRetention, {});
  }
  if (m.extraction !== undefined) {
    v.enter("extraction");
    checkExtractionPolicy(v, m.extraction);
    v.leave();
  }
}

/** Checks ListSessionsRequest. */
export function checkListSessionsRequest(v: Violations, m: ListSessionsRequest): void {
  if (m.filter !== undefined) {
    v.enter("filter");
    checkSessionFilter(v, m.filter);
    v.leave();
  }
  if (m.order !== 0) fields.checkEnum(v, "order", m.order, SessionOrder);
}

/** Checks SessionFilter. */
export function checkSessionFilter(v: Violations, m: SessionFilter): void {
  if (m.createTimeFrom !== undefined) {
    fields.checkTimestamp(v, "create_time_from", m.createTimeFrom);
  }
  if (m.createTimeBefore !== undefined) {
    fields.checkTimestamp(v, "create_time_before", m.createTimeBefore);
  }
  if (m.updateTimeFrom !== undefined) {
    fields.checkTimestamp(v, "update_time_from", m.updateTimeFrom);
  }
  if (m.updateTimeBefore !== undefined) {
    fields.checkTimestamp(v, "update_time_before", m.updateTimeBefore);
  }
}

/** Checks UpdateSessionRequest. */
export function checkUpdateSessionRequest(v: Violations, m: UpdateSessionRequest): void {
  if (m.session !== undefined) {
    v.enter("session");
    checkSession(v, m.session);
    v.leave();
  }
}

/** Checks AppendMessagesRequest. */
export function checkAppendMessagesRequest(v: Violations, m: AppendMessagesRequest): void {
  for (let i = 0; i < m.messages.length && !v.full; i++) {
    v.enterItem("messages", i);
    checkMessage(v, m.messages[i]!);
    v.leaveItem();
  }
}

/** Checks Message. */
export function checkMessage(v: Violations, m: Message): void {
  if (m.role !== 0) fields.checkEnum(v, "role", m.role, Role);
  if (m.tokenRule !== 0) fields.checkEnum(v, "token_rule", m.tokenRule, TokenRule);
  if (m.sentTime !== undefined) {
    fields.checkTimestamp(v, "sent_time", m.sentTime);
  }
  if (m.source !== 0) fields.checkEnum(v, "source", m.source, Source);
  if (m.trust !== 0) fields.checkEnum(v, "trust", m.trust, Trust);
  if (m.createTime !== undefined) {
    fields.checkTimestamp(v, "create_time", m.createTime);
  }
  if (m.updateTime !== undefined) {
    fields.checkTimestamp(v, "update_time", m.updateTime);
  }
}

/** Checks ListMessagesRequest. */
export function checkListMessagesRequest(v: Violations, m: ListMessagesRequest): void {
  if (m.filter !== undefined) {
    v.enter("filter");
    checkMessageFilter(v, m.filter);
    v.leave();
  }
  if (m.order !== 0) fields.checkEnum(v, "order", m.order, MessageOrder);
}

/** Checks MessageFilter. */
export function checkMessageFilter(v: Violations, m: MessageFilter): void {
  for (let i = 0; i < m.roles.length && !v.full; i++) {
    if (m.roles[i]! === 0) v.add(`roles[${i}]`, "must not be ROLE_UNSPECIFIED");
    else fields.checkEnum(v, `roles[${i}]`, m.roles[i]!, Role);
  }
}

/** Checks UpdateMessageRequest. */
export function checkUpdateMessageRequest(v: Violations, m: UpdateMessageRequest): void {
  if (m.message !== undefined) {
    v.enter("message");
    checkMessage(v, m.message);
    v.leave();
  }
}

/** Checks GetWindowRequest. */
export function checkGetWindowRequest(v: Violations, m: GetWindowRequest): void {
  if (m.policy !== undefined) {
    v.enter("policy");
    checkPolicyChoice(v, m.policy);
    v.leave();
  }
}

/** Checks PreviewPolicyRequest. */
export function checkPreviewPolicyRequest(v: Violations, m: PreviewPolicyRequest): void {
  for (let i = 0; i < m.policies.length && !v.full; i++) {
    v.enterItem("policies", i);
    checkPolicyChoice(v, m.policies[i]!);
    v.leaveItem();
  }
  for (let i = 0; i < m.occasions.length && !v.full; i++) {
    if (m.occasions[i]! === 0) v.add(`occasions[${i}]`, "must not be STAGE_ON_UNSPECIFIED");
    else fields.checkEnum(v, `occasions[${i}]`, m.occasions[i]!, StageOn);
  }
  if (m.source !== 0) fields.checkEnum(v, "source", m.source, PreviewSource);
}

/** Checks TrimSessionRequest. */
export function checkTrimSessionRequest(v: Violations, m: TrimSessionRequest): void {
  if (m.unit !== 0) fields.checkEnum(v, "unit", m.unit, WindowUnit);
}

/** Checks RestoreMessagesRequest. */
export function checkRestoreMessagesRequest(v: Violations, m: RestoreMessagesRequest): void {
  for (let i = 0; i < m.seqRanges.length && !v.full; i++) {
    v.enterItem("seq_ranges", i);
    checkSeqRange(v, m.seqRanges[i]!);
    v.leaveItem();
  }
}

/** Checks SetSummaryRequest. */
export function checkSetSummaryRequest(v: Violations, m: SetSummaryRequest): void {
  if (m.placement !== 0) fields.checkEnum(v, "placement", m.placement, SummaryPlacement);
}

/** Checks CompactSessionRequest. */
export function checkCompactSessionRequest(v: Violations, m: CompactSessionRequest): void {
  if (m.summarize !== undefined) {
    v.enter("summarize");
    checkSummarize(v, m.summarize);
    v.leave();
  }
  if (m.wait !== undefined) {
    fields.checkDuration(v, "wait", m.wait, {});
  }
}

/** Checks ListSummariesRequest. */
export function checkListSummariesRequest(v: Violations, m: ListSummariesRequest): void {
  if (m.order !== 0) fields.checkEnum(v, "order", m.order, SummaryOrder);
}

/** Checks ImportSessionRequest. */
export function checkImportSessionRequest(v: Violations, m: ImportSessionRequest): void {
  if (m.chunk !== undefined) {
    v.enter("chunk");
    checkSnapshotChunk(v, m.chunk);
    v.leave();
  }
}

/** Checks SnapshotChunk. */
export function checkSnapshotChunk(v: Violations, m: SnapshotChunk): void {
  if (m.header !== undefined) {
    v.enter("header");
    checkSnapshotHeader(v, m.header);
    v.leave();
  }
  for (let i = 0; i < m.messages.length && !v.full; i++) {
    v.enterItem("messages", i);
    checkMessage(v, m.messages[i]!);
    v.leaveItem();
  }
}

/** Checks SnapshotHeader. */
export function checkSnapshotHeader(v: Violations, m: SnapshotHeader): void {
  if (m.session !== undefined) {
    v.enter("session");
    checkSession(v, m.session);
    v.leave();
  }
  for (let i = 0; i < m.windowRanges.length && !v.full; i++) {
    v.enterItem("window_ranges", i);
    checkSeqRange(v, m.windowRanges[i]!);
    v.leaveItem();
  }
  for (let i = 0; i < m.inserts.length && !v.full; i++) {
    v.enterItem("inserts", i);
    checkSnapshotInsert(v, m.inserts[i]!);
    v.leaveItem();
  }
}

/** Checks SnapshotInsert. */
export function checkSnapshotInsert(v: Violations, m: SnapshotInsert): void {
  if (m.message !== undefined) {
    v.enter("message");
    checkMessage(v, m.message);
    v.leave();
  }
}

/** Checks CountTokensRequest. */
export function checkCountTokensRequest(v: Violations, m: CountTokensRequest): void {
  for (let i = 0; i < m.messages.length && !v.full; i++) {
    v.enterItem("messages", i);
    checkMessage(v, m.messages[i]!);
    v.leaveItem();
  }
  if (m.tokenRule !== 0) fields.checkEnum(v, "token_rule", m.tokenRule, TokenRule);
  if (m.customTokenRule !== undefined) {
    v.enter("custom_token_rule");
    checkCustomTokenRule(v, m.customTokenRule);
    v.leave();
  }
}

/** Checks PollTasksRequest. */
export function checkPollTasksRequest(v: Violations, m: PollTasksRequest): void {
  if (m.wait !== undefined) {
    fields.checkDuration(v, "wait", m.wait, {});
  }
  if (m.lease !== undefined) {
    fields.checkDuration(v, "lease", m.lease, {});
  }
}

/** Checks CompleteTaskRequest. */
export function checkCompleteTaskRequest(v: Violations, m: CompleteTaskRequest): void {
  switch (m.output?.$case) {
    case "embed":
    v.enter("embed");
    checkEmbedOutput(v, m.output.value);
    v.leave();
    break;
    case "rerank":
    v.enter("rerank");
    checkRerankOutput(v, m.output.value);
    v.leave();
    break;
    case "extract":
    v.enter("extract");
    checkExtractOutput(v, m.output.value);
    v.leave();
    break;
    case "score":
    v.enter("score");
    checkScoreOutput(v, m.output.value);
    v.leave();
    break;
    case "resolve":
    v.enter("resolve");
    checkResolveOutput(v, m.output.value);
    v.leave();
    break;
  }
}

/** Checks EmbedOutput. */
export function checkEmbedOutput(v: Violations, m: EmbedOutput): void {
  for (let i = 0; i < m.vectors.length && !v.full; i++) {
    v.enterItem("vectors", i);
    checkTextVector(v, m.vectors[i]!);
    v.leaveItem();
  }
}

/** Checks TextVector. */
export function checkTextVector(v: Violations, m: TextVector): void {
  for (let i = 0; i < m.values.length && !v.full; i++) {
    fields.checkFinite(v, `values[${i}]`, m.values[i]!);
  }
}

/** Checks RerankOutput. */
export function checkRerankOutput(v: Violations, m: RerankOutput): void {
  for (let i = 0; i < m.scores.length && !v.full; i++) {
    fields.checkFinite(v, `scores[${i}]`, m.scores[i]!);
  }
}

/** Checks ExtractOutput. */
export function checkExtractOutput(v: Violations, m: ExtractOutput): void {
  for (let i = 0; i < m.facts.length && !v.full; i++) {
    v.enterItem("facts", i);
    checkExtractedFact(v, m.facts[i]!);
    v.leaveItem();
  }
  for (let i = 0; i < m.relations.length && !v.full; i++) {
    v.enterItem("relations", i);
    checkExtractedRelation(v, m.relations[i]!);
    v.leaveItem();
  }
}

/** Checks ExtractedFact. */
export function checkExtractedFact(v: Violations, m: ExtractedFact): void {
  if (m.importance !== undefined) {
    fields.checkFinite(v, "importance", m.importance);
  }
  if (m.confidence !== undefined) {
    fields.checkFinite(v, "confidence", m.confidence);
  }
  if (m.validFromTime !== undefined) {
    fields.checkTimestamp(v, "valid_from_time", m.validFromTime);
  }
}

/** Checks ExtractedRelation. */
export function checkExtractedRelation(v: Violations, m: ExtractedRelation): void {
  if (m.confidence !== undefined) {
    fields.checkFinite(v, "confidence", m.confidence);
  }
}

/** Checks ScoreOutput. */
export function checkScoreOutput(v: Violations, m: ScoreOutput): void {
  for (let i = 0; i < m.scores.length && !v.full; i++) {
    fields.checkFinite(v, `scores[${i}]`, m.scores[i]!);
  }
}

/** Checks ResolveOutput. */
export function checkResolveOutput(v: Violations, m: ResolveOutput): void {
  if (m.action !== 0) fields.checkEnum(v, "action", m.action, ResolveAction);
}

/** Checks FailTaskRequest. */
export function checkFailTaskRequest(v: Violations, m: FailTaskRequest): void {
  if (m.retryDelay !== undefined) {
    fields.checkDuration(v, "retry_delay", m.retryDelay, {});
  }
}

/** Checks ExtendLeaseRequest. */
export function checkExtendLeaseRequest(v: Violations, m: ExtendLeaseRequest): void {
  if (m.lease !== undefined) {
    fields.checkDuration(v, "lease", m.lease, {});
  }
}

/** Checks ListTasksRequest. */
export function checkListTasksRequest(v: Violations, m: ListTasksRequest): void {
  if (m.type !== 0) fields.checkEnum(v, "type", m.type, TaskType);
  if (m.state !== 0) fields.checkEnum(v, "state", m.state, TaskState);
}

/** The checks of requests by the name of their type, with a leading dot. */
// biome-ignore lint: each check takes the request that it stands for.
export const REQUEST_CHECKS: ReadonlyMap<string, (v: Violations, m: any) => void> = new Map<string, (v: Violations, m: any) => void>([
  [".memorysidecar.v1.ListHooksRequest", checkListHooksRequest],
  [".memorysidecar.v1.WatchEventsRequest", checkWatchEventsRequest],
  [".memorysidecar.v1.ListEventsRequest", checkListEventsRequest],
  [".memorysidecar.v1.CreateConsumerRequest", checkCreateConsumerRequest],
  [".memorysidecar.v1.RememberRequest", checkRememberRequest],
  [".memorysidecar.v1.GetMemoryRequest", checkGetMemoryRequest],
  [".memorysidecar.v1.ListMemoriesRequest", checkListMemoriesRequest],
  [".memorysidecar.v1.UpdateMemoryRequest", checkUpdateMemoryRequest],
  [".memorysidecar.v1.ReinforceMemoriesRequest", checkReinforceMemoriesRequest],
  [".memorysidecar.v1.DecayMemoriesRequest", checkDecayMemoriesRequest],
  [".memorysidecar.v1.PurgeMemoriesRequest", checkPurgeMemoriesRequest],
  [".memorysidecar.v1.QueryRelationsRequest", checkQueryRelationsRequest],
  [".memorysidecar.v1.ExtractMemoriesRequest", checkExtractMemoriesRequest],
  [".memorysidecar.v1.UpsertDocumentsRequest", checkUpsertDocumentsRequest],
  [".memorysidecar.v1.ListDocumentsRequest", checkListDocumentsRequest],
  [".memorysidecar.v1.RecallRequest", checkRecallRequest],
  [".memorysidecar.v1.AssembleContextRequest", checkAssembleContextRequest],
  [".memorysidecar.v1.EmbedRequest", checkEmbedRequest],
  [".memorysidecar.v1.CreateSessionRequest", checkCreateSessionRequest],
  [".memorysidecar.v1.ListSessionsRequest", checkListSessionsRequest],
  [".memorysidecar.v1.UpdateSessionRequest", checkUpdateSessionRequest],
  [".memorysidecar.v1.AppendMessagesRequest", checkAppendMessagesRequest],
  [".memorysidecar.v1.ListMessagesRequest", checkListMessagesRequest],
  [".memorysidecar.v1.UpdateMessageRequest", checkUpdateMessageRequest],
  [".memorysidecar.v1.GetWindowRequest", checkGetWindowRequest],
  [".memorysidecar.v1.PreviewPolicyRequest", checkPreviewPolicyRequest],
  [".memorysidecar.v1.TrimSessionRequest", checkTrimSessionRequest],
  [".memorysidecar.v1.RestoreMessagesRequest", checkRestoreMessagesRequest],
  [".memorysidecar.v1.SetSummaryRequest", checkSetSummaryRequest],
  [".memorysidecar.v1.CompactSessionRequest", checkCompactSessionRequest],
  [".memorysidecar.v1.ListSummariesRequest", checkListSummariesRequest],
  [".memorysidecar.v1.ImportSessionRequest", checkImportSessionRequest],
  [".memorysidecar.v1.CountTokensRequest", checkCountTokensRequest],
  [".memorysidecar.v1.PollTasksRequest", checkPollTasksRequest],
  [".memorysidecar.v1.CompleteTaskRequest", checkCompleteTaskRequest],
  [".memorysidecar.v1.FailTaskRequest", checkFailTaskRequest],
  [".memorysidecar.v1.ExtendLeaseRequest", checkExtendLeaseRequest],
  [".memorysidecar.v1.ListTasksRequest", checkListTasksRequest],
]);
