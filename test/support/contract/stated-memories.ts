// Places where the contract states the limits of long-term memory, for the test of its comments.

import type { LIMITS } from "../../../src/kit/limits.ts";

type LimitName = keyof typeof LIMITS;

/** A place in the contract, and the limits that it states. */
export interface Stated {
  /** `Message.field`, `Service.Rpc`, or the name of a message, an enum or a service. */
  readonly of: string;
  readonly limits: readonly LimitName[];
}

type Places = Readonly<Record<string, readonly LimitName[]>>;

const LABELS = ["labels", "labelKeyChars", "labelValueBytes"] as const;
const STRUCT = ["metadataBytes", "structDepth"] as const;
const REQUEST_ID = ["requestIdBytes"] as const;
const REASON = ["memoryReasonBytes"] as const;
const TOKEN = ["pageTokenBytes"] as const;

const MEMORY: Places = {
  "Memory.memory_id": ["memoryIdBytes"],
  "Memory.user_id": ["userIdBytes"],
  "Memory.agent_id": ["agentIdBytes"],
  "Memory.session_id": ["sessionIdBytes"],
  "Memory.text": ["memoryTextBytes"],
  "Memory.key": ["memoryKeyBytes"],
  "Memory.category": ["memoryCategoryBytes"],
  "Memory.topics": ["memoryTopics", "memoryTopicBytes"],
  "Memory.labels": LABELS,
  "Memory.metadata": STRUCT,
  "Memory.ttl": ["ttlMsMin"],
  "Entity.name": ["entityNameBytes"],
  "Entity.type": ["entityTypeBytes"],
  "Entity.aliases": ["entityAliases", "entityNameBytes"],
  "Entity.attributes": ["entityAttributes", "entityAttributeKeyBytes", "entityAttributeValueBytes"],
  "Relation.subject": ["relationSubjectBytes"],
  "Relation.predicate": ["relationPredicateBytes"],
  "Relation.object_value": ["relationObjectBytes"],
  "Memory.contradicts_memory_ids": ["memoryContradictions"],
  "Episode.user_text": ["episodeTextBytes"],
  "Episode.assistant_text": ["episodeTextBytes"],
  "MemorySource.session_id": ["sessionIdBytes"],
  "MemorySource.message_ids": ["memorySourceMessages", "messageIdBytes"],
};

const FILTER: Places = {
  "MemoryScope.user_id": ["userIdBytes"],
  "MemoryScope.agent_id": ["agentIdBytes"],
  "MemoryScope.session_id": ["sessionIdBytes"],
  "MemoryFilter.kinds": ["memoryFilterKinds"],
  "MemoryFilter.states": ["memoryFilterStates"],
  "MemoryFilter.categories": ["memoryFilterCategories", "memoryCategoryBytes"],
  "MemoryFilter.topics": ["memoryFilterTopics", "memoryTopicBytes"],
  "MemoryFilter.key": ["memoryKeyBytes"],
  "MemoryFilter.text_contains": ["memoryFilterTextBytes"],
  "MemoryFilter.labels": ["labels"],
  "MemoryFilter.metadata": ["metadataConditions"],
  "MetadataConditions.conditions": [
    "metadataConditions",
    "metadataTreeConditions",
    "metadataTreeLevels",
  ],
  "MemoryFilter.source_session_id": ["sessionIdBytes"],
};

const POLICY: Places = {
  "PromotionPolicy.importance_rules": ["importanceRules"],
  "MemoryPolicy.long_term_limit": ["scopeMemories"],
  "EpisodePolicy.retention": ["episodeDays"],
  "MemoryPolicy.entity_limit": ["scopeMemories"],
  "MemoryPolicy.relation_limit": ["scopeMemories"],
  "ImportanceRule.name": ["importanceRuleNameBytes"],
  "ImportanceRule.phrases": ["importancePhrases", "importancePhraseBytes"],
  "ExtractionPolicy.targets": ["extractionTargets"],
  "ExtractionPolicy.instructions": ["extractionInstructionsBytes"],
};

const BASIC: Places = {
  "RememberRequest.memories": ["writeMemories"],
  "RememberRequest.max_memories": ["scopeMemories"],
  "RememberRequest.reason": REASON,
  "RememberRequest.request_id": REQUEST_ID,
  "DedupeRule.threshold": ["similarChars"],
  "DedupeRule.window": [
    ...["dedupeWindowDefault", "dedupeWindow", "writeMemories"],
    ...["comparedPairs", "comparedPoints"],
  ] as LimitName[],
  "ListMemoriesRequest.page_size": ["pageSizeMax", "pageBytes", "pageScan"],
  "ListMemoriesRequest.page_token": TOKEN,
  "MemoryOrder.MEMORY_ORDER_IMPORTANCE_DESC": ["orderMemories"],
  "UpdateMemoryRequest.update_mask": ["updateMaskPaths"],
  "UpdateMemoryRequest.reason": REASON,
  "UpdateMemoryRequest.request_id": REQUEST_ID,
};

