// Goal: the numbers in the comments of the contract are those of the code. Every number of a
// field's comment that looks like a limit must be the value of one of the limits that belong to the
// field.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFileRegistry, type DescField } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DEFAULT_PROFILE, sectionRules, withMessages } from "../../src/context/rules/profiles.ts";
import { CAPABILITIES } from "../../src/edge/server-info-rpc.ts";
import { loadDescriptors } from "../../src/grpc/descriptors.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { CONTEXT_FLOORS } from "../../src/recall/rank/relevance.ts";
import { WEIGHT_NAMES, WEIGHT_TABLE } from "../../src/recall/rank/weights.ts";
import { type FieldRules, RuleReader } from "../../tools/rules.ts";
import { MEMORY_STATED, type Stated } from "../support/contract/stated-memories.ts";

const FOLDER = join(import.meta.dirname, "../../proto/memorysidecar");
const FILES = globSync(["v1/*.proto", "hook/v1/*.proto"], { cwd: FOLDER }).sort();

type LimitName = keyof typeof LIMITS;

const STATED: readonly Stated[] = [
  { of: "SessionService", limits: ["namespaceChars", "requestIdBytes"] },
  { of: "ErasureSubject.user_id", limits: ["userIdBytes"] },
  { of: "MessagesSubject.message_ids", limits: ["erasedMessages"] },
  { of: "AdminService.EraseSubject", limits: ["erasures"] },
  { of: "Erasure", limits: ["erasureReceipts"] },
  { of: "ErasureRemainder.session_ids", limits: ["erasureSessionIds"] },
  { of: "Session.session_id", limits: ["sessionIdBytes"] },
  { of: "Session.user_id", limits: ["userIdBytes"] },
  { of: "Session.agent_id", limits: ["agentIdBytes"] },
  {
    of: "Session.labels",
    limits: ["labels", "labelKeyChars", "labelValueBytes"],
  },
  { of: "Session.metadata", limits: ["metadataBytes", "structDepth"] },
  { of: "Summary.text", limits: ["summaryBytes"] },
  { of: "Message", limits: ["messageBytes"] },
  { of: "Message.message_id", limits: ["messageIdBytes"] },
  { of: "Message.name", limits: ["nameBytes"] },
  { of: "Message.parts", limits: ["parts"] },
  { of: "Message.tool_calls", limits: ["toolCalls"] },
  { of: "Message.agent_calls", limits: ["agentCalls"] },
  { of: "Message.tool_call_id", limits: ["callIdBytes"] },
  {
    of: "Message.structured_data",
    limits: ["structuredDataBytes", "structDepth"],
  },
  { of: "Message.metadata", limits: ["metadataBytes", "structDepth"] },
  {
    of: "Message.labels",
    limits: ["labels", "labelKeyChars", "labelValueBytes"],
  },
  { of: "Message.token_count", limits: ["tokenCount", "countedTokens"] },
  { of: "Message.provider_role", limits: ["providerRoleBytes"] },
  { of: "Message.structured_json", limits: ["structuredDataBytes", "structDepth"] },
  { of: "ContentPart.json", limits: ["structuredDataBytes", "structDepth"] },
  { of: "Reasoning.summaries", limits: ["reasoningSummaries"] },
  { of: "Reasoning.signature", limits: ["reasoningSignatureBytes"] },
  { of: "Reasoning.reasoning_id", limits: ["reasoningIdBytes"] },
  { of: "ContentPart.data", limits: ["structuredDataBytes", "structDepth"] },
  { of: "ToolResult.tool_call_id", limits: ["callIdBytes"] },
  { of: "ToolResult.parts", limits: ["toolResultParts"] },
  { of: "Image.url", limits: ["imageUrlBytes"] },
  { of: "Image.media_type", limits: ["mediaTypeBytes"] },
  { of: "Image.detail", limits: ["imageDetailBytes"] },
  { of: "ToolCall.tool_call_id", limits: ["callIdBytes"] },
  { of: "ToolCall.name", limits: ["nameBytes"] },
  { of: "AgentCall.agent_call_id", limits: ["callIdBytes"] },
  { of: "AgentCall.agent_name", limits: ["nameBytes"] },
  { of: "ProviderPayload.provider", limits: ["providerBytes"] },
  { of: "ProviderPayload.media_type", limits: ["mediaTypeBytes"] },
  { of: "ProviderPayload.data", limits: ["providerPayloadBytes"] },
  { of: "AppendMessagesRequest.messages", limits: ["appendMessages"] },
  {
    of: "AppendMessagesRequest.form_messages",
    limits: ["appendMessages", "formDepth", "formMessageBytes"],
  },
  { of: "RenderedMessages.messages", limits: ["renderedBytes"] },
  { of: "RenderedMessages.notes", limits: ["formNotes"] },
  { of: "FormNote.subject", limits: ["formSubjectBytes"] },
  { of: "AppendMessagesRequest.request_id", limits: ["requestIdBytes"] },
  {
    of: "ListMessagesRequest.page_size",
    limits: ["pageSizeMax", "pageScan"],
  },
  { of: "ListMessagesRequest.page_token", limits: ["pageTokenBytes"] },
  { of: "MessageFilter.roles", limits: ["filterRoles"] },
  { of: "ListSessionsRequest.page_token", limits: ["pageTokenBytes"] },
  { of: "ListSessionsRequest.page_size", limits: ["pageSizeMax", "pageScan"] },
  { of: "SessionFilter.labels", limits: ["labels"] },
  { of: "EventService", limits: ["resumeTokenBytes"] },
  { of: "EventFilter.event_types", limits: ["filterTypes"] },
  { of: "Consumer.consumer_id", limits: ["consumerIdBytes"] },
  { of: "CreateConsumerRequest.consumer_id", limits: ["consumerIdBytes"] },
  { of: "ListEventsRequest.page_token", limits: ["pageTokenBytes"] },
  { of: "Policy", limits: ["windowMessages", "windowBytes"] },
  { of: "Policy.image_token_count", limits: ["imageTokenCount"] },
  { of: "Policy.stages", limits: ["policyStages", "policyBytes"] },
  { of: "Policy.name", limits: ["policyNameBytes"] },
  { of: "Policy.model", limits: ["modelBytes"] },
  { of: "Policy.context_window", limits: ["policyTokens"] },
  { of: "Preset.options", limits: ["presetOptionsBytes"] },
  { of: "Protections.pin_first", limits: ["windowMessages"] },
  { of: "Protections.min_messages", limits: ["windowMessages"] },
  {
    of: "Protections.pin_message_ids",
    limits: ["pinIds", "messageIdBytes"],
  },
  { of: "ToolResultFill.text", limits: ["fillTextBytes"] },
  { of: "CustomTokenRule.per_message", limits: ["imageTokenCount"] },
  { of: "CustomTokenRule.per_call", limits: ["imageTokenCount"] },
  { of: "CustomTokenRule.min", limits: ["imageTokenCount"] },
  { of: "PolicyStage.name", limits: ["stageNameChars"] },
  { of: "PolicyStage.any_of", limits: ["policyTriggers"] },
  { of: "PolicyStage.count_if", limits: ["conditions", "conditionBytes"] },
  { of: "Trigger.message_count_over", limits: ["windowMessages"] },
  { of: "Trigger.token_count_over", limits: ["policyTokens"] },
  { of: "Trigger.model_input_tokens_over", limits: ["policyTokens"] },
  { of: "Trigger.turn_count_over", limits: ["windowMessages"] },
  { of: "Trigger.turn_tokens_over", limits: ["policyTokens"] },
  { of: "Trigger.new_messages_at_least", limits: ["windowMessages"] },
  { of: "Trigger.new_tokens_at_least", limits: ["policyTokens"] },
  { of: "ToolNames.names", limits: ["triggerTools", "nameBytes"] },
  { of: "DropOldest.max_messages", limits: ["windowMessages"] },
  { of: "DropOldest.max_tokens", limits: ["policyTokens"] },
  { of: "KeepLast.unit_count", limits: ["windowMessages"] },
  { of: "PackNewest.max_tokens", limits: ["policyTokens"] },
  { of: "PinMiddleRecent.pin_first", limits: ["windowMessages"] },
  { of: "PinMiddleRecent.keep_recent", limits: ["windowMessages"] },
  { of: "PinMiddleRecent.min_removed", limits: ["windowMessages"] },
  {
    of: "Filter.conditions",
    limits: ["conditions", "conditionBytes", "conditionSteps"],
  },
  {
    of: "Shorten.max_tokens",
    limits: ["shortenTokensMin", "shortenTokensMax"],
  },
  {
    of: "Shorten.keep_chars",
    limits: ["shortenCharsMin", "shortenCharsMax"],
  },
  { of: "Shorten.marker", limits: ["shortenMarkerBytes"] },
  { of: "Shorten.min_saved_tokens", limits: ["policyTokens"] },
  { of: "Shorten.keep_newest", limits: ["windowMessages"] },
  { of: "DropDuplicates.lookahead", limits: ["duplicateLookahead"] },
  { of: "PolicyWarned", limits: ["policyWarnings"] },
  { of: "GetWindowRequest.newest", limits: ["windowMessages"] },
  { of: "AppendMessagesRequest.model_input_tokens", limits: ["policyTokens"] },
  { of: "AppendMessagesRequest.tool_outcomes", limits: ["toolOutcomes"] },
  { of: "ToolOutcome.tool", limits: ["nameBytes"] },
  { of: "GetWindowResponse.outside_seq_ranges", limits: ["outsideRanges"] },
  {
    of: "GetWindowResponse.open_tool_call_ids",
    limits: ["openToolCallIds", "answerIdBytes"],
  },
  { of: "TrimSessionRequest.max_tokens", limits: ["policyTokens"] },
  { of: "TrimSessionRequest.max_messages", limits: ["windowMessages"] },
  { of: "TrimSessionRequest.keep_recent", limits: ["windowMessages"] },
  { of: "AppendMessagesRequest.on_existing", limits: ["editBytes"] },
  { of: "BatchGetMessagesRequest.message_ids", limits: ["batchMessages"] },
  { of: "BatchGetMessagesRequest.seq_ranges", limits: ["batchMessages"] },
  { of: "FindMessagesRequest.message_ids", limits: ["batchMessages"] },
  { of: "DeleteFoundMessagesRequest.message_ids", limits: ["batchMessages"] },
  {
    of: "DeleteFoundMessagesResponse.next_page_token",
    limits: ["pageScan", "findQuestions", "batchMessages", "pageBytes"],
  },
  { of: "MessageSessions", limits: ["pageScan"] },
  { of: "MessageSessions.session_ids", limits: ["listedSessionIds"] },
  { of: "FindMessagesRequest.page_size", limits: ["pageScan", "findQuestions"] },
  { of: "BatchDeleteMessagesRequest.message_ids", limits: ["batchMessages", "editBytes"] },
  { of: "BatchDeleteMessagesRequest.seq_ranges", limits: ["batchMessages"] },
  { of: "PopMessagesRequest.count", limits: ["batchMessages"] },
  { of: "ReplaceMessagesRequest.messages", limits: ["appendMessages"] },
  { of: "ContextBlock.tool_call_id", limits: ["contextCallIdBytes"] },
  {
    of: "ReplaceMessagesRequest.form_messages",
    limits: ["appendMessages", "formDepth", "formMessageBytes"],
  },
  { of: "ReplaceMessagesRequest.from_seq", limits: ["batchMessages", "editBytes"] },
  { of: "RestoreMessagesRequest.message_ids", limits: ["restoreMessages"] },
  { of: "RestoreMessagesRequest.seq_ranges", limits: ["restoreRanges"] },
  { of: "ListSummaryInputsRequest.keep_recent", limits: ["windowMessages"] },
  { of: "SetSummaryRequest.text", limits: ["summaryBytes"] },
  {
    of: "SetSummaryRequest.replaced_message_ids",
    limits: ["replacedMessages"],
  },
  { of: "FillToolResultsRequest.text", limits: ["fillTextBytes"] },
  { of: "FillToolResultsResponse.messages", limits: ["filledResults"] },
  { of: "PreviewPolicyRequest.policies", limits: ["previewPolicies"] },
  { of: "PreviewPolicyRequest.tool_outcomes", limits: ["toolOutcomes"] },
  { of: "PolicyPreview.messages", limits: ["previewMessages", "previewBytes"] },
  { of: "Session.placed_summaries", limits: ["placedSummaries"] },
  { of: "StageRun.awaiting_message_ids", limits: ["awaitsSummary", "answerIdBytes"] },
  {
    of: "GetWindowResponse.shortened_message_ids",
    limits: ["shortenedIds", "answerIdBytes"],
  },
  { of: "ToolResultsFilled.tool_call_ids", limits: ["filledCallIds"] },
  { of: "SnapshotHeader.window_seq_ranges", limits: ["windowMessages"] },
  { of: "SnapshotHeader.outcomes", limits: ["toolOutcomes"] },
  { of: "ExportSessionResponse", limits: ["exports", "namespaceExports"] },
  { of: "ImportSessionRequest.upload_id", limits: ["uploads", "namespaceUploads"] },
  {
    of: "SnapshotChunk.messages",
    limits: ["snapshotChunkBytes", "importMessages", "importHoles"],
  },
  {
    of: "SnapshotChunk.document",
    limits: [
      "snapshotDocumentBytes",
      "documentDepth",
      "documentValues",
      "uploadBytes",
      "namespaceUploadBytes",
    ],
  },
  { of: "ImportSessionRequest.request_id", limits: ["requestIdBytes"] },
  { of: "Summarize.hook", limits: ["hookNameChars"] },
  {
    of: "Summarize.max_tokens",
    limits: ["summaryTokensMin", "summaryTokensMax"],
  },
  { of: "Summarize.instructions", limits: ["summaryInstructionsBytes"] },
  { of: "Summarize.max_loops", limits: ["summaryLoops"] },
  { of: "Summarize.placeholder", limits: ["summaryPlaceholderBytes"] },
  { of: "Summarize.separator", limits: ["summarySeparatorBytes"] },
  {
    of: "Summarize.last_chars",
    limits: ["summaryLastCharsMin", "summaryLastCharsMax"],
  },
  { of: "Summarize.prefix", limits: ["summaryPrefixBytes"] },
  {
    of: "Summarize.fan_in",
    limits: ["summaryFanInMin", "summaryFanInMax"],
  },
  { of: "SummaryView.prefix", limits: ["summaryPrefixBytes"] },
  { of: "Summary.seq_ranges", limits: ["summaryRanges", "summaryHistoryRanges"] },
  { of: "SummaryOrigin.source_versions", limits: ["summarySourceVersions"] },
  { of: "SummaryOrigin.model", limits: ["hookModelBytes"] },
  { of: "CompactSessionRequest.keep_recent", limits: ["windowMessages"] },
  { of: "CompactSessionRequest.wait", limits: ["compactWaitMs"] },
  { of: "CompactSessionRequest.request_id", limits: ["requestIdBytes"] },
  { of: "ListSummariesRequest.page_size", limits: ["pageSizeMax"] },
  { of: "ListSummariesResponse", limits: ["summaryHistory"] },
  { of: "ListSummariesResponse.summaries", limits: ["pageBytes"] },
  { of: "ListSummarySourcesRequest.page_size", limits: ["pageSizeMax"] },
  { of: "ListSummarySourcesResponse.messages", limits: ["pageBytes"] },
  { of: "HookTask", limits: ["deadTasks", "stageTasks"] },
  { of: "TaskFailure.message", limits: ["taskFailureBytes"] },
  { of: "SummarizeInput.prior_texts", limits: ["taskPriorBytes"] },
  { of: "SummarizeOutput.text", limits: ["summaryBytes"] },
  {
    of: "SummarizeOutput.missing_entities",
    limits: ["missingEntities", "missingEntityBytes"],
  },
  { of: "SummarizeOutput.request_text", limits: ["summaryRequestBytes"] },
  { of: "SummarizeOutput.facts", limits: ["summaryFacts", "summaryFactBytes"] },
  {
    of: "SummarizeOutput.open_threads",
    limits: ["summaryFacts", "summaryFactBytes"],
  },
  { of: "SummarizeOutput.model", limits: ["hookModelBytes"] },
  { of: "SummarizeOutput.input_tokens", limits: ["hookTokens"] },
  { of: "SummarizeOutput.output_tokens", limits: ["hookTokens"] },
  {
    of: "TaskService",
    limits: [
      ...(["directTasks", "directTaskBytes"] as const),
      ...(["namespaceDirectTasks", "namespaceDirectTaskBytes"] as const),
    ],
  },
  { of: "EmbedInput.texts", limits: ["embedBytes"] },
  { of: "EmbedOutput.vectors", limits: ["taskVectorValues"] },
  { of: "RerankInput.query", limits: ["recallQueryBytes"] },
  {
    of: "RerankInput.texts",
    limits: ["rerankCandidates", "recallPassageBytes"],
  },
  { of: "PollTasksRequest.hooks", limits: ["pollHooks"] },
  { of: "PollTasksRequest.max_tasks", limits: ["pollTasks"] },
  { of: "PollTasksRequest.wait", limits: ["pollWaitMs", "polls", "namespacePolls"] },
  {
    of: "PollTasksRequest.lease",
    limits: ["leaseMsDefault", "leaseMsMin", "leaseMsMax"],
  },
  { of: "PollTasksRequest.worker_id", limits: ["workerIdBytes"] },
  { of: "PollTasksResponse.tasks", limits: ["pageBytes"] },
  { of: "CompleteTaskRequest.lease_token", limits: ["leaseTokenBytes"] },
  { of: "CompleteTaskRequest.request_id", limits: ["requestIdBytes"] },
  { of: "FailTaskRequest.lease_token", limits: ["leaseTokenBytes"] },
  { of: "FailTaskRequest.message", limits: ["taskFailureBytes"] },
  { of: "FailTaskRequest.retry_delay", limits: ["retryDelayMsMax"] },
  { of: "FailTaskRequest.request_id", limits: ["requestIdBytes"] },
  { of: "ExtendLeaseRequest.lease_token", limits: ["leaseTokenBytes"] },
  {
    of: "ExtendLeaseRequest.lease",
    limits: ["leaseMsDefault", "leaseMsMin", "leaseMsMax"],
  },
  { of: "ListTasksRequest.page_size", limits: ["pageSizeMax"] },
  { of: "ListHooksRequest.page_size", limits: ["pageSizeMax"] },
  { of: "RetryTaskRequest.request_id", limits: ["requestIdBytes"] },
  { of: "DeleteTaskRequest.request_id", limits: ["requestIdBytes"] },
  { of: "SummarySet.seq_ranges", limits: ["summaryRanges"] },
  { of: "SummaryRequested.seq_ranges", limits: ["summaryRanges"] },
  { of: "TaskDead.seq_ranges", limits: ["summaryRanges"] },
  { of: "Document", limits: ["collections", "documentBytes", "documentWithPayloadBytes"] },
  { of: "Document.collection_id", limits: ["collectionIdBytes"] },
  { of: "ClearCollectionRequest.recursive", limits: ["changeCollections"] },
  {
    of: "Document.document_id",
    limits: ["documentIdBytes", "splitDocumentIdBytes"],
  },
  { of: "Document.author", limits: ["nameBytes"] },
  { of: "Document.metadata", limits: ["metadataBytes", "structDepth"] },
  {
    of: "Document.labels",
    limits: ["labels", "labelKeyChars", "labelValueBytes"],
  },
  { of: "Embedding.values", limits: ["embeddingValues"] },
  { of: "Embedding.model", limits: ["embeddingModelBytes"] },
  {
    of: "TextSplitter.chunk_chars",
    limits: ["chunkCharsMin", "chunkCharsMax", "chunkCharsDefault"],
  },
  { of: "UpsertDocumentsRequest.documents", limits: ["writeDocuments"] },
  { of: "UpsertDocumentsRequest.splitter", limits: ["writeDocuments"] },
  { of: "UpsertDocumentsRequest.request_id", limits: ["requestIdBytes"] },
  {
    of: "ListDocumentsRequest.page_size",
    limits: ["pageSizeMax", "pageScan", "pageBytes"],
  },
  { of: "ListDocumentsRequest.page_token", limits: ["pageTokenBytes"] },
  { of: "DocumentFilter.labels", limits: ["labels"] },
  { of: "DocumentFilter.metadata", limits: ["metadataConditions"] },
  { of: "DocumentFilter.source_document_id", limits: ["documentIdBytes"] },
  { of: "ListCollectionsRequest.page_size", limits: ["pageSizeMax"] },
  { of: "ListCollectionsRequest.page_token", limits: ["pageTokenBytes"] },
  {
    of: "DeleteDocumentsRequest.document_ids",
    limits: ["writeDocuments", "deleteDocuments"],
  },
  { of: "DeleteDocumentsRequest.request_id", limits: ["requestIdBytes"] },
  { of: "PurgeDocumentsRequest.request_id", limits: ["requestIdBytes"] },
  { of: "PurgeDocumentsResponse.document_count", limits: ["purgeCount"] },
  { of: "PurgeDocumentsResponse.sample_document_ids", limits: ["purgeSample"] },
  { of: "PurgeDocumentsResponse.more", limits: ["purgeDocuments", "purgeDocumentBytes"] },
  { of: "ClearCollectionRequest.request_id", limits: ["requestIdBytes"] },
  {
    of: "RecallRequest.scoring",
    limits: [
      ...(["scoredHits", "searchQueryBytes", "searchTerms"] as const),
      ...(["searchMemoriesScan", "searchMemoriesImportant"] as const),
    ],
  },
  { of: "RecallFilter.session_id_prefix", limits: ["sessionIdBytes"] },
  { of: "RecallFilter.source_document_id", limits: ["documentIdBytes"] },
  { of: "RecallFilter.kinds", limits: ["recallKinds"] },
  { of: "RecallFilter.session_ids", limits: ["recallSessionIds"] },
  { of: "RecallFilter.exclude_session_ids", limits: ["recallSessionIds"] },
  { of: "RecallFilter.session_labels", limits: ["labels"] },
  { of: "RecallFilter.roles", limits: ["filterRoles"] },
  { of: "RecallFilter.collection_ids", limits: ["recallCollectionIds"] },
  { of: "RecallFilter.labels", limits: ["labels"] },
  { of: "RecallFilter.metadata", limits: ["metadataConditions"] },
  { of: "RecallFilter.memory_kinds", limits: ["memoryFilterKinds"] },
  {
    of: "RecallFilter.categories",
    limits: ["memoryFilterCategories", "memoryCategoryBytes"],
  },
  { of: "MetadataCondition.path", limits: ["metadataPathBytes"] },
  { of: "MetadataCondition.one_of", limits: ["metadataValues"] },
  { of: "RecallHit.passage", limits: ["recallPassageBytes", "searchSnippetChars"] },
  { of: "RecallRequest.query", limits: ["recallQueryBytes", "recallTerms"] },
  {
    of: "RecallRequest.page_size",
    limits: ["recallHits", "recallHitsDefault", "recallDiverseHits", "pageBytes"],
  },
  { of: "RecallRequest.page_token", limits: ["pageTokenBytes"] },
  { of: "CountItemsRequest.metadata_path", limits: ["metadataPathBytes"] },
  {
    of: "CountItemsRequest.max_groups",
    limits: ["itemGroups", "itemGroupsDefault", "pageBytes"],
  },
  { of: "RecallRequest.context_before", limits: ["recallContext"] },
  { of: "RecallRequest.context_after", limits: ["recallContext"] },
  { of: "RecallWeights", limits: ["recallWeight"] },
  {
    of: "RecallWeights.recency_half_life",
    limits: ["recallHalfLifeDays"],
  },
  {
    of: "GroupBySession.hits_per_session",
    limits: ["recallGroupHits", "recallGroupHitsDefault"],
  },
  {
    of: "Rerank.candidates",
    limits: ["rerankCandidates", "rerankCandidatesDefault"],
  },
  {
    of: "EmbedRequest.texts",
    limits: ["embedTexts", "embedTextBytes", "embedBytes"],
  },
  {
    of: "CountTokensRequest.texts",
    limits: ["countTokensTexts", "countTokensBytes"],
  },
  { of: "CountTokensRequest.messages", limits: ["countTokensTexts"] },
  { of: "CountTokensRequest.model", limits: ["modelBytes"] },
  { of: "NamedRecord", limits: ["recordNameBytes"] },
  {
    of: "RecordSearch.documents",
    limits: ["recordDocuments", "writeDocuments", "documentBytes"],
  },
  { of: "WriteRecordsRequest.operations", limits: ["writeDocuments", "deleteDocuments"] },
  { of: "NamedRecord.path", limits: ["recordPathSegments", "recordSegmentBytes"] },
  { of: "NamedRecord.key", limits: ["recordKeyBytes"] },
  { of: "NamedRecord.value", limits: ["recordValueBytes"] },
  { of: "NamedRecord.upload_id", limits: ["recordUploadIdBytes"] },
  {
    of: "UploadRecordPartRequest",
    limits: ["uploadedValueBytes", "recordParts", "recordUploads"],
  },
  { of: "UploadRecordPartRequest.upload_id", limits: ["recordUploadIdBytes"] },
  { of: "UploadRecordPartRequest.data", limits: ["recordValueBytes"] },
  { of: "NamedRecord.media_type", limits: ["recordMediaTypeBytes"] },
  { of: "AppendMessagesRequest.record_operations", limits: ["recordOperations"] },
  { of: "WriteRecordsRequest.operations", limits: ["recordOperations"] },
  { of: "BatchGetRecordsRequest.records", limits: ["recordOperations"] },
  { of: "BatchGetRecordsResponse.results", limits: ["pageBytes"] },
  { of: "ListRecordsRequest.page_size", limits: ["pageBytes", "pageScan", "pageSizeMax"] },
  {
    of: "ListRecordPathsRequest.prefix",
    limits: ["recordPathSegments", "recordSegmentBytes", "recordNameBytes"],
  },
  {
    of: "ListRecordPathsRequest.suffix",
    limits: ["recordPathSegments", "recordSegmentBytes", "recordNameBytes"],
  },
  { of: "ListRecordPathsRequest.max_depth", limits: ["recordPathSegments"] },
  { of: "ListRecordPathsRequest.page_size", limits: ["pageScan", "pageSizeMax"] },
  { of: "DeleteRecordsResponse.more", limits: ["deleteRecords"] },
  ...MEMORY_STATED,
];

