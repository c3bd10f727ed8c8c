// Expected failures: what a caller can understand and act on, with the code of each reason.
// grpc/error-status.ts turns them into gRPC statuses. A fault of our own is not one of these: it is
// answered as INTERNAL.

import { type Full, keptFor } from "./shares.ts";

/**
 * The gRPC code of each reason for which a call fails. The reasons have the names of the public
 * `ErrorReason` enum without its prefix.
 */
export const ERROR_CODES = {
  REQUEST_MALFORMED: "INVALID_ARGUMENT",
  REQUEST_INVALID: "INVALID_ARGUMENT",
  PAGE_TOKEN_INVALID: "INVALID_ARGUMENT",
  RESUME_TOKEN_INVALID: "INVALID_ARGUMENT",
  RESUME_TOKEN_FOREIGN: "INVALID_ARGUMENT",
  RESUME_TOKEN_EXPIRED: "OUT_OF_RANGE",
  SESSION_NOT_FOUND: "NOT_FOUND",
  SESSION_ALREADY_EXISTS: "ALREADY_EXISTS",
  MESSAGE_NOT_FOUND: "NOT_FOUND",
  MESSAGE_ALREADY_EXISTS: "ALREADY_EXISTS",
  SEQ_OUT_OF_RANGE: "OUT_OF_RANGE",
  LAST_SEQ_MISMATCH: "ABORTED",
  ETAG_MISMATCH: "ABORTED",
  REQUEST_ID_REUSED: "FAILED_PRECONDITION",
  WINDOW_FULL: "FAILED_PRECONDITION",
  CONSUMER_NOT_FOUND: "NOT_FOUND",
  CONSUMER_ALREADY_EXISTS: "ALREADY_EXISTS",
  CONSUMER_LIMIT_REACHED: "RESOURCE_EXHAUSTED",
  TOKEN_MISSING: "UNAUTHENTICATED",
  TOKEN_INVALID: "UNAUTHENTICATED",
  OVERLOADED: "UNAVAILABLE",
  STREAM_LIMIT_REACHED: "UNAVAILABLE",
  STORE_FULL: "RESOURCE_EXHAUSTED",
  SHUTTING_DOWN: "UNAVAILABLE",
  DEADLINE_EXCEEDED: "DEADLINE_EXCEEDED",
  RECORD_CORRUPT: "DATA_LOSS",
  INTERNAL: "INTERNAL",
  HOOK_NOT_CONFIGURED: "FAILED_PRECONDITION",
  SUMMARY_VERSION_MISMATCH: "ABORTED",
  SNAPSHOT_INVALID: "INVALID_ARGUMENT",
  SESSION_CHANGED: "ABORTED",
  UPLOAD_NOT_FOUND: "NOT_FOUND",
  UPLOAD_LIMIT_REACHED: "UNAVAILABLE",
  HOOK_FAILED: "ABORTED",
  TASK_NOT_FOUND: "NOT_FOUND",
  LEASE_LOST: "ABORTED",
  TASK_SUPERSEDED: "ABORTED",
  TASK_RESULT_INVALID: "INVALID_ARGUMENT",
  POLL_LIMIT_REACHED: "UNAVAILABLE",
  SUMMARY_NOT_FOUND: "NOT_FOUND",
  DOCUMENT_NOT_FOUND: "NOT_FOUND",
  COLLECTION_LIMIT_REACHED: "RESOURCE_EXHAUSTED",
  EMBEDDING_MISMATCH: "INVALID_ARGUMENT",
  EMBEDDER_UNAVAILABLE: "UNAVAILABLE",
  EMBEDDER_OFF: "FAILED_PRECONDITION",
  MEMORY_NOT_FOUND: "NOT_FOUND",
  MEMORY_LIMIT_REACHED: "RESOURCE_EXHAUSTED",
  MEMORY_VERSION_NOT_FOUND: "NOT_FOUND",
  MEMORY_VERSION_LIMIT_REACHED: "FAILED_PRECONDITION",
  PROMOTION_POLICY_MISSING: "FAILED_PRECONDITION",
  REVISION_NOT_REACHED: "OUT_OF_RANGE",
  BACK_UP_NOT_CONFIGURED: "FAILED_PRECONDITION",
  BACK_UP_RUNNING: "UNAVAILABLE",
  BACK_UP_FAILED: "FAILED_PRECONDITION",
  ERASURE_NOT_FOUND: "NOT_FOUND",
  ERASURE_LIMIT_REACHED: "RESOURCE_EXHAUSTED",
  ANSWER_ERASED: "FAILED_PRECONDITION",
  RECORD_NOT_FOUND: "NOT_FOUND",
  RECORD_ALREADY_EXISTS: "ALREADY_EXISTS",
  RECORD_VERSION_MISMATCH: "ABORTED",
  COMPACTION_RUNNING: "UNAVAILABLE",
  COMPACTION_FAILED: "FAILED_PRECONDITION",
  REPLY_TOO_LARGE: "OUT_OF_RANGE",
  CONTEXT_BUDGET_TOO_SMALL: "FAILED_PRECONDITION",
  UPLOAD_OFFSET_MISMATCH: "ABORTED",
  RECORD_CHECKSUM_MISMATCH: "FAILED_PRECONDITION",
  RECORD_VALUE_TOO_LARGE: "FAILED_PRECONDITION",
  DOCUMENT_OF_RECORD: "FAILED_PRECONDITION",
} as const;

