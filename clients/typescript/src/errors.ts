// Errors of the client: what the server says in `grpc-status-details-bin`, as one typed error.

import { status as GrpcStatus, type ServiceError } from "@grpc/grpc-js";
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
  /** What is wrong with it and what is allowed. */
  readonly description: string;
}

/** What an error carries beside its code and message. */
export interface ErrorDetail {
  /** Why the call failed; empty when the error does not come from the server. */
  readonly reason: KnownErrorReason | (string & Record<never, never>);
  /** The values behind the reason, for example `last_seq`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Every faulty field of the request. */
  readonly violations: readonly FieldViolation[];
  /** The resource that is missing or in the way. */
  readonly resource: { readonly type: string; readonly name: string } | undefined;
  /** How long the server asks to wait before a retry, in milliseconds. */
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

  constructor(error: ServiceError, method: string) {
    super(error.details || error.message, { cause: error });
    const detail = decodeDetail(error);
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

/** Turns what grpc-js throws into a MemorySidecarError; leaves everything else as it is. */
export function toClientError(error: unknown, method: string): unknown {
  return isServiceError(error) ? new MemorySidecarError(error, method) : error;
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
