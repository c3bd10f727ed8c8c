// Every fixed limit of the product, in one place. The comments of the public contract state the
// same numbers; test/contract compares the two. What an operator may change is in config.ts.

/** The limits by name; GetServerInfo reports them as they are here, in snake case. */
export const LIMITS = {
  namespaceChars: 63,
  sessionIdBytes: 512,
  userIdBytes: 512,
  agentIdBytes: 512,
  messageIdBytes: 256,
  requestIdBytes: 128,
  consumerIdBytes: 128,
  /** Consumers in one namespace. */
  consumers: 1_000,
  nameBytes: 256,
  labels: 32,
  labelKeyChars: 63,
  labelValueBytes: 255,
  metadataBytes: 16_384,
  structuredDataBytes: 262_144,
  structDepth: 32,
  parts: 256,
  reasoningSummaries: 64,
  reasoningSignatureBytes: 524_288,
  reasoningIdBytes: 256,
  providerRoleBytes: 63,
  toolCalls: 128,
  agentCalls: 128,
  callIdBytes: 256,
  imageUrlBytes: 8_192,
  imageDetailBytes: 63,
  mediaTypeBytes: 127,
  providerBytes: 63,
  providerPayloadBytes: 524_288,
  /** Wire form of one message, server fields included. */
  messageBytes: 1_048_576,
  appendMessages: 1_000,
  /** Messages or runs that one call on several messages names, or takes. */
  batchMessages: 1_000,
  /** Stored messages that one change of several of them reads. */
  editBytes: 67_108_864,
  /** JSON of the messages of an append in a form. */
  formMessageBytes: 4_194_304,
  /** Lists and objects one within the other, in messages of a form. */
  formDepth: 64,
  /** Notes that one answer holds about messages in a form. */
  formNotes: 100,
  formSubjectBytes: 63,
  /** JSON of messages in a form that one answer holds: stock clients accept 4 MiB. */
  renderedBytes: 3_670_016,
  tokenCount: 100_000_000,
  /** Most tokens that the server counts for one message: thousands of images may be dear. */
  countedTokens: 1_000_000_000,
  imageTokenCount: 1_000_000,
  summaryBytes: 65_536,
  ttlMsMin: 1_000,
  ttlMsMax: 315_576_000_000,
  policyStages: 16,
  policyTriggers: 16,
  /** Warnings that one change reports. */
  policyWarnings: 16,
  /** Wire form of one policy, defaults written out: sessions and answers hold it. */
  policyBytes: 65_536,
  policyNameBytes: 63,
  modelBytes: 127,
  presetOptionsBytes: 16_384,
  pinIds: 256,
  fillTextBytes: 1_024,
  conditions: 8,
  conditionBytes: 1_024,
  triggerTools: 64,
  toolOutcomes: 256,
  toolResultParts: 64,
  shortenTokensMin: 16,
  shortenTokensMax: 1_000_000,
  shortenCharsMin: 64,
  shortenCharsMax: 4_000_000,
  shortenMarkerBytes: 64,
  /** Over all stages of a policy. */
  duplicateLookahead: 200,
  /** Steps of all conditions of a policy: half a second for a full window, five at worst. */
  conditionSteps: 2_000,
  hookNameChars: 63,
  summaryTokensMin: 16,
  summaryTokensMax: 16_384,
  summaryInstructionsBytes: 4_096,
  summaryLoops: 10,
  summaryPlaceholderBytes: 1_024,
  summarySeparatorBytes: 64,
  summaryLastCharsMin: 100,
  summaryLastCharsMax: 16_000,
  summaryPrefixBytes: 256,
  summaryFanInMin: 2,
  summaryFanInMax: 16,
  /** Runs that the history of summaries keeps of one. */
  summaryHistoryRanges: 4_096,
  summarySourceVersions: 256,
  /** Summaries of one session that are kept though they are not in use. */
  summaryHistory: 1_000,
  missingEntities: 64,
  missingEntityBytes: 256,
  summaryRequestBytes: 16_384,
  summaryFacts: 64,
  summaryFactBytes: 1_024,
  hookModelBytes: 127,
  hookTokens: 1_000_000_000,
  compactWaitMs: 600_000,
  /**
   * Tasks of one stage of a session that are to be done. Beyond it messages that leave at once make
   * as few tasks as can be, and CompactSession makes none.
   */
  stageTasks: 256,
  /** Dead tasks of one session. */
  deadTasks: 100,
  taskFailureBytes: 256,
  pollHooks: 16,
  pollTasks: 16,
  pollWaitMs: 60_000,
  /** PollTasks that wait at one time. */
  polls: 1_000,
  /** Of them, those of one namespace; the rest is kept for namespaces with few. */
  namespacePolls: 750,
  leaseMsMin: 1_000,
  leaseMsMax: 3_600_000,
  leaseMsDefault: 60_000,
  leaseTokenBytes: 128,
  workerIdBytes: 128,
  retryDelayMsMax: 3_600_000,
  /** Bytes of messages that one task gives to a hook. */
  taskInputBytes: 1_048_576,
  /** Bytes of earlier summaries that one task gives to a hook, so that all of it fits 4 MiB. */
  taskPriorBytes: 1_048_576,
  /** Messages that one task gives to a hook. */
  taskInputMessages: 1_000,
  /** Tasks to embed and to rerank that callers wait for, at one time. */
  directTasks: 1_000,
  /** Bytes of their texts together. */
  directTaskBytes: 67_108_864,
  /** Of both, what one namespace may take. */
  namespaceDirectTasks: 750,
  namespaceDirectTaskBytes: 33_554_432,
  /** Values of the vectors of one task: they fit the request that brings them. */
  taskVectorValues: 786_432,
  placedSummaries: 64,
  /** Runs that one placed summary names. */
  summaryRanges: 256,
  /** Filled results in one window. */
  filledResults: 256,
  /** Ids of messages that wait for a summary, as one answer names them. */
  awaitsSummary: 1_000,
  /** Bytes of the ids in a list of an answer: a window and all such lists fit into 4 MiB. */
  answerIdBytes: 65_536,
  shortenedIds: 1_000,
  filledCallIds: 1_000,
  restoreMessages: 1_000,
  restoreRanges: 100,
  replacedMessages: 10_000,
  previewPolicies: 8,
  previewMessages: 10_000,
  /** Bytes of what the previews of one answer say of messages. */
  previewBytes: 2_097_152,
  searchQueryBytes: 1_024,
  /** Different words in one search. */
  searchTerms: 32,
  searchSnippetChars: 160,
  snapshotDocumentBytes: 33_554_432,
  snapshotChunkBytes: 1_048_576,
  /** Uploads of snapshots at one time. */
  uploads: 8,
  namespaceUploads: 6,
  uploadIdleMs: 600_000,
  /** Bytes of documents that all uploads hold. */
  uploadBytes: 67_108_864,
  namespaceUploadBytes: 33_554_432,
  importMessages: 10_000,
  /** Seqs of an imported log without a message. */
  importHoles: 1_000_000,
  documentDepth: 64,
  documentValues: 1_000_000,
  /** Exports at one time. */
  exports: 16,
  namespaceExports: 12,
  exportStallMs: 60_000,
  stageNameChars: 63,
  windowMessages: 10_000,
  /** Wire form of a window: leaves room for the rest under the 4 MiB stock clients accept. */
  windowBytes: 3_145_728,
  policyTokens: 1_000_000_000,
  outsideRanges: 1_000,
  /** Open tool calls that GetWindow names: ids of 256 bytes would double its answer otherwise. */
  openToolCallIds: 1_000,
  pageSizeMax: 1_000,
  pageTokenBytes: 2_048,
  resumeTokenBytes: 256,
  /** Records that one page examines. */
  pageScan: 10_000,
  /** Sessions that one ListMessages names. */
  listedSessionIds: 100,
  /** Ids that one page of FindMessages asks its sessions for, each session for each id. */
  findQuestions: 50_000,
  /** Bytes of messages or events on one page. */
  pageBytes: 3_145_728,
  /** Bytes of sessions on one page. */
  sessionPageBytes: 1_048_576,
  filterRoles: 4,
  filterTypes: 64,
  updateMaskPaths: 64,
  /** Collections of one namespace that hold documents. */
  collections: 100_000,
  collectionIdBytes: 512,
  /** Collections that one recursive ClearCollection or PurgeDocuments changes. */
  changeCollections: 100,
  documentIdBytes: 256,
  /** With a splitter: leaves room for `#` and the number of a chunk. */
  splitDocumentIdBytes: 252,
  /** Wire form of one document, its embedding and the fields of the server included. */
  documentBytes: 1_048_576,
  /** A document with its payload: with the rest of a call, within 4 MiB. */
  documentWithPayloadBytes: 4_161_536,
  /** Documents and chunks that one call writes, or documents that it deletes; also of records. */
  writeDocuments: 1_000,
  /** Documents that one PurgeDocuments deletes, and their bytes. */
  purgeDocuments: 1_000,
  purgeDocumentBytes: 16_777_216,
  /** Documents and chunks that go with one DeleteDocuments or change of records: half a second. */
  deleteDocuments: 10_000,
  /** Documents of one record. */
  recordDocuments: 256,
  chunkCharsMin: 50,
  chunkCharsMax: 100_000,
  chunkCharsDefault: 1_000,
  embeddingValues: 4_096,
  embeddingModelBytes: 127,
  metadataConditions: 16,
  /** Conditions of one filter, those in trees included, and how deep trees go. */
  metadataTreeConditions: 64,
  metadataTreeLevels: 4,
  metadataPathBytes: 256,
  /** Values that one condition compares with. */
  metadataValues: 64,
  recallKinds: 8,
  recallSessionIds: 100,
  recallCollectionIds: 100,
  recallQueryBytes: 131_072,
  /** Words of a query that count: the rarest. */
  recallTerms: 32,
  recallHits: 1_000,
  /** Hits of a recall with diversity: each one is compared with all candidates. */
  recallDiverseHits: 100,
  recallHitsDefault: 10,
  /** Groups of one count of items. */
  itemGroups: 1_000,
  itemGroupsDefault: 100,
  recallContext: 10,
  recallGroupHits: 20,
  recallGroupHitsDefault: 3,
  recallWeight: 10,
  recallHalfLifeDays: 36_500,
  /** Bytes of the passage of a hit, and of a text for a reranker. */
  recallPassageBytes: 4_096,
  /** Positions at which the pages of a scoring other than the default end. */
  scoredHits: 1_000,
  rerankCandidates: 200,
  rerankCandidatesDefault: 50,
  embedTexts: 128,
  embedTextBytes: 131_072,
  /** Bytes of the texts of one Embed, and of the texts and messages of one CountTokens. */
  embedBytes: 1_048_576,
  countTokensTexts: 256,
  countTokensBytes: 1_048_576,
  memoryIdBytes: 256,
  /** Memories that one Remember or ReinforceMemories takes. */
  writeMemories: 256,
  /** Memories that one ForgetMemories, PurgeMemories or DecayMemories changes. */
  changeMemories: 1_000,
  memoryTextBytes: 16_384,
  memoryKeyBytes: 128,
  memoryCategoryBytes: 128,
  memoryTopics: 32,
  memoryTopicBytes: 128,
  memoryReasonBytes: 256,
  memorySourceMessages: 64,
  /** Further sessions that a memory names as it took in content of them, and their messages. */
  memoryFurtherSources: 32,
  memoryFurtherMessages: 256,
  /** Memories of higher trust that one says it contradicts. */
  memoryContradictions: 16,
  entityNameBytes: 256,
  entityTypeBytes: 64,
  entityAliases: 64,
  entityAttributes: 64,
  entityAttributeKeyBytes: 128,
  entityAttributeValueBytes: 1_024,
  /** Entities that one MergeEntities takes in. */
  mergeEntities: 64,
  relationSubjectBytes: 256,
  relationPredicateBytes: 128,
  relationObjectBytes: 1_024,
  episodeTextBytes: 8_192,
  /** Memories of one tier of a scope. */
  scopeMemories: 1_000_000,
  /** States that a memory may have had, the current one included. */
  memoryRevisions: 1_000,
  /** Texts that a scope remembers to have promoted. */
  promotedTexts: 100_000,
  dedupeWindowDefault: 200,
  dedupeWindow: 1_000,
  /** Texts that one decision compares for similarity, and about how many code points of them. */
  comparedPairs: 4_096,
  comparedPoints: 250_000,
  /** Code points of a text that are compared for similarity. */
  similarChars: 2_048,
  memoryFilterKinds: 8,
  memoryFilterStates: 2,
  memoryFilterCategories: 32,
  memoryFilterTopics: 32,
  memoryFilterTextBytes: 256,
  /** Memories that an order by importance, confidence or last mention examines. */
  orderMemories: 100_000,
  /** Memories that a dry run of PurgeMemories counts. */
  purgeCount: 100_000,
  purgeSample: 100,
  /** Memories that the scorings of other systems examine. */
  searchMemoriesScan: 10_000,
  searchMemoriesImportant: 500,
  episodeDays: 36_500,
  relationHops: 4,
  relationKeywords: 32,
  relationKeywordBytes: 256,
  /** Relations that one QueryRelations examines. */
  relationScan: 10_000,
  importanceRules: 64,
  importanceRuleNameBytes: 64,
  importancePhrases: 64,
  importancePhraseBytes: 256,
  extractionTargets: 3,
  extractionInstructionsBytes: 4_096,
  extractMessages: 200,
  extractMessagesDefault: 10,
  extractTextBytes: 65_536,
  extractedItems: 100,
  extractedFactBytes: 2_048,
  extractKnown: 100,
  scoreHookTexts: 64,
  scoreBytes: 1_048_576,
  resolveKnown: 16,
  memoryJobRanges: 256,
  /** Of the name of a record: its path, its key, and one byte for each segment. */
  recordNameBytes: 1_024,
  recordPathSegments: 32,
  recordSegmentBytes: 255,
  recordKeyBytes: 512,
  /** Leaves room for the rest of a record under the 4 MiB stock clients accept. */
  recordValueBytes: 4_128_768,
  recordMediaTypeBytes: 127,
  /** A value that was uploaded in parts. */
  uploadedValueBytes: 1_073_741_824,
  recordParts: 1_024,
  /** Uploads of one namespace that no record has taken yet. */
  recordUploads: 64,
  recordUploadIdBytes: 128,
  /** Life of an upload from its last part. */
  recordUploadMs: 3_600_000,
  /** Operations of one WriteRecords, and records of one BatchGetRecords. */
  recordOperations: 256,
  /** Records that one DeleteRecords deletes. */
  deleteRecords: 1_000,
  /** Messages that one erasure names. */
  erasedMessages: 1_000,
  /** Erasures under way in one namespace, and receipts that it keeps. */
  erasures: 100,
  erasureReceipts: 1_000,
  erasureSessionIds: 100,
  contextTokens: 1_000_000,
  contextTokensDefault: 4_000,
  contextItems: 1_000,
  contextHeadingBytes: 256,
  /** The longest id of a call that every model API takes. */
  contextCallIdBytes: 40,
  contextSectionCharsMin: 32,
  contextSectionChars: 1_000_000,
  /** Cuts that one answer names. */
  contextCuts: 1_000,
  /** Bytes of the ids in one event; a longer list is split. */
  eventIdBytes: 32_768,
} as const;