/** Reasons for which a call fails. */
export type ErrorReason = keyof typeof ERROR_CODES;

/** A fault of one field of a request. */
export interface FieldViolation {
  /** The path of the field, for example `messages[3].text`. */
  readonly field: string;
  /** The fault, and what is allowed. */
  readonly description: string;
}

/** Details of an AppError beside its reason and message. */
export interface AppErrorDetail {
  /** Facts for programs, by their names. Numbers go out as text. */
  readonly metadata?: Readonly<Record<string, string | number>>;
  readonly violations?: readonly FieldViolation[];
  /** The type and name of the resource that is missing or in the way. */
  readonly resource?: { readonly type: string; readonly name: string };
  /** When to come back, for reasons that are UNAVAILABLE; each has a default. */
  readonly retryDelayMs?: number;
  readonly cause?: unknown;
}

/** An expected failure. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly reason: ErrorReason;
  readonly detail: AppErrorDetail;

  constructor(reason: ErrorReason, message: string, detail: AppErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.reason = reason;
    this.detail = detail;
  }
}

/** For `catch`: undefined in place of failures for a reason. Others are thrown again. */
export function undefinedFor(reason: ErrorReason): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof AppError && error.reason === reason) return undefined;
    throw error;
  };
}

/** A resource is missing, or in the way. */
export function resourceError(
  reason: ErrorReason,
  type: string,
  id: string,
  problem: string,
): AppError {
  const metadata = { [`${type.toLowerCase()}_id`]: id };
  return new AppError(reason, problem, { metadata, resource: { type, name: id } });
}

/**
 * The request breaks rules.
 *
 * @param limit - The number that the first fault breaks, if it does.
 * @param isPartial - Whether the search for faults ended early, so that there may be more.
 */
export function requestInvalid(
  violations: readonly FieldViolation[],
  limit?: number,
  isPartial = false,
): AppError {
  const facts = { field: violations[0]?.field ?? "" };
  const metadata = limit === undefined ? facts : { ...facts, limit };
  const text = violationsText(violations, isPartial);
  return new AppError("REQUEST_INVALID", text, { violations, metadata });
}

/** The first fault and how many others there are. */
function violationsText(violations: readonly FieldViolation[], isPartial: boolean): string {
  const first = violations[0];
  const others = violations.length - 1;
  const end = isPartial ? "; the search ended there" : "";
  const more = others > 0 ? ` (and ${others} more${end})` : "";
  return `${first?.field}: ${first?.description}${more}`;
}

/** The session does not exist. */
export function sessionNotFound(sessionId: string): AppError {
  const problem = "The session does not exist in this namespace.";
  return resourceError("SESSION_NOT_FOUND", "Session", sessionId, problem);
}

/** The session exists already. */
export function sessionAlreadyExists(sessionId: string): AppError {
  const problem = "A session with this id already exists.";
  return resourceError("SESSION_ALREADY_EXISTS", "Session", sessionId, problem);
}

/** The message does not exist, or not in the window, as `problem` says. */
export function messageNotFound(
  messageId: string,
  problem = "The message does not exist in this session.",
): AppError {
  return resourceError("MESSAGE_NOT_FOUND", "Message", messageId, problem);
}

