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
  tokenCount: 100_000_000,
  imageTokenCount: 1_000_000,
  summaryBytes: 65_536,
  ttlMsMin: 1_000,
  ttlMsMax: 315_576_000_000,
  policyStages: 16,
  policyTriggers: 8,
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
  /** Records that one page looks at. */
  pageScan: 10_000,
  /** Bytes of messages or events on one page. */
  pageBytes: 3_145_728,
  /** Bytes of sessions on one page. */
  sessionPageBytes: 1_048_576,
  filterRoles: 4,
  filterTypes: 64,
  updateMaskPaths: 64,
  /** Bytes of the ids in one event; a longer list is split. */
  eventIdBytes: 32_768,
} as const;
