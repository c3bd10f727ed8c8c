// Everything that the package offers.

export type { CallOptions, MutationOptions } from "./call.ts";
export type { ChannelSettings, RawClients, TlsOptions } from "./channel.ts";
export type { MemorySidecar } from "./client.ts";
export { connect } from "./connect.ts";
export {
  type FieldViolation,
  isMemorySidecarError,
  type KnownErrorReason,
  MemorySidecarError,
  Status,
} from "./errors.ts";
export type {
  GetServerInfoResponse,
  Limit,
} from "./gen/memorysidecar/v1/admin_service.ts";
export type { Collection, Document, Embedding } from "./gen/memorysidecar/v1/document.ts";
export {
  type ClearCollectionResponse,
  type DeleteDocumentsResponse,
  type DocumentMatch,
  DocumentScoring,
  type UpsertDocumentsResponse,
  type UpsertedDocument,
} from "./gen/memorysidecar/v1/document_rpc.ts";
export { ErrorReason } from "./gen/memorysidecar/v1/error_reason.ts";
export { type Event, EventType } from "./gen/memorysidecar/v1/event.ts";
export { SessionDeleteReason } from "./gen/memorysidecar/v1/event_detail.ts";
export type {
  CollectionCleared,
  DocumentsDeleted,
  DocumentsUpserted,
} from "./gen/memorysidecar/v1/event_document.ts";
export { type Consumer, StreamPosition } from "./gen/memorysidecar/v1/event_service.ts";
export {
  type SummaryRequested,
  type SummarySet,
  SupersedeReason,
  type TaskDead,
} from "./gen/memorysidecar/v1/event_summary.ts";
export type {
  CompleteTaskResponse,
  FailTaskResponse,
  LeasedTask,
} from "./gen/memorysidecar/v1/hook_service.ts";
export {
  type AgentCall,
  type ContentPart,
  type Image,
  type Message,
  type ProviderPayload,
  Role,
  Source,
  TokenRule,
  type ToolCall,
  type ToolResult,
  Trust,
} from "./gen/memorysidecar/v1/message.ts";
export type {
  AppendedMessage,
  AppendMessagesResponse,
  DeleteMessageResponse,
  GetMessageResponse,
  UpdateMessageResponse,
} from "./gen/memorysidecar/v1/message_rpc.ts";
export {
  type CustomTokenRule,
  type Healing,
  type Policy,
  type Preset,
  type Protections,
  SystemProtection,
  TokenRounding,
  ToolPairs,
} from "./gen/memorysidecar/v1/policy.ts";
export {
  type MessagePreview,
  type PolicyPreset,
  type PolicyPreview,
  type PresetOption,
  type PreviewPolicyResponse,
  Verdict,
} from "./gen/memorysidecar/v1/policy_rpc.ts";
export {
  BoundaryRule,
  type DropOldest,
  FilterScope,
  type KeepLast,
} from "./gen/memorysidecar/v1/policy_select.ts";
export {
  type PolicyStage,
  RemovedTo,
  StageEffect,
  StageOn,
  type Trigger,
  Unit,
} from "./gen/memorysidecar/v1/policy_stage.ts";
export {
  type Summarize,
  SummaryFailure,
  SummaryFlow,
  SummaryKeep,
  SummaryLeave,
  SummaryShape,
  SummaryShow,
  type SummaryView,
  TranscriptStyle,
} from "./gen/memorysidecar/v1/policy_summary.ts";
export {
  FusionMethod,
  type MetadataCondition,
  type RecalledMessage,
  type RecallHit,
  RecallKind,
  RecallMode,
  ScoreFeature,
  type ScorePart,
} from "./gen/memorysidecar/v1/recall.ts";
export {
  type CountTokensResponse,
  DenseState,
  EmbeddingPurpose,
  type RecallCoverage,
  type RecalledSession,
  type RecallResponse,
  RecallWeights,
  RerankState,
} from "./gen/memorysidecar/v1/recall_rpc.ts";
export type { SessionMatch, SessionSnippet } from "./gen/memorysidecar/v1/search_rpc.ts";
export type {
  ForkOrigin,
  PlacedSummary,
  Session,
  StageState,
  Summary,
} from "./gen/memorysidecar/v1/session.ts";
export type {
  DeleteSessionResponse,
  ResetSessionResponse,
  UpdateSessionResponse,
} from "./gen/memorysidecar/v1/session_rpc.ts";
export { SnapshotFormat } from "./gen/memorysidecar/v1/snapshot.ts";
export { SummaryPlacement, type SummaryVersion } from "./gen/memorysidecar/v1/summary.ts";
export { CompactOutcome, type CompactSessionResponse } from "./gen/memorysidecar/v1/summary_rpc.ts";
export {
  BreakerState,
  type FailureCount,
  type Hook,
  HookKind,
  type SummarizeInput,
  type SummarizeOutput,
  type Task,
  type TaskFailure,
  TaskFailureReason,
  TaskState,
  TaskType,
} from "./gen/memorysidecar/v1/task.ts";
export type { EmbedInput, RerankInput } from "./gen/memorysidecar/v1/task_vectors.ts";
export {
  HoldReason,
  type PolicyWarning,
  PolicyWarningKind,
  type SeqRange,
  type StageRun,
  type Totals,
  TriggerKind,
  type Trim,
  TrimReason,
} from "./gen/memorysidecar/v1/window.ts";
export type {
  GetWindowResponse,
  HealSessionResponse,
  ListSummaryInputsResponse,
  RestoreMessagesResponse,
  SetSummaryResponse,
  TrimSessionResponse,
} from "./gen/memorysidecar/v1/window_rpc.ts";
export * from "./memory-index.ts";
export {
  type BytesInput,
  type ImageInput,
  type JsonObject,
  type MessageChanges,
  type MessageFields,
  type MessageInput,
  type PartInput,
  type RoleInput,
  type SessionFields,
  type ToolResultInput,
  toMessage,
} from "./message.ts";
export type {
  AppendOptions,
  ConnectOptions,
  CreateConsumerOptions,
  DeleteConsumerOptions,
  DeleteOptions,
  ForkOptions,
  HealOptions,
  ImportOptions,
  ListEventsOptions,
  ListMessagesOptions,
  ListOptions,
  ListSessionsOptions,
  OrderInput,
  PreviewOptions,
  ResetOptions,
  RestoreOptions,
  SearchOptions,
  SeqInput,
  SessionFilterInput,
  SummaryChoice,
  SummaryOptions,
  ToolOutcomeInput,
  TrimOptions,
  TrimTarget,
  UpdateOptions,
  WindowOptions,
} from "./options.ts";
export {
  type AnyOf,
  type BoundaryInput,
  type Budget,
  boundaryOnly,
  customTokenRule,
  dropDuplicates,
  dropOldest,
  type Ends,
  type FilterOptions,
  filter,
  healing,
  keepLast,
  type Likeness,
  type Limits,
  makePolicy,
  type Over,
  type PlainStageOptions,
  type PolicyInput,
  type PolicyOptions,
  type ProtectionOptions,
  packNewest,
  pinMiddleRecent,
  protections,
  type Shortening,
  type StageInput,
  type StageOptions,
  shorten,
  type TokenRuleParts,
} from "./policy.ts";
export type {
  BoundaryName,
  EffectName,
  FlowName,
  HealName,
  KeepName,
  LeaveName,
  OccasionName,
  RemovedToName,
  RoundingName,
  ScopeName,
  ShapeName,
  ShowName,
  SummaryFailureName,
  SystemName,
  ToolPairsName,
  TranscriptName,
  UnitName,
} from "./policy-names.ts";
export { type PresetName, type PresetOptions, preset } from "./presets.ts";
export type {
  CollectionOptions,
  CountTokensOptions,
  DeleteDocumentsOptions,
  DocumentFields,
  DocumentFilterInput,
  DocumentInput,
  EmbedOptions,
  GetDocumentOptions,
  ListDocumentsOptions,
  MetadataInput,
  NamedVector,
  RecallFilterInput,
  RecallOptions,
  ScalarInput,
  SearchDocumentsOptions,
  UpsertOptions,
  VectorInput,
} from "./recall-options.ts";
export { DEFAULT_RETRY, type RetryPolicy } from "./retry.ts";
export type { FormatName, SnapshotChunk, SnapshotInput } from "./snapshot-parts.ts";
export type { ExportOptions } from "./snapshots.ts";
export { type SummarizeOptions, summarize, summaryView } from "./summaries.ts";
export type {
  CompactOptions,
  FailOptions,
  FoundInput,
  ListSummariesOptions,
  ListTasksOptions,
  OutputInput,
  PageOptions,
  PollOptions,
  ResolutionInput,
  ResultInput,
  TaskStateName,
  VectorsInput,
} from "./task-options.ts";
export { toDate } from "./time.ts";
export type {
  EventFilterInput,
  EventStream,
  WatchedEvent,
  WatchOptions,
  WatchStart,
} from "./watch.ts";
export { runWorker, TaskRefused, type WorkerFunctions, type WorkerOptions } from "./worker.ts";
