// The safe wrapper around every rpc. Nothing that an rpc does can escape it: a throw, a rejection
// and a canceled call all end in exactly one status. The order of its checks is the order of the
// contract: authentication, request shape, deadline, capacity; existence and state are the
// service's.

import type {
  handleServerStreamingCall,
  handleUnaryCall,
  ServerUnaryCall,
  ServerWritableStream,
} from "@grpc/grpc-js";
import { createAnswerStream, letGo } from "../grpc/answer-stream.ts";
import { type Auth, type Caller, tokenInvalid } from "../grpc/auth.ts";
import type { CallFacts, CallLog } from "../grpc/call-log.ts";
import {
  deadlineExceeded,
  type ErrorStatus,
  requestMalformed,
  shuttingDown,
  toErrorStatus,
} from "../grpc/error-status.ts";
import { digestRequest } from "../grpc/request-digest.ts";
import type { UnsentAnswers } from "../grpc/unsent.ts";
import { Violations } from "../grpc/violations.ts";
import type { Incoming } from "../grpc/wire.ts";
import type { Call } from "../kit/call.ts";
import { AppError } from "../kit/errors.ts";
import type { Semaphore } from "../kit/semaphore.ts";
import type { Turns } from "../kit/turns.ts";
import type { RpcContext, StreamRpc, UnaryRpc } from "./rpc.ts";

/** Limits on concurrent work, shared among namespaces. A refused call has done nothing. */
export interface Admission {
  readonly calls: Semaphore;
  /** Calls that wait for something to happen: they do no work meanwhile. */
  readonly polls: Semaphore;
  readonly streams: Semaphore;
  /** Order of the calls that have a place. */
  readonly turns: Turns;
}

/** Dependencies of the wrapper. */
export interface Edge {
  readonly context: RpcContext;
  readonly auth: Auth;
  readonly admission: Admission;
  readonly unsent: UnsentAnswers;
  readonly log: CallLog;
  readonly nowMs: () => number;
  /** Aborted when the server begins to stop: ends waits for something that may never happen. */
  readonly stopping: AbortSignal;
  /** Aborted when the server no longer waits for calls under way. */
  readonly stopped: AbortSignal;
}

/** Name of a method, reader of its requests, and the request fields handled separately. */
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
  /** Whether a request deletes what is stored: an unknown field may narrow what, and is refused. */
  readonly destroys: ((request: Request) => boolean) | undefined;
}

// Making a signal costs more than the whole wrapper: work that is never stopped half way gets this
// one.
const LIVE = new AbortController().signal;
const UNKNOWN_FIELD = "is unknown to this server: it could delete more than was asked";

/** Time at which a caller stops waiting; infinity for one that never does. */
function deadlineOf(call: { getDeadline(): Date | number }): number {
  const deadline = call.getDeadline();
  return typeof deadline === "number" ? deadline : deadline.getTime();
}

/** A request that passed every check that needs no state and no capacity. */
interface Admitted<Request> {
  readonly caller: Caller;
  readonly incoming: Incoming<Request>;
  readonly request: Request;
  readonly deadlineMs: number;
}

/** Checks a request. A caller without a token costs no decoding. */
function admit<Request>(
  edge: Edge,
  call: ServerUnaryCall<Buffer, Uint8Array> | ServerWritableStream<Buffer, Uint8Array>,
  shape: MethodShape<Request>,
  validate: UnaryRpc<Request>["validate"],
): Admitted<Request> {
  const caller = edge.auth.authenticate(call.metadata);
  const incoming = shape.read(call.request);
  const { request } = incoming;
  if (request === undefined) throw requestMalformed();
  const violations = new Violations();
  if (incoming.unknownField !== "" && shape.destroys?.(request) === true) {
    violations.add(incoming.unknownField, UNKNOWN_FIELD);
  }
  shape.check?.(violations, request);
  validate?.(request, violations);
  if (violations.malformed) throw requestMalformed();
  const fault = violations.error();
  if (fault !== undefined) throw fault;
  const deadlineMs = deadlineOf(call);
  if (deadlineMs <= edge.nowMs()) throw deadlineExceeded();
  nameNamespace(request);
  return { caller, incoming, request, deadlineMs };
}

function requestIdOf(request: unknown): string {
  return (request as { readonly requestId?: string }).requestId ?? "";
}

/** The namespace that an empty one stands for. */
const DEFAULT_NAMESPACE = "default";

/** Names the namespace in a request that leaves it out. */
function nameNamespace(request: unknown): void {
  const named = request as { namespace?: string };
  if (named.namespace === "") named.namespace = DEFAULT_NAMESPACE;
}

/** The namespace whose share of the server a call uses. */
function namespaceOf(request: unknown): string {
  return (request as { readonly namespace?: string }).namespace ?? DEFAULT_NAMESPACE;
}

