// The safe wrapper around every rpc. Nothing that an rpc does can escape it: a throw, a rejection
// and a canceled call all end in exactly one status. The order of its checks is the order of the
// contract: authentication, request shape, deadline, capacity; existence and state are the
// service's.

import type {
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  ServerUnaryCall,
  ServerWritableStream,
} from "@grpc/grpc-js";
import { AppError } from "../domain/errors.ts";
import type { Call } from "../service/api.ts";
import type { Admission } from "./admission.ts";
import { createAnswerStream } from "./answer-stream.ts";
import type { CallLog } from "./call-log.ts";
import { deadlineExceeded, requestMalformed, shuttingDown, toErrorStatus } from "./error-status.ts";
import { digestRequest } from "./request-digest.ts";
import type { RpcContext, StreamRpc, UnaryRpc } from "./rpc.ts";
import type { UnsentAnswers } from "./unsent.ts";
import { Violations } from "./validate/violations.ts";
import type { Incoming } from "./wire.ts";

/** What the wrapper needs beside the rpc. */
export interface Edge {
  readonly context: RpcContext;
  /** Gives the name of the caller. Throws TOKEN_MISSING or TOKEN_INVALID. */
  readonly authenticate: (metadata: Metadata) => string;
  readonly admission: Admission;
  readonly unsent: UnsentAnswers;
  readonly log: CallLog;
  readonly nowMs: () => number;
  /** Aborted when the server begins to stop: nobody waits any more for what may never happen. */
  readonly stopping: AbortSignal;
  /** Aborted when the server no longer waits for calls under way. */
  readonly stopped: AbortSignal;
}

/** How a method is named, how its requests are read, and which of their fields stand apart. */
export interface MethodShape<Request> {
  readonly name: string;
  /** Never throws: undecodable bytes give an Incoming without a request. */
  readonly read: (bytes: Buffer) => Incoming<Request>;
  /** Names the fields that break a rule of their own; undefined for a request without rules. */
  readonly check: ((violations: Violations, request: Request) => void) | undefined;
  /** The fields that do not count in a digest of the request: request id, page size and token. */
  readonly leftOut: ReadonlySet<number>;
  /** Lists in pages: a page token is bound to the digest, so it is always made. */
  readonly paged: boolean;
  /** Changes nothing, so that it can be refused when its answer is there already. */
  readonly readOnly: boolean;
  /** Deletes what is stored: a field that nobody here knows may narrow what, and is refused. */
  readonly destructive: boolean;
}

// Making a signal costs more than the whole wrapper: work that is never stopped half way gets this
// one.
const LIVE = new AbortController().signal;
const NO_DIGEST: Uint8Array = new Uint8Array(0);
const UNKNOWN_FIELD = "is unknown to this server: it could delete more than was asked";

function deadlinePassed(deadline: Date | number, nowMs: number): boolean {
  return (typeof deadline === "number" ? deadline : deadline.getTime()) <= nowMs;
}

/** A request that passed every check that needs no state and no capacity. */
interface Admitted<Request> {
  readonly writer: string;
  readonly incoming: Incoming<Request>;
  readonly request: Request;
}

/** Checks a request. A caller without a token costs no decoding. */
function admit<Request>(
  edge: Edge,
  call: ServerUnaryCall<Buffer, Uint8Array> | ServerWritableStream<Buffer, Uint8Array>,
  shape: MethodShape<Request>,
  validate: UnaryRpc<Request>["validate"],
): Admitted<Request> {
  const writer = edge.authenticate(call.metadata);
  const incoming = shape.read(call.request);
  const { request } = incoming;
  if (request === undefined) throw requestMalformed();
  const violations = new Violations();
  if (shape.destructive && incoming.unknownField !== "") {
    violations.add(incoming.unknownField, UNKNOWN_FIELD);
  }
  shape.check?.(violations, request);
  validate?.(request, violations);
  if (violations.malformed) throw requestMalformed();
  const fault = violations.error();
  if (fault !== undefined) throw fault;
  const deadline = call.getDeadline();
  if (deadline !== Number.POSITIVE_INFINITY && deadlinePassed(deadline, edge.nowMs())) {
    throw deadlineExceeded();
  }
  return { writer, incoming, request };
}

function requestIdOf(request: unknown): string {
  return (request as { readonly requestId?: string }).requestId ?? "";
}

function makeCall<Request>(
  shape: MethodShape<Request>,
  admitted: Admitted<Request>,
  signal: AbortSignal,
): Call {
  const requestId = requestIdOf(admitted.request);
  let digest = NO_DIGEST;
  if (requestId !== "" || shape.paged) {
    const { bytes, hasMaps, schema } = admitted.incoming;
    digest = digestRequest({ method: shape.name, bytes, hasMaps, schema, leftOut: shape.leftOut });
  }
  return { method: shape.name, requestId, digest, writer: admitted.writer, signal };
}

