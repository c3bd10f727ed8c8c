// One line for each call. Calls that went well are written at level debug, so that a busy server
// pays nothing for them; refusals are debug too, since they are the caller's to mend; a fault of
// the server is an error with its stack and incident id. Never content, ids of tokens, or metadata.

import { status } from "@grpc/grpc-js";
import type { Logger } from "pino";
import type { ErrorStatus } from "./error-status.ts";

/** Facts of a call for the log. */
export interface CallFacts {
  readonly method: string;
  readonly startMs: number;
  readonly requestBytes: number;
}

/** Writes the lines of calls. */
export interface CallLog {
  /** Whether calls that went well are written at all. */
  readonly verbose: boolean;
  readonly done: (facts: CallFacts, responseBytes: number) => void;
  readonly failed: (facts: CallFacts, answer: ErrorStatus, error: unknown) => void;
  /** The status of a call could not be sent. */
  readonly unsent: (facts: CallFacts, error: unknown) => void;
}

/** Makes the log of calls on a logger. */
export function createCallLog(log: Logger, nowMs: () => number): CallLog {
  const verbose = log.isLevelEnabled("debug");
  return {
    verbose,
    done: (facts, responseBytes) => {
      const { method, requestBytes } = facts;
      const duration_ms = nowMs() - facts.startMs;
      log.debug(
        {
          method,
          code: "OK",
          duration_ms,
          request_bytes: requestBytes,
          response_bytes: responseBytes,
        },
        "call",
      );
    },
    unsent: (facts, error) => {
      log.error({ method: facts.method, err: error }, "status not sent");
    },
    failed: (facts, answer, error) => {
      const fields = {
        method: facts.method,
        code: status[answer.code],
        reason: answer.reason,
        duration_ms: nowMs() - facts.startMs,
        request_bytes: facts.requestBytes,
      };
      if (answer.incidentId !== undefined) {
        log.error({ ...fields, incident_id: answer.incidentId, err: error }, "call failed");
      } else if (answer.reason === "RECORD_CORRUPT" || answer.reason === "STORE_FULL") {
        log.warn({ ...fields, problem: answer.details }, "call");
      } else if (verbose) {
        log.debug(fields, "call");
      }
    },
  };
}
