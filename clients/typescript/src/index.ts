// Everything that the package offers.

export type {
  AppendOptions,
  ContextReplyOptions,
  FormAppendOptions,
  WindowReplyOptions,
} from "./append-options.ts";
export type { CallOptions, MutationOptions } from "./call.ts";
export type { ChannelSettings, RawClients, TlsOptions } from "./channel.ts";
export type { MemorySidecar } from "./client.ts";
export { connect } from "./connect.ts";
export type { EraseOptions, SubjectInput } from "./erase.ts";
export {
  type FieldViolation,
  isMemorySidecarError,
  type KnownErrorReason,
  MemorySidecarError,
  Status,
} from "./errors.ts";
export {
  type FormMessages,
  type FormName,
  type Rendered,
  renderedIn,
  renderedPreviews,
} from "./forms.ts";
export {
  BreakerState,
  type ErasedCount,
  ErasedKind,
  type Erasure,
  type ErasureRemainder,
  ErasureRemainderReason,
  ErasureState,
  type FailureCount,
  type GetServerInfoResponse,
  type Hook,
  HookKind,
  type Limit,
  type NamespaceInfo,
} from "./gen/memorysidecar/v1/admin_service.ts";
export {
  type Document,
  type DocumentCollection,
  type Embedding,
  EmbeddingPurpose,
  type RefreshedDocument,
  type UpsertedDocument,
} from "./gen/memorysidecar/v1/document.ts";
export { ErrorReason } from "./gen/memorysidecar/v1/error_reason.ts";
export {
  type CollectionCleared,
  type Consumer,
  type DocumentsDeleted,
  type DocumentsUpserted,
  type Event,
  EventType,
  SessionDeleteReason,
  StreamPosition,
  type SummaryRequested,
  type SummarySet,
  SupersedeReason,
  type TaskAttempted,
  type TaskDead,
} from "./gen/memorysidecar/v1/event.ts";
export type { ListTotal, MetadataCondition } from "./gen/memorysidecar/v1/filter.ts";
export type {
  BatchDeleteMessagesResponse,
  DeletedMessage,
  DeleteFoundMessagesResponse,
  PopMessagesResponse,
  ReplaceMessagesResponse,
} from "./gen/memorysidecar/v1/history.ts";
export type {
  ClearCollectionResponse,
  DeleteDocumentsResponse,
  PurgeDocumentsResponse,
  UpsertDocumentsResponse,
} from "./gen/memorysidecar/v1/memory_service.ts";
export {
  type AgentCall,
  type AppendedMessage,
  AppendOutcome,
  type ContentPart,
  type FormNote,
  FormNoteKind,
  type Image,
  type Message,
  MessageForm,
  type ProviderPayload,
  type Reasoning,
  type RenderedMessages,
  Role,
  Source,
  type ToolCall,
  type ToolResult,
  Trust,
} from "./gen/memorysidecar/v1/message.ts";
export {
  BoundaryRule,
  type CustomTokenRule,
  type DropOldest,
  FilterScope,
  type KeepLast,
  type MessagePreview,
  type Policy,
  type PolicyPreset,
  type PolicyPreview,
  type PolicyStage,
  type Preset,
  type PresetOption,
  type Protections,
  RemovedTo,
  StageEffect,
  StageOn,
  type Summarize,
  SummaryFailure,
  SummaryFlow,
  SummaryKeep,
  SummaryLeave,
  SummaryShape,
  SummaryShow,
  type SummaryView,
  SystemProtection,
  TokenRounding,
  TokenRule,
  ToolPairing,
  type ToolResultFill,
  TranscriptStyle,
  type Trigger,
  Verdict,
  WindowUnit,
} from "./gen/memorysidecar/v1/policy.ts";
export {
  DenseState,
  FusionMethod,
  type RecallCoverage,
  type RecalledMessage,
  type RecalledSession,
  type RecallHit,
  RecallKind,
  RecallMode,
  RecallWeights,
  RerankState,
  ScoreFeature,
  type ScorePart,
} from "./gen/memorysidecar/v1/recall.ts";
export type {
  CountItemsResponse,
  ItemGroup,
  RecallResponse,
} from "./gen/memorysidecar/v1/recall_service.ts";
export type {
  ForkOrigin,
  Session,
  StageState,
} from "./gen/memorysidecar/v1/session.ts";
export type {
  AppendMessagesResponse,
  CompactSessionResponse,
  CountTokensResponse,
  DeleteMessageResponse,
  DeleteSessionResponse,
  FillToolResultsResponse,
  GetMessageResponse,
  GetWindowResponse,
  ListSummaryInputsResponse,
  PreviewPolicyResponse,
  ResetSessionResponse,
  RestoreMessagesResponse,
  SetSummaryResponse,
  TrimSessionResponse,
  UpdateMessageResponse,
  UpdateSessionResponse,
} from "./gen/memorysidecar/v1/session_service.ts";
export type { SnapshotChunk } from "./gen/memorysidecar/v1/snapshot.ts";
export {
  CompactOutcome,
  type Summary,
  SummaryPlacement,
} from "./gen/memorysidecar/v1/summary.ts";
export {
  type EmbedInput,
  type HookTask,
  type LeasedTask,
  type RerankInput,
  type SummarizeInput,
  type SummarizeOutput,
  type TaskFailure,
  TaskFailureReason,
  TaskState,
  TaskType,
} from "./gen/memorysidecar/v1/task.ts";
export type {
  CompleteTaskResponse,
  FailTaskResponse,
} from "./gen/memorysidecar/v1/task_service.ts";
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
  BatchDeleteMessagesOptions,
  BatchGetMessagesOptions,
  FormReplaceMessagesOptions,
  PopMessagesOptions,
  ReplaceMessagesOptions,
} from "./histories.ts";
export { type LangChainMessages, useLangChain } from "./langchain.ts";
export { LocalServer, type LocalServerOptions } from "./local-server.ts";
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
export type { LabelTestInput, MetadataInput, MetadataTestInput, ScalarInput } from "./metadata.ts";
export type {
  ConnectOptions,
  CreateConsumerOptions,
  DeleteConsumerOptions,
  DeleteFoundMessagesOptions,
  DeleteOptions,
  FillToolResultsOptions,
  FindMessagesOptions,
  ForkOptions,
  FormListOptions,
  FormWindowOptions,
  ImportOptions,
  ListEventsOptions,
  ListMessagesOptions,
  ListOptions,
  ListSessionMessagesOptions,
  ListSessionsOptions,
  OrderInput,
  PreviewOptions,
  ResetOptions,
  RestoreOptions,
  SeqInput,
  SessionFilterInput,
  SessionsInput,
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
  keepLast,
  type Likeness,
  type Limits,
  makePolicy,
  type Over,
  type PlainStageOptions,
  type PolicyInput,
  type PolicyOptions,
  type PresetInput,
  type ProtectionOptions,
  packNewest,
  pinMiddleRecent,
  protections,
  type Shortening,
  type StageInput,
  type StageOptions,
  shorten,
  type TokenRuleParts,
  toolResultFill,
  type WrittenPolicy,
} from "./policy.ts";
export type {
  BoundaryName,
  EffectName,
  FillRuleName,
  FlowName,
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
  ToolPairingName,
  TranscriptName,
  UnitName,
} from "./policy-names.ts";
export { type PresetName, type PresetOptions, preset } from "./presets.ts";
export type {
  CollectionOptions,
  CountDocumentsOptions,
  CountItemsOptions,
  CountTokensOptions,
  DeleteDocumentsOptions,
  DocumentFields,
  DocumentFilterInput,
  DocumentInput,
  EmbedOptions,
  GetDocumentOptions,
  ListCollectionsOptions,
  ListDocumentsOptions,
  NamedVector,
  PayloadInput,
  RecallFilterInput,
  RecallOptions,
  UpsertOptions,
  VectorInput,
} from "./recall-options.ts";
export type {
  RecordDemand,
  RecordFields,
  RecordInput,
  RecordNameInput,
  RecordOperationInput,
  RecordPath,
  RecordSearchInput,
  UploadedValue,
} from "./record-inputs.ts";
export type {
  BatchGetRecordsOptions,
  GetRecordOptions,
  ListRecordPathsOptions,
  ListRecordsOptions,
  RecordRangeOptions,
  ValueRangeOptions,
} from "./records.ts";
export { DEFAULT_RETRY, type RetryPolicy } from "./retry.ts";
export type { FormatName, SnapshotInput } from "./snapshot-parts.ts";
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
export { type TimeInput, toMs } from "./time.ts";
export type {
  EventFilterInput,
  EventPlace,
  EventStream,
  WatchedEvent,
  WatchOptions,
  WatchStart,
} from "./watch.ts";
export type { UnknownValue } from "./wire.ts";
export { runWorker, TaskRefused, type WorkerFunctions, type WorkerOptions } from "./worker.ts";
