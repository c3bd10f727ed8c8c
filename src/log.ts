// The log: JSON lines on standard output, one logger for each part of the server. Nothing that
// callers stored, no tokens and no metadata of calls ever gets in; the redaction below is a second
// guard.

import { type DestinationStream, type Logger, pino } from "pino";

/** The levels, from quiet to loud. */
export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const REDACTED = ["authorization", "token", "metadata", "text", "content"];

/** The loggers by part. */
export interface Logs {
  readonly main: Logger;
  readonly server: Logger;
  readonly rpc: Logger;
  readonly service: Logger;
  readonly hooks: Logger;
  readonly storage: Logger;
}

/** Makes the loggers. Writes to standard output unless another destination is given. */
export function createLogs(level: LogLevel, destination?: DestinationStream): Logs {
  const root = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [...REDACTED, ...REDACTED.map((name) => `*.${name}`)],
        censor: "[redacted]",
      },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
  const child = (part: string): Logger => root.child({ part });
  return {
    main: child("main"),
    server: child("server"),
    rpc: child("rpc"),
    service: child("service"),
    hooks: child("hooks"),
    storage: child("storage"),
  };
}
