// Generated from the rules in proto/memorysidecar/v1 by tools/gen-checks.ts. DO NOT EDIT.
//
// Checks every request field by field. Rules that join fields stand in
// the checks.ts of each feature.

import * as fields from "../grpc/fields.ts";
import type { Violations } from "../grpc/violations.ts";
import { BackUpTarget, type BackUpRequest, type DocumentSubject, type EraseSubjectRequest, type ErasureSubject, type GetErasureRequest, type ListHooksRequest, type MessagesSubject } from "./memorysidecar/v1/admin_service.ts";
import { EmbeddingPurpose, type Document, type DocumentFilter, type Embedding, type TextSplitter } from "./memorysidecar/v1/document.ts";
import { EventType, StreamPosition, type EventFilter } from "./memorysidecar/v1/event.ts";
import { type AckEventsRequest, type CreateConsumerRequest, type DeleteConsumerRequest, type GetConsumerRequest, type ListConsumersRequest, type ListEventsRequest, type WatchEventsRequest } from "./memorysidecar/v1/event_service.ts";
import { type MetadataCondition, type MetadataConditions, type NumberRange } from "./memorysidecar/v1/filter.ts";
import { ConflictMode, DedupeMode, ExtractionTarget, ExtractionTime, MemoryKind, MemoryOrder, MemoryOrigin, MemoryState, PromotionSelection, SourceErasure, type ConflictRule, type DedupeRule, type Entity, type Episode, type EpisodePolicy, type ExtractionPolicy, type ImportanceRule, type Memory, type MemoryFilter, type MemoryPolicy, type MemoryScope, type MemorySource, type PromotionPolicy, type Relation, type ScopeFilter } from "./memorysidecar/v1/memory.ts";
import { type ClearCollectionRequest, type ConsolidateSessionRequest, type DecayMemoriesRequest, type DeleteDocumentsRequest, type ExtractMemoriesRequest, type ForgetMemoriesRequest, type GetDocumentRequest, type GetMemoryRequest, type ListCollectionsRequest, type ListDocumentsRequest, type ListMemoriesRequest, type ListMemoryVersionsRequest, type MergeEntitiesRequest, type PurgeMemoriesRequest, type QueryRelationsRequest, type ReinforceMemoriesRequest, type RememberRequest, type RestoreMemoryVersionRequest, type UpdateMemoryRequest, type UpsertDocumentsRequest } from "./memorysidecar/v1/memory_service.ts";
import { MessageOrder, Role, Trust, type AgentCall, type ContentPart, type Image, type Message, type MessageFilter, type ProviderPayload, type Reasoning, type ToolCall, type ToolOutcome, type ToolResult } from "./memorysidecar/v1/message.ts";
import { BoundaryRule, FilterScope, PreviewSource, RemovedTo, StageEffect, StageOn, SummaryFailure, SummaryFlow, SummaryKeep, SummaryLeave, SummaryShape, SummaryShow, SystemProtection, TokenRounding, TokenRule, ToolPairing, ToolResultFillRule, TranscriptStyle, WindowUnit, type Boundary, type CustomTokenRule, type DropDuplicates, type DropOldest, type Filter, type KeepLast, type PackNewest, type PinMiddleRecent, type Policy, type PolicyChoice, type PolicyStage, type Preset, type Protections, type Shorten, type Summarize, type SummaryView, type ToolNames, type ToolResultFill, type Trigger } from "./memorysidecar/v1/policy.ts";
import { ContextFence, ContextSectionKind, FusionMethod, RecallKind, RecallMode, type ContextSection, type GroupBySession, type RecallFilter, type RecallWeights, type Rerank } from "./memorysidecar/v1/recall.ts";
import { type AssembleContextRequest, type EmbedRequest, type RecallRequest } from "./memorysidecar/v1/recall_service.ts";
import { SessionOrder, type Session, type SessionFilter } from "./memorysidecar/v1/session.ts";
import { type AppendMessagesRequest, type CompactSessionRequest, type CountTokensRequest, type CreateSessionRequest, type DeleteMessageRequest, type DeleteSessionRequest, type ExportSessionRequest, type FillToolResultsRequest, type ForkSessionRequest, type GetMessageRequest, type GetSessionRequest, type GetWindowRequest, type ImportSessionRequest, type ListMessagesRequest, type ListPolicyPresetsRequest, type ListSessionsRequest, type ListSummariesRequest, type ListSummaryInputsRequest, type ListSummarySourcesRequest, type PreviewPolicyRequest, type ResetSessionRequest, type RestoreMessagesRequest, type SetSummaryRequest, type TrimSessionRequest, type UpdateMessageRequest, type UpdateSessionRequest } from "./memorysidecar/v1/session_service.ts";
import { type SnapshotChunk } from "./memorysidecar/v1/snapshot.ts";
import { SummaryOrder, SummaryPlacement, type Summary } from "./memorysidecar/v1/summary.ts";
import { TaskState, TaskType } from "./memorysidecar/v1/task.ts";
import { type CompleteTaskRequest, type DeleteTaskRequest, type ExtendLeaseRequest, type FailTaskRequest, type GetTaskRequest, type ListTasksRequest, type PollTasksRequest, type RetryTaskRequest } from "./memorysidecar/v1/task_service.ts";
import { type SeqRange } from "./memorysidecar/v1/window.ts";

const ID = fields.textForm(/^(?:\P{Cc}*)$/u, {"meaning":"must hold no control characters","maxChars":0});
const NAMESPACE = fields.textForm(/^(?:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/u, {"meaning":"must be 1 to 63 characters of a-z0-9-, the first a letter, the last no hyphen","maxChars":63});
const NAME = fields.textForm(/^(?:[a-z][a-z0-9_-]{0,62})$/u, {"meaning":"must be 1 to 63 characters of a-z0-9_-, the first a letter","maxChars":63});
const COLLECTION_ID = fields.textForm(/^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,62})$/u, {"meaning":"must be 1 to 63 characters of A-Za-z0-9._-, the first a letter or a digit","maxChars":63});
const LABEL_KEY = fields.textForm(/^(?:[A-Za-z0-9._\/-]{1,63})$/u, {"meaning":"must be 1 to 63 characters of A-Za-z0-9._/-","maxChars":63});
const NOT_BLANK = fields.textForm(/^(?:[\s\S]*\S[\s\S]*)$/u, {"meaning":"must not be blank","maxChars":0});

/** Checks ListHooksRequest. */
export function checkListHooksRequest(v: Violations, m: ListHooksRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks BackUpRequest. */
export function checkBackUpRequest(v: Violations, m: BackUpRequest): void {
  if (m.target !== 0) fields.checkEnum(v, "target", m.target, BackUpTarget);
  if (!(m.maxBytesPerSecond >= 0)) fields.addRange(v, "max_bytes_per_second", m.maxBytesPerSecond, {"min":0});
}

/** Checks EraseSubjectRequest. */
export function checkEraseSubjectRequest(v: Violations, m: EraseSubjectRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.subject === undefined) v.add("subject", "is required");
  else {
    v.enter("subject");
    checkErasureSubject(v, m.subject);
    v.leave();
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ErasureSubject. */
export function checkErasureSubject(v: Violations, m: ErasureSubject): void {
  switch (m.subject?.$case) {
    case undefined:
      v.add("subject", "one of user_id, agent_id, session_id, document and messages is required");
      break;
    case "userId":
      if (m.subject.value === "") v.add("user_id", "must not be empty; leave it unset");
      else fields.checkText(v, "user_id", m.subject.value, 512);
      break;
    case "agentId":
      if (m.subject.value === "") v.add("agent_id", "must not be empty; leave it unset");
      else fields.checkText(v, "agent_id", m.subject.value, 512);
      break;
    case "sessionId":
      if (m.subject.value === "") v.add("session_id", "must not be empty; leave it unset");
      else if (fields.checkText(v, "session_id", m.subject.value, 512)) fields.checkForm(v, "session_id", m.subject.value, ID);
      break;
    case "document":
      v.enter("document");
      checkDocumentSubject(v, m.subject.value);
      v.leave();
      break;
    case "messages":
      v.enter("messages");
      checkMessagesSubject(v, m.subject.value);
      v.leave();
      break;
  }
}

/** Checks DocumentSubject. */
export function checkDocumentSubject(v: Violations, m: DocumentSubject): void {
  if (m.collectionId === "") v.add("collection_id", "is required");
  else fields.checkForm(v, "collection_id", m.collectionId, COLLECTION_ID);
  if (m.documentId === "") v.add("document_id", "is required");
  else if (fields.checkText(v, "document_id", m.documentId, 256)) fields.checkForm(v, "document_id", m.documentId, ID);
}

/** Checks MessagesSubject. */
export function checkMessagesSubject(v: Violations, m: MessagesSubject): void {
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.messageIds.length === 0) v.add("message_ids", "must have 1 entry at least", 1);
  else {
    if (m.messageIds.length > 1000) fields.addCount(v, "message_ids", m.messageIds.length, 1000);
    else {
      for (let i = 0; i < m.messageIds.length && !v.full; i++) {
        if (m.messageIds[i]! === "") v.add(`message_ids[${i}]`, "is required");
        else if (fields.checkText(v, `message_ids[${i}]`, m.messageIds[i]!, 256)) fields.checkForm(v, `message_ids[${i}]`, m.messageIds[i]!, ID);
      }
    }
  }
}

/** Checks GetErasureRequest. */
export function checkGetErasureRequest(v: Violations, m: GetErasureRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.erasureId === "") v.add("erasure_id", "is required");
  else if (fields.checkText(v, "erasure_id", m.erasureId, 64)) fields.checkForm(v, "erasure_id", m.erasureId, ID);
}