const CHANGE: Places = {
  "ReinforceMemoriesRequest.memory_ids": ["writeMemories"],
  "ReinforceMemoriesRequest.request_id": REQUEST_ID,
  "DecayMemoriesRequest.request_id": REQUEST_ID,
  "DecayMemoriesRequest.page_token": TOKEN,
  "DecayMemoriesResponse.next_page_token": ["changeMemories"],
  "ForgetMemoriesRequest.memory_ids": ["changeMemories"],
  "ForgetMemoriesRequest.request_id": REQUEST_ID,
  "PurgeMemoriesRequest.request_id": REQUEST_ID,
  "PurgeMemoriesResponse.memory_count": ["purgeCount"],
  "PurgeMemoriesResponse.sample_memory_ids": ["purgeSample"],
  "PurgeMemoriesResponse.more": ["changeMemories"],
  "ListMemoryVersionsRequest.page_size": ["pageSizeMax", "pageBytes"],
  "ListMemoryVersionsRequest.page_token": TOKEN,
  "RestoreMemoryVersionRequest.reason": REASON,
  "RestoreMemoryVersionRequest.request_id": REQUEST_ID,
  "MergeEntitiesRequest.source_memory_ids": ["mergeEntities"],
  "MergeEntitiesRequest.reason": REASON,
  "MergeEntitiesRequest.request_id": REQUEST_ID,
};

const QUERY: Places = {
  "QueryRelationsRequest.subject": ["relationSubjectBytes"],
  "QueryRelationsRequest.predicate": ["relationPredicateBytes"],
  "QueryRelationsRequest.object_value": ["relationObjectBytes"],
  "QueryRelationsRequest.entity": ["entityNameBytes"],
  "QueryRelationsRequest.max_hops": ["relationHops"],
  "QueryRelationsRequest.keywords": ["relationKeywords", "relationKeywordBytes"],
  "QueryRelationsRequest.page_size": ["pageSizeMax", "pageBytes"],
  "QueryRelationsResponse.truncated": ["relationScan"],
};

const TURN: Places = {
  "ConsolidateSessionRequest.request_id": REQUEST_ID,
  "ExtractMemoriesRequest.first_seq": ["extractMessagesDefault"],
  "ExtractMemoriesRequest.last_seq": ["extractMessages"],
  "ExtractMemoriesRequest.text": ["extractTextBytes"],
  "ExtractMemoriesRequest.request_id": REQUEST_ID,
  "ExtractMemoriesRequest.importance_rules": ["importanceRules"],
};

const TASKS: Places = {
  "ExtractInput.messages": ["extractMessages"],
  "ExtractInput.text": ["extractTextBytes"],
  "ExtractInput.known": ["extractKnown"],
  "ExtractOutput.facts": ["extractedItems"],
  "ExtractOutput.entities": ["extractedItems"],
  "ExtractOutput.relations": ["extractedItems"],
  "ExtractOutput.model": ["hookModelBytes"],
  "ExtractedFact.text": ["extractedFactBytes"],
  "ExtractedFact.key": ["memoryKeyBytes"],
  "ExtractedFact.category": ["memoryCategoryBytes"],
  "ExtractedFact.topics": ["memoryTopics", "memoryTopicBytes"],
  "ExtractedEntity.name": ["entityNameBytes"],
  "ExtractedEntity.type": ["entityTypeBytes"],
  "ExtractedEntity.aliases": ["entityAliases", "entityNameBytes"],
  "ExtractedEntity.attributes": [
    "entityAttributes",
    "entityAttributeKeyBytes",
    "entityAttributeValueBytes",
  ],
  "ExtractedRelation.subject": ["relationSubjectBytes"],
  "ExtractedRelation.predicate": ["relationPredicateBytes"],
  "ExtractedRelation.object_value": ["relationObjectBytes"],
  "ScoreInput.texts": ["scoreHookTexts", "scoreBytes"],
  "ResolveInput.known": ["resolveKnown"],
  "ResolveOutput.text": ["memoryTextBytes"],
};

const CONTEXT: Places = {
  "AssembleContextRequest.query": ["recallQueryBytes"],
  "AssembleContextRequest.max_tokens": ["contextTokensDefault", "contextTokens"],
  "AssembleContextRequest.model": ["modelBytes"],
  "ContextSection.limit": ["contextItems"],
  "ContextSection.heading": ["contextHeadingBytes"],
  "ContextSection.max_chars": ["contextSectionCharsMin", "contextSectionChars"],
  "AssembleContextResponse.cuts": ["contextCuts"],
};

const PLACES: Places = {
  ...MEMORY,
  ...FILTER,
  ...POLICY,
  ...BASIC,
  ...CHANGE,
  ...QUERY,
  ...TURN,
  ...TASKS,
  ...CONTEXT,
  "MemoryService.ListMemoryVersions": ["memoryRevisions"],
  "TaskAttempted.seq_ranges": ["memoryJobRanges"],
  "RecallFilter.memory_kinds": ["memoryFilterKinds"],
  "RecallFilter.categories": ["memoryFilterCategories", "memoryCategoryBytes"],
};

/** All statements of the limits of long-term memory. */
export const MEMORY_STATED: readonly Stated[] = Object.entries(PLACES).map(([of, limits]) => ({
  of,
  limits,
}));