/** A message with this id exists already. */
export function messageAlreadyExists(messageId: string): AppError {
  const problem = "A message with this id already exists in the session.";
  return resourceError("MESSAGE_ALREADY_EXISTS", "Message", messageId, problem);
}

/** The seq asked for is not there to be seen. */
export function seqOutOfRange(seq: number, lastSeq: number): AppError {
  return new AppError("SEQ_OUT_OF_RANGE", `Seq ${seq} is outside the history up to ${lastSeq}.`, {
    metadata: { seq, last_seq: lastSeq },
  });
}

/** Another caller appended in between. */
export function lastSeqMismatch(expected: number, lastSeq: number): AppError {
  return new AppError(
    "LAST_SEQ_MISMATCH",
    `The newest seq is ${lastSeq}, not ${expected}. Read the session and try again.`,
    { metadata: { expected_last_seq: expected, last_seq: lastSeq } },
  );
}

/** The resource changed since the etag was read. */
export function etagMismatch(): AppError {
  return new AppError(
    "ETAG_MISMATCH",
    "The resource changed since the etag was read, or the etag is of another history of the " +
      "store. Read it and try again.",
  );
}

/** The request id was used for something else. */
export function requestIdReused(requestId: string): AppError {
  return new AppError(
    "REQUEST_ID_REUSED",
    "The request id was already used for a different request. Use a new id for a new request.",
    { metadata: { request_id: requestId } },
  );
}

/** The protected messages do not fit under the ceiling of a window. */
export function windowFull(limit: string): AppError {
  return new AppError(
    "WINDOW_FULL",
    `The protected messages of the window would pass its ceiling of ${limit}. ` +
      "Protect less, or append smaller messages.",
    { metadata: { limit } },
  );
}

/** Messages take too many bytes in the form of an API. */
export function formTooLarge(
  bytes: number,
  limit: number,
  advice = "Trim the window, or ask for fewer messages.",
): AppError {
  return new AppError(
    "WINDOW_FULL",
    `The messages take ${bytes} bytes in this form; an answer holds at most ${limit}. ${advice}`,
    { metadata: { limit } },
  );
}

/** A context in a form has no room for the messages that are always in it. */
export function contextBudgetTooSmall(tokenCount: number, limit: number): AppError {
  return new AppError(
    "CONTEXT_BUDGET_TOO_SMALL",
    `The messages that are always included cost ${tokenCount} tokens; the budget is ${limit}. ` +
      "Raise max_tokens, append shorter messages, or let the policy keep less.",
    { metadata: { token_count: tokenCount, limit } },
  );
}

/** A stage promotes, and the session has no promotion policy that says how. */
export function promotionPolicyMissing(stage: string): AppError {
  return new AppError(
    "PROMOTION_POLICY_MISSING",
    `The stage "${stage}" promotes what it removes, and the session does not say how. ` +
      "Set memory_policy.promotion.",
    { metadata: { stage } },
  );
}

/** The policy, call or task needs a hook that is not there, or one that does other work. */
export function hookNotConfigured(hook: string, problem = missingHook(hook)): AppError {
  return new AppError("HOOK_NOT_CONFIGURED", problem, { metadata: { hook } });
}

function missingHook(hook: string): string {
  return `Hook "${hook}" is not configured on this server. Name one that ListHooks gives.`;
}

/** A hook that a call waits for failed, or gave what cannot be used. */
export function hookFailed(hook: string, problem: string, cause: unknown): AppError {
  return new AppError("HOOK_FAILED", problem, { metadata: { hook }, cause });
}

/** The task is done, deleted, or was never there. */
export function taskNotFound(taskId: string): AppError {
  const problem = "The task does not exist in this namespace.";
  return resourceError("TASK_NOT_FOUND", "Task", taskId, problem);
}

/** The lease of a task ended, or another worker has it. */
export function leaseLost(taskId: string): AppError {
  return new AppError("LEASE_LOST", "The lease of the task has expired. Discard the result.", {
    metadata: { task_id: taskId },
  });
}

/** The source of a task has changed. */
export function taskSuperseded(taskId: string, advice = "Drop the result."): AppError {
  const problem = `The messages or the summary of the task changed meanwhile. ${advice}`;
  return new AppError("TASK_SUPERSEDED", problem, { metadata: { task_id: taskId } });
}