function liveSignal(
  call: { on(event: "cancelled", listener: () => void): unknown; readonly cancelled: boolean },
  stopped: AbortSignal,
): AbortSignal {
  // grpc-js reports a passed deadline as a cancellation, too.
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (call.cancelled) abort();
  call.on("cancelled", abort);
  return AbortSignal.any([controller.signal, stopped]);
}

/** The signal of a call with one answer. */
function unarySignal<Request>(
  edge: Edge,
  call: ServerUnaryCall<Buffer, Uint8Array>,
  { cancelable = false }: UnaryRpc<Request>,
  asked: { readonly request: Request; readonly waits: boolean },
): AbortSignal {
  if (asked.waits) return liveSignal(call, edge.stopping);
  const isLong = typeof cancelable === "function" ? cancelable(asked.request) : cancelable;
  return isLong ? liveSignal(call, edge.stopped) : LIVE;
}

/** A wait that the server itself cut short is not a matter of the caller's deadline. */
function cutShort(edge: Edge, error: unknown): unknown {
  const ended = error instanceof AppError && error.reason === "DEADLINE_EXCEEDED";
  return ended && edge.stopping.aborted ? shuttingDown() : error;
}

/** Makes the handler of an rpc with one answer. */
export function createUnaryHandler<Request>(
  edge: Edge,
  shape: MethodShape<Request>,
  rpc: UnaryRpc<Request>,
): handleUnaryCall<Buffer, Uint8Array> {
  const { admission, log, unsent } = edge;
  return (call, callback) => {
    const facts = {
      method: shape.name,
      startMs: edge.nowMs(),
      requestBytes: call.request.length,
    };
    let entered = false;
    let waits = false;
    const leave = (): void => {
      if (!entered) return;
      entered = false;
      if (waits) admission.leavePoll();
      else admission.leaveCall();
    };
    const succeed = (answer: Uint8Array): void => {
      leave();
      try {
        unsent.add(call, answer.length, shape.readOnly);
        callback(null, answer);
        if (log.verbose) log.done(facts, answer.length);
      } catch (error) {
        fail(error);
      }
    };
    const fail = (error: unknown): void => {
      leave();
      try {
        const answer = toErrorStatus(waits ? cutShort(edge, error) : error);
        log.failed(facts, answer, error);
        unsent.failed(call);
        callback(answer);
      } catch (second) {
        // Not even the failure could be sent. It must not end the process, too.
        log.unsent(facts, second);
      }
    };
    try {
      const admitted = admit(edge, call, shape, rpc.validate);
      unsent.checkRoom(call, shape.readOnly);
      waits = rpc.waits?.(admitted.request) === true;
      if (waits) admission.enterPoll();
      else admission.enterCall();
      entered = true;
      const signal = unarySignal(edge, call, rpc, { request: admitted.request, waits });
      const rpcCall = makeCall(shape, admitted, signal);
      rpc.handle(edge.context, rpcCall, admitted.request).then(succeed, fail);
    } catch (error) {
      fail(error);
    }
  };
}

/** Makes the handler of an rpc with a stream of answers. */
export function createStreamHandler<Request>(
  edge: Edge,
  shape: MethodShape<Request>,
  rpc: StreamRpc<Request>,
): handleServerStreamingCall<Buffer, Uint8Array> {
  return (call) => {
    void runStream(edge, shape, rpc, call);
  };
}

async function runStream<Request>(
  edge: Edge,
  shape: MethodShape<Request>,
  rpc: StreamRpc<Request>,
  call: ServerWritableStream<Buffer, Uint8Array>,
): Promise<void> {
  const { admission, log, stopped } = edge;
  const facts = {
    method: shape.name,
    startMs: edge.nowMs(),
    requestBytes: call.request.length,
  };
  let entered = false;
  // A stream that breaks off raises "error" as well; its end is told by "cancelled".
  call.on("error", () => {});
  try {
    const admitted = admit(edge, call, shape, rpc.validate);
    if (stopped.aborted) throw shuttingDown();
    admission.enterStream();
    entered = true;
    const signal = liveSignal(call, stopped);
    const answers = createAnswerStream(call, signal);
    const rpcCall = makeCall(shape, admitted, signal);
    await rpc.stream(edge.context, rpcCall, admitted.request, answers);
    if (stopped.aborted) throw shuttingDown();
    call.end();
    if (log.verbose) log.done(facts, 0);
  } catch (error) {
    const answer = toErrorStatus(error);
    log.failed(facts, answer, error);
    call.emit("error", answer);
  } finally {
    if (entered) admission.leaveStream();
  }
}
