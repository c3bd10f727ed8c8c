// What one rpc is to the edge: how its request is checked and what answers it.

import type { Etags } from "../domain/etag.ts";
import type { Call, Services } from "../service/api.ts";
import type { AnswerStream } from "./answer-stream.ts";
import type { Exports } from "./export-answers.ts";
import type { PageTokens } from "./page-token.ts";
import type { ResumeTokens } from "./resume-token.ts";
import type { Violations } from "./validate/violations.ts";

/** What rpcs work with, made once by the composition root. */
export interface RpcContext {
  readonly services: Services;
  readonly etags: Etags;
  readonly pageTokens: PageTokens;
  readonly resumeTokens: ResumeTokens;
  /** The exports under way. */
  readonly exports: Exports;
  /** What GetServerInfo tells of the process. */
  readonly server: ServerFacts;
  /** The longest silence on a stream of events. */
  readonly checkpointIntervalMs: number;
}

/** What does not change while the process runs. */
export interface ServerFacts {
  readonly version: string;
  readonly startMs: number;
}

/** An rpc with one answer. */
export interface UnaryRpc<Request> {
  /**
   * Names what is wrong between the fields of a request whose fields were checked one by one before
   * (see src/gen/checks.ts); it never throws.
   */
  readonly validate?: (request: Request, violations: Violations) => void;
  /** Gives the wire form of the answer. */
  readonly handle: (context: RpcContext, call: Call, request: Request) => Promise<Uint8Array>;
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
