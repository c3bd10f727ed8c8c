// The one place where a failure becomes a gRPC status.

import { randomBytes } from "node:crypto";
import { Metadata, status } from "@grpc/grpc-js";
import type { Any } from "../gen/google/protobuf/any.ts";
import {
  BadRequest,
  ErrorInfo,
  QuotaFailure,
  ResourceInfo,
  RetryInfo,
} from "../gen/google/rpc/error_details.ts";
import { Status } from "../gen/google/rpc/status.ts";
import { AppError, ERROR_CODES, type ErrorReason, type FieldViolation } from "../kit/errors.ts";
import { type Full, keptFor } from "../kit/shares.ts";
import { encodeWire } from "./fast-writer.ts";

type Unavailable = {
  [R in ErrorReason]: (typeof ERROR_CODES)[R] extends "UNAVAILABLE" ? R : never;
}[ErrorReason];

/**
 * When to come back, for the reasons whose request may be sent again as it is; used where the error
 * does not say it. A status has RetryInfo if and only if its code is UNAVAILABLE.
 */
const RETRY_DELAYS_MS: Readonly<Record<Unavailable, number>> = {
  OVERLOADED: 100,
  STREAM_LIMIT_REACHED: 1_000,
  SHUTTING_DOWN: 1_000,
  UPLOAD_LIMIT_REACHED: 1_000,
  POLL_LIMIT_REACHED: 1_000,
  EMBEDDER_UNAVAILABLE: 2_000,
  BACK_UP_RUNNING: 10_000,
  COMPACTION_RUNNING: 10_000,
};

/** The reasons that are limits of what may be kept, and of what. */
const QUOTA_SUBJECTS: Readonly<Partial<Record<ErrorReason, string>>> = {
  CONSUMER_LIMIT_REACHED: "consumers",
  COLLECTION_LIMIT_REACHED: "collections",
  MEMORY_LIMIT_REACHED: "memories",
  ERASURE_LIMIT_REACHED: "erasures",
};

const ERROR_DOMAIN = "memorysidecar.io";
/** RetryInfo for the retries of gRPC itself. */
const PUSHBACK_KEY = "grpc-retry-pushback-ms";
// Stock clients refuse trailers of more than 8 KiB, and base64 makes the details longer by a third.
const TEXT_BYTES_MAX = 600;
const FIELD_BYTES_MAX = 120;
const DESCRIPTION_BYTES_MAX = 200;
const VIOLATIONS_BYTES_MAX = 3_600;
const VIOLATIONS_MAX = 20;

/** A failure in the form that grpc-js sends. */
export interface ErrorStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata: Metadata;
  readonly reason: ErrorReason;
  /** The metadata of its ErrorInfo. */
  readonly facts: ReadonlyMap<string, string>;
  /** Set for a fault of the server: the same id is in the answer and in the log. */
  readonly incidentId?: string;
}

/** Shortens a text to so many bytes of UTF-8, with whole characters. */
function clip(text: string, bytesMax: number): string {
  const sound = text.toWellFormed();
  if (Buffer.byteLength(sound) <= bytesMax) return sound;
  let clipped = "";
  let bytes = "...".length;
  for (const character of sound) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    clipped += character;
  }
  return `${clipped}...`;
}

/** The faults as they are sent: as many as the trailers may hold. */
function fieldViolations(violations: readonly FieldViolation[]): BadRequest["fieldViolations"] {
  const sent: BadRequest["fieldViolations"] = [];
  let bytes = 0;
  for (const violation of violations.slice(0, VIOLATIONS_MAX)) {
    const field = clip(violation.field, FIELD_BYTES_MAX);
    const description = clip(violation.description, DESCRIPTION_BYTES_MAX);
    bytes += Buffer.byteLength(field) + Buffer.byteLength(description);
    if (bytes > VIOLATIONS_BYTES_MAX) break;
    sent.push({ field, description });
  }
  return sent;
}

function any(type: string, value: Uint8Array): Any {
  return { typeUrl: `type.googleapis.com/google.rpc.${type}`, value: Buffer.from(value) };
}

function retryInfo(delayMs: number): Any {
  const retryDelay = {
    seconds: BigInt(Math.floor(delayMs / 1000)),
    nanos: (delayMs % 1000) * 1_000_000,
  };
  return any("RetryInfo", encodeWire(RetryInfo, { retryDelay }));
}

function retryDelayMs({ reason, detail }: AppError): number | undefined {
  const delays: Readonly<Partial<Record<ErrorReason, number>>> = RETRY_DELAYS_MS;
  const delay = delays[reason];
  return delay === undefined ? undefined : (detail.retryDelayMs ?? delay);
}