/** The result of a task is refused: why, by the name of the failure, and what of it. */
export function taskResultInvalid(
  taskId: string,
  failure: TaskFailureReason,
  violation: FieldViolation,
): AppError {
  const { field, description } = violation;
  return new AppError("TASK_RESULT_INVALID", `${field}: ${description}`, {
    violations: [violation],
    metadata: { task_id: taskId, failure: failure.toUpperCase().replaceAll("-", "_") },
  });
}

/** Too many calls wait. */
export function pollLimitReached(full: Full): AppError {
  return new AppError(
    "POLL_LIMIT_REACHED",
    `${full.limit} calls wait already${keptFor(full)}. Retry after the delay.`,
    { metadata: { limit: full.limit } },
  );
}

/** The session never had this summary, or it is no longer kept. */
export function summaryNotFound(version: number): AppError {
  return new AppError(
    "SUMMARY_NOT_FOUND",
    `The session has no summary of version ${version}, or it is no longer kept.`,
    {
      metadata: { version },
      resource: { type: "Summary", name: String(version) },
    },
  );
}

/** Another caller set the summary in between. */
export function summaryVersionMismatch(expected: number, version: number): AppError {
  return new AppError(
    "SUMMARY_VERSION_MISMATCH",
    `The summary has version ${version}, not ${expected}. Read the session and try again.`,
    { metadata: { expected_version: expected, version } },
  );
}

/** A snapshot cannot be read; names the faults with their paths in the document. */
export function snapshotInvalid(violations: readonly FieldViolation[]): AppError {
  const metadata = { field: violations[0]?.field ?? "" };
  const text = violationsText(violations, false);
  return new AppError("SNAPSHOT_INVALID", text, { violations, metadata });
}

/** Messages were changed or deleted while the session was exported. */
export function sessionChanged(): AppError {
  return new AppError(
    "SESSION_CHANGED",
    "Messages of the session were changed or deleted during the export. Export again.",
  );
}

/** The upload of a snapshot is not known. */
export function uploadNotFound(uploadId: string): AppError {
  return new AppError(
    "UPLOAD_NOT_FOUND",
    "The upload was abandoned, or the server restarted. Start again with the first chunk.",
    { metadata: { upload_id: uploadId } },
  );
}

/** Too many uploads of snapshots are under way. */
export function uploadLimitReached(full: Full): AppError {
  return new AppError(
    "UPLOAD_LIMIT_REACHED",
    `The server already has ${full.limit} open uploads${keptFor(full)}. Finish one, or retry ` +
      "after the delay.",
    { metadata: { limit: full.limit } },
  );
}

/** Too many bytes of documents are held for uploads. */
export function uploadBytesReached({ limit, few }: Full): AppError {
  const whose = few === undefined ? "Open uploads" : "Open uploads of the namespace";
  return new AppError(
    "UPLOAD_LIMIT_REACHED",
    `${whose} already hold ${limit} bytes of documents. Finish one, or retry after the delay.`,
    { metadata: { limit } },
  );
}

/** A page token is damaged or belongs to another request. */
export function pageTokenInvalid(): AppError {
  return new AppError(
    "PAGE_TOKEN_INVALID",
    "The page token is damaged or belongs to a different request. Start from the first page.",
  );
}

/** A resume token is not one of ours. */
export function resumeTokenInvalid(): AppError {
  return new AppError("RESUME_TOKEN_INVALID", "The resume token is damaged or not a resume token.");
}

/** A resume token comes from elsewhere. */
export function resumeTokenForeign(
  what: "store" | "namespace" | "state of this store" | "history of this store",
): AppError {
  return new AppError(
    "RESUME_TOKEN_FOREIGN",
    `The resume token comes from another ${what}. Watch from now, then read the state.`,
  );
}

/** A revision lies after the newest of the namespace. */
export function revisionNotReached(revision: number, newest: number): AppError {
  return new AppError(
    "REVISION_NOT_REACHED",
    `The namespace is at revision ${newest}; ${revision} is of another namespace or store.`,
    { metadata: { revision, newest_revision: newest } },
  );
}

/** Events after a start are gone. */
export function resumeTokenExpired(oldestRevision: number): AppError {
  return new AppError(
    "RESUME_TOKEN_EXPIRED",
    `Events after the start are no longer kept; the oldest is of revision ${oldestRevision}. ` +
      "Watch from now, then read the state.",
    { metadata: { oldest_revision: oldestRevision } },
  );
}

