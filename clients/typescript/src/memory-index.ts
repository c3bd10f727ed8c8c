// What the package offers of long-term memory.

export {
  type AssembleContextResponse,
  type ContextCut,
  ContextCutReason,
  type ContextItem,
  type ContextPart,
  ContextProfile,
  ContextSectionKind,
} from "./gen/memorysidecar/v1/context.ts";
export {
  type MemoriesDecayed,
  type MemoriesDeleted,
  type MemoriesReinforced,
  type MemoriesRemembered,
  MemoryDeletion,
  type MemoryJobEnded,
  type MemoryUpdated,
} from "./gen/memorysidecar/v1/event_memory.ts";
export {
  type Entity,
  type Episode,
  type Memory,
  MemoryKind,
  MemoryOrigin,
  type MemorySource,
  MemoryState,
  type Relation,
} from "./gen/memorysidecar/v1/memory.ts";
export type {
  DecayMemoriesResponse,
  ForgetMemoriesResponse,
  PurgeMemoriesResponse,
} from "./gen/memorysidecar/v1/memory_change_rpc.ts";
export {
  type ExtractionPolicy,
  ExtractionTarget,
  ExtractionTime,
  type ImportanceRule,
  type MemoryPolicy,
} from "./gen/memorysidecar/v1/memory_policy.ts";
export {
  type FoundRelation,
  type MemoryMatch,
  MemoryScoring,
  type QueryRelationsResponse,
} from "./gen/memorysidecar/v1/memory_query_rpc.ts";
export {
  ConflictMode,
  DedupeMode,
  MemoryOrder,
  type RememberedMemory,
  RememberOutcome,
  type RememberResponse,
} from "./gen/memorysidecar/v1/memory_rpc.ts";
export type {
  ConsolidateSessionResponse,
  ExtractMemoriesResponse,
  ImportanceScore,
  MemoryJob,
  RecordTurnResponse,
} from "./gen/memorysidecar/v1/memory_turn_rpc.ts";
export {
  type ExtractInput,
  type ExtractOutput,
  ResolveAction,
  type ResolveInput,
} from "./gen/memorysidecar/v1/task_memories.ts";
export type { MemoryKindName } from "./memory-kinds.ts";
export { exportMemories, importMemories } from "./memory-lines.ts";
export type {
  ContextOptions,
  DecayOptions,
  ExtractOptions,
  ListMemoriesOptions,
  ListMemoryJobsOptions,
  MemoryFields,
  MemoryFilterInput,
  MemoryInput,
  MemoryScoringName,
  RecordTurnOptions,
  ReinforceOptions,
  RelationPattern,
  RememberOptions,
  RestoreMemoryOptions,
  ScopeInput,
  SearchMemoriesOptions,
  SectionInput,
  SectionName,
  UpdateMemoryOptions,
} from "./memory-options.ts";
export type {
  ExtractionInput,
  ExtractionSettings,
  ImportanceRuleInput,
  MemoryPolicyInput,
} from "./memory-policy.ts";
export {
  type MemoryBlockOptions,
  type MemoryToolOptions,
  MemoryTools,
  memoryBlock,
  type ToolShape,
} from "./memory-tools.ts";
