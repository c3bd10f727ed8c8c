// Errors of the client: what the server says in `grpc-status-details-bin`, as one typed error.

import { status as GrpcStatus, Metadata, type ServiceError } from "@grpc/grpc-js";
import { BadRequest, ErrorInfo, ResourceInfo, RetryInfo } from "./gen/google/rpc/error_details.ts";
import { Status as RpcStatus } from "./gen/google/rpc/status.ts";
import type { ErrorReason } from "./gen/memorysidecar/v1/error_reason.ts";

const ERROR_DOMAIN = "memorysidecar.io";
const DETAILS_KEY = "grpc-status-details-bin";
const TYPE_PREFIX = "type.googleapis.com/";

/** The reasons that this version of the client knows. */
export type KnownErrorReason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED" | "UNRECOGNIZED">;

/** The gRPC status codes by name. */
export const Status = GrpcStatus;

/** A fault of one field of a request. */
export interface FieldViolation {
  /** The path of the field, for example `messages[3].text`. */
  readonly field: string;
  /** The fault, and the allowed values. */
  readonly description: string;
}

/** Details of an error beside its code and message. */
export interface ErrorDetail {
  /** Reason for the failure; empty if the error does not come from the server. */
  readonly reason: KnownErrorReason | (string & Record<never, never>);
  /** The values behind the reason, for example `last_seq`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Every faulty field of the request. */
  readonly violations: readonly FieldViolation[];
  /** The resource that is missing or in the way. */
  readonly resource: { readonly type: string; readonly name: string } | undefined;
  /** Time that the server asks to wait before a retry, in milliseconds. */
  readonly retryDelayMs: number | undefined;
}

/** A call that failed. */
export class MemorySidecarError extends Error {
  override readonly name = "MemorySidecarError";
  /** The gRPC status code, one of `Status`. */
  readonly code: GrpcStatus;
  /** The path of the rpc, for example `/memorysidecar.v1.SessionService/GetSession`. */
  readonly method: string;
  readonly reason: ErrorDetail["reason"];
  readonly metadata: ErrorDetail["metadata"];
  readonly violations: ErrorDetail["violations"];
  readonly resource: ErrorDetail["resource"];
  readonly retryDelayMs: ErrorDetail["retryDelayMs"];

  /** `sent` is what the caller knows of the call; the message then says what to do. */
  constructor(error: ServiceError, method: string, sent?: SentCall) {
    const detail = decodeDetail(error);
    const text = error.details || error.message;
    super(sent === undefined ? text : advise(text, error.code, detail, sent), { cause: error });
    this.code = error.code;
    this.method = method;
    this.reason = detail.reason;
    this.metadata = detail.metadata;
    this.violations = detail.violations;
    this.resource = detail.resource;
    this.retryDelayMs = detail.retryDelayMs;
  }
}

/** Says whether a value is a MemorySidecarError, of this reason when one is given. */
export function isMemorySidecarError(
  value: unknown,
  reason?: KnownErrorReason,
): value is MemorySidecarError {
  if (!(value instanceof MemorySidecarError)) return false;
  return reason === undefined || value.reason === reason;
}

/** An error that the server reports in an answer, or that the client finds by itself. */
export interface Finding {
  readonly code: GrpcStatus;
  readonly reason: string;
  readonly message: string;
  readonly metadata?: ErrorDetail["metadata"];
}

/** Makes the error that a call with this outcome would have thrown. */
export function foundError(
  { code, reason, message, metadata = {} }: Finding,
  method: string,
): MemorySidecarError {
  const info = ErrorInfo.fromPartial({ domain: ERROR_DOMAIN, reason, metadata });
  const value = Buffer.from(ErrorInfo.encode(info).finish());
  const typeUrl = `${TYPE_PREFIX}google.rpc.ErrorInfo`;
  const status = RpcStatus.fromPartial({ code, message, details: [{ typeUrl, value }] });
  const trailers = new Metadata();
  trailers.set(DETAILS_KEY, Buffer.from(RpcStatus.encode(status).finish()));
  const cause = Object.assign(new Error(message), { code, details: message, metadata: trailers });
  return new MemorySidecarError(cause, method);
}

/** Facts about a failed call that the caller knows and the server does not report. */
export interface SentCall {
  readonly address: string;
  /** Whether the client encrypts the connection. */
  readonly isSecure: boolean;
  readonly request: unknown;
  /** The size of the request. */
  readonly byteCount: () => number;
}

/** Turns what grpc-js throws into a MemorySidecarError; leaves everything else as it is. */
export function toClientError(error: unknown, method: string, sent?: SentCall): unknown {
  return isServiceError(error) ? new MemorySidecarError(error, method, sent) : error;
}

const REQUEST_BYTES_MAX = 4 * 1024 * 1024;

