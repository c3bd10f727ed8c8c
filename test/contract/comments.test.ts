// Goal: the numbers in the comments of the contract are those of the code. Every number of a
// field's comment that looks like a limit must be the value of one of the limits that belong to the
// field.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.ts";
import { WEIGHT_NAMES, WEIGHT_TABLE } from "../../src/domain/recall/rank/weights.ts";
import { MEMORY_STATED, type Stated } from "../support/stated-memories.ts";

const FOLDER = join(import.meta.dirname, "../../proto/memorysidecar/v1");

type LimitName = keyof typeof LIMITS;

const STATED: readonly Stated[] = [
  { file: "session_service", of: "SessionService", limits: ["namespaceChars", "requestIdBytes"] },
  { file: "session", of: "Session.session_id", limits: ["sessionIdBytes"] },
  { file: "session", of: "Session.user_id", limits: ["userIdBytes"] },
  { file: "session", of: "Session.agent_id", limits: ["agentIdBytes"] },
  {
    file: "session",
    of: "Session.labels",
    limits: ["labels", "labelKeyChars", "labelValueBytes"],
  },
  { file: "session", of: "Session.metadata", limits: ["metadataBytes", "structDepth"] },
  { file: "session", of: "Summary.text", limits: ["summaryBytes"] },
  { file: "message", of: "Message", limits: ["messageBytes"] },
  { file: "message", of: "Message.message_id", limits: ["messageIdBytes"] },
  { file: "message", of: "Message.name", limits: ["nameBytes"] },
  { file: "message", of: "Message.parts", limits: ["parts"] },
  { file: "message", of: "Message.tool_calls", limits: ["toolCalls"] },
  { file: "message", of: "Message.agent_calls", limits: ["agentCalls"] },
  { file: "message", of: "Message.tool_call_id", limits: ["callIdBytes"] },
  {
    file: "message",
    of: "Message.structured_data",
    limits: ["structuredDataBytes", "structDepth"],
  },
  { file: "message", of: "Message.metadata", limits: ["metadataBytes", "structDepth"] },
  {
    file: "message",
    of: "Message.labels",
    limits: ["labels", "labelKeyChars", "labelValueBytes"],
  },
  { file: "message", of: "Message.token_count", limits: ["tokenCount", "countedTokens"] },
  { file: "message", of: "ContentPart.data", limits: ["structuredDataBytes", "structDepth"] },
  { file: "message", of: "ToolResult.tool_call_id", limits: ["callIdBytes"] },
  { file: "message", of: "ToolResult.parts", limits: ["toolResultParts"] },
  { file: "message", of: "Image.url", limits: ["imageUrlBytes"] },
  { file: "message", of: "Image.media_type", limits: ["mediaTypeBytes"] },
  { file: "message", of: "Image.detail", limits: ["imageDetailBytes"] },
  { file: "message", of: "ToolCall.tool_call_id", limits: ["callIdBytes"] },
  { file: "message", of: "ToolCall.name", limits: ["nameBytes"] },
  { file: "message", of: "AgentCall.agent_call_id", limits: ["callIdBytes"] },
  { file: "message", of: "AgentCall.agent_name", limits: ["nameBytes"] },
  { file: "message", of: "ProviderPayload.provider", limits: ["providerBytes"] },
  { file: "message", of: "ProviderPayload.media_type", limits: ["mediaTypeBytes"] },
  { file: "message", of: "ProviderPayload.data", limits: ["providerPayloadBytes"] },
  { file: "message_rpc", of: "AppendMessagesRequest.messages", limits: ["appendMessages"] },
  { file: "message_rpc", of: "AppendMessagesRequest.request_id", limits: ["requestIdBytes"] },
  {
    file: "message_rpc",
    of: "ListMessagesRequest.page_size",
    limits: ["pageSizeMax", "pageScan"],
  },
  { file: "message_rpc", of: "ListMessagesRequest.page_token", limits: ["pageTokenBytes"] },
  { file: "message_rpc", of: "MessageFilter.roles", limits: ["filterRoles"] },
  { file: "session_rpc", of: "ListSessionsRequest.page_token", limits: ["pageTokenBytes"] },
  { file: "session_rpc", of: "ListSessionsRequest.page_size", limits: ["pageSizeMax", "pageScan"] },
  { file: "session_rpc", of: "SessionFilter.labels", limits: ["labels"] },
  { file: "event_service", of: "EventService", limits: ["resumeTokenBytes"] },
  { file: "event_service", of: "EventFilter.types", limits: ["filterTypes"] },
  { file: "event_service", of: "Consumer.consumer_id", limits: ["consumerIdBytes"] },
  { file: "event_service", of: "CreateConsumerRequest.consumer_id", limits: ["consumerIdBytes"] },
  { file: "event_service", of: "ListEventsRequest.page_token", limits: ["pageTokenBytes"] },
  { file: "policy", of: "Policy", limits: ["windowMessages", "windowBytes"] },
  { file: "policy", of: "Policy.image_token_count", limits: ["imageTokenCount"] },
  { file: "policy", of: "Policy.stages", limits: ["policyStages", "policyBytes"] },
  { file: "policy", of: "Policy.name", limits: ["policyNameBytes"] },
  { file: "policy", of: "Policy.model", limits: ["modelBytes"] },
  { file: "policy", of: "Policy.context_window", limits: ["policyTokens"] },
  { file: "policy", of: "Preset.options", limits: ["presetOptionsBytes"] },
  { file: "policy", of: "Protections.pin_first", limits: ["windowMessages"] },
  { file: "policy", of: "Protections.min_messages", limits: ["windowMessages"] },
  {
    file: "policy",
    of: "Protections.pin_message_ids",
    limits: ["pinIds", "messageIdBytes"],
  },
  { file: "policy", of: "Healing.text", limits: ["healTextBytes"] },
  { file: "policy", of: "CustomTokenRule.per_message", limits: ["imageTokenCount"] },
  { file: "policy", of: "CustomTokenRule.per_call", limits: ["imageTokenCount"] },
  { file: "policy", of: "CustomTokenRule.min", limits: ["imageTokenCount"] },
  { file: "policy_stage", of: "PolicyStage.name", limits: ["stageNameChars"] },
  { file: "policy_stage", of: "PolicyStage.any_of", limits: ["policyTriggers"] },
  { file: "policy_stage", of: "PolicyStage.count_if", limits: ["conditions", "conditionBytes"] },
  { file: "policy_stage", of: "Trigger.message_count_over", limits: ["windowMessages"] },
  { file: "policy_stage", of: "Trigger.token_count_over", limits: ["policyTokens"] },
  { file: "policy_stage", of: "Trigger.model_input_tokens_over", limits: ["policyTokens"] },
  { file: "policy_stage", of: "Trigger.interaction_count_over", limits: ["windowMessages"] },
  { file: "policy_stage", of: "Trigger.interaction_tokens_over", limits: ["policyTokens"] },
  { file: "policy_stage", of: "Trigger.new_messages_at_least", limits: ["windowMessages"] },
  { file: "policy_stage", of: "Trigger.new_tokens_at_least", limits: ["policyTokens"] },
  { file: "policy_stage", of: "ToolNames.names", limits: ["triggerTools", "nameBytes"] },
  { file: "policy_select", of: "DropOldest.max_messages", limits: ["windowMessages"] },
  { file: "policy_select", of: "DropOldest.max_tokens", limits: ["policyTokens"] },
  { file: "policy_select", of: "KeepLast.unit_count", limits: ["windowMessages"] },
  { file: "policy_select", of: "PackNewest.max_tokens", limits: ["policyTokens"] },
  { file: "policy_select", of: "PinMiddleRecent.pin_first", limits: ["windowMessages"] },
  { file: "policy_select", of: "PinMiddleRecent.keep_recent", limits: ["windowMessages"] },
  { file: "policy_select", of: "PinMiddleRecent.min_removed", limits: ["windowMessages"] },
  {
    file: "policy_select",
    of: "Filter.conditions",
    limits: ["conditions", "conditionBytes", "conditionSteps"],
  },
  {
    file: "policy_select",
    of: "Shorten.max_tokens",
    limits: ["shortenTokensMin", "shortenTokensMax"],
  },
  {
    file: "policy_select",
    of: "Shorten.keep_chars",
    limits: ["shortenCharsMin", "shortenCharsMax"],
  },
  { file: "policy_select", of: "Shorten.marker", limits: ["shortenMarkerBytes"] },
  { file: "policy_select", of: "Shorten.min_saved_tokens", limits: ["policyTokens"] },
  { file: "policy_select", of: "Shorten.keep_newest", limits: ["windowMessages"] },
  { file: "policy_select", of: "DropDuplicates.lookahead", limits: ["duplicateLookahead"] },
  { file: "event_detail", of: "PolicyWarned", limits: ["policyWarnings"] },
  { file: "window_rpc", of: "GetWindowRequest.newest", limits: ["windowMessages"] },
  { file: "message_rpc", of: "AppendMessagesRequest.model_input_tokens", limits: ["policyTokens"] },
  { file: "message_rpc", of: "AppendMessagesRequest.tool_outcomes", limits: ["toolOutcomes"] },
  { file: "message_rpc", of: "ToolOutcome.tool", limits: ["nameBytes"] },
  { file: "window_rpc", of: "GetWindowResponse.outside_ranges", limits: ["outsideRanges"] },
  {
    file: "window_rpc",
    of: "GetWindowResponse.open_tool_call_ids",
    limits: ["openToolCallIds", "answerIdBytes"],
  },
  { file: "window_rpc", of: "TrimSessionRequest.max_tokens", limits: ["policyTokens"] },
  { file: "window_rpc", of: "TrimSessionRequest.max_messages", limits: ["windowMessages"] },
  { file: "window_rpc", of: "TrimSessionRequest.keep_recent", limits: ["windowMessages"] },
  { file: "window_rpc", of: "RestoreMessagesRequest.message_ids", limits: ["restoreMessages"] },
  { file: "window_rpc", of: "RestoreMessagesRequest.seq_ranges", limits: ["restoreRanges"] },
  { file: "window_rpc", of: "ListSummaryInputsRequest.keep_recent", limits: ["windowMessages"] },
  { file: "window_rpc", of: "SetSummaryRequest.text", limits: ["summaryBytes"] },
  {
    file: "window_rpc",
    of: "SetSummaryRequest.replaced_message_ids",
    limits: ["replacedMessages"],
  },
  { file: "window_rpc", of: "HealSessionRequest.text", limits: ["healTextBytes"] },
  { file: "window_rpc", of: "HealSessionResponse.messages", limits: ["healedResults"] },
  { file: "policy_rpc", of: "PreviewPolicyRequest.policies", limits: ["previewPolicies"] },
  { file: "policy_rpc", of: "PreviewPolicyRequest.tool_outcomes", limits: ["toolOutcomes"] },
  { file: "policy_rpc", of: "PolicyPreview.messages", limits: ["previewMessages", "previewBytes"] },
  {
    file: "search_rpc",
    of: "SearchSessionsRequest.query",
    limits: ["searchQueryBytes", "searchTerms"],
  },
  {
    file: "search_rpc",
    of: "SearchSessionsRequest.limit",
    limits: ["searchLimit", "searchLimitDefault"],
  },
  { file: "search_rpc", of: "SearchSessionsRequest.session_id_prefix", limits: ["sessionIdBytes"] },
  { file: "search_rpc", of: "SessionMatch.snippets", limits: ["searchSnippets"] },
  { file: "search_rpc", of: "SessionSnippet.text", limits: ["searchSnippetChars"] },
  { file: "session", of: "PlacedSummary.seq_ranges", limits: ["summaryRanges"] },
  { file: "session", of: "Session.placed_summaries", limits: ["placedSummaries"] },
  { file: "window", of: "StageRun.awaits_summary", limits: ["awaitsSummary", "answerIdBytes"] },
  {
    file: "window_rpc",
    of: "GetWindowResponse.shortened_message_ids",
    limits: ["shortenedIds", "answerIdBytes"],
  },
  { file: "event_detail", of: "MessagesHealed.tool_call_ids", limits: ["healedCallIds"] },
  { file: "snapshot", of: "SnapshotHeader.window_ranges", limits: ["windowMessages"] },
  { file: "snapshot", of: "SnapshotHeader.outcomes", limits: ["toolOutcomes"] },
  { file: "snapshot_rpc", of: "ExportSessionResponse", limits: ["exports"] },
  { file: "snapshot_rpc", of: "ExportSessionResponse.messages", limits: ["snapshotChunkBytes"] },
  { file: "snapshot_rpc", of: "ExportSessionResponse.document", limits: ["snapshotChunkBytes"] },
  { file: "snapshot_rpc", of: "ImportSessionRequest.upload_id", limits: ["uploads"] },
  {
    file: "snapshot_rpc",
    of: "ImportSessionRequest.messages",
    limits: ["importMessages", "importHoles"],
  },
  {
    file: "snapshot_rpc",
    of: "ImportSessionRequest.document",
    limits: ["snapshotDocumentBytes", "documentDepth", "documentValues", "uploadBytes"],
  },
  { file: "snapshot_rpc", of: "ImportSessionRequest.request_id", limits: ["requestIdBytes"] },
  { file: "policy_summary", of: "Summarize.hook", limits: ["hookNameChars"] },
  {
    file: "policy_summary",
    of: "Summarize.max_tokens",
    limits: ["summaryTokensMin", "summaryTokensMax"],
  },
  { file: "policy_summary", of: "Summarize.instructions", limits: ["summaryInstructionsBytes"] },
  { file: "policy_summary", of: "Summarize.max_loops", limits: ["summaryLoops"] },
  { file: "policy_summary", of: "Summarize.placeholder", limits: ["summaryPlaceholderBytes"] },
  { file: "policy_summary", of: "Summarize.separator", limits: ["summarySeparatorBytes"] },
  {
    file: "policy_summary",
    of: "Summarize.last_chars",
    limits: ["summaryLastCharsMin", "summaryLastCharsMax"],
  },
  { file: "policy_summary", of: "Summarize.prefix", limits: ["summaryPrefixBytes"] },
  {
    file: "policy_summary",
    of: "Summarize.fan_in",
    limits: ["summaryFanInMin", "summaryFanInMax"],
  },
  { file: "policy_summary", of: "SummaryView.prefix", limits: ["summaryPrefixBytes"] },
  { file: "session", of: "Summary.seq_ranges", limits: ["summaryRanges"] },
  { file: "summary", of: "SummaryVersion.seq_ranges", limits: ["summaryHistoryRanges"] },
  { file: "summary", of: "SummaryVersion.source_versions", limits: ["summarySourceVersions"] },
  { file: "summary", of: "SummaryVersion.model", limits: ["hookModelBytes"] },
  { file: "summary_rpc", of: "CompactSessionRequest.keep_recent", limits: ["windowMessages"] },
  { file: "summary_rpc", of: "CompactSessionRequest.wait", limits: ["compactWaitMs"] },
  { file: "summary_rpc", of: "CompactSessionRequest.request_id", limits: ["requestIdBytes"] },
  { file: "summary_rpc", of: "ListSummariesRequest.page_size", limits: ["pageSizeMax"] },
  { file: "summary_rpc", of: "ListSummariesResponse", limits: ["summaryHistory"] },
  { file: "summary_rpc", of: "ListSummariesResponse.summaries", limits: ["pageBytes"] },
  { file: "summary_rpc", of: "ListSummarySourcesRequest.page_size", limits: ["pageSizeMax"] },
  { file: "summary_rpc", of: "ListSummarySourcesResponse.messages", limits: ["pageBytes"] },
  { file: "task", of: "Task", limits: ["deadTasks", "stageTasks"] },
  { file: "task", of: "TaskFailure.message", limits: ["taskFailureBytes"] },
  { file: "task", of: "SummarizeInput.prior_texts", limits: ["taskPriorBytes"] },
  { file: "task", of: "SummarizeOutput.text", limits: ["summaryBytes"] },
  {
    file: "task",
    of: "SummarizeOutput.missing_entities",
    limits: ["missingEntities", "missingEntityBytes"],
  },
  { file: "task", of: "SummarizeOutput.request_text", limits: ["summaryRequestBytes"] },
  { file: "task", of: "SummarizeOutput.facts", limits: ["summaryFacts", "summaryFactBytes"] },
  {
    file: "task",
    of: "SummarizeOutput.open_threads",
    limits: ["summaryFacts", "summaryFactBytes"],
  },
  { file: "task", of: "SummarizeOutput.model", limits: ["hookModelBytes"] },
  { file: "task", of: "SummarizeOutput.input_tokens", limits: ["hookTokens"] },
  { file: "task", of: "SummarizeOutput.output_tokens", limits: ["hookTokens"] },
  { file: "hook_service", of: "HookService", limits: ["directTasks", "directTaskBytes"] },
  { file: "task_vectors", of: "EmbedInput.texts", limits: ["embedBytes"] },
  { file: "task_vectors", of: "EmbedOutput.vectors", limits: ["taskVectorValues"] },
  { file: "task_vectors", of: "RerankInput.query", limits: ["recallQueryBytes"] },
  {
    file: "task_vectors",
    of: "RerankInput.texts",
    limits: ["rerankCandidates", "recallPassageBytes"],
  },
  { file: "hook_service", of: "PollTasksRequest.hooks", limits: ["pollHooks"] },
  { file: "hook_service", of: "PollTasksRequest.max_tasks", limits: ["pollTasks"] },
  { file: "hook_service", of: "PollTasksRequest.wait", limits: ["pollWaitMs", "polls"] },
  {
    file: "hook_service",
    of: "PollTasksRequest.lease",
    limits: ["leaseMsDefault", "leaseMsMin", "leaseMsMax"],
  },
  { file: "hook_service", of: "PollTasksRequest.worker_id", limits: ["workerIdBytes"] },
  { file: "hook_service", of: "PollTasksResponse.tasks", limits: ["pageBytes"] },
  { file: "hook_service", of: "CompleteTaskRequest.lease_token", limits: ["leaseTokenBytes"] },
  { file: "hook_service", of: "CompleteTaskRequest.request_id", limits: ["requestIdBytes"] },
  { file: "hook_service", of: "FailTaskRequest.lease_token", limits: ["leaseTokenBytes"] },
  { file: "hook_service", of: "FailTaskRequest.message", limits: ["taskFailureBytes"] },
  { file: "hook_service", of: "FailTaskRequest.retry_delay", limits: ["retryDelayMsMax"] },
  { file: "hook_service", of: "FailTaskRequest.request_id", limits: ["requestIdBytes"] },
  { file: "hook_service", of: "ExtendLeaseRequest.lease_token", limits: ["leaseTokenBytes"] },
  {
    file: "hook_service",
    of: "ExtendLeaseRequest.lease",
    limits: ["leaseMsDefault", "leaseMsMin", "leaseMsMax"],
  },
  { file: "hook_service", of: "ListTasksRequest.page_size", limits: ["pageSizeMax"] },
  { file: "hook_service", of: "RetryTaskRequest.request_id", limits: ["requestIdBytes"] },
  { file: "hook_service", of: "DeleteTaskRequest.request_id", limits: ["requestIdBytes"] },
  { file: "event_summary", of: "SummarySet.seq_ranges", limits: ["summaryRanges"] },
  { file: "event_summary", of: "SummaryRequested.seq_ranges", limits: ["summaryRanges"] },
  { file: "event_summary", of: "TaskDead.seq_ranges", limits: ["summaryRanges"] },
  { file: "document", of: "Document", limits: ["collections", "documentBytes"] },
  { file: "document", of: "Document.collection_id", limits: ["collectionIdChars"] },
  {
    file: "document",
    of: "Document.document_id",
    limits: ["documentIdBytes", "splitDocumentIdBytes"],
  },
  { file: "document", of: "Document.author", limits: ["nameBytes"] },
  { file: "document", of: "Document.metadata", limits: ["metadataBytes", "structDepth"] },
  {
    file: "document",
    of: "Document.labels",
    limits: ["labels", "labelKeyChars", "labelValueBytes"],
  },
  { file: "document", of: "Embedding.values", limits: ["embeddingValues"] },
  { file: "document", of: "Embedding.model", limits: ["embeddingModelBytes"] },
  {
    file: "document",
    of: "TextSplitter.chunk_chars",
    limits: ["chunkCharsMin", "chunkCharsMax", "chunkCharsDefault"],
  },
  { file: "document_rpc", of: "UpsertDocumentsRequest.documents", limits: ["writeDocuments"] },
  { file: "document_rpc", of: "UpsertDocumentsRequest.splitter", limits: ["writeDocuments"] },
  { file: "document_rpc", of: "UpsertDocumentsRequest.request_id", limits: ["requestIdBytes"] },
  {
    file: "document_rpc",
    of: "ListDocumentsRequest.page_size",
    limits: ["pageSizeMax", "pageScan", "pageBytes"],
  },
  { file: "document_rpc", of: "ListDocumentsRequest.page_token", limits: ["pageTokenBytes"] },
  { file: "document_rpc", of: "DocumentFilter.labels", limits: ["labels"] },
  { file: "document_rpc", of: "DocumentFilter.metadata", limits: ["metadataConditions"] },
  { file: "document_rpc", of: "DocumentFilter.source_document_id", limits: ["documentIdBytes"] },
  { file: "document_rpc", of: "ListCollectionsRequest.page_size", limits: ["pageSizeMax"] },
  { file: "document_rpc", of: "ListCollectionsRequest.page_token", limits: ["pageTokenBytes"] },
  {
    file: "document_rpc",
    of: "DeleteDocumentsRequest.document_ids",
    limits: ["writeDocuments", "deleteDocuments"],
  },
  { file: "document_rpc", of: "DeleteDocumentsRequest.request_id", limits: ["requestIdBytes"] },
  { file: "document_rpc", of: "ClearCollectionRequest.request_id", limits: ["requestIdBytes"] },
  { file: "document_rpc", of: "SearchDocumentsRequest.query", limits: ["recallQueryBytes"] },
  {
    file: "document_rpc",
    of: "SearchDocumentsRequest.limit",
    limits: ["searchDocuments", "searchDocumentsDefault", "pageBytes"],
  },
  { file: "recall", of: "RecallFilter.kinds", limits: ["recallKinds"] },
  { file: "recall", of: "RecallFilter.session_ids", limits: ["recallSessionIds"] },
  { file: "recall", of: "RecallFilter.exclude_session_ids", limits: ["recallSessionIds"] },
  { file: "recall", of: "RecallFilter.session_labels", limits: ["labels"] },
  { file: "recall", of: "RecallFilter.roles", limits: ["filterRoles"] },
  { file: "recall", of: "RecallFilter.collection_ids", limits: ["recallCollectionIds"] },
  { file: "recall", of: "RecallFilter.labels", limits: ["labels"] },
  { file: "recall", of: "RecallFilter.metadata", limits: ["metadataConditions"] },
  { file: "recall", of: "RecallFilter.memory_kinds", limits: ["memoryFilterKinds"] },
  {
    file: "recall",
    of: "RecallFilter.categories",
    limits: ["memoryFilterCategories", "memoryCategoryBytes"],
  },
  { file: "recall", of: "MetadataCondition.path", limits: ["metadataPathBytes"] },
  { file: "recall", of: "MetadataCondition.one_of", limits: ["metadataValues"] },
  { file: "recall", of: "RecallHit.passage", limits: ["recallPassageBytes"] },
  { file: "recall_rpc", of: "RecallRequest.query", limits: ["recallQueryBytes", "recallTerms"] },
  {
    file: "recall_rpc",
    of: "RecallRequest.page_size",
    limits: ["recallHits", "recallHitsDefault", "pageBytes"],
  },
  { file: "recall_rpc", of: "RecallRequest.page_token", limits: ["pageTokenBytes"] },
  { file: "recall_rpc", of: "RecallRequest.context_before", limits: ["recallContext"] },
  { file: "recall_rpc", of: "RecallRequest.context_after", limits: ["recallContext"] },
  { file: "recall_rpc", of: "RecallWeights", limits: ["recallWeight"] },
  {
    file: "recall_rpc",
    of: "RecallWeights.recency_half_life_days",
    limits: ["recallHalfLifeDays"],
  },
  {
    file: "recall_rpc",
    of: "GroupBySession.hits_per_session",
    limits: ["recallGroupHits", "recallGroupHitsDefault"],
  },
  {
    file: "recall_rpc",
    of: "Rerank.candidates",
    limits: ["rerankCandidates", "rerankCandidatesDefault"],
  },
  {
    file: "recall_rpc",
    of: "EmbedRequest.texts",
    limits: ["embedTexts", "embedTextBytes", "embedBytes"],
  },
  {
    file: "recall_rpc",
    of: "CountTokensRequest.texts",
    limits: ["countTokensTexts", "countTokensBytes"],
  },
  { file: "recall_rpc", of: "CountTokensRequest.messages", limits: ["countTokensTexts"] },
  { file: "recall_rpc", of: "CountTokensRequest.model", limits: ["modelBytes"] },
  ...MEMORY_STATED,
];

