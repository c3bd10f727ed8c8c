// Exports for long-term memory.

export {
  type MemoriesDecayed,
  type MemoriesDeleted,
  type MemoriesReinforced,
  type MemoriesRemembered,
  MemoryDeleteReason,
  type MemoryUpdated,
} from "./gen/memorysidecar/v1/event.ts";
export {
  ConflictMode,
  DedupeMode,
  type Entity,
  type Episode,
  type ExtractionPolicy,
  ExtractionTarget,
  ExtractionTime,
  type FoundRelation,
  type ImportanceRule,
  type ImportanceScore,
  type Memory,
  MemoryKind,
  MemoryOrder,
  MemoryOrigin,
  type MemoryPolicy,
  type MemorySource,
  MemoryState,
  type Relation,
  type RememberedMemory,
  RememberOutcome,
} from "./gen/memorysidecar/v1/memory.ts";
export type {
  ConsolidateSessionResponse,
  DecayMemoriesResponse,
  ExtractMemoriesResponse,
  ForgetMemoriesResponse,
  PurgeMemoriesResponse,
  QueryRelationsResponse,
  RememberResponse,
} from "./gen/memorysidecar/v1/memory_service.ts";
export {
  type ContextCut,
  ContextCutReason,
  type ContextItem,
  type ContextPart,
  ContextPlace,
  ContextSectionKind,
} from "./gen/memorysidecar/v1/recall.ts";
export type { AssembleContextResponse } from "./gen/memorysidecar/v1/recall_service.ts";
export {
  type ExtractInput,
  type ExtractOutput,
  ResolveAction,
  type ResolveInput,
} from "./gen/memorysidecar/v1/task.ts";
export type { MemoryKindName } from "./memory-kinds.ts";
export { exportMemories, importMemories } from "./memory-lines.ts";
export type {
  BlockInput,
  ContextOptions,
  CountMemoriesOptions,
  DecayOptions,
  ExtractOptions,
  FormContextOptions,
  ListMemoriesOptions,
  MemoryFields,
  MemoryFilterInput,
  MemoryInput,
  RecordTurnOptions,
  ReinforceOptions,
  RelationPattern,
  RememberOptions,
  RestoreMemoryOptions,
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
  type MemoryToolName,
  type MemoryToolOptions,
  MemoryTools,
  memoryBlock,
  type ToolShape,
} from "./memory-tools.ts";
export type { ScopeInput, ScopeMatch } from "./scope-filter.ts";