/** Checks WatchEventsRequest. */
export function checkWatchEventsRequest(v: Violations, m: WatchEventsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  switch (m.start?.$case) {
    case undefined:
      v.add("start", "one of resume_token, position, consumer_id and after_revision is required");
      break;
    case "resumeToken":
      if (m.start.value === "") v.add("resume_token", "is required");
      else fields.checkText(v, "resume_token", m.start.value, 256);
      break;
    case "position":
      if (m.start.value === 0) v.add("position", "must not be STREAM_POSITION_UNSPECIFIED");
      else fields.checkEnum(v, "position", m.start.value, StreamPosition);
      break;
    case "consumerId":
      if (m.start.value === "") v.add("consumer_id", "is required");
      else if (fields.checkText(v, "consumer_id", m.start.value, 128)) fields.checkForm(v, "consumer_id", m.start.value, ID);
      break;
    case "afterRevision":
      if (!(m.start.value >= 0 && m.start.value <= 9007199254740991)) fields.addRange(v, "after_revision", m.start.value, {"min":0,"max":9007199254740991});
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
  if (m.sessionId !== undefined) {
    if (m.sessionId === "") v.add("session_id", "must not be empty; leave it unset");
    else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  }
  if (m.userId !== undefined) {
    if (m.userId === "") v.add("user_id", "must not be empty; leave it unset");
    else fields.checkText(v, "user_id", m.userId, 512);
  }
  if (m.eventTypes.length > 64) fields.addCount(v, "event_types", m.eventTypes.length, 64);
  else {
    for (let i = 0; i < m.eventTypes.length && !v.full; i++) {
      if (m.eventTypes[i]! === 0) v.add(`event_types[${i}]`, "must not be EVENT_TYPE_UNSPECIFIED");
      else fields.checkEnum(v, `event_types[${i}]`, m.eventTypes[i]!, EventType);
    }
  }
}

/** Checks ListEventsRequest. */
export function checkListEventsRequest(v: Violations, m: ListEventsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  switch (m.start?.$case) {
    case "resumeToken":
      if (m.start.value === "") v.add("resume_token", "is required");
      else fields.checkText(v, "resume_token", m.start.value, 256);
      break;
    case "afterRevision":
      if (!(m.start.value >= 0 && m.start.value <= 9007199254740991)) fields.addRange(v, "after_revision", m.start.value, {"min":0,"max":9007199254740991});
      break;
  }
  if (m.filter !== undefined) {
    v.enter("filter");
    checkEventFilter(v, m.filter);
    v.leave();
  }
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks CreateConsumerRequest. */
export function checkCreateConsumerRequest(v: Violations, m: CreateConsumerRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.consumerId === "") v.add("consumer_id", "is required");
  else if (fields.checkText(v, "consumer_id", m.consumerId, 128)) fields.checkForm(v, "consumer_id", m.consumerId, ID);
  switch (m.start?.$case) {
    case "resumeToken":
      if (m.start.value === "") v.add("resume_token", "is required");
      else fields.checkText(v, "resume_token", m.start.value, 256);
      break;
    case "position":
      if (m.start.value === 0) v.add("position", "must not be STREAM_POSITION_UNSPECIFIED");
      else fields.checkEnum(v, "position", m.start.value, StreamPosition);
      break;
    case "afterRevision":
      if (!(m.start.value >= 0 && m.start.value <= 9007199254740991)) fields.addRange(v, "after_revision", m.start.value, {"min":0,"max":9007199254740991});
      break;
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks GetConsumerRequest. */
export function checkGetConsumerRequest(v: Violations, m: GetConsumerRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.consumerId === "") v.add("consumer_id", "is required");
  else if (fields.checkText(v, "consumer_id", m.consumerId, 128)) fields.checkForm(v, "consumer_id", m.consumerId, ID);
}

/** Checks ListConsumersRequest. */
export function checkListConsumersRequest(v: Violations, m: ListConsumersRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks DeleteConsumerRequest. */
export function checkDeleteConsumerRequest(v: Violations, m: DeleteConsumerRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.consumerId === "") v.add("consumer_id", "is required");
  else if (fields.checkText(v, "consumer_id", m.consumerId, 128)) fields.checkForm(v, "consumer_id", m.consumerId, ID);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks AckEventsRequest. */
export function checkAckEventsRequest(v: Violations, m: AckEventsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.consumerId === "") v.add("consumer_id", "is required");
  else if (fields.checkText(v, "consumer_id", m.consumerId, 128)) fields.checkForm(v, "consumer_id", m.consumerId, ID);
  if (m.resumeToken === "") v.add("resume_token", "is required");
  else fields.checkText(v, "resume_token", m.resumeToken, 256);
}

/** Checks RememberRequest. */
export function checkRememberRequest(v: Violations, m: RememberRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.memories.length === 0) v.add("memories", "must have 1 entry at least", 1);
  else {
    if (m.memories.length > 256) fields.addCount(v, "memories", m.memories.length, 256);
    else {
      for (let i = 0; i < m.memories.length && !v.full; i++) {
        v.enterItem("memories", i);
        checkMemory(v, m.memories[i]!);
        v.leaveItem();
      }
    }
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
  if (!(m.maxMemories >= 0 && m.maxMemories <= 1000000)) fields.addRange(v, "max_memories", m.maxMemories, {"min":0,"max":1000000});
  if (m.reason !== "") fields.checkText(v, "reason", m.reason, 256);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks Memory. */
export function checkMemory(v: Violations, m: Memory): void {
  if (m.memoryId !== "" && fields.checkText(v, "memory_id", m.memoryId, 256)) fields.checkForm(v, "memory_id", m.memoryId, ID);
  if (m.kind !== 0) fields.checkEnum(v, "kind", m.kind, MemoryKind);
  if (m.userId !== "") fields.checkText(v, "user_id", m.userId, 512);
  if (m.agentId !== "") fields.checkText(v, "agent_id", m.agentId, 512);
  if (m.sessionId !== "" && fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.text !== "") fields.checkText(v, "text", m.text, 16384);
  switch (m.structure?.$case) {
    case "entity":
      v.enter("entity");
      checkEntity(v, m.structure.value);
      v.leave();
      break;
    case "relation":
      v.enter("relation");
      checkRelation(v, m.structure.value);
      v.leave();
      break;
    case "episode":
      v.enter("episode");
      checkEpisode(v, m.structure.value);
      v.leave();
      break;
  }
  if (m.key !== "") fields.checkText(v, "key", m.key, 128);
  if (m.category !== "") fields.checkText(v, "category", m.category, 128);
  if (m.topics.length > 32) fields.addCount(v, "topics", m.topics.length, 32);
  else {
    for (let i = 0; i < m.topics.length && !v.full; i++) {
      if (m.topics[i]! === "") v.add(`topics[${i}]`, "is required");
      else fields.checkText(v, `topics[${i}]`, m.topics[i]!, 128);
    }
  }
  if (m.importance !== undefined) {
    if (!(m.importance >= 0 && m.importance <= 1)) fields.addRange(v, "importance", m.importance, {"min":0,"max":1});
  }
  if (m.confidence !== undefined) {
    if (!(m.confidence >= 0 && m.confidence <= 1)) fields.addRange(v, "confidence", m.confidence, {"min":0,"max":1});
  }
  if (m.trust !== 0) fields.checkEnum(v, "trust", m.trust, Trust);
  if (m.labels.size > 0) fields.checkMap(v, "labels", m.labels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
  if (m.metadata.length > 0) fields.checkFreeForm(v, "metadata", m.metadata, { maxBytes: 16384, maxDepth: 32 });
  if (m.validFromTime !== undefined) {
    fields.checkTimestamp(v, "valid_from_time", m.validFromTime);
  }
  if (m.validUntilTime !== undefined) {
    fields.checkTimestamp(v, "valid_until_time", m.validUntilTime);
  }
  if (m.ttl !== undefined) {
    fields.checkDuration(v, "ttl", m.ttl, {"min":1,"max":315576000});
  }
  if (m.source !== undefined) {
    v.enter("source");
    checkMemorySource(v, m.source);
    v.leave();
  }
  if (m.lastSeenTime !== undefined) {
    fields.checkTimestamp(v, "last_seen_time", m.lastSeenTime);
  }
}

/** Checks Entity. */
export function checkEntity(v: Violations, m: Entity): void {
  if (m.name === "") v.add("name", "is required");
  else if (fields.checkText(v, "name", m.name, 256)) fields.checkForm(v, "name", m.name, NOT_BLANK);
  if (m.type !== "") fields.checkText(v, "type", m.type, 64);
  if (m.aliases.length > 64) fields.addCount(v, "aliases", m.aliases.length, 64);
  else {
    for (let i = 0; i < m.aliases.length && !v.full; i++) {
      if (m.aliases[i]! === "") v.add(`aliases[${i}]`, "is required");
      else if (fields.checkText(v, `aliases[${i}]`, m.aliases[i]!, 256)) fields.checkForm(v, `aliases[${i}]`, m.aliases[i]!, NOT_BLANK);
    }
  }
  if (m.attributes.size > 0) fields.checkMap(v, "attributes", m.attributes, { maxItems: 64, maxBytes: 1024, maxKeyBytes: 128 });
}

/** Checks Relation. */
export function checkRelation(v: Violations, m: Relation): void {
  if (m.subject === "") v.add("subject", "is required");
  else if (fields.checkText(v, "subject", m.subject, 256)) fields.checkForm(v, "subject", m.subject, NOT_BLANK);
  if (m.predicate === "") v.add("predicate", "is required");
  else if (fields.checkText(v, "predicate", m.predicate, 128)) fields.checkForm(v, "predicate", m.predicate, NOT_BLANK);
  if (m.objectValue === "") v.add("object_value", "is required");
  else if (fields.checkText(v, "object_value", m.objectValue, 1024)) fields.checkForm(v, "object_value", m.objectValue, NOT_BLANK);
}

/** Checks Episode. */
export function checkEpisode(v: Violations, m: Episode): void {
  if (m.userText !== "") fields.checkText(v, "user_text", m.userText, 8192);
  if (m.assistantText !== "") fields.checkText(v, "assistant_text", m.assistantText, 8192);
}

/** Checks MemorySource. */
export function checkMemorySource(v: Violations, m: MemorySource): void {
  if (m.sessionId !== "" && fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.messageIds.length > 64) fields.addCount(v, "message_ids", m.messageIds.length, 64);
  else {
    for (let i = 0; i < m.messageIds.length && !v.full; i++) {
      if (m.messageIds[i]! === "") v.add(`message_ids[${i}]`, "is required");
      else if (fields.checkText(v, `message_ids[${i}]`, m.messageIds[i]!, 256)) fields.checkForm(v, `message_ids[${i}]`, m.messageIds[i]!, ID);
    }
  }
}

/** Checks DedupeRule. */
export function checkDedupeRule(v: Violations, m: DedupeRule): void {
  if (m.mode !== 0) fields.checkEnum(v, "mode", m.mode, DedupeMode);
  if (m.threshold !== undefined) {
    if (!(m.threshold > 0 && m.threshold <= 1)) fields.addRange(v, "threshold", m.threshold, {"max":1,"above":0});
  }
  if (!(m.window >= 0 && m.window <= 1000)) fields.addRange(v, "window", m.window, {"min":0,"max":1000});
}

/** Checks ConflictRule. */
export function checkConflictRule(v: Violations, m: ConflictRule): void {
  if (m.mode !== 0) fields.checkEnum(v, "mode", m.mode, ConflictMode);
  if (m.hook !== "") fields.checkForm(v, "hook", m.hook, NAME);
}

/** Checks GetMemoryRequest. */
export function checkGetMemoryRequest(v: Violations, m: GetMemoryRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.memoryId === "") v.add("memory_id", "is required");
  else if (fields.checkText(v, "memory_id", m.memoryId, 256)) fields.checkForm(v, "memory_id", m.memoryId, ID);
  if (m.asOfTime !== undefined) {
    fields.checkTimestamp(v, "as_of_time", m.asOfTime);
  }
}

/** Checks ListMemoriesRequest. */
export function checkListMemoriesRequest(v: Violations, m: ListMemoriesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.filter !== undefined) {
    v.enter("filter");
    checkMemoryFilter(v, m.filter);
    v.leave();
  }
  if (m.asOfTime !== undefined) {
    fields.checkTimestamp(v, "as_of_time", m.asOfTime);
  }
  if (m.order !== 0) fields.checkEnum(v, "order", m.order, MemoryOrder);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks MemoryFilter. */
export function checkMemoryFilter(v: Violations, m: MemoryFilter): void {
  if (m.scope !== undefined) {
    v.enter("scope");
    checkScopeFilter(v, m.scope);
    v.leave();
  }
  if (m.kinds.length > 8) fields.addCount(v, "kinds", m.kinds.length, 8);
  else {
    for (let i = 0; i < m.kinds.length && !v.full; i++) {
      if (m.kinds[i]! === 0) v.add(`kinds[${i}]`, "must not be MEMORY_KIND_UNSPECIFIED");
      else fields.checkEnum(v, `kinds[${i}]`, m.kinds[i]!, MemoryKind);
    }
  }
  if (m.states.length > 2) fields.addCount(v, "states", m.states.length, 2);
  else {
    for (let i = 0; i < m.states.length && !v.full; i++) {
      if (m.states[i]! === 0) v.add(`states[${i}]`, "must not be MEMORY_STATE_UNSPECIFIED");
      else fields.checkEnum(v, `states[${i}]`, m.states[i]!, MemoryState);
    }
  }
  if (m.categories.length > 32) fields.addCount(v, "categories", m.categories.length, 32);
  else {
    for (let i = 0; i < m.categories.length && !v.full; i++) {
      if (m.categories[i]! === "") v.add(`categories[${i}]`, "is required");
      else fields.checkText(v, `categories[${i}]`, m.categories[i]!, 128);
    }
  }
  if (m.topics.length > 32) fields.addCount(v, "topics", m.topics.length, 32);
  else {
    for (let i = 0; i < m.topics.length && !v.full; i++) {
      if (m.topics[i]! === "") v.add(`topics[${i}]`, "is required");
      else fields.checkText(v, `topics[${i}]`, m.topics[i]!, 128);
    }
  }
  if (m.key !== undefined) {
    if (m.key === "") v.add("key", "must not be empty; leave it unset");
    else fields.checkText(v, "key", m.key, 128);
  }
  if (m.textContains !== undefined) {
    if (m.textContains === "") v.add("text_contains", "must not be empty; leave it unset");
    else fields.checkText(v, "text_contains", m.textContains, 256);
  }
  if (m.labels.size > 0) fields.checkMap(v, "labels", m.labels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
  if (m.metadata.length > 16) fields.addCount(v, "metadata", m.metadata.length, 16);
  else {
    for (let i = 0; i < m.metadata.length && !v.full; i++) {
      v.enterItem("metadata", i);
      checkMetadataCondition(v, m.metadata[i]!);
      v.leaveItem();
    }
  }
  if (!(m.minImportance >= 0 && m.minImportance <= 1)) fields.addRange(v, "min_importance", m.minImportance, {"min":0,"max":1});
  if (!(m.minConfidence >= 0 && m.minConfidence <= 1)) fields.addRange(v, "min_confidence", m.minConfidence, {"min":0,"max":1});
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
  if (m.sourceSessionId !== undefined) {
    if (m.sourceSessionId === "") v.add("source_session_id", "must not be empty; leave it unset");
    else if (fields.checkText(v, "source_session_id", m.sourceSessionId, 512)) fields.checkForm(v, "source_session_id", m.sourceSessionId, ID);
  }
  if (m.origin !== 0) fields.checkEnum(v, "origin", m.origin, MemoryOrigin);
}

/** Checks ScopeFilter. */
export function checkScopeFilter(v: Violations, m: ScopeFilter): void {
  switch (m.scope?.$case) {
    case undefined:
      v.add("scope", "one of visible_to, exact, owned_by and everyone is required");
      break;
    case "visibleTo":
      v.enter("visible_to");
      checkMemoryScope(v, m.scope.value);
      v.leave();
      break;
    case "exact":
      v.enter("exact");
      checkMemoryScope(v, m.scope.value);
      v.leave();
      break;
    case "ownedBy":
      v.enter("owned_by");
      checkMemoryScope(v, m.scope.value);
      v.leave();
      break;
  }
}

/** Checks MemoryScope. */
export function checkMemoryScope(v: Violations, m: MemoryScope): void {
  if (m.userId !== undefined) {
    if (m.userId === "") v.add("user_id", "must not be empty; leave it unset");
    else fields.checkText(v, "user_id", m.userId, 512);
  }
  if (m.agentId !== undefined) {
    if (m.agentId === "") v.add("agent_id", "must not be empty; leave it unset");
    else fields.checkText(v, "agent_id", m.agentId, 512);
  }
  if (m.sessionId !== undefined) {
    if (m.sessionId === "") v.add("session_id", "must not be empty; leave it unset");
    else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  }
}

/** Checks MetadataCondition. */
export function checkMetadataCondition(v: Violations, m: MetadataCondition): void {
  if (m.path !== "") fields.checkText(v, "path", m.path, 256);
  switch (m.test?.$case) {
    case undefined:
      v.add("test", "is required: equal_to or another of its fields");
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
    if (!Number.isFinite(m.min)) v.add("min", "must be a finite number");
  }
  if (m.lessThan !== undefined) {
    if (!Number.isFinite(m.lessThan)) v.add("less_than", "must be a finite number");
  }
  if (m.max !== undefined) {
    if (!Number.isFinite(m.max)) v.add("max", "must be a finite number");
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
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.memory === undefined) v.add("memory", "is required");
  else {
    v.enter("memory");
    checkMemory(v, m.memory);
    v.leave();
  }
  if (m.reason !== "") fields.checkText(v, "reason", m.reason, 256);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ReinforceMemoriesRequest. */
export function checkReinforceMemoriesRequest(v: Violations, m: ReinforceMemoriesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.memoryIds.length === 0) v.add("memory_ids", "must have 1 entry at least", 1);
  else {
    if (m.memoryIds.length > 256) fields.addCount(v, "memory_ids", m.memoryIds.length, 256);
    else {
      for (let i = 0; i < m.memoryIds.length && !v.full; i++) {
        if (m.memoryIds[i]! === "") v.add(`memory_ids[${i}]`, "is required");
        else if (fields.checkText(v, `memory_ids[${i}]`, m.memoryIds[i]!, 256)) fields.checkForm(v, `memory_ids[${i}]`, m.memoryIds[i]!, ID);
      }
    }
  }
  if (m.amount !== undefined) {
    if (!(m.amount >= 0 && m.amount <= 1)) fields.addRange(v, "amount", m.amount, {"min":0,"max":1});
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks DecayMemoriesRequest. */
export function checkDecayMemoriesRequest(v: Violations, m: DecayMemoriesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.filter === undefined) v.add("filter", "is required");
  else {
    v.enter("filter");
    checkMemoryFilter(v, m.filter);
    v.leave();
  }
  if (m.factor !== undefined) {
    if (!(m.factor >= 0 && m.factor <= 1)) fields.addRange(v, "factor", m.factor, {"min":0,"max":1});
  }
  if (!(m.deleteBelow >= 0 && m.deleteBelow <= 1)) fields.addRange(v, "delete_below", m.deleteBelow, {"min":0,"max":1});
  if (m.unseenFor !== undefined) {
    fields.checkDuration(v, "unseen_for", m.unseenFor, {"min":0,"max":315576000});
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks ForgetMemoriesRequest. */
export function checkForgetMemoriesRequest(v: Violations, m: ForgetMemoriesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.memoryIds.length === 0) v.add("memory_ids", "must have 1 entry at least", 1);
  else {
    if (m.memoryIds.length > 1000) fields.addCount(v, "memory_ids", m.memoryIds.length, 1000);
    else {
      for (let i = 0; i < m.memoryIds.length && !v.full; i++) {
        if (m.memoryIds[i]! === "") v.add(`memory_ids[${i}]`, "is required");
        else if (fields.checkText(v, `memory_ids[${i}]`, m.memoryIds[i]!, 256)) fields.checkForm(v, `memory_ids[${i}]`, m.memoryIds[i]!, ID);
      }
    }
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks PurgeMemoriesRequest. */
export function checkPurgeMemoriesRequest(v: Violations, m: PurgeMemoriesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.filter === undefined) v.add("filter", "is required");
  else {
    v.enter("filter");
    checkMemoryFilter(v, m.filter);
    v.leave();
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ListMemoryVersionsRequest. */
export function checkListMemoryVersionsRequest(v: Violations, m: ListMemoryVersionsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.memoryId === "") v.add("memory_id", "is required");
  else if (fields.checkText(v, "memory_id", m.memoryId, 256)) fields.checkForm(v, "memory_id", m.memoryId, ID);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks RestoreMemoryVersionRequest. */
export function checkRestoreMemoryVersionRequest(v: Violations, m: RestoreMemoryVersionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.memoryId === "") v.add("memory_id", "is required");
  else if (fields.checkText(v, "memory_id", m.memoryId, 256)) fields.checkForm(v, "memory_id", m.memoryId, ID);
  if (!(m.version >= 1 && m.version <= 9007199254740991)) fields.addRange(v, "version", m.version, {"min":1,"max":9007199254740991});
  if (m.reason !== "") fields.checkText(v, "reason", m.reason, 256);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks QueryRelationsRequest. */
export function checkQueryRelationsRequest(v: Violations, m: QueryRelationsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.filter !== undefined) {
    v.enter("filter");
    checkMemoryFilter(v, m.filter);
    v.leave();
  }
  if (m.subject !== undefined) {
    if (m.subject === "") v.add("subject", "must not be empty; leave it unset");
    else fields.checkText(v, "subject", m.subject, 256);
  }
  if (m.predicate !== undefined) {
    if (m.predicate === "") v.add("predicate", "must not be empty; leave it unset");
    else fields.checkText(v, "predicate", m.predicate, 128);
  }
  if (m.objectValue !== undefined) {
    if (m.objectValue === "") v.add("object_value", "must not be empty; leave it unset");
    else fields.checkText(v, "object_value", m.objectValue, 1024);
  }
  if (m.entity !== undefined) {
    if (m.entity === "") v.add("entity", "must not be empty; leave it unset");
    else fields.checkText(v, "entity", m.entity, 256);
  }
  if (!(m.maxHops >= 0 && m.maxHops <= 4)) fields.addRange(v, "max_hops", m.maxHops, {"min":0,"max":4});
  if (m.keywords.length > 32) fields.addCount(v, "keywords", m.keywords.length, 32);
  else {
    for (let i = 0; i < m.keywords.length && !v.full; i++) {
      if (m.keywords[i]! === "") v.add(`keywords[${i}]`, "is required");
      else fields.checkText(v, `keywords[${i}]`, m.keywords[i]!, 256);
    }
  }
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks MergeEntitiesRequest. */
export function checkMergeEntitiesRequest(v: Violations, m: MergeEntitiesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.targetMemoryId === "") v.add("target_memory_id", "is required");
  else if (fields.checkText(v, "target_memory_id", m.targetMemoryId, 256)) fields.checkForm(v, "target_memory_id", m.targetMemoryId, ID);
  if (m.sourceMemoryIds.length === 0) v.add("source_memory_ids", "must have 1 entry at least", 1);
  else {
    if (m.sourceMemoryIds.length > 64) fields.addCount(v, "source_memory_ids", m.sourceMemoryIds.length, 64);
    else {
      for (let i = 0; i < m.sourceMemoryIds.length && !v.full; i++) {
        if (m.sourceMemoryIds[i]! === "") v.add(`source_memory_ids[${i}]`, "is required");
        else if (fields.checkText(v, `source_memory_ids[${i}]`, m.sourceMemoryIds[i]!, 256)) fields.checkForm(v, `source_memory_ids[${i}]`, m.sourceMemoryIds[i]!, ID);
      }
    }
  }
  if (m.reason !== "") fields.checkText(v, "reason", m.reason, 256);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ConsolidateSessionRequest. */
export function checkConsolidateSessionRequest(v: Violations, m: ConsolidateSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ExtractMemoriesRequest. */
export function checkExtractMemoriesRequest(v: Violations, m: ExtractMemoriesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId !== "" && fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (!(m.firstSeq >= 0 && m.firstSeq <= 9007199254740991)) fields.addRange(v, "first_seq", m.firstSeq, {"min":0,"max":9007199254740991});
  if (!(m.lastSeq >= 0 && m.lastSeq <= 9007199254740991)) fields.addRange(v, "last_seq", m.lastSeq, {"min":0,"max":9007199254740991});
  if (m.text !== "") fields.checkText(v, "text", m.text, 65536);
  if (m.scope !== undefined) {
    v.enter("scope");
    checkMemoryScope(v, m.scope);
    v.leave();
  }
  if (m.extraction !== undefined) {
    v.enter("extraction");
    checkExtractionPolicy(v, m.extraction);
    v.leave();
  }
  if (m.importanceRules.length > 64) fields.addCount(v, "importance_rules", m.importanceRules.length, 64);
  else {
    for (let i = 0; i < m.importanceRules.length && !v.full; i++) {
      v.enterItem("importance_rules", i);
      checkImportanceRule(v, m.importanceRules[i]!);
      v.leaveItem();
    }
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ExtractionPolicy. */
export function checkExtractionPolicy(v: Violations, m: ExtractionPolicy): void {
  if (m.hook !== "") fields.checkForm(v, "hook", m.hook, NAME);
  if (m.on !== 0) fields.checkEnum(v, "on", m.on, ExtractionTime);
  if (m.targets.length > 3) fields.addCount(v, "targets", m.targets.length, 3);
  else {
    for (let i = 0; i < m.targets.length && !v.full; i++) {
      if (m.targets[i]! === 0) v.add(`targets[${i}]`, "must not be EXTRACTION_TARGET_UNSPECIFIED");
      else fields.checkEnum(v, `targets[${i}]`, m.targets[i]!, ExtractionTarget);
    }
  }
  if (m.instructions !== "") fields.checkText(v, "instructions", m.instructions, 4096);
}

/** Checks ImportanceRule. */
export function checkImportanceRule(v: Violations, m: ImportanceRule): void {
  if (m.name === "") v.add("name", "is required");
  else fields.checkText(v, "name", m.name, 64);
  if (m.phrases.length === 0) v.add("phrases", "must have 1 entry at least", 1);
  else {
    if (m.phrases.length > 64) fields.addCount(v, "phrases", m.phrases.length, 64);
    else {
      for (let i = 0; i < m.phrases.length && !v.full; i++) {
        if (m.phrases[i]! === "") v.add(`phrases[${i}]`, "is required");
        else fields.checkText(v, `phrases[${i}]`, m.phrases[i]!, 256);
      }
    }
  }
  if (!(m.score >= 0 && m.score <= 1)) fields.addRange(v, "score", m.score, {"min":0,"max":1});
}

/** Checks UpsertDocumentsRequest. */
export function checkUpsertDocumentsRequest(v: Violations, m: UpsertDocumentsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.collectionId !== "") fields.checkForm(v, "collection_id", m.collectionId, COLLECTION_ID);
  if (m.documents.length === 0) v.add("documents", "must have 1 entry at least", 1);
  else {
    if (m.documents.length > 1000) fields.addCount(v, "documents", m.documents.length, 1000);
    else {
      for (let i = 0; i < m.documents.length && !v.full; i++) {
        v.enterItem("documents", i);
        checkDocument(v, m.documents[i]!);
        v.leaveItem();
      }
    }
  }
  if (m.splitter !== undefined) {
    v.enter("splitter");
    checkTextSplitter(v, m.splitter);
    v.leave();
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks Document. */
export function checkDocument(v: Violations, m: Document): void {
  if (m.documentId !== "" && fields.checkText(v, "document_id", m.documentId, 256)) fields.checkForm(v, "document_id", m.documentId, ID);
  if (m.author !== "") fields.checkText(v, "author", m.author, 256);
  if (m.metadata.length > 0) fields.checkFreeForm(v, "metadata", m.metadata, { maxBytes: 16384, maxDepth: 32 });
  if (m.labels.size > 0) fields.checkMap(v, "labels", m.labels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
  if (m.documentTime !== undefined) {
    fields.checkTimestamp(v, "document_time", m.documentTime);
  }
  if (m.importance !== undefined) {
    if (!(m.importance >= 0 && m.importance <= 1)) fields.addRange(v, "importance", m.importance, {"min":0,"max":1});
  }
  if (m.embedding !== undefined) {
    v.enter("embedding");
    checkEmbedding(v, m.embedding);
    v.leave();
  }
  if (m.trust !== 0) fields.checkEnum(v, "trust", m.trust, Trust);
  if (m.scope !== undefined) {
    v.enter("scope");
    checkMemoryScope(v, m.scope);
    v.leave();
  }
}

/** Checks Embedding. */
export function checkEmbedding(v: Violations, m: Embedding): void {
  if (m.values.length === 0) v.add("values", "must have 1 entry at least", 1);
  else {
    if (m.values.length > 4096) fields.addCount(v, "values", m.values.length, 4096);
    else {
      for (let i = 0; i < m.values.length && !v.full; i++) {
        if (!Number.isFinite(m.values[i]!)) v.add(`values[${i}]`, "must be a finite number");
      }
    }
  }
  if (m.model !== "") fields.checkText(v, "model", m.model, 127);
}

/** Checks TextSplitter. */
export function checkTextSplitter(v: Violations, m: TextSplitter): void {
  if (m.chunkChars != 0) {
    if (!(m.chunkChars >= 50 && m.chunkChars <= 100000)) fields.addRange(v, "chunk_chars", m.chunkChars, {"min":50,"max":100000});
  }
}

/** Checks GetDocumentRequest. */
export function checkGetDocumentRequest(v: Violations, m: GetDocumentRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.collectionId !== "") fields.checkForm(v, "collection_id", m.collectionId, COLLECTION_ID);
  if (m.documentId === "") v.add("document_id", "is required");
  else if (fields.checkText(v, "document_id", m.documentId, 256)) fields.checkForm(v, "document_id", m.documentId, ID);
}

/** Checks ListDocumentsRequest. */
export function checkListDocumentsRequest(v: Violations, m: ListDocumentsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.collectionId !== "") fields.checkForm(v, "collection_id", m.collectionId, COLLECTION_ID);
  if (m.filter !== undefined) {
    v.enter("filter");
    checkDocumentFilter(v, m.filter);
    v.leave();
  }
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks DocumentFilter. */
export function checkDocumentFilter(v: Violations, m: DocumentFilter): void {
  if (m.labels.size > 0) fields.checkMap(v, "labels", m.labels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
  if (m.metadata.length > 16) fields.addCount(v, "metadata", m.metadata.length, 16);
  else {
    for (let i = 0; i < m.metadata.length && !v.full; i++) {
      v.enterItem("metadata", i);
      checkMetadataCondition(v, m.metadata[i]!);
      v.leaveItem();
    }
  }
  if (m.sourceDocumentId !== undefined) {
    if (m.sourceDocumentId === "") v.add("source_document_id", "must not be empty; leave it unset");
    else if (fields.checkText(v, "source_document_id", m.sourceDocumentId, 256)) fields.checkForm(v, "source_document_id", m.sourceDocumentId, ID);
  }
  if (m.scope !== undefined) {
    v.enter("scope");
    checkScopeFilter(v, m.scope);
    v.leave();
  }
}

/** Checks ListCollectionsRequest. */
export function checkListCollectionsRequest(v: Violations, m: ListCollectionsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks DeleteDocumentsRequest. */
export function checkDeleteDocumentsRequest(v: Violations, m: DeleteDocumentsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.collectionId !== "") fields.checkForm(v, "collection_id", m.collectionId, COLLECTION_ID);
  if (m.documentIds.length === 0) v.add("document_ids", "must have 1 entry at least", 1);
  else {
    if (m.documentIds.length > 1000) fields.addCount(v, "document_ids", m.documentIds.length, 1000);
    else {
      for (let i = 0; i < m.documentIds.length && !v.full; i++) {
        if (m.documentIds[i]! === "") v.add(`document_ids[${i}]`, "is required");
        else if (fields.checkText(v, `document_ids[${i}]`, m.documentIds[i]!, 256)) fields.checkForm(v, `document_ids[${i}]`, m.documentIds[i]!, ID);
      }
    }
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ClearCollectionRequest. */
export function checkClearCollectionRequest(v: Violations, m: ClearCollectionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.collectionId === "") v.add("collection_id", "is required");
  else fields.checkForm(v, "collection_id", m.collectionId, COLLECTION_ID);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks RecallRequest. */
export function checkRecallRequest(v: Violations, m: RecallRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.query !== "") fields.checkText(v, "query", m.query, 131072);
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
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
  if (m.mode !== 0) fields.checkEnum(v, "mode", m.mode, RecallMode);
  if (m.fusion !== 0) fields.checkEnum(v, "fusion", m.fusion, FusionMethod);
  if (m.weights !== undefined) {
    v.enter("weights");
    checkRecallWeights(v, m.weights);
    v.leave();
  }
  if (m.minScore !== undefined) {
    if (!Number.isFinite(m.minScore)) v.add("min_score", "must be a finite number");
  }
  if (m.minRelevance !== undefined) {
    if (!(m.minRelevance >= 0 && m.minRelevance <= 1)) fields.addRange(v, "min_relevance", m.minRelevance, {"min":0,"max":1});
  }
  if (!(m.diversity >= 0 && m.diversity <= 1)) fields.addRange(v, "diversity", m.diversity, {"min":0,"max":1});
  if (!(m.contextBefore >= 0 && m.contextBefore <= 10)) fields.addRange(v, "context_before", m.contextBefore, {"min":0,"max":10});
  if (!(m.contextAfter >= 0 && m.contextAfter <= 10)) fields.addRange(v, "context_after", m.contextAfter, {"min":0,"max":10});
  if (m.groupBySession !== undefined) {
    v.enter("group_by_session");
    checkGroupBySession(v, m.groupBySession);
    v.leave();
  }
  if (m.rerank !== undefined) {
    v.enter("rerank");
    checkRerank(v, m.rerank);
    v.leave();
  }
  if (m.referenceTime !== undefined) {
    fields.checkTimestamp(v, "reference_time", m.referenceTime);
  }
}

/** Checks RecallFilter. */
export function checkRecallFilter(v: Violations, m: RecallFilter): void {
  if (m.kinds.length > 8) fields.addCount(v, "kinds", m.kinds.length, 8);
  else {
    for (let i = 0; i < m.kinds.length && !v.full; i++) {
      if (m.kinds[i]! === 0) v.add(`kinds[${i}]`, "must not be RECALL_KIND_UNSPECIFIED");
      else fields.checkEnum(v, `kinds[${i}]`, m.kinds[i]!, RecallKind);
    }
  }
  if (m.sessionIds.length > 100) fields.addCount(v, "session_ids", m.sessionIds.length, 100);
  else {
    for (let i = 0; i < m.sessionIds.length && !v.full; i++) {
      if (m.sessionIds[i]! === "") v.add(`session_ids[${i}]`, "is required");
      else if (fields.checkText(v, `session_ids[${i}]`, m.sessionIds[i]!, 512)) fields.checkForm(v, `session_ids[${i}]`, m.sessionIds[i]!, ID);
    }
  }
  if (m.excludeSessionIds.length > 100) fields.addCount(v, "exclude_session_ids", m.excludeSessionIds.length, 100);
  else {
    for (let i = 0; i < m.excludeSessionIds.length && !v.full; i++) {
      if (m.excludeSessionIds[i]! === "") v.add(`exclude_session_ids[${i}]`, "is required");
      else if (fields.checkText(v, `exclude_session_ids[${i}]`, m.excludeSessionIds[i]!, 512)) fields.checkForm(v, `exclude_session_ids[${i}]`, m.excludeSessionIds[i]!, ID);
    }
  }
  if (m.scope !== undefined) {
    v.enter("scope");
    checkScopeFilter(v, m.scope);
    v.leave();
  }
  if (m.sessionLabels.size > 0) fields.checkMap(v, "session_labels", m.sessionLabels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
  if (m.roles.length > 4) fields.addCount(v, "roles", m.roles.length, 4);
  else {
    for (let i = 0; i < m.roles.length && !v.full; i++) {
      if (m.roles[i]! === 0) v.add(`roles[${i}]`, "must not be ROLE_UNSPECIFIED");
      else fields.checkEnum(v, `roles[${i}]`, m.roles[i]!, Role);
    }
  }
  if (m.collectionIds.length > 100) fields.addCount(v, "collection_ids", m.collectionIds.length, 100);
  else {
    for (let i = 0; i < m.collectionIds.length && !v.full; i++) {
      if (m.collectionIds[i]! === "") v.add(`collection_ids[${i}]`, "is required");
      else fields.checkForm(v, `collection_ids[${i}]`, m.collectionIds[i]!, COLLECTION_ID);
    }
  }
  if (m.labels.size > 0) fields.checkMap(v, "labels", m.labels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
  if (m.metadata.length > 16) fields.addCount(v, "metadata", m.metadata.length, 16);
  else {
    for (let i = 0; i < m.metadata.length && !v.full; i++) {
      v.enterItem("metadata", i);
      checkMetadataCondition(v, m.metadata[i]!);
      v.leaveItem();
    }
  }
  if (m.timeFrom !== undefined) {
    fields.checkTimestamp(v, "time_from", m.timeFrom);
  }
  if (m.timeBefore !== undefined) {
    fields.checkTimestamp(v, "time_before", m.timeBefore);
  }
  if (m.minTrust !== 0) fields.checkEnum(v, "min_trust", m.minTrust, Trust);
  if (m.memoryKinds.length > 8) fields.addCount(v, "memory_kinds", m.memoryKinds.length, 8);
  else {
    for (let i = 0; i < m.memoryKinds.length && !v.full; i++) {
      if (m.memoryKinds[i]! === 0) v.add(`memory_kinds[${i}]`, "must not be MEMORY_KIND_UNSPECIFIED");
      else fields.checkEnum(v, `memory_kinds[${i}]`, m.memoryKinds[i]!, MemoryKind);
    }
  }
  if (m.validAtTime !== undefined) {
    fields.checkTimestamp(v, "valid_at_time", m.validAtTime);
  }
  if (m.categories.length > 32) fields.addCount(v, "categories", m.categories.length, 32);
  else {
    for (let i = 0; i < m.categories.length && !v.full; i++) {
      if (m.categories[i]! === "") v.add(`categories[${i}]`, "is required");
      else fields.checkText(v, `categories[${i}]`, m.categories[i]!, 128);
    }
  }
  if (!(m.minConfidence >= 0 && m.minConfidence <= 1)) fields.addRange(v, "min_confidence", m.minConfidence, {"min":0,"max":1});
  if (m.sourceDocumentId !== undefined) {
    if (m.sourceDocumentId === "") v.add("source_document_id", "must not be empty; leave it unset");
    else if (fields.checkText(v, "source_document_id", m.sourceDocumentId, 256)) fields.checkForm(v, "source_document_id", m.sourceDocumentId, ID);
  }
  if (m.sessionIdPrefix !== undefined) {
    if (m.sessionIdPrefix === "") v.add("session_id_prefix", "must not be empty; leave it unset");
    else if (fields.checkText(v, "session_id_prefix", m.sessionIdPrefix, 512)) fields.checkForm(v, "session_id_prefix", m.sessionIdPrefix, ID);
  }
}

/** Checks RecallWeights. */
export function checkRecallWeights(v: Violations, m: RecallWeights): void {
  if (m.words !== undefined) {
    if (!(m.words >= 0 && m.words <= 10)) fields.addRange(v, "words", m.words, {"min":0,"max":10});
  }
  if (m.neighbors !== undefined) {
    if (!(m.neighbors >= 0 && m.neighbors <= 10)) fields.addRange(v, "neighbors", m.neighbors, {"min":0,"max":10});
  }
  if (m.dense !== undefined) {
    if (!(m.dense >= 0 && m.dense <= 10)) fields.addRange(v, "dense", m.dense, {"min":0,"max":10});
  }
  if (m.coverage !== undefined) {
    if (!(m.coverage >= 0 && m.coverage <= 10)) fields.addRange(v, "coverage", m.coverage, {"min":0,"max":10});
  }
  if (m.author !== undefined) {
    if (!(m.author >= 0 && m.author <= 10)) fields.addRange(v, "author", m.author, {"min":0,"max":10});
  }
  if (m.userRole !== undefined) {
    if (!(m.userRole >= 0 && m.userRole <= 10)) fields.addRange(v, "user_role", m.userRole, {"min":0,"max":10});
  }
  if (m.length !== undefined) {
    if (!(m.length >= 0 && m.length <= 10)) fields.addRange(v, "length", m.length, {"min":0,"max":10});
  }
  if (m.question !== undefined) {
    if (!(m.question >= 0 && m.question <= 10)) fields.addRange(v, "question", m.question, {"min":0,"max":10});
  }
  if (m.date !== undefined) {
    if (!(m.date >= 0 && m.date <= 10)) fields.addRange(v, "date", m.date, {"min":0,"max":10});
  }
  if (m.recency !== undefined) {
    if (!(m.recency >= 0 && m.recency <= 10)) fields.addRange(v, "recency", m.recency, {"min":0,"max":10});
  }
  if (m.recencyHalfLife !== undefined) {
    fields.checkDuration(v, "recency_half_life", m.recencyHalfLife, {"max":3153600000,"above":0});
  }
  if (m.importance !== undefined) {
    if (!(m.importance >= 0 && m.importance <= 10)) fields.addRange(v, "importance", m.importance, {"min":0,"max":10});
  }
  if (m.trust !== undefined) {
    if (!(m.trust >= 0 && m.trust <= 10)) fields.addRange(v, "trust", m.trust, {"min":0,"max":10});
  }
  if (m.session !== undefined) {
    if (!(m.session >= 0 && m.session <= 10)) fields.addRange(v, "session", m.session, {"min":0,"max":10});
  }
  if (m.nearWords !== undefined) {
    if (!(m.nearWords >= 0 && m.nearWords <= 10)) fields.addRange(v, "near_words", m.nearWords, {"min":0,"max":10});
  }
  if (m.confidence !== undefined) {
    if (!(m.confidence >= 0 && m.confidence <= 10)) fields.addRange(v, "confidence", m.confidence, {"min":0,"max":10});
  }
  if (m.facts !== undefined) {
    if (!(m.facts >= 0 && m.facts <= 10)) fields.addRange(v, "facts", m.facts, {"min":0,"max":10});
  }
  if (m.entities !== undefined) {
    if (!(m.entities >= 0 && m.entities <= 10)) fields.addRange(v, "entities", m.entities, {"min":0,"max":10});
  }
  if (m.identifier !== undefined) {
    if (!(m.identifier >= 0 && m.identifier <= 10)) fields.addRange(v, "identifier", m.identifier, {"min":0,"max":10});
  }
}

/** Checks GroupBySession. */
export function checkGroupBySession(v: Violations, m: GroupBySession): void {
  if (!(m.hitsPerSession >= 0 && m.hitsPerSession <= 20)) fields.addRange(v, "hits_per_session", m.hitsPerSession, {"min":0,"max":20});
}

/** Checks Rerank. */
export function checkRerank(v: Violations, m: Rerank): void {
  if (m.hook !== "") fields.checkForm(v, "hook", m.hook, NAME);
  if (!(m.candidates >= 0 && m.candidates <= 200)) fields.addRange(v, "candidates", m.candidates, {"min":0,"max":200});
}

/** Checks AssembleContextRequest. */
export function checkAssembleContextRequest(v: Violations, m: AssembleContextRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId !== "" && fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.scope !== undefined) {
    v.enter("scope");
    checkMemoryScope(v, m.scope);
    v.leave();
  }
  if (m.query !== "") fields.checkText(v, "query", m.query, 131072);
  if (!(m.maxTokens >= 0 && m.maxTokens <= 1000000)) fields.addRange(v, "max_tokens", m.maxTokens, {"min":0,"max":1000000});
  if (m.tokenRule !== 0) fields.checkEnum(v, "token_rule", m.tokenRule, TokenRule);
  if (m.model !== "") fields.checkText(v, "model", m.model, 127);
  if (m.customTokenRule !== undefined) {
    v.enter("custom_token_rule");
    checkCustomTokenRule(v, m.customTokenRule);
    v.leave();
  }
  if (m.sections.length > 9) fields.addCount(v, "sections", m.sections.length, 9);
  else {
    for (let i = 0; i < m.sections.length && !v.full; i++) {
      v.enterItem("sections", i);
      checkContextSection(v, m.sections[i]!);
      v.leaveItem();
    }
  }
  if (m.compactionThreshold !== undefined) {
    if (!(m.compactionThreshold > 0 && m.compactionThreshold <= 1)) fields.addRange(v, "compaction_threshold", m.compactionThreshold, {"max":1,"above":0});
  }
  if (m.minRelevance !== undefined) {
    if (!(m.minRelevance >= 0 && m.minRelevance <= 1)) fields.addRange(v, "min_relevance", m.minRelevance, {"min":0,"max":1});
  }
  if (m.minBestRelevance !== undefined) {
    if (!(m.minBestRelevance >= 0 && m.minBestRelevance <= 1)) fields.addRange(v, "min_best_relevance", m.minBestRelevance, {"min":0,"max":1});
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
  if (!(m.charsPerToken >= 0.25 && m.charsPerToken <= 100)) fields.addRange(v, "chars_per_token", m.charsPerToken, {"min":0.25,"max":100});
  if (m.rounding !== 0) fields.checkEnum(v, "rounding", m.rounding, TokenRounding);
  if (!(m.perMessage >= 0 && m.perMessage <= 1000000)) fields.addRange(v, "per_message", m.perMessage, {"min":0,"max":1000000});
  if (!(m.perCall >= 0 && m.perCall <= 1000000)) fields.addRange(v, "per_call", m.perCall, {"min":0,"max":1000000});
  if (!(m.min >= 0 && m.min <= 1000000)) fields.addRange(v, "min", m.min, {"min":0,"max":1000000});
}

/** Checks ContextSection. */
export function checkContextSection(v: Violations, m: ContextSection): void {
  if (m.kind === 0) v.add("kind", "is required");
  else fields.checkEnum(v, "kind", m.kind, ContextSectionKind);
  if (m.share !== undefined) {
    if (!(m.share >= 0 && m.share <= 1)) fields.addRange(v, "share", m.share, {"min":0,"max":1});
  }
  if (!(m.limit >= 0 && m.limit <= 1000)) fields.addRange(v, "limit", m.limit, {"min":0,"max":1000});
  if (m.heading !== undefined) {
    if (m.heading !== "") fields.checkText(v, "heading", m.heading, 256);
  }
  if (m.maxChars != 0) {
    if (!(m.maxChars >= 32 && m.maxChars <= 1000000)) fields.addRange(v, "max_chars", m.maxChars, {"min":32,"max":1000000});
  }
  if (m.firstShare !== undefined) {
    if (!(m.firstShare >= 0 && m.firstShare <= 1)) fields.addRange(v, "first_share", m.firstShare, {"min":0,"max":1});
  }
}

/** Checks EmbedRequest. */
export function checkEmbedRequest(v: Violations, m: EmbedRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.texts.length === 0) v.add("texts", "must have 1 entry at least", 1);
  else {
    if (m.texts.length > 128) fields.addCount(v, "texts", m.texts.length, 128);
    else {
      for (let i = 0; i < m.texts.length && !v.full; i++) {
        if (m.texts[i]! !== "") fields.checkText(v, `texts[${i}]`, m.texts[i]!, 131072);
      }
    }
  }
  if (m.purpose !== 0) fields.checkEnum(v, "purpose", m.purpose, EmbeddingPurpose);
}

/** Checks CreateSessionRequest. */
export function checkCreateSessionRequest(v: Violations, m: CreateSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.session !== undefined) {
    v.enter("session");
    checkSession(v, m.session);
    v.leave();
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks Session. */
export function checkSession(v: Violations, m: Session): void {
  if (m.sessionId !== "" && fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.userId !== "") fields.checkText(v, "user_id", m.userId, 512);
  if (m.agentId !== "") fields.checkText(v, "agent_id", m.agentId, 512);
  if (m.labels.size > 0) fields.checkMap(v, "labels", m.labels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
  if (m.metadata.length > 0) fields.checkFreeForm(v, "metadata", m.metadata, { maxBytes: 16384, maxDepth: 32 });
  if (m.policy !== undefined) {
    v.enter("policy");
    checkPolicyChoice(v, m.policy);
    v.leave();
  }
  if (m.ttl !== undefined) {
    fields.checkDuration(v, "ttl", m.ttl, {"min":1,"max":315576000});
  }
  if (m.summary !== undefined) {
    v.enter("summary");
    checkSummary(v, m.summary);
    v.leave();
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
    case undefined:
      v.add("choice", "one of policy and preset is required");
      break;
    case "policy":
      v.enter("policy");
      checkPolicy(v, m.choice.value);
      v.leave();
      break;
    case "preset":
      v.enter("preset");
      checkPreset(v, m.choice.value);
      v.leave();
      break;
  }
}

/** Checks Policy. */
export function checkPolicy(v: Violations, m: Policy): void {
  if (m.tokenRule !== 0) fields.checkEnum(v, "token_rule", m.tokenRule, TokenRule);
  if (m.imageTokenCount !== undefined) {
    if (!(m.imageTokenCount >= 0 && m.imageTokenCount <= 1000000)) fields.addRange(v, "image_token_count", m.imageTokenCount, {"min":0,"max":1000000});
  }
  if (m.protections !== undefined) {
    v.enter("protections");
    checkProtections(v, m.protections);
    v.leave();
  }
  if (m.stages.length > 16) fields.addCount(v, "stages", m.stages.length, 16);
  else {
    for (let i = 0; i < m.stages.length && !v.full; i++) {
      v.enterItem("stages", i);
      checkPolicyStage(v, m.stages[i]!);
      v.leaveItem();
    }
  }
  if (m.name !== "") fields.checkText(v, "name", m.name, 63);
  if (m.model !== "") fields.checkText(v, "model", m.model, 127);
  if (!(m.contextWindow >= 0 && m.contextWindow <= 1000000000)) fields.addRange(v, "context_window", m.contextWindow, {"min":0,"max":1000000000});
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
  if (!(m.pinFirst >= 0 && m.pinFirst <= 10000)) fields.addRange(v, "pin_first", m.pinFirst, {"min":0,"max":10000});
  if (m.minMessages !== undefined) {
    if (!(m.minMessages >= 0 && m.minMessages <= 10000)) fields.addRange(v, "min_messages", m.minMessages, {"min":0,"max":10000});
  }
  if (m.pinMessageIds.length > 256) fields.addCount(v, "pin_message_ids", m.pinMessageIds.length, 256);
  else {
    for (let i = 0; i < m.pinMessageIds.length && !v.full; i++) {
      if (m.pinMessageIds[i]! === "") v.add(`pin_message_ids[${i}]`, "is required");
      else if (fields.checkText(v, `pin_message_ids[${i}]`, m.pinMessageIds[i]!, 256)) fields.checkForm(v, `pin_message_ids[${i}]`, m.pinMessageIds[i]!, ID);
    }
  }
}

/** Checks PolicyStage. */
export function checkPolicyStage(v: Violations, m: PolicyStage): void {
  if (m.name === "") v.add("name", "is required");
  else fields.checkForm(v, "name", m.name, NAME);
  if (m.on !== 0) fields.checkEnum(v, "on", m.on, StageOn);
  if (m.anyOf.length > 16) fields.addCount(v, "any_of", m.anyOf.length, 16);
  else {
    for (let i = 0; i < m.anyOf.length && !v.full; i++) {
      v.enterItem("any_of", i);
      checkTrigger(v, m.anyOf[i]!);
      v.leaveItem();
    }
  }
  if (m.unit !== 0) fields.checkEnum(v, "unit", m.unit, WindowUnit);
  switch (m.select?.$case) {
    case undefined:
      v.add("select", "is required: drop_oldest or another of its fields");
      break;
    case "dropOldest":
      v.enter("drop_oldest");
      checkDropOldest(v, m.select.value);
      v.leave();
      break;
    case "keepLast":
      v.enter("keep_last");
      checkKeepLast(v, m.select.value);
      v.leave();
      break;
    case "packNewest":
      v.enter("pack_newest");
      checkPackNewest(v, m.select.value);
      v.leave();
      break;
    case "pinMiddleRecent":
      v.enter("pin_middle_recent");
      checkPinMiddleRecent(v, m.select.value);
      v.leave();
      break;
    case "filter":
      v.enter("filter");
      checkFilter(v, m.select.value);
      v.leave();
      break;
    case "shorten":
      v.enter("shorten");
      checkShorten(v, m.select.value);
      v.leave();
      break;
    case "dropDuplicates":
      v.enter("drop_duplicates");
      checkDropDuplicates(v, m.select.value);
      v.leave();
      break;
  }
  if (m.countIf.length > 8) fields.addCount(v, "count_if", m.countIf.length, 8);
  else {
    for (let i = 0; i < m.countIf.length && !v.full; i++) {
      if (m.countIf[i]! === "") v.add(`count_if[${i}]`, "is required");
      else fields.checkText(v, `count_if[${i}]`, m.countIf[i]!, 1024);
    }
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
  if (!(m.keepAssistantTurns >= 0 && m.keepAssistantTurns <= 10000)) fields.addRange(v, "keep_assistant_turns", m.keepAssistantTurns, {"min":0,"max":10000});
}

/** Checks Trigger. */
export function checkTrigger(v: Violations, m: Trigger): void {
  switch (m.condition?.$case) {
    case undefined:
      v.add("condition", "is required: message_count_over or another of its fields");
      break;
    case "messageCountOver":
      if (!(m.condition.value >= 0 && m.condition.value <= 10000)) fields.addRange(v, "message_count_over", m.condition.value, {"min":0,"max":10000});
      break;
    case "tokenCountOver":
      if (!(m.condition.value >= 0 && m.condition.value <= 1000000000)) fields.addRange(v, "token_count_over", m.condition.value, {"min":0,"max":1000000000});
      break;
    case "contextShareAtLeast":
      if (!(m.condition.value > 0 && m.condition.value <= 1)) fields.addRange(v, "context_share_at_least", m.condition.value, {"max":1,"above":0});
      break;
    case "modelInputTokensOver":
      if (!(m.condition.value >= 0 && m.condition.value <= 1000000000)) fields.addRange(v, "model_input_tokens_over", m.condition.value, {"min":0,"max":1000000000});
      break;
    case "turnCountOver":
      if (!(m.condition.value >= 0 && m.condition.value <= 10000)) fields.addRange(v, "turn_count_over", m.condition.value, {"min":0,"max":10000});
      break;
    case "turnTokensOver":
      if (!(m.condition.value >= 0 && m.condition.value <= 1000000000)) fields.addRange(v, "turn_tokens_over", m.condition.value, {"min":0,"max":1000000000});
      break;
    case "newMessagesAtLeast":
      if (!(m.condition.value >= 1 && m.condition.value <= 10000)) fields.addRange(v, "new_messages_at_least", m.condition.value, {"min":1,"max":10000});
      break;
    case "newTokensAtLeast":
      if (!(m.condition.value >= 1 && m.condition.value <= 1000000000)) fields.addRange(v, "new_tokens_at_least", m.condition.value, {"min":1,"max":1000000000});
      break;
    case "toolSuccess":
      v.enter("tool_success");
      checkToolNames(v, m.condition.value);
      v.leave();
      break;
    case "toolError":
      v.enter("tool_error");
      checkToolNames(v, m.condition.value);
      v.leave();
      break;
    case "ageOver":
      fields.checkDuration(v, "age_over", m.condition.value, {"max":315576000,"above":0});
      break;
  }
}

/** Checks ToolNames. */
export function checkToolNames(v: Violations, m: ToolNames): void {
  if (m.names.length === 0) v.add("names", "must have 1 entry at least", 1);
  else {
    if (m.names.length > 64) fields.addCount(v, "names", m.names.length, 64);
    else {
      for (let i = 0; i < m.names.length && !v.full; i++) {
        if (m.names[i]! === "") v.add(`names[${i}]`, "is required");
        else fields.checkText(v, `names[${i}]`, m.names[i]!, 256);
      }
    }
  }
}

/** Checks DropOldest. */
export function checkDropOldest(v: Violations, m: DropOldest): void {
  if (m.maxMessages !== undefined) {
    if (!(m.maxMessages >= 0 && m.maxMessages <= 10000)) fields.addRange(v, "max_messages", m.maxMessages, {"min":0,"max":10000});
  }
  if (m.maxTokens !== undefined) {
    if (!(m.maxTokens >= 0 && m.maxTokens <= 1000000000)) fields.addRange(v, "max_tokens", m.maxTokens, {"min":0,"max":1000000000});
  }
  if (m.maxAge !== undefined) {
    fields.checkDuration(v, "max_age", m.maxAge, {"min":0,"max":315576000});
  }
}

/** Checks KeepLast. */
export function checkKeepLast(v: Violations, m: KeepLast): void {
  if (m.unitCount === undefined) v.add("unit_count", "is required");
  else if (m.unitCount !== undefined) {
    if (!(m.unitCount >= 0 && m.unitCount <= 10000)) fields.addRange(v, "unit_count", m.unitCount, {"min":0,"max":10000});
  }
}

/** Checks PackNewest. */
export function checkPackNewest(v: Violations, m: PackNewest): void {
  if (m.maxTokens === undefined) v.add("max_tokens", "is required");
  else if (m.maxTokens !== undefined) {
    if (!(m.maxTokens >= 0 && m.maxTokens <= 1000000000)) fields.addRange(v, "max_tokens", m.maxTokens, {"min":0,"max":1000000000});
  }
  if (!(m.headroom >= 0 && m.headroom < 1)) fields.addRange(v, "headroom", m.headroom, {"min":0,"below":1});
}

/** Checks PinMiddleRecent. */
export function checkPinMiddleRecent(v: Violations, m: PinMiddleRecent): void {
  if (!(m.pinFirst >= 0 && m.pinFirst <= 10000)) fields.addRange(v, "pin_first", m.pinFirst, {"min":0,"max":10000});
  if (!(m.keepRecent >= 1 && m.keepRecent <= 10000)) fields.addRange(v, "keep_recent", m.keepRecent, {"min":1,"max":10000});
  if (m.minRemoved !== undefined) {
    if (!(m.minRemoved >= 1 && m.minRemoved <= 10000)) fields.addRange(v, "min_removed", m.minRemoved, {"min":1,"max":10000});
  }
}

/** Checks Filter. */
export function checkFilter(v: Violations, m: Filter): void {
  if (m.conditions.length === 0) v.add("conditions", "must have 1 entry at least", 1);
  else {
    if (m.conditions.length > 8) fields.addCount(v, "conditions", m.conditions.length, 8);
    else {
      for (let i = 0; i < m.conditions.length && !v.full; i++) {
        if (m.conditions[i]! === "") v.add(`conditions[${i}]`, "is required");
        else fields.checkText(v, `conditions[${i}]`, m.conditions[i]!, 1024);
      }
    }
  }
  if (m.scope !== 0) fields.checkEnum(v, "scope", m.scope, FilterScope);
}

/** Checks Shorten. */
export function checkShorten(v: Violations, m: Shorten): void {
  if (!(m.maxTokens >= 16 && m.maxTokens <= 1000000)) fields.addRange(v, "max_tokens", m.maxTokens, {"min":16,"max":1000000});
  if (m.keepNewest !== undefined) {
    if (!(m.keepNewest >= 0 && m.keepNewest <= 10000)) fields.addRange(v, "keep_newest", m.keepNewest, {"min":0,"max":10000});
  }
  if (m.keepChars !== undefined) {
    if (!(m.keepChars >= 64 && m.keepChars <= 4000000)) fields.addRange(v, "keep_chars", m.keepChars, {"min":64,"max":4000000});
  }
  if (m.marker !== undefined) {
    if (m.marker !== "") fields.checkText(v, "marker", m.marker, 64);
  }
  if (!(m.minSavedTokens >= 0 && m.minSavedTokens <= 1000000000)) fields.addRange(v, "min_saved_tokens", m.minSavedTokens, {"min":0,"max":1000000000});
}

/** Checks DropDuplicates. */
export function checkDropDuplicates(v: Violations, m: DropDuplicates): void {
  if (m.similarity !== undefined) {
    if (!(m.similarity >= 0.5 && m.similarity <= 1)) fields.addRange(v, "similarity", m.similarity, {"min":0.5,"max":1});
  }
  if (m.lookahead !== undefined) {
    if (!(m.lookahead >= 1 && m.lookahead <= 200)) fields.addRange(v, "lookahead", m.lookahead, {"min":1,"max":200});
  }
}

/** Checks Boundary. */
export function checkBoundary(v: Violations, m: Boundary): void {
  if (m.rule === 0) v.add("rule", "is required");
  else fields.checkEnum(v, "rule", m.rule, BoundaryRule);
}

/** Checks Summarize. */
export function checkSummarize(v: Violations, m: Summarize): void {
  if (m.hook !== "") fields.checkForm(v, "hook", m.hook, NAME);
  if (m.maxTokens !== undefined) {
    if (!(m.maxTokens >= 16 && m.maxTokens <= 16384)) fields.addRange(v, "max_tokens", m.maxTokens, {"min":16,"max":16384});
  }
  if (m.instructions !== "") fields.checkText(v, "instructions", m.instructions, 4096);
  if (m.keep !== 0) fields.checkEnum(v, "keep", m.keep, SummaryKeep);
  if (m.flow !== 0) fields.checkEnum(v, "flow", m.flow, SummaryFlow);
  if (m.maxLoops !== undefined) {
    if (!(m.maxLoops >= 1 && m.maxLoops <= 10)) fields.addRange(v, "max_loops", m.maxLoops, {"min":1,"max":10});
  }
  if (m.leave !== 0) fields.checkEnum(v, "leave", m.leave, SummaryLeave);
  if (m.onFailure !== 0) fields.checkEnum(v, "on_failure", m.onFailure, SummaryFailure);
  if (m.placeholder !== "") fields.checkText(v, "placeholder", m.placeholder, 1024);
  if (m.separator !== undefined) {
    if (m.separator !== "") fields.checkText(v, "separator", m.separator, 64);
  }
  if (m.lastChars !== undefined) {
    if (!(m.lastChars >= 100 && m.lastChars <= 16000)) fields.addRange(v, "last_chars", m.lastChars, {"min":100,"max":16000});
  }
  if (m.prefix !== "") fields.checkText(v, "prefix", m.prefix, 256);
  if (m.transcript !== 0) fields.checkEnum(v, "transcript", m.transcript, TranscriptStyle);
  if (m.fanIn !== undefined) {
    if (!(m.fanIn >= 2 && m.fanIn <= 16)) fields.addRange(v, "fan_in", m.fanIn, {"min":2,"max":16});
  }
  if (m.shape !== 0) fields.checkEnum(v, "shape", m.shape, SummaryShape);
  if (m.collectionId !== "") fields.checkForm(v, "collection_id", m.collectionId, COLLECTION_ID);
}

/** Checks ToolResultFill. */
export function checkToolResultFill(v: Violations, m: ToolResultFill): void {
  if (m.rule === 0) v.add("rule", "is required");
  else fields.checkEnum(v, "rule", m.rule, ToolResultFillRule);
  if (m.text !== "") fields.checkText(v, "text", m.text, 1024);
}

/** Checks SummaryView. */
export function checkSummaryView(v: Violations, m: SummaryView): void {
  if (m.show !== 0) fields.checkEnum(v, "show", m.show, SummaryShow);
  if (m.prefix !== undefined) {
    if (m.prefix !== "") fields.checkText(v, "prefix", m.prefix, 256);
  }
  if (m.maxTokens !== undefined) {
    if (!(m.maxTokens >= 0 && m.maxTokens <= 1000000000)) fields.addRange(v, "max_tokens", m.maxTokens, {"min":0,"max":1000000000});
  }
}

/** Checks Preset. */
export function checkPreset(v: Violations, m: Preset): void {
  if (m.name === "") v.add("name", "is required");
  if (m.options.length > 0) fields.checkFreeForm(v, "options", m.options, { maxBytes: 16384, maxDepth: 32 });
}

/** Checks Summary. */
export function checkSummary(v: Violations, m: Summary): void {
  if (m.text !== "") fields.checkText(v, "text", m.text, 65536);
}

/** Checks MemoryPolicy. */
export function checkMemoryPolicy(v: Violations, m: MemoryPolicy): void {
  if (m.promotion !== undefined) {
    v.enter("promotion");
    checkPromotionPolicy(v, m.promotion);
    v.leave();
  }
  if (m.episodes !== undefined) {
    v.enter("episodes");
    checkEpisodePolicy(v, m.episodes);
    v.leave();
  }
  if (m.extraction !== undefined) {
    v.enter("extraction");
    checkExtractionPolicy(v, m.extraction);
    v.leave();
  }
  if (m.longTermLimit !== undefined) {
    if (!(m.longTermLimit >= 1 && m.longTermLimit <= 1000000)) fields.addRange(v, "long_term_limit", m.longTermLimit, {"min":1,"max":1000000});
  }
  if (m.entityLimit !== undefined) {
    if (!(m.entityLimit >= 1 && m.entityLimit <= 1000000)) fields.addRange(v, "entity_limit", m.entityLimit, {"min":1,"max":1000000});
  }
  if (m.relationLimit !== undefined) {
    if (!(m.relationLimit >= 1 && m.relationLimit <= 1000000)) fields.addRange(v, "relation_limit", m.relationLimit, {"min":1,"max":1000000});
  }
  if (m.onSourceErased !== 0) fields.checkEnum(v, "on_source_erased", m.onSourceErased, SourceErasure);
}

/** Checks PromotionPolicy. */
export function checkPromotionPolicy(v: Violations, m: PromotionPolicy): void {
  if (m.selection !== 0) fields.checkEnum(v, "selection", m.selection, PromotionSelection);
  if (m.importanceThreshold !== undefined) {
    if (!(m.importanceThreshold >= 0 && m.importanceThreshold <= 1)) fields.addRange(v, "importance_threshold", m.importanceThreshold, {"min":0,"max":1});
  }
  if (m.importanceRules.length > 64) fields.addCount(v, "importance_rules", m.importanceRules.length, 64);
  else {
    for (let i = 0; i < m.importanceRules.length && !v.full; i++) {
      v.enterItem("importance_rules", i);
      checkImportanceRule(v, m.importanceRules[i]!);
      v.leaveItem();
    }
  }
  if (m.scoreHook !== "") fields.checkForm(v, "score_hook", m.scoreHook, NAME);
}

/** Checks EpisodePolicy. */
export function checkEpisodePolicy(v: Violations, m: EpisodePolicy): void {
  if (m.retention !== undefined) {
    fields.checkDuration(v, "retention", m.retention, {"min":86400,"max":3153600000});
  }
}

/** Checks GetSessionRequest. */
export function checkGetSessionRequest(v: Violations, m: GetSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
}

/** Checks ListSessionsRequest. */
export function checkListSessionsRequest(v: Violations, m: ListSessionsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.filter !== undefined) {
    v.enter("filter");
    checkSessionFilter(v, m.filter);
    v.leave();
  }
  if (m.order !== 0) fields.checkEnum(v, "order", m.order, SessionOrder);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks SessionFilter. */
export function checkSessionFilter(v: Violations, m: SessionFilter): void {
  if (m.userId !== undefined) {
    if (m.userId === "") v.add("user_id", "must not be empty; leave it unset");
    else fields.checkText(v, "user_id", m.userId, 512);
  }
  if (m.agentId !== undefined) {
    if (m.agentId === "") v.add("agent_id", "must not be empty; leave it unset");
    else fields.checkText(v, "agent_id", m.agentId, 512);
  }
  if (m.labels.size > 0) fields.checkMap(v, "labels", m.labels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
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
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.session === undefined) v.add("session", "is required");
  else {
    v.enter("session");
    checkSession(v, m.session);
    v.leave();
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks DeleteSessionRequest. */
export function checkDeleteSessionRequest(v: Violations, m: DeleteSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ForkSessionRequest. */
export function checkForkSessionRequest(v: Violations, m: ForkSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sourceSessionId === "") v.add("source_session_id", "is required");
  else if (fields.checkText(v, "source_session_id", m.sourceSessionId, 512)) fields.checkForm(v, "source_session_id", m.sourceSessionId, ID);
  if (m.atSeq !== undefined) {
    if (!(m.atSeq >= 0 && m.atSeq <= 9007199254740991)) fields.addRange(v, "at_seq", m.atSeq, {"min":0,"max":9007199254740991});
  }
  if (m.sessionId !== "" && fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ResetSessionRequest. */
export function checkResetSessionRequest(v: Violations, m: ResetSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks AppendMessagesRequest. */
export function checkAppendMessagesRequest(v: Violations, m: AppendMessagesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.messages.length > 1000) fields.addCount(v, "messages", m.messages.length, 1000);
  else {
    for (let i = 0; i < m.messages.length && !v.full; i++) {
      v.enterItem("messages", i);
      checkMessage(v, m.messages[i]!);
      v.leaveItem();
    }
  }
  if (m.expectedLastSeq !== undefined) {
    if (!(m.expectedLastSeq >= 0 && m.expectedLastSeq <= 9007199254740991)) fields.addRange(v, "expected_last_seq", m.expectedLastSeq, {"min":0,"max":9007199254740991});
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
  if (m.modelInputTokens !== undefined) {
    if (!(m.modelInputTokens >= 0 && m.modelInputTokens <= 1000000000)) fields.addRange(v, "model_input_tokens", m.modelInputTokens, {"min":0,"max":1000000000});
  }
  if (m.toolOutcomes.length > 256) fields.addCount(v, "tool_outcomes", m.toolOutcomes.length, 256);
  else {
    for (let i = 0; i < m.toolOutcomes.length && !v.full; i++) {
      v.enterItem("tool_outcomes", i);
      checkToolOutcome(v, m.toolOutcomes[i]!);
      v.leaveItem();
    }
  }
}

/** Checks Message. */
export function checkMessage(v: Violations, m: Message): void {
  if (m.messageId !== "" && fields.checkText(v, "message_id", m.messageId, 256)) fields.checkForm(v, "message_id", m.messageId, ID);
  if (m.role !== 0) fields.checkEnum(v, "role", m.role, Role);
  if (m.name !== "") fields.checkText(v, "name", m.name, 256);
  if (m.parts.length > 256) fields.addCount(v, "parts", m.parts.length, 256);
  else {
    for (let i = 0; i < m.parts.length && !v.full; i++) {
      v.enterItem("parts", i);
      checkContentPart(v, m.parts[i]!);
      v.leaveItem();
    }
  }
  if (m.toolCalls.length > 128) fields.addCount(v, "tool_calls", m.toolCalls.length, 128);
  else {
    for (let i = 0; i < m.toolCalls.length && !v.full; i++) {
      v.enterItem("tool_calls", i);
      checkToolCall(v, m.toolCalls[i]!);
      v.leaveItem();
    }
  }
  if (m.agentCalls.length > 128) fields.addCount(v, "agent_calls", m.agentCalls.length, 128);
  else {
    for (let i = 0; i < m.agentCalls.length && !v.full; i++) {
      v.enterItem("agent_calls", i);
      checkAgentCall(v, m.agentCalls[i]!);
      v.leaveItem();
    }
  }
  if (m.toolCallId !== "") fields.checkText(v, "tool_call_id", m.toolCallId, 256);
  if (m.structuredData.length > 0) fields.checkFreeForm(v, "structured_data", m.structuredData, { maxBytes: 262144, maxDepth: 32 });
  if (m.providerPayload !== undefined) {
    v.enter("provider_payload");
    checkProviderPayload(v, m.providerPayload);
    v.leave();
  }
  if (m.metadata.length > 0) fields.checkFreeForm(v, "metadata", m.metadata, { maxBytes: 16384, maxDepth: 32 });
  if (m.labels.size > 0) fields.checkMap(v, "labels", m.labels, { maxItems: 32, maxBytes: 255, keyForm: LABEL_KEY });
  if (m.tokenCount !== undefined) {
    if (!(m.tokenCount >= 0 && m.tokenCount <= 100000000)) fields.addRange(v, "token_count", m.tokenCount, {"min":0,"max":100000000});
  }
  if (m.sentTime !== undefined) {
    fields.checkTimestamp(v, "sent_time", m.sentTime);
  }
  if (m.providerRole !== "") fields.checkText(v, "provider_role", m.providerRole, 63);
  fields.checkBytes(v, "structured_json", m.structuredJson, 262144);
}

/** Checks ContentPart. */
export function checkContentPart(v: Violations, m: ContentPart): void {
  switch (m.part?.$case) {
    case undefined:
      v.add("part", "is required: text or another of its fields");
      break;
    case "image":
      v.enter("image");
      checkImage(v, m.part.value);
      v.leave();
      break;
    case "data":
      if (m.part.value.length > 0) fields.checkFreeForm(v, "data", m.part.value, { maxBytes: 262144, maxDepth: 32 });
      break;
    case "toolResult":
      v.enter("tool_result");
      checkToolResult(v, m.part.value);
      v.leave();
      break;
    case "toolCall":
      v.enter("tool_call");
      checkToolCall(v, m.part.value);
      v.leave();
      break;
    case "reasoning":
      v.enter("reasoning");
      checkReasoning(v, m.part.value);
      v.leave();
      break;
    case "json":
      fields.checkBytes(v, "json", m.part.value, 262144);
      break;
  }
}

/** Checks Image. */
export function checkImage(v: Violations, m: Image): void {
  switch (m.source?.$case) {
    case undefined:
      v.add("source", "one of url and data is required");
      break;
    case "url":
      if (m.source.value === "") v.add("url", "is required");
      else fields.checkText(v, "url", m.source.value, 8192);
      break;
    case "data":
      if (m.source.value.length === 0) v.add("data", "is required");
      break;
  }
  if (m.mediaType !== "") fields.checkText(v, "media_type", m.mediaType, 127);
  if (m.detail !== "") fields.checkText(v, "detail", m.detail, 63);
}

/** Checks ToolResult. */
export function checkToolResult(v: Violations, m: ToolResult): void {
  if (m.toolCallId === "") v.add("tool_call_id", "is required");
  else fields.checkText(v, "tool_call_id", m.toolCallId, 256);
  if (m.parts.length > 64) fields.addCount(v, "parts", m.parts.length, 64);
  else {
    for (let i = 0; i < m.parts.length && !v.full; i++) {
      v.enterItem("parts", i);
      checkContentPart(v, m.parts[i]!);
      v.leaveItem();
    }
  }
}

/** Checks ToolCall. */
export function checkToolCall(v: Violations, m: ToolCall): void {
  if (m.toolCallId === "") v.add("tool_call_id", "is required");
  else fields.checkText(v, "tool_call_id", m.toolCallId, 256);
  if (m.name === "") v.add("name", "is required");
  else fields.checkText(v, "name", m.name, 256);
}

/** Checks Reasoning. */
export function checkReasoning(v: Violations, m: Reasoning): void {
  if (m.summaries.length > 64) fields.addCount(v, "summaries", m.summaries.length, 64);
  if (m.signature !== "") fields.checkText(v, "signature", m.signature, 524288);
  if (m.reasoningId !== "") fields.checkText(v, "reasoning_id", m.reasoningId, 256);
}

/** Checks AgentCall. */
export function checkAgentCall(v: Violations, m: AgentCall): void {
  if (m.agentCallId !== "") fields.checkText(v, "agent_call_id", m.agentCallId, 256);
  if (m.agentName === "") v.add("agent_name", "is required");
  else fields.checkText(v, "agent_name", m.agentName, 256);
}

/** Checks ProviderPayload. */
export function checkProviderPayload(v: Violations, m: ProviderPayload): void {
  if (m.provider === "") v.add("provider", "is required");
  else fields.checkText(v, "provider", m.provider, 63);
  if (m.mediaType !== "") fields.checkText(v, "media_type", m.mediaType, 127);
  fields.checkBytes(v, "data", m.data, 524288);
}

/** Checks ToolOutcome. */
export function checkToolOutcome(v: Violations, m: ToolOutcome): void {
  if (m.tool === "") v.add("tool", "is required");
  else fields.checkText(v, "tool", m.tool, 256);
}

/** Checks ListMessagesRequest. */
export function checkListMessagesRequest(v: Violations, m: ListMessagesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.filter !== undefined) {
    v.enter("filter");
    checkMessageFilter(v, m.filter);
    v.leave();
  }
  if (m.order !== 0) fields.checkEnum(v, "order", m.order, MessageOrder);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks MessageFilter. */
export function checkMessageFilter(v: Violations, m: MessageFilter): void {
  if (m.roles.length > 4) fields.addCount(v, "roles", m.roles.length, 4);
  else {
    for (let i = 0; i < m.roles.length && !v.full; i++) {
      if (m.roles[i]! === 0) v.add(`roles[${i}]`, "must not be ROLE_UNSPECIFIED");
      else fields.checkEnum(v, `roles[${i}]`, m.roles[i]!, Role);
    }
  }
  if (!(m.firstSeq >= 0 && m.firstSeq <= 9007199254740991)) fields.addRange(v, "first_seq", m.firstSeq, {"min":0,"max":9007199254740991});
  if (!(m.lastSeq >= 0 && m.lastSeq <= 9007199254740991)) fields.addRange(v, "last_seq", m.lastSeq, {"min":0,"max":9007199254740991});
}

/** Checks GetMessageRequest. */
export function checkGetMessageRequest(v: Violations, m: GetMessageRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.messageId === "") v.add("message_id", "is required");
  else if (fields.checkText(v, "message_id", m.messageId, 256)) fields.checkForm(v, "message_id", m.messageId, ID);
}

/** Checks UpdateMessageRequest. */
export function checkUpdateMessageRequest(v: Violations, m: UpdateMessageRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.message === undefined) v.add("message", "is required");
  else {
    v.enter("message");
    checkMessage(v, m.message);
    v.leave();
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks DeleteMessageRequest. */
export function checkDeleteMessageRequest(v: Violations, m: DeleteMessageRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.messageId === "") v.add("message_id", "is required");
  else if (fields.checkText(v, "message_id", m.messageId, 256)) fields.checkForm(v, "message_id", m.messageId, ID);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks GetWindowRequest. */
export function checkGetWindowRequest(v: Violations, m: GetWindowRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.policy !== undefined) {
    v.enter("policy");
    checkPolicyChoice(v, m.policy);
    v.leave();
  }
  if (m.asOfSeq !== undefined) {
    if (!(m.asOfSeq >= 0 && m.asOfSeq <= 9007199254740991)) fields.addRange(v, "as_of_seq", m.asOfSeq, {"min":0,"max":9007199254740991});
  }
  if (m.newest !== undefined) {
    if (!(m.newest >= 1 && m.newest <= 10000)) fields.addRange(v, "newest", m.newest, {"min":1,"max":10000});
  }
}

/** Checks PreviewPolicyRequest. */
export function checkPreviewPolicyRequest(v: Violations, m: PreviewPolicyRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.policies.length > 8) fields.addCount(v, "policies", m.policies.length, 8);
  else {
    for (let i = 0; i < m.policies.length && !v.full; i++) {
      v.enterItem("policies", i);
      checkPolicyChoice(v, m.policies[i]!);
      v.leaveItem();
    }
  }
  for (let i = 0; i < m.occasions.length && !v.full; i++) {
    if (m.occasions[i]! === 0) v.add(`occasions[${i}]`, "must not be STAGE_ON_UNSPECIFIED");
    else fields.checkEnum(v, `occasions[${i}]`, m.occasions[i]!, StageOn);
  }
  if (m.source !== 0) fields.checkEnum(v, "source", m.source, PreviewSource);
  if (m.modelInputTokens !== undefined) {
    if (!(m.modelInputTokens >= 0 && m.modelInputTokens <= 1000000000)) fields.addRange(v, "model_input_tokens", m.modelInputTokens, {"min":0,"max":1000000000});
  }
  if (m.toolOutcomes.length > 256) fields.addCount(v, "tool_outcomes", m.toolOutcomes.length, 256);
  else {
    for (let i = 0; i < m.toolOutcomes.length && !v.full; i++) {
      v.enterItem("tool_outcomes", i);
      checkToolOutcome(v, m.toolOutcomes[i]!);
      v.leaveItem();
    }
  }
}

/** Checks ListPolicyPresetsRequest. */
export function checkListPolicyPresetsRequest(v: Violations, m: ListPolicyPresetsRequest): void {
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks TrimSessionRequest. */
export function checkTrimSessionRequest(v: Violations, m: TrimSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  switch (m.target?.$case) {
    case undefined:
      v.add("target", "one of max_tokens, max_messages, keep_recent and run_policy is required");
      break;
    case "maxTokens":
      if (!(m.target.value >= 0 && m.target.value <= 1000000000)) fields.addRange(v, "max_tokens", m.target.value, {"min":0,"max":1000000000});
      break;
    case "maxMessages":
      if (!(m.target.value >= 0 && m.target.value <= 10000)) fields.addRange(v, "max_messages", m.target.value, {"min":0,"max":10000});
      break;
    case "keepRecent":
      if (!(m.target.value >= 0 && m.target.value <= 10000)) fields.addRange(v, "keep_recent", m.target.value, {"min":0,"max":10000});
      break;
  }
  if (m.unit !== 0) fields.checkEnum(v, "unit", m.unit, WindowUnit);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks RestoreMessagesRequest. */
export function checkRestoreMessagesRequest(v: Violations, m: RestoreMessagesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.messageIds.length > 1000) fields.addCount(v, "message_ids", m.messageIds.length, 1000);
  else {
    for (let i = 0; i < m.messageIds.length && !v.full; i++) {
      if (m.messageIds[i]! === "") v.add(`message_ids[${i}]`, "is required");
      else if (fields.checkText(v, `message_ids[${i}]`, m.messageIds[i]!, 256)) fields.checkForm(v, `message_ids[${i}]`, m.messageIds[i]!, ID);
    }
  }
  if (m.seqRanges.length > 100) fields.addCount(v, "seq_ranges", m.seqRanges.length, 100);
  else {
    for (let i = 0; i < m.seqRanges.length && !v.full; i++) {
      v.enterItem("seq_ranges", i);
      checkSeqRange(v, m.seqRanges[i]!);
      v.leaveItem();
    }
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks SeqRange. */
export function checkSeqRange(v: Violations, m: SeqRange): void {
  if (!(m.firstSeq >= 1)) fields.addRange(v, "first_seq", m.firstSeq, {"min":1});
}

/** Checks ListSummaryInputsRequest. */
export function checkListSummaryInputsRequest(v: Violations, m: ListSummaryInputsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  switch (m.choice?.$case) {
    case undefined:
      v.add("choice", "one of keep_recent and stage is required");
      break;
    case "keepRecent":
      if (!(m.choice.value >= 0 && m.choice.value <= 10000)) fields.addRange(v, "keep_recent", m.choice.value, {"min":0,"max":10000});
      break;
    case "stage":
      if (m.choice.value === "") v.add("stage", "is required");
      else fields.checkText(v, "stage", m.choice.value, 63);
      break;
  }
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks SetSummaryRequest. */
export function checkSetSummaryRequest(v: Violations, m: SetSummaryRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.text !== "") fields.checkText(v, "text", m.text, 65536);
  if (m.replacedMessageIds.length > 10000) fields.addCount(v, "replaced_message_ids", m.replacedMessageIds.length, 10000);
  else {
    for (let i = 0; i < m.replacedMessageIds.length && !v.full; i++) {
      if (m.replacedMessageIds[i]! === "") v.add(`replaced_message_ids[${i}]`, "is required");
      else if (fields.checkText(v, `replaced_message_ids[${i}]`, m.replacedMessageIds[i]!, 256)) fields.checkForm(v, `replaced_message_ids[${i}]`, m.replacedMessageIds[i]!, ID);
    }
  }
  if (m.placement !== 0) fields.checkEnum(v, "placement", m.placement, SummaryPlacement);
  if (m.expectedVersion !== undefined) {
    if (!(m.expectedVersion >= 0 && m.expectedVersion <= 9007199254740991)) fields.addRange(v, "expected_version", m.expectedVersion, {"min":0,"max":9007199254740991});
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks CompactSessionRequest. */
export function checkCompactSessionRequest(v: Violations, m: CompactSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  switch (m.choice?.$case) {
    case undefined:
      v.add("choice", "one of keep_recent and stage is required");
      break;
    case "keepRecent":
      if (!(m.choice.value >= 0 && m.choice.value <= 10000)) fields.addRange(v, "keep_recent", m.choice.value, {"min":0,"max":10000});
      break;
    case "stage":
      if (m.choice.value === "") v.add("stage", "is required");
      else fields.checkText(v, "stage", m.choice.value, 63);
      break;
  }
  if (m.summarize !== undefined) {
    v.enter("summarize");
    checkSummarize(v, m.summarize);
    v.leave();
  }
  if (m.wait !== undefined) {
    fields.checkDuration(v, "wait", m.wait, {"min":0,"max":600});
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ListSummariesRequest. */
export function checkListSummariesRequest(v: Violations, m: ListSummariesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.order !== 0) fields.checkEnum(v, "order", m.order, SummaryOrder);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks ListSummarySourcesRequest. */
export function checkListSummarySourcesRequest(v: Violations, m: ListSummarySourcesRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (!(m.version >= 1 && m.version <= 9007199254740991)) fields.addRange(v, "version", m.version, {"min":1,"max":9007199254740991});
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks FillToolResultsRequest. */
export function checkFillToolResultsRequest(v: Violations, m: FillToolResultsRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.text !== "") fields.checkText(v, "text", m.text, 1024);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ExportSessionRequest. */
export function checkExportSessionRequest(v: Violations, m: ExportSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId === "") v.add("session_id", "is required");
  else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
}

/** Checks ImportSessionRequest. */
export function checkImportSessionRequest(v: Violations, m: ImportSessionRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId !== "" && fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  if (m.uploadId !== "") fields.checkText(v, "upload_id", m.uploadId, 64);
  if (!(m.chunkIndex >= 0 && m.chunkIndex <= 1000000000)) fields.addRange(v, "chunk_index", m.chunkIndex, {"min":0,"max":1000000000});
  if (m.chunk === undefined) v.add("chunk", "is required");
  else {
    v.enter("chunk");
    checkSnapshotChunk(v, m.chunk);
    v.leave();
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks SnapshotChunk. */
export function checkSnapshotChunk(v: Violations, m: SnapshotChunk): void {
  if (m.messages.length > 10000) fields.addCount(v, "messages", m.messages.length, 10000);
}

/** Checks CountTokensRequest. */
export function checkCountTokensRequest(v: Violations, m: CountTokensRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.texts.length > 256) fields.addCount(v, "texts", m.texts.length, 256);
  if (m.messages.length > 256) fields.addCount(v, "messages", m.messages.length, 256);
  else {
    for (let i = 0; i < m.messages.length && !v.full; i++) {
      v.enterItem("messages", i);
      checkMessage(v, m.messages[i]!);
      v.leaveItem();
    }
  }
  if (m.tokenRule !== 0) fields.checkEnum(v, "token_rule", m.tokenRule, TokenRule);
  if (m.model !== "") fields.checkText(v, "model", m.model, 127);
  if (m.customTokenRule !== undefined) {
    v.enter("custom_token_rule");
    checkCustomTokenRule(v, m.customTokenRule);
    v.leave();
  }
  if (m.imageTokenCount !== undefined) {
    if (!(m.imageTokenCount >= 0 && m.imageTokenCount <= 1000000)) fields.addRange(v, "image_token_count", m.imageTokenCount, {"min":0,"max":1000000});
  }
}

/** Checks PollTasksRequest. */
export function checkPollTasksRequest(v: Violations, m: PollTasksRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.hooks.length === 0) v.add("hooks", "must have 1 entry at least", 1);
  else {
    if (m.hooks.length > 16) fields.addCount(v, "hooks", m.hooks.length, 16);
    else {
      for (let i = 0; i < m.hooks.length && !v.full; i++) {
        if (m.hooks[i]! === "") v.add(`hooks[${i}]`, "is required");
        else fields.checkForm(v, `hooks[${i}]`, m.hooks[i]!, NAME);
      }
    }
  }
  if (!(m.maxTasks >= 0 && m.maxTasks <= 16)) fields.addRange(v, "max_tasks", m.maxTasks, {"min":0,"max":16});
  if (m.wait !== undefined) {
    fields.checkDuration(v, "wait", m.wait, {"min":0,"max":60});
  }
  if (m.lease !== undefined) {
    fields.checkDuration(v, "lease", m.lease, {"min":1,"max":3600});
  }
  if (m.workerId !== "") fields.checkText(v, "worker_id", m.workerId, 128);
}

/** Checks CompleteTaskRequest. */
export function checkCompleteTaskRequest(v: Violations, m: CompleteTaskRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.taskId === "") v.add("task_id", "is required");
  if (m.leaseToken === "") v.add("lease_token", "is required");
  else fields.checkText(v, "lease_token", m.leaseToken, 128);
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
  switch (m.output?.$case) {
    case undefined:
      v.add("output", "one of summarize, embed, rerank, extract, score and resolve is required");
      break;
  }
}

/** Checks FailTaskRequest. */
export function checkFailTaskRequest(v: Violations, m: FailTaskRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.taskId === "") v.add("task_id", "is required");
  if (m.leaseToken === "") v.add("lease_token", "is required");
  else fields.checkText(v, "lease_token", m.leaseToken, 128);
  if (m.message !== "") fields.checkText(v, "message", m.message, 256);
  if (m.retryDelay !== undefined) {
    fields.checkDuration(v, "retry_delay", m.retryDelay, {"min":0,"max":3600});
  }
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks ExtendLeaseRequest. */
export function checkExtendLeaseRequest(v: Violations, m: ExtendLeaseRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.taskId === "") v.add("task_id", "is required");
  if (m.leaseToken === "") v.add("lease_token", "is required");
  else fields.checkText(v, "lease_token", m.leaseToken, 128);
  if (m.lease !== undefined) {
    fields.checkDuration(v, "lease", m.lease, {"min":1,"max":3600});
  }
}

/** Checks ListTasksRequest. */
export function checkListTasksRequest(v: Violations, m: ListTasksRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.sessionId !== undefined) {
    if (m.sessionId === "") v.add("session_id", "must not be empty; leave it unset");
    else if (fields.checkText(v, "session_id", m.sessionId, 512)) fields.checkForm(v, "session_id", m.sessionId, ID);
  }
  if (m.hook !== undefined) {
    if (m.hook === "") v.add("hook", "must not be empty; leave it unset");
    else fields.checkForm(v, "hook", m.hook, NAME);
  }
  if (m.type !== 0) fields.checkEnum(v, "type", m.type, TaskType);
  if (m.state !== 0) fields.checkEnum(v, "state", m.state, TaskState);
  if (!(m.pageSize >= 0)) fields.addRange(v, "page_size", m.pageSize, {"min":0});
  if (m.pageToken !== "") fields.checkText(v, "page_token", m.pageToken, 2048);
}

/** Checks GetTaskRequest. */
export function checkGetTaskRequest(v: Violations, m: GetTaskRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.taskId === "") v.add("task_id", "is required");
}

/** Checks RetryTaskRequest. */
export function checkRetryTaskRequest(v: Violations, m: RetryTaskRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.taskId === "") v.add("task_id", "is required");
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** Checks DeleteTaskRequest. */
export function checkDeleteTaskRequest(v: Violations, m: DeleteTaskRequest): void {
  if (m.namespace !== "") fields.checkForm(v, "namespace", m.namespace, NAMESPACE);
  if (m.taskId === "") v.add("task_id", "is required");
  if (m.requestId !== "") fields.checkText(v, "request_id", m.requestId, 128);
}

/** The checks of requests by the name of their type, with a leading dot. */
export const REQUEST_CHECKS: ReadonlyMap<string, (v: Violations, m: any) => void> = new Map<string, (v: Violations, m: any) => void>([
  [".memorysidecar.v1.ListHooksRequest", checkListHooksRequest],
  [".memorysidecar.v1.BackUpRequest", checkBackUpRequest],
  [".memorysidecar.v1.EraseSubjectRequest", checkEraseSubjectRequest],
  [".memorysidecar.v1.GetErasureRequest", checkGetErasureRequest],
  [".memorysidecar.v1.WatchEventsRequest", checkWatchEventsRequest],
  [".memorysidecar.v1.ListEventsRequest", checkListEventsRequest],
  [".memorysidecar.v1.CreateConsumerRequest", checkCreateConsumerRequest],
  [".memorysidecar.v1.GetConsumerRequest", checkGetConsumerRequest],
  [".memorysidecar.v1.ListConsumersRequest", checkListConsumersRequest],
  [".memorysidecar.v1.DeleteConsumerRequest", checkDeleteConsumerRequest],
  [".memorysidecar.v1.AckEventsRequest", checkAckEventsRequest],
  [".memorysidecar.v1.RememberRequest", checkRememberRequest],
  [".memorysidecar.v1.GetMemoryRequest", checkGetMemoryRequest],
  [".memorysidecar.v1.ListMemoriesRequest", checkListMemoriesRequest],
  [".memorysidecar.v1.UpdateMemoryRequest", checkUpdateMemoryRequest],
  [".memorysidecar.v1.ReinforceMemoriesRequest", checkReinforceMemoriesRequest],
  [".memorysidecar.v1.DecayMemoriesRequest", checkDecayMemoriesRequest],
  [".memorysidecar.v1.ForgetMemoriesRequest", checkForgetMemoriesRequest],
  [".memorysidecar.v1.PurgeMemoriesRequest", checkPurgeMemoriesRequest],
  [".memorysidecar.v1.ListMemoryVersionsRequest", checkListMemoryVersionsRequest],
  [".memorysidecar.v1.RestoreMemoryVersionRequest", checkRestoreMemoryVersionRequest],
  [".memorysidecar.v1.QueryRelationsRequest", checkQueryRelationsRequest],
  [".memorysidecar.v1.MergeEntitiesRequest", checkMergeEntitiesRequest],
  [".memorysidecar.v1.ConsolidateSessionRequest", checkConsolidateSessionRequest],
  [".memorysidecar.v1.ExtractMemoriesRequest", checkExtractMemoriesRequest],
  [".memorysidecar.v1.UpsertDocumentsRequest", checkUpsertDocumentsRequest],
  [".memorysidecar.v1.GetDocumentRequest", checkGetDocumentRequest],
  [".memorysidecar.v1.ListDocumentsRequest", checkListDocumentsRequest],
  [".memorysidecar.v1.ListCollectionsRequest", checkListCollectionsRequest],
  [".memorysidecar.v1.DeleteDocumentsRequest", checkDeleteDocumentsRequest],
  [".memorysidecar.v1.ClearCollectionRequest", checkClearCollectionRequest],
  [".memorysidecar.v1.RecallRequest", checkRecallRequest],
  [".memorysidecar.v1.AssembleContextRequest", checkAssembleContextRequest],
  [".memorysidecar.v1.EmbedRequest", checkEmbedRequest],
  [".memorysidecar.v1.CreateSessionRequest", checkCreateSessionRequest],
  [".memorysidecar.v1.GetSessionRequest", checkGetSessionRequest],
  [".memorysidecar.v1.ListSessionsRequest", checkListSessionsRequest],
  [".memorysidecar.v1.UpdateSessionRequest", checkUpdateSessionRequest],
  [".memorysidecar.v1.DeleteSessionRequest", checkDeleteSessionRequest],
  [".memorysidecar.v1.ForkSessionRequest", checkForkSessionRequest],
  [".memorysidecar.v1.ResetSessionRequest", checkResetSessionRequest],
  [".memorysidecar.v1.AppendMessagesRequest", checkAppendMessagesRequest],
  [".memorysidecar.v1.ListMessagesRequest", checkListMessagesRequest],
  [".memorysidecar.v1.GetMessageRequest", checkGetMessageRequest],
  [".memorysidecar.v1.UpdateMessageRequest", checkUpdateMessageRequest],
  [".memorysidecar.v1.DeleteMessageRequest", checkDeleteMessageRequest],
  [".memorysidecar.v1.GetWindowRequest", checkGetWindowRequest],
  [".memorysidecar.v1.PreviewPolicyRequest", checkPreviewPolicyRequest],
  [".memorysidecar.v1.ListPolicyPresetsRequest", checkListPolicyPresetsRequest],
  [".memorysidecar.v1.TrimSessionRequest", checkTrimSessionRequest],
  [".memorysidecar.v1.RestoreMessagesRequest", checkRestoreMessagesRequest],
  [".memorysidecar.v1.ListSummaryInputsRequest", checkListSummaryInputsRequest],
  [".memorysidecar.v1.SetSummaryRequest", checkSetSummaryRequest],
  [".memorysidecar.v1.CompactSessionRequest", checkCompactSessionRequest],
  [".memorysidecar.v1.ListSummariesRequest", checkListSummariesRequest],
  [".memorysidecar.v1.ListSummarySourcesRequest", checkListSummarySourcesRequest],
  [".memorysidecar.v1.FillToolResultsRequest", checkFillToolResultsRequest],
  [".memorysidecar.v1.ExportSessionRequest", checkExportSessionRequest],
  [".memorysidecar.v1.ImportSessionRequest", checkImportSessionRequest],
  [".memorysidecar.v1.CountTokensRequest", checkCountTokensRequest],
  [".memorysidecar.v1.PollTasksRequest", checkPollTasksRequest],
  [".memorysidecar.v1.CompleteTaskRequest", checkCompleteTaskRequest],
  [".memorysidecar.v1.FailTaskRequest", checkFailTaskRequest],
  [".memorysidecar.v1.ExtendLeaseRequest", checkExtendLeaseRequest],
  [".memorysidecar.v1.ListTasksRequest", checkListTasksRequest],
  [".memorysidecar.v1.GetTaskRequest", checkGetTaskRequest],
  [".memorysidecar.v1.RetryTaskRequest", checkRetryTaskRequest],
  [".memorysidecar.v1.DeleteTaskRequest", checkDeleteTaskRequest],
]);

/** The requests that delete what is stored, by the name of their type, with a leading dot. */
export const DESTRUCTIVE_REQUESTS: ReadonlySet<string> = new Set([
  ".memorysidecar.v1.EraseSubjectRequest",
  ".memorysidecar.v1.DeleteConsumerRequest",
  ".memorysidecar.v1.DecayMemoriesRequest",
  ".memorysidecar.v1.ForgetMemoriesRequest",
  ".memorysidecar.v1.PurgeMemoriesRequest",
  ".memorysidecar.v1.MergeEntitiesRequest",
  ".memorysidecar.v1.DeleteDocumentsRequest",
  ".memorysidecar.v1.ClearCollectionRequest",
  ".memorysidecar.v1.DeleteSessionRequest",
  ".memorysidecar.v1.ResetSessionRequest",
  ".memorysidecar.v1.DeleteMessageRequest",
  ".memorysidecar.v1.TrimSessionRequest",
  ".memorysidecar.v1.DeleteTaskRequest",
]);
