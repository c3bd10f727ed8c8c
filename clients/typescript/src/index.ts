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
export { ErrorReason } from "./gen/memorysidecar/v1/error_reason.ts";
export { type Event, EventType, SessionDeleteReason } from "./gen/memorysidecar/v1/event.ts";
export { type Consumer, StreamPosition } from "./gen/memorysidecar/v1/event_service.ts";
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
  type DropOldest,
  type KeepLast,
  type Policy,
  type PolicyStage,
  type Protections,
  StageOn,
  SystemProtection,
  type Trigger,
  Unit,
} from "./gen/memorysidecar/v1/policy.ts";
export type { ForkOrigin, Session, Summary } from "./gen/memorysidecar/v1/session.ts";
export type {
  DeleteSessionResponse,
  ResetSessionResponse,
  UpdateSessionResponse,
} from "./gen/memorysidecar/v1/session_rpc.ts";
export {
  type SeqRange,
  type Totals,
  type Trim,
  TrimReason,
} from "./gen/memorysidecar/v1/window.ts";
export type { GetWindowResponse } from "./gen/memorysidecar/v1/window_rpc.ts";
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
  toMessage,
} from "./message.ts";
export type {
  AppendOptions,
  ConnectOptions,
  CreateConsumerOptions,
  DeleteConsumerOptions,
  DeleteOptions,
  ForkOptions,
  ListEventsOptions,
  ListMessagesOptions,
  ListOptions,
  ListSessionsOptions,
  OrderInput,
  ResetOptions,
  SeqInput,
  UpdateOptions,
  WindowOptions,
} from "./options.ts";
export {
  dropOldest,
  keepLast,
  type Limits,
  type PolicyInput,
  type StageOptions,
  type UnitName,
} from "./policy.ts";
export { DEFAULT_RETRY, type RetryPolicy } from "./retry.ts";
export { toDate } from "./time.ts";
export type {
  EventFilterInput,
  EventStream,
  WatchedEvent,
  WatchOptions,
  WatchStart,
} from "./watch.ts";