function makeCall<Request>(
  shape: MethodShape<Request>,
  admitted: Admitted<Request>,
  signal: AbortSignal,
): Call {
  const requestId = requestIdOf(admitted.request);
  let digest = "";
  if (requestId !== "" || shape.paged) {
    const { bytes, hasMaps, schema } = admitted.incoming;
    digest = digestRequest({ method: shape.name, bytes, hasMaps, schema, leftOut: shape.leftOut });
  }
  const { caller, deadlineMs } = admitted;
  return { method: shape.name, requestId, digest, writer: caller.name, signal, deadlineMs };
}

function liveSignal(
  call: { on(event: "cancelled", listener: () => void): unknown; readonly cancelled: boolean },
  ends: readonly AbortSignal[],
): AbortSignal {
  // grpc-js reports a passed deadline as a cancellation, too.
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (call.cancelled) abort();
  call.on("cancelled", abort);
  return AbortSignal.any([controller.signal, ...ends]);
}

/** The signal of a call with one answer. */
function unarySignal<Request>(
  edge: Edge,
  call: ServerUnaryCall<Buffer, Uint8Array>,
  { cancelable = false }: UnaryRpc<Request>,
  { caller, request, waits }: Admitted<Request> & { readonly waits: boolean },
): AbortSignal {
  if (waits) return liveSignal(call, [edge.stopping, caller.revoked]);
  const isLong = typeof cancelable === "function" ? cancelable(request) : cancelable;
  return isLong ? liveSignal(call, [edge.stopped, caller.revoked]) : LIVE;
}

/** A call that the server itself cut short is not a matter of the caller's deadline. */
function cutShort(error: unknown, revoked: boolean, stopped: boolean): unknown {
  if (!(error instanceof AppError) || error.reason !== "DEADLINE_EXCEEDED") return error;
  if (revoked) return tokenInvalid();
  return stopped ? shuttingDown() : error;
}

function factsOf({ nowMs }: Edge, method: string, request: Buffer): CallFacts {
  return { method, startMs: nowMs(), requestBytes: request.length };
}

/** The status of a failure, which is logged. */
function told(log: CallLog, facts: CallFacts, error: unknown): ErrorStatus {
  const answer = toErrorStatus(error);
  log.failed(facts, answer, error);
  return answer;
}

/** Makes the handler of an rpc with one answer. */
export function createUnaryHandler<Request>(
  edge: Edge,
  shape: MethodShape<Request>,
  rpc: UnaryRpc<Request>,
): handleUnaryCall<Buffer, Uint8Array> {
  const { admission, log, unsent } = edge;
  return (call, callback) => {
    const facts = factsOf(edge, shape.name, call.request);
    let entered = false;
    let namespace = "";
    let waits = false;
    let revoked: AbortSignal | undefined;
    const leave = (): void => {
      if (!entered) return;
      entered = false;
      (waits ? admission.polls : admission.calls).leave(namespace);
      if (!waits) admission.turns.end(namespace);
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
    const tell = (error: unknown): ErrorStatus => {
      const { aborted: stopped } = waits ? edge.stopping : edge.stopped;
      return told(log, facts, cutShort(error, revoked?.aborted === true, stopped));
    };
    const fail = (error: unknown): void => {
      leave();
      try {
        const answer = tell(error);
        unsent.failed(call);
        callback(answer);
      } catch (second) {
        // Not even the failure could be sent. It must not end the process, too.
        log.unsent(facts, second);
      }
    };
    try {
      const admitted = admit(edge, call, shape, rpc.validate);
      revoked = admitted.caller.revoked;
      unsent.checkRoom(call, shape.readOnly);
      waits = rpc.waits?.(admitted.request) === true;
      namespace = namespaceOf(admitted.request);
      (waits ? admission.polls : admission.calls).enter(namespace);
      entered = true;
      const run = (): void => {
        try {
          if (call.cancelled) throw deadlineExceeded();
          const signal = unarySignal(edge, call, rpc, { ...admitted, waits });
          const rpcCall = makeCall(shape, admitted, signal);
          rpc.handle(edge.context, rpcCall, admitted.request, tell).then(succeed, fail);
        } catch (error) {
          fail(error);
        }
      };
      if (waits) run();
      else admission.turns.start(namespace, run);
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
  const facts = factsOf(edge, shape.name, call.request);
  let namespace: string | undefined;
  // A stream that breaks off raises "error" as well; "cancelled" reports its end.
  call.on("error", () => {});
  try {
    const admitted = admit(edge, call, shape, rpc.validate);
    if (stopped.aborted) throw shuttingDown();
    const holder = namespaceOf(admitted.request);
    admission.streams.enter(holder);
    namespace = holder;
    const { revoked } = admitted.caller;
    const signal = liveSignal(call, [stopped, revoked]);
    const answers = createAnswerStream(call, signal);
    const rpcCall = makeCall(shape, admitted, signal);
    await rpc.stream(edge.context, rpcCall, admitted.request, answers);
    if (revoked.aborted) throw tokenInvalid();
    if (stopped.aborted) throw shuttingDown();
    call.end();
    if (log.verbose) log.done(facts, 0);
  } catch (error) {
    const answer = toErrorStatus(error);
    log.failed(facts, answer, error);
    call.emit("error", answer);
    letGo(call);
  } finally {
    if (namespace !== undefined) admission.streams.leave(namespace);
  }
}
