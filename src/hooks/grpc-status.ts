// What the status of a gRPC hook means. The table is that of hook_handler_service.proto. What the
// status says in words is not repeated: it is the hook's text.

import { status as Code, type ServiceError } from "@grpc/grpc-js";
import { LIMITS } from "../domain/limits.ts";
import type { TaskFailureReason } from "../domain/tasks/task.ts";
import { RetryInfo } from "../gen/google/rpc/error_details.ts";
import { Status } from "../gen/google/rpc/status.ts";
import { HookFailure } from "../service/hook-port.ts";

const REASONS: ReadonlyMap<Code, TaskFailureReason> = new Map([
  [Code.RESOURCE_EXHAUSTED, "busy"],
  [Code.UNAVAILABLE, "busy"],
  [Code.DEADLINE_EXCEEDED, "timeout"],
  [Code.INVALID_ARGUMENT, "refused"],
  [Code.PERMISSION_DENIED, "refused"],
  [Code.UNAUTHENTICATED, "refused"],
  [Code.UNIMPLEMENTED, "refused"],
  [Code.FAILED_PRECONDITION, "refused"],
]);

// The library says with a status of its own that an answer is too long or a connection is gone;
// only its words tell them from what the hook sends.
const TOO_LONG = /^Received message (larger than max|that decompresses to a size larger than)/;
const BROKEN = /^Connection dropped|RST_STREAM|ECONNRESET|EPIPE|GOAWAY|^Call ended without/;

const RETRY_INFO = /(^|\/)google\.rpc\.RetryInfo$/;

/** How long a hook asks to be left alone; undefined when it does not say. */
function retryDelayMs(error: ServiceError): number | undefined {
  const [binary] = error.metadata.get("grpc-status-details-bin");
  if (!Buffer.isBuffer(binary)) return undefined;
  try {
    const detail = Status.decode(binary).details.find((any) => RETRY_INFO.test(any.typeUrl));
    const delay = detail === undefined ? undefined : RetryInfo.decode(detail.value).retryDelay;
    if (delay === undefined) return undefined;
    const ms = Number(delay.seconds) * 1_000 + Math.ceil(delay.nanos / 1_000_000);
    return Math.min(Math.max(ms, 0), LIMITS.retryDelayMsMax);
  } catch {
    // Details that cannot be read say nothing.
    return undefined;
  }
}

/** Gives the failure that a status stands for. */
export function grpcFailure(error: ServiceError): HookFailure {
  const { code, details } = error;
  if (code === Code.RESOURCE_EXHAUSTED && TOO_LONG.test(details)) {
    return new HookFailure("output-too-long", "The answer is longer than the hook may send.");
  }
  if (code === Code.UNAVAILABLE && BROKEN.test(details)) {
    return new HookFailure("hook-error", "The connection broke before the answer was whole.");
  }
  const delay = retryDelayMs(error);
  const options = delay === undefined ? {} : { retryDelayMs: delay };
  const name = Code[code] ?? "UNKNOWN";
  return new HookFailure(
    REASONS.get(code) ?? "hook-error",
    `The hook answered with the status ${name}.`,
    options,
  );
}