/**
 * The comments of the contract, by `Message.field`, `Enum.VALUE` and `Service.Rpc`, or by the name
 * of a message, an enum or a service.
 */
function readComments(): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  let owner = "";
  let comment = "";
  const texts = FILES.map((file) => readFileSync(join(FOLDER, file), "utf8"));
  for (const raw of texts.join("\n").split("\n")) {
    const line = raw.trim();
    if (line.startsWith("//")) {
      comment += ` ${line.slice(2).trim()}`;
      continue;
    }
    const opened = /^(?:message|service|enum) (\w+) \{/.exec(line)?.[1];
    const field =
      /^(?:(?:optional |repeated )?[\w.<>, ]+ )?(\w+) = \d+(?:;| \[)/.exec(line)?.[1] ??
      /^rpc (\w+)\(/.exec(line)?.[1];
    if (opened !== undefined) {
      owner = opened;
      comments.set(owner, comment);
    } else if (field !== undefined) comments.set(`${owner}.${field}`, comment);
    comment = "";
  }
  return comments;
}

const COMMENTS = readComments();

function numbersIn(comment: string): ReadonlySet<number> {
  const found = comment.match(/(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w.]*\d)/g) ?? [];
  return new Set(found.map((text) => Number(text.replaceAll(",", ""))));
}

const UNITS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  MiB: 1_048_576,
};