function standardDetails(error: AppError): Any[] {
  const { violations, resource } = error.detail;
  const details: Any[] = [];
  if (violations !== undefined) {
    details.push(
      any("BadRequest", encodeWire(BadRequest, { fieldViolations: fieldViolations(violations) })),
    );
  }
  if (resource !== undefined) {
    const info = {
      resourceType: resource.type,
      resourceName: clip(resource.name, TEXT_BYTES_MAX),
      owner: "",
      description: "",
    };
    details.push(any("ResourceInfo", encodeWire(ResourceInfo, info)));
  }
  const subject = QUOTA_SUBJECTS[error.reason];
  if (subject !== undefined) {
    const failure = { violations: [{ subject, description: error.message }] };
    details.push(any("QuotaFailure", encodeWire(QuotaFailure, failure)));
  }
  const delay = retryDelayMs(error);
  if (delay !== undefined) details.push(retryInfo(delay));
  return details;
}

/**
 * Turns a failure into a status. What is not an AppError is a fault of the server: the caller
 * learns only an incident id, and the log has the rest under the same id.
 */
export function toErrorStatus(error: unknown): ErrorStatus {
  const incidentId = error instanceof AppError ? undefined : randomBytes(8).toString("hex");
  const known =
    error instanceof AppError
      ? error
      : new AppError("INTERNAL", "The server failed. Its log has the incident id.", {
          metadata: { incident_id: incidentId ?? "" },
        });
  const code = status[ERROR_CODES[known.reason]];
  const details = clip(known.message, TEXT_BYTES_MAX);
  const info = {
    reason: known.reason,
    domain: ERROR_DOMAIN,
    metadata: new Map(
      Object.entries(known.detail.metadata ?? {}).map(([name, fact]) => [
        name,
        clip(String(fact), TEXT_BYTES_MAX),
      ]),
    ),
  };
  const wire = encodeWire(Status, {
    code,
    message: details,
    details: [any("ErrorInfo", encodeWire(ErrorInfo, info)), ...standardDetails(known)],
  });
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(wire));
  const delay = retryDelayMs(known);
  if (delay !== undefined) metadata.set(PUSHBACK_KEY, String(delay));
  const base = { code, details, metadata, reason: known.reason, facts: info.metadata };
  return incidentId === undefined ? base : { ...base, incidentId };
}

/** The bytes of the request are not its message. */
export function requestMalformed(): AppError {
  return new AppError(
    "REQUEST_MALFORMED",
    "The request bytes are not the message that this method takes, or hold text that is not UTF-8.",
  );
}

/** Too many calls run at once. */
export function overloaded(full: Full): AppError {
  return new AppError(
    "OVERLOADED",
    `The server is already running ${full.limit} calls${keptFor(full)}. Nothing was done. Retry ` +
      "after the delay.",
    { metadata: { limit: full.limit } },
  );
}

/** A reply does not fit into the answer of its write. */
export function replyTooLarge(limit: number): AppError {
  return new AppError(
    "REPLY_TOO_LARGE",
    `The reply does not fit into a response of ${limit} bytes. The write has taken effect. Ask ` +
      "for the reply by itself.",
    { metadata: { limit } },
  );
}

/** Too many bytes of answers wait to be read. */
export function unreadAnswers(limit: number): AppError {
  return new AppError(
    "OVERLOADED",
    `Answers of up to ${limit} bytes wait to be read already. Nothing was done. Read them, or ` +
      "retry after the delay.",
    { metadata: { limit } },
  );
}

/** The process holds nearly all the memory that it may take. */
export function memoryShort(): AppError {
  return new AppError(
    "OVERLOADED",
    "The memory of the server is nearly used up: large requests come in one at a time. Nothing " +
      "was done. Retry after the delay.",
  );
}

/** Too many bytes of requests are here in part. */
export function requestsUnfinished(limit: number): AppError {
  return new AppError(
    "OVERLOADED",
    `Requests of up to ${limit} bytes are coming in already. Nothing was done. Send fewer at ` +
      "once, or retry after the delay.",
    { metadata: { limit } },
  );
}

/** A request stopped half way, or crept. */
export function requestStalled(limitMs: number): AppError {
  return new AppError(
    "OVERLOADED",
    `The request stopped half way, or came in with less than 4 KiB a second for ${limitMs} ms. ` +
      "Nothing was done. Send it again.",
    { metadata: { limit: limitMs } },
  );
}

/** Too many streams are open. */
export function streamLimitReached(full: Full): AppError {
  return new AppError(
    "STREAM_LIMIT_REACHED",
    `The server already has ${full.limit} open streams${keptFor(full)}. Close one, or retry after ` +
      "the delay.",
    { metadata: { limit: full.limit } },
  );
}

/** The deadline has passed before anything was done. */
export function deadlineExceeded(): AppError {
  return new AppError("DEADLINE_EXCEEDED", "The deadline passed before the call began.");
}

/** The server is stopping. */
export function shuttingDown(): AppError {
  return new AppError("SHUTTING_DOWN", "The server is stopping. Retry.");
}