/** The consumer does not exist. */
export function consumerNotFound(consumerId: string): AppError {
  const problem = "The consumer does not exist in this namespace.";
  return resourceError("CONSUMER_NOT_FOUND", "Consumer", consumerId, problem);
}

/** The consumer exists already. */
export function consumerAlreadyExists(consumerId: string): AppError {
  const problem = "A consumer with this id already exists.";
  return resourceError("CONSUMER_ALREADY_EXISTS", "Consumer", consumerId, problem);
}

/** The erasure does not exist. */
export function erasureNotFound(erasureId: string): AppError {
  const problem = "The erasure does not exist in this namespace.";
  return resourceError("ERASURE_NOT_FOUND", "Erasure", erasureId, problem);
}

/** The namespace has as many erasures under way as it may. */
export function erasureLimitReached(limit: number): AppError {
  return new AppError(
    "ERASURE_LIMIT_REACHED",
    `At most ${limit} erasures run in a namespace. Wait until one is done.`,
    { metadata: { limit } },
  );
}

/** The answer that was remembered under a request id is erased. */
export function answerErased(requestId: string): AppError {
  return new AppError(
    "ANSWER_ERASED",
    "The call took effect before, and its answer was erased with its subject. Do not repeat it.",
    { metadata: { request_id: requestId } },
  );
}

/** A stored record is damaged. */
export function recordCorrupt(what: string, cause?: unknown): AppError {
  return new AppError(
    "RECORD_CORRUPT",
    `A stored record is damaged (${what}). Run "memory-sidecar verify" on the data directory.`,
    { cause },
  );
}

/** A back-up is damaged, which a restore found. */
export function backUpDamaged(backUp: string, what: string): AppError {
  const problem = `The back-up ${backUp} is damaged (${what}). Nothing was restored: take another.`;
  return new AppError("RECORD_CORRUPT", problem);
}

/** The pages of the data file are damaged. Each problem has a kind and the places of it. */
export function fileDamaged(
  path: string,
  problems: readonly { readonly kind: string; readonly examples: readonly string[] }[],
): AppError {
  const found = problems.map(({ kind, examples }) => `${kind} (${examples.join("; ")})`).join(", ");
  return new AppError(
    "RECORD_CORRUPT",
    `The data file ${path} is damaged: ${found}. Do not write to it. Run "memory-sidecar verify" ` +
      "on its directory for the whole list, and put a back-up in its place.",
  );
}

/** The server has no directory for back-ups. */
export function backUpNotConfigured(): AppError {
  return new AppError(
    "BACK_UP_NOT_CONFIGURED",
    "The server has no directory for back-ups. Start it with --backup-dir, or take the back-up as " +
      "a stream.",
  );
}

/** Another back-up is under way. */
export function backUpRunning(): AppError {
  return new AppError("BACK_UP_RUNNING", "Another back-up is under way. Retry after the delay.");
}

/** A back-up could not be written. */
export function backUpFailed(cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new AppError("BACK_UP_FAILED", `The back-up could not be written. ${why}`, { cause });
}

/** A compaction of the store is under way. */
export function compactionRunning(): AppError {
  return new AppError(
    "COMPACTION_RUNNING",
    "A compaction of the store is under way. Retry after the delay.",
  );
}

/** The store could not be compacted. */
export function compactionFailed(cause: unknown): AppError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `The store could not be compacted, and goes on as it was. ${why}`;
  return new AppError("COMPACTION_FAILED", message, { cause });
}

/** The disk is nearly full. */
export function storeFull(freeBytes: number, floorBytes: number): AppError {
  return new AppError(
    "STORE_FULL",
    `The disk has ${freeBytes} bytes left, less than the floor of ${floorBytes}. Free space.`,
    { metadata: { free_bytes: freeBytes, floor_bytes: floorBytes } },
  );
}

/** Reasons for which an attempt fails; the names of the public enum in lower case. */
export const TASK_FAILURES = [
  "unreachable",
  "timeout",
  "busy",
  "hook-error",
  "refused",
  "invalid-output",
  "empty-output",
  "output-too-long",
  "worker",
  "no-hook",
] as const;
export type TaskFailureReason = (typeof TASK_FAILURES)[number];
