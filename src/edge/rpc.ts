// An rpc at the edge: how its request is checked, and its handler.

import type { AnswerStream } from "../grpc/answer-stream.ts";
import type { ErrorStatus } from "../grpc/error-status.ts";
import type { PageTokens } from "../grpc/page-token.ts";
import type { ResumeTokens } from "../grpc/resume-token.ts";
import type { Violations } from "../grpc/violations.ts";
import type { Call } from "../kit/call.ts";
import type { Etags } from "../kit/etag.ts";
import type { Exports } from "../session/snapshot/export-wire.ts";
import type { Services } from "./services-api.ts";

/** Context of rpcs, made once by the composition root. */
export interface RpcContext {
  readonly services: Services;
  readonly etags: Etags;
  readonly pageTokens: PageTokens;
  readonly resumeTokens: ResumeTokens;
  /** The exports under way. */
  readonly exports: Exports;
  /** Facts of the process for GetServerInfo. */
  readonly server: ServerFacts;
  /** The longest silence on a stream of events. */
  readonly checkpointIntervalMs: number;
}

/** Facts that do not change while the process runs. */
export interface ServerFacts {
  readonly version: string;
  readonly startMs: number;
  /** Limits that settings give, by their names in camel case. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Gives the status of a failure that is a part of an answer, and logs it as that of a call. */
export type Tell = (error: unknown) => ErrorStatus;

/** An rpc with one answer. */
export interface UnaryRpc<Request> {
  /**
   * Names what is wrong between the fields of a request whose fields were checked one by one before
   * (see src/gen/checks.ts); it never throws.
   */
  readonly validate?: (request: Request, violations: Violations) => void;
  /** Gives the wire form of the answer. */
  readonly handle: (
    context: RpcContext,
    call: Call,
    request: Request,
    tell: Tell,
  ) => Promise<Uint8Array>;
  /**
   * Whether the work is long enough to be stopped half way, or for which requests it is: the call
   * then has a live signal.
   */
  readonly cancelable?: boolean | ((request: Request) => boolean);
  /**
   * Whether a request may wait for something to happen: it then takes a place among the polls
   * instead of one of a handler, and its signal also ends when the server begins to stop.
   */
  readonly waits?: (request: Request) => boolean;
}

/** An rpc with a stream of answers. */
export interface StreamRpc<Request> {
  /** As for an rpc with one answer. */
  readonly validate?: (request: Request, violations: Violations) => void;
  /** Sends answers until the call's signal is aborted; throws to end the stream with an error. */
  readonly stream: (
    context: RpcContext,
    call: Call,
    request: Request,
    answers: AnswerStream,
  ) => Promise<void>;
}