/** The numbers of a comment, and what they are in milliseconds and bytes where it names a unit. */
function quantitiesIn(comment: string): ReadonlySet<number> {
  const found = new Set(numbersIn(comment));
  for (const [, number = "", unit = ""] of comment.matchAll(/([\d,]+) (second|minute|hour|MiB)/g)) {
    found.add(Number(number.replaceAll(",", "")) * (UNITS[unit] ?? 1));
  }
  return found;
}

/** The fields that have rules of their own. */
function ruledFields(): { name: string; field: DescField; rules: FieldRules }[] {
  const registry = createFileRegistry(loadDescriptors());
  const reader = new RuleReader(registry);
  return [...registry]
    .flatMap((desc) => (desc.kind === "message" ? desc.fields : []))
    .filter((field) => reader.hasRules(field))
    .map((field) => ({
      name: `${field.parent.name}.${field.name}`,
      field,
      rules: reader.of(field),
    }));
}

/** Forms in which comments state the limits of rules, with the limits. */
function statementsOf(
  { fieldKind, message }: DescField,
  rules: FieldRules,
): readonly (readonly [RegExp, number | undefined])[] {
  const { maxBytes, maxItems, max } = rules;
  if (fieldKind === "list" || fieldKind === "map") {
    return maxItems > 0 ? [[/(?:[Aa]t most|\b1 to) ([\d,]+)(?![\d,]* bytes)/, maxItems]] : [];
  }
  if (maxBytes > 0) return [[/(?:[Aa]t most|\b1 to) ([\d,]+)(?: chars and)? bytes/, maxBytes]];
  // Comments tell spans of time in units of their own.
  if (message !== undefined) return [];
  return [[/(?<![\d.,])[\d,.]*\d to ([\d,.]*\d)/, max]];
}