/**
 * The comments of a file, by `Message.field`, `Enum.VALUE` and `Service.Rpc`, or by the name of a
 * message, an enum or a service.
 */
function commentsOf(file: string): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  let owner = "";
  let comment = "";
  for (const raw of readFileSync(join(FOLDER, `${file}.proto`), "utf8").split("\n")) {
    const line = raw.trim();
    if (line.startsWith("//")) {
      comment += ` ${line.slice(2).trim()}`;
      continue;
    }
    const opened = /^(?:message|service|enum) (\w+) \{/.exec(line)?.[1];
    const field =
      /^(?:(?:optional |repeated )?[\w.<>, ]+ )?(\w+) = \d+;/.exec(line)?.[1] ??
      /^rpc (\w+)\(/.exec(line)?.[1];
    if (opened !== undefined) {
      owner = opened;
      comments.set(owner, comment);
    } else if (field !== undefined) comments.set(`${owner}.${field}`, comment);
    comment = "";
  }
  return comments;
}

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

describe("the comments of the contract", () => {
  it.each(STATED)("state the limits of $of", ({ file, of, limits }) => {
    const comment = commentsOf(file).get(of);
    expect(comment).toBeDefined();
    const numbers = quantitiesIn(comment ?? "");
    for (const limit of limits) expect([...numbers], limit).toContain(LIMITS[limit]);
  });

  it("state every limit that a caller can run into", () => {
    // Inner limits, which a caller meets under another name or never.
    const inner: readonly LimitName[] = [
      ...(["ttlMsMin", "ttlMsMax", "consumers", "pageBytes", "sessionPageBytes"] as const),
      ...(["updateMaskPaths", "eventIdBytes", "promotedTexts"] as const),
      // Times, which the comments tell in minutes.
      ...(["uploadIdleMs", "exportStallMs"] as const),
      // What one task gives to a hook: the rest waits for the next one.
      ...(["taskInputBytes", "taskInputMessages"] as const),
    ];
    const stated = new Set<string>([...STATED.flatMap((entry) => entry.limits), ...inner]);
    expect(Object.keys(LIMITS).filter((name) => !stated.has(name))).toEqual([]);
  });

  it("state the default of every weight of a recall", () => {
    const comments = commentsOf("recall_rpc");
    for (const name of WEIGHT_NAMES) {
      const field = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const comment = comments.get(`RecallWeights.${field}`) ?? "";
      const stated = /Default ([\d.]*\d)/.exec(comment)?.[1];
      expect(Number(stated), name).toBe(WEIGHT_TABLE[name].default);
    }
  });

  it("leave no number of a field's comment unexplained", () => {
    const known = new Set<number>(Object.values(LIMITS));
    // Plain numbers: defaults, years, digits of rules and examples.
    const plain = [
      0, 0.1, 0.2, 0.25, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 1, 2, 3, 4, 5, 7, 8, 9, 10, 24,
      30, 32, 50, 60, 64, 100, 200, 300, 512, 800, 1042, 1988, 4_000, 8_000, 9_999, 50_151, 65_536,
    ];
    for (const number of plain) known.add(number);
    const files = [...new Set(STATED.map((entry) => entry.file))];
    for (const file of files) {
      for (const [of, comment] of commentsOf(file)) {
        // The numbers of values of enums are names, such as those of models, and formulas.
        if (/\.[A-Z0-9_]+$/.test(of)) continue;
        const odd = [...numbersIn(comment)].filter((number) => !known.has(number));
        expect(odd, `${file}: ${of}`).toEqual([]);
      }
    }
  });
});