const TO_DO: Partial<Record<string, string>> = {
  SESSION_NOT_FOUND:
    "Create it with createSession or ensureSession, or append with createSession: true.",
  SESSION_ALREADY_EXISTS: "Use ensureSession to take the one that exists.",
  MESSAGE_ALREADY_EXISTS: "Leave messageId out, or repeat the first call with its requestId.",
  CONSUMER_NOT_FOUND: "Create it with createConsumer or ensureConsumer.",
  TOKEN_MISSING: "Give the client the token of the server: connect(address, { token }).",
  TOKEN_INVALID: "Compare the token of the client with the token file of the server.",
};

/** Says why there is no connection, and what to do. */
function unreachable(text: string, { address, isSecure }: SentCall): string {
  if (isSecure && /wrong version number|packet length too long/.test(text)) {
    return `The server at ${address} does not speak TLS: leave tls out.`;
  }
  if (isSecure && /altnames/.test(text)) {
    return `The certificate of the server at ${address} is for another name: check tls.serverName.`;
  }
  if (isSecure && /alert.*certificate/.test(text)) {
    return `The server at ${address} asks for another certificate: check tls.cert and tls.key.`;
  }
  if (isSecure && /certificate/.test(text)) {
    return `The server at ${address} speaks TLS with a certificate that is not trusted: check tls.ca.`;
  }
  // A connection that was made and ended before a word of HTTP/2; all others have an error code.
  if (!isSecure && !address.startsWith("unix:") && /Failed to connect \(/.test(text)) {
    return `The server at ${address} ends connections that have no TLS. If it speaks TLS, pass tls.`;
  }
  return `No server answers at ${address}. Is it running there?`;
}

/** Adds to a message which server, session and namespace were meant, and what to do. */
function advise(text: string, code: GrpcStatus, detail: ErrorDetail, sent: SentCall): string {
  const { reason, resource, metadata } = detail;
  if (reason === "" && code === GrpcStatus.UNAVAILABLE) {
    return `${unreachable(text, sent)} (${text})`;
  }
  if (reason === "" && code === GrpcStatus.RESOURCE_EXHAUSTED) {
    const size = sent.byteCount();
    if (size > REQUEST_BYTES_MAX) {
      return (
        `The request has ${size} bytes, and a server takes ${REQUEST_BYTES_MAX} at most. ` +
        "Send less in one call."
      );
    }
  }
  const said = [text];
  if (resource !== undefined) {
    const { sessionId, namespace } = sent.request as { sessionId?: string; namespace?: string };
    const inSession = resource.type !== "Session" && sessionId ? ` of session "${sessionId}"` : "";
    const where = namespace === undefined ? "" : ` in namespace "${namespace || "default"}"`;
    said.push(`${resource.type} "${resource.name}"${inSession}${where}.`);
  }
  const todo = TO_DO[reason];
  if (todo !== undefined) said.push(todo);
  if (reason === "EMBEDDING_MISMATCH") {
    const wanted = Object.entries(metadata).map(([name, value]) => `${name} ${value}`);
    said.push(`Expected: ${wanted.join(", ")}.`);
    said.push("Make vectors with embed(), or leave the embedding out.");
  }
  if (detail.violations.some(({ field }) => field.endsWith("preset.name"))) {
    said.push('Use a name that preset() accepts, such as "sliding_window".');
  }
  return said.join(" ");
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error && "metadata" in error;
}

/** Reads the details of an error; one that cannot be read is as if it were not there. */
function decodeDetail(error: ServiceError): ErrorDetail {
  const found = unpack(error);
  const info = found(ErrorInfo, "google.rpc.ErrorInfo");
  const ours = info?.domain === ERROR_DOMAIN ? info : undefined;
  const resource = found(ResourceInfo, "google.rpc.ResourceInfo");
  const delay = found(RetryInfo, "google.rpc.RetryInfo")?.retryDelay;
  return {
    reason: ours?.reason ?? "",
    metadata: { ...ours?.metadata },
    violations: found(BadRequest, "google.rpc.BadRequest")?.fieldViolations ?? [],
    resource: resource && { type: resource.resourceType, name: resource.resourceName },
    retryDelayMs: delay && Number(delay.seconds) * 1000 + Math.ceil(delay.nanos / 1e6),
  };
}

interface Decodable<T> {
  decode(bytes: Uint8Array): T;
}

function unpack(error: ServiceError): <T>(type: Decodable<T>, name: string) => T | undefined {
  const bytes = error.metadata?.get(DETAILS_KEY)[0];
  const status = bytes instanceof Buffer ? attempt(RpcStatus, bytes) : undefined;
  return (type, name) => {
    const any = status?.details.find((detail) => detail.typeUrl === TYPE_PREFIX + name);
    return any && attempt(type, any.value);
  };
}

function attempt<T>(type: Decodable<T>, bytes: Uint8Array): T | undefined {
  try {
    return type.decode(bytes);
  } catch {
    return undefined;
  }
}