describe("the comments of the contract", () => {
  test.each(STATED)("state the limits of $of", ({ of, limits }) => {
    const comment = COMMENTS.get(of);
    expect(comment).toBeDefined();
    const numbers = quantitiesIn(comment ?? "");
    for (const limit of limits) expect([...numbers], limit).toContain(LIMITS[limit]);
  });

  test("say of every enum whether values may be added", () => {
    const names = [...createFileRegistry(loadDescriptors())].flatMap((desc) =>
      desc.kind === "enum" && desc.typeName.startsWith("memorysidecar.") ? [desc.name] : [],
    );
    expect(names.length).toBeGreaterThan(60);
    const told = /\b(?:Values may be added|No values will be added)\./;
    expect(names.filter((name) => !told.test(COMMENTS.get(name) ?? ""))).toEqual([]);
  });

  test("state every limit that a caller can run into", () => {
    // Inner limits, which a caller meets under another name or never.
    const inner: readonly LimitName[] = [
      ...(["ttlMsMin", "ttlMsMax", "consumers", "pageBytes", "sessionPageBytes"] as const),
      ...(["updateMaskPaths", "eventIdBytes", "promotedTexts"] as const),
      ...(["memoryFurtherSources", "memoryFurtherMessages"] as const),
      // Times, which the comments tell in minutes or hours.
      ...(["uploadIdleMs", "recordUploadMs", "exportStallMs"] as const),
      // Limits of one task: the rest waits for the next task.
      ...(["taskInputBytes", "taskInputMessages"] as const),
    ];
    const stated = new Set<string>([...STATED.flatMap((entry) => entry.limits), ...inner]);
    expect(Object.keys(LIMITS).filter((name) => !stated.has(name))).toEqual([]);
  });

  test("state the numbers of the rules of fields", () => {
    let compared = 0;
    for (const { name, field, rules } of ruledFields()) {
      const comment = COMMENTS.get(name) ?? "";
      for (const [pattern, limit] of statementsOf(field, rules)) {
        const stated = pattern.exec(comment)?.[1];
        if (stated === undefined || limit === undefined) continue;
        expect(Number(stated.replaceAll(",", "")), `${name}: ${comment}`).toBe(limit);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(250);
  });

  test("state the default of every weight of a recall", () => {
    for (const name of WEIGHT_NAMES) {
      const field = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const comment = COMMENTS.get(`RecallWeights.${field}`) ?? "";
      const stated = /Default ([\d.]*\d)/.exec(comment)?.[1];
      expect(Number(stated), name).toBe(WEIGHT_TABLE[name].default);
    }
  });

  test("state the default floors and shares of a context", () => {
    const statedBy = (of: string): number =>
      Number(/Unset means ([\d.]*\d)/.exec(COMMENTS.get(of) ?? "")?.[1]);
    expect(statedBy("AssembleContextRequest.min_relevance")).toBe(CONTEXT_FLOORS.each);
    expect(statedBy("AssembleContextRequest.min_best_relevance")).toBe(CONTEXT_FLOORS.best);
    const rules = sectionRules(DEFAULT_PROFILE, []);
    const longTerm = rules.find(({ kind }) => kind === "long-term");
    expect(statedBy("ContextSection.first_share")).toBe(longTerm?.firstShare);
    const numbers = [...numbersIn(COMMENTS.get("ContextSection.share") ?? "")];
    const claim = withMessages(DEFAULT_PROFILE, [], 0)[0]?.firstShare;
    const shares = new Set([...rules.map(({ share }) => share), claim]);
    expect(new Set(numbers.filter((number) => number > 0 && number < 1))).toEqual(shares);
  });

  test("name every capability of the server, and no other", () => {
    const comment = COMMENTS.get("GetServerInfoResponse.capabilities") ?? "";
    const named = [...comment.matchAll(/ - `(\w+)`: /g)].map(([, name]) => name);
    expect(named).toEqual(CAPABILITIES);
  });

  test("leave no number of a field's comment unexplained", () => {
    const known = new Set<number>(Object.values(LIMITS));
    // Plain numbers: defaults, years, digits of rules and examples.
    const plain = [
      0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.5, 0.55, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 1, 2, 3, 4, 5, 7, 8,
      9, 10, 24, 30, 32, 36, 50, 60, 64, 100, 200, 300, 512, 800, 1042, 1988, 4_000, 8_000, 9_999,
      50_151, 65_536,
    ];
    for (const number of plain) known.add(number);
    for (const { share } of sectionRules(DEFAULT_PROFILE, [])) known.add(share);
    for (const [of, comment] of COMMENTS) {
      // The numbers of values of enums are names, such as those of models, and formulas.
      if (/\.[A-Z0-9_]+$/.test(of)) continue;
      const odd = [...numbersIn(comment)].filter((number) => !known.has(number));
      expect(odd, of).toEqual([]);
    }
  });
});
