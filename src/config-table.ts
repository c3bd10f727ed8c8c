// Every setting of the server, in one table: its names in flags, environment and file, its type
// and range, and its description. The reader, the help text and the README use this table.

import { LOG_LEVELS } from "./log.ts";

/** Type of a setting. */
export type SettingType = "integer" | "number" | "boolean" | "text" | "list";

/** A setting. */
export interface Setting {
  /** The flag without its dashes. The other names follow from it. */
  readonly flag: string;
  readonly type: SettingType;
  /** As it would be written on a command line; undefined when there is none. */
  readonly default: string | undefined;
  /**
   * A default that follows from the memory limit of the process: one part in `parts` of it, within
   * `min` and `most`.
   */
  readonly ofMemory?: { readonly parts: number; readonly most: number };
  /** The unit of an integer or a number. */
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  /** The values that a text may have. */
  readonly oneOf?: readonly string[];
  /** Plain sentences, for people. */
  readonly description: string;
  /** Left out of help and README: for tests of this project. */
  readonly hidden?: boolean;
}

/** The settings by their names in the configuration. */
export const SETTINGS = {
  dataDir: {
    flag: "data-dir",
    type: "text",
    default: "./data",
    description: "Data directory of the store. Created with mode 0700 if missing.",
  },
  listen: {
    flag: "listen",
    type: "list",
    default: undefined,
    description:
      "Listen addresses: HOST:PORT, [IPV6]:PORT or unix:PATH; separate several with commas or " +
      "repeat the flag. Default: 127.0.0.1:50151 and unix:DATA_DIR/memory-sidecar.sock (the " +
      "socket is left out if its path exceeds 107 bytes). Addresses other than loopback and " +
      "Unix sockets require token-file, or tls-cert and tls-key.",
  },
  httpListen: {
    flag: "http-listen",
    type: "text",
    default: "",
    description:
      "Address for HTTP, HOST:PORT or [IPV6]:PORT: serves the Model Context Protocol at /mcp; see " +
      "docs/integrations/mcp.md. Takes the same tokens as the listen addresses, and TLS with " +
      "tls-cert. Default: no HTTP.",
  },
  httpHosts: {
    flag: "http-hosts",
    type: "list",
    default: undefined,
    description:
      "Names by which http-listen is called beside localhost and its own address, for example " +
      "memory.example.com. Requests to other names, and those of web pages of other hosts, are " +
      "refused.",
  },
  tokenFile: {
    flag: "token-file",
    type: "text",
    default: undefined,
    description:
      "File of access tokens, one a line, each of at least 32 characters. Every call on every " +
      "address then needs one of them. The server reads the file again within a second of a " +
      "change; calls and streams whose token is gone end with TOKEN_INVALID. An empty or " +
      "missing file admits nobody.",
  },
  tlsCert: {
    flag: "tls-cert",
    type: "text",
    default: undefined,
    description:
      "Certificate chain in PEM. Turns on TLS for all TCP addresses, that of http-listen too. " +
      "Requires tls-key. Both are read once, at the start: restart the server to renew them.",
  },
  tlsKey: {
    flag: "tls-key",
    type: "text",
    default: undefined,
    description: "Private key of tls-cert in PEM.",
  },
  allowExposedSecrets: {
    flag: "allow-exposed-secrets",
    type: "boolean",
    default: "false",
    description:
      "Accept token-file, tls-key and the secret files of hooks although other users of the " +
      "machine can read or change them. By default each must have mode 0600 or stricter, or " +
      "0640 if root owns it.",
  },
  hooksFile: {
    flag: "hooks-file",
    type: "text",
    default: undefined,
    description:
      "JSON file of the hooks that make summaries and vectors and rerank results; see " +
      "docs/hooks.md. Without it, the server makes summaries and vectors itself.",
  },
  logLevel: {
    flag: "log-level",
    type: "text",
    default: "info",
    oneOf: LOG_LEVELS,
    description:
      "Verbosity of the log. `debug` adds a line for every call. Content is never logged.",
  },
  memoryBytes: {
    flag: "memory-bytes",
    type: "integer",
    default: undefined,
    unit: "bytes",
    min: 268_435_456,
    max: 1_099_511_627_776,
    description:
      "Memory budget of the server. Default: the smallest memory limit of its control groups, " +
      "or the memory of the machine. The defaults of max-buffered-bytes, " +
      "max-connection-buffered-bytes, cache-bytes and recall-memory-bytes are shares of it. While " +
      "the process uses more than three quarters of it, requests larger than 64 KiB run one at a " +
      "time and further ones are refused with OVERLOADED.",
  },
  maxHandlers: {
    flag: "max-handlers",
    type: "integer",
    default: "512",
    unit: "calls",
    min: 1,
    max: 65_536,
    description: "Maximum concurrent calls; more are refused with OVERLOADED.",
  },
  maxConnections: {
    flag: "max-connections",
    type: "integer",
    default: "256",
    unit: "connections",
    min: 1,
    max: 65_536,
    description:
      "Maximum number of open connections over all addresses. When they are all taken, a new " +
      "connection replaces the oldest one that has not begun an authenticated call, or else the " +
      "one that has been idle longest. If every connection has an open call, the new one is " +
      "closed unless it only asks for health. One remote address may hold at most three " +
      "quarters of the connections.",
  },
  prefaceTimeoutMs: {
    flag: "preface-timeout-ms",
    type: "integer",
    default: "10000",
    unit: "ms",
    min: 100,
    max: 3_600_000,
    description:
      "Timeout for the HTTP/2 preface of a new connection, which is then closed. At http-listen, " +
      "for the handshake of TLS and for the headers of a request.",
  },
  firstCallTimeoutMs: {
    flag: "first-call-timeout-ms",
    type: "integer",
    default: "60000",
    unit: "ms",
    min: 100,
    max: 3_600_000,
    description:
      "Timeout for the first call of a new connection, which must carry a token if the server " +
      "has a token-file. The connection is then closed, unless a health call is open on it.",
  },
  connectionIdleMs: {
    flag: "connection-idle-ms",
    type: "integer",
    default: "900000",
    unit: "ms",
    min: 1_000,
    max: 86_400_000,
    description:
      "Timeout for a connection without an open call. The server then closes it gracefully, " +
      "with GOAWAY, and the client reconnects at its next call. Pings do not count as calls.",
  },
  maxStreams: {
    flag: "max-streams",
    type: "integer",
    default: "400",
    unit: "streams",
    min: 1,
    max: 65_536,
    description:
      "Maximum concurrent calls on one connection, including open watches; clients queue the rest.",
  },
  watchStreams: {
    flag: "watch-streams",
    type: "integer",
    default: "1000",
    unit: "streams",
    min: 1,
    max: 65_536,
    description: "Maximum open watches; more are refused with STREAM_LIMIT_REACHED.",
  },
  maxBufferedBytes: {
    flag: "max-buffered-bytes",
    type: "integer",
    default: undefined,
    ofMemory: { parts: 16, most: 268_435_456 },
    unit: "bytes",
    min: 16_777_216,
    max: Number.MAX_SAFE_INTEGER,
    description:
      "Limit on buffered response bytes over all connections, plus 8 KiB for each response. A " +
      "limit of the same size holds for partially received requests until their calls end. " +
      "Calls beyond either limit are refused with OVERLOADED. Each connection is guaranteed an " +
      "equal share: the limit divided by max-connections. Requests that arrive in one piece, " +
      "watches (which pace themselves), health and reflection do not count.",
  },
  maxConnectionBufferedBytes: {
    flag: "max-connection-buffered-bytes",
    type: "integer",
    default: undefined,
    ofMemory: { parts: 64, most: 67_108_864 },
    unit: "bytes",
    min: 1_048_576,
    max: Number.MAX_SAFE_INTEGER,
    description:
      "Limit on buffered response bytes of one connection. Responses to writes are never " +
      "refused: a connection whose write responses exceed twice the limit is closed.",
  },
  stallTimeoutMs: {
    flag: "stall-timeout-ms",
    type: "integer",
    default: "30000",
    unit: "ms",
    min: 100,
    max: 3_600_000,
    description:
      "Timeout for a stalled transfer. A connection is closed if it reads less than 4 KiB a second " +
      "of the responses that wait for it. A call is refused with OVERLOADED if its request stops " +
      "half way, or arrives at less than that rate on a connection that receives nothing else. At " +
      "http-listen, a request must arrive whole in this time.",
  },
  shutdownGraceMs: {
    flag: "shutdown-grace-ms",
    type: "integer",
    default: "10000",
    unit: "ms",
    min: 0,
    max: 600_000,
    description: "Time that a shutdown waits for open calls.",
  },
  idempotencyWindowMs: {
    flag: "idempotency-window-ms",
    type: "integer",
    default: "86400000",
    unit: "ms",
    min: 60_000,
    max: 2_592_000_000,
    description: "Retention of request ids: a repeat within this time gets the first answer.",
  },
  eventRetentionAgeMs: {
    flag: "event-retention-age-ms",
    type: "integer",
    default: "604800000",
    unit: "ms",
    min: 1_000,
    max: 31_536_000_000,
    description: "Maximum age of retained events.",
  },
  eventRetentionCount: {
    flag: "event-retention-count",
    type: "integer",
    default: "1000000",
    unit: "events",
    min: 1,
    max: 1_000_000_000,
    description: "Maximum number of retained events.",
  },
  memoryDecayFactor: {
    flag: "memory-decay-factor",
    type: "number",
    default: "1",
    min: 0,
    max: 1,
    description:
      "Factor applied to the confidence of every memory once per `memory-decay-period-ms`, 0 to " +
      "1. 1 turns decay off. Periods during which the server was down count.",
  },
  memoryDecayPeriodMs: {
    flag: "memory-decay-period-ms",
    type: "integer",
    default: "604800000",
    unit: "ms",
    min: 60_000,
    max: 31_536_000_000,
    description: "Period of confidence decay, counted from the creation of the memory.",
  },
  memoryDecayFloor: {
    flag: "memory-decay-floor",
    type: "number",
    default: "0",
    min: 0,
    max: 1,
    description:
      "Confidence, 0 to 1, below which decay deletes a memory unless it is persistent. 0 " +
      "deletes none.",
  },
  checkpointIntervalMs: {
    flag: "checkpoint-interval-ms",
    type: "integer",
    default: "10000",
    unit: "ms",
    min: 100,
    max: 600_000,
    description: "Longest silence of a watch before it gets a checkpoint.",
  },
  startCheckMs: {
    flag: "start-check-ms",
    type: "integer",
    default: "1000",
    unit: "ms",
    min: 0,
    max: 600_000,
    description:
      "Time limit for checking the pages of the data file at a start. The server checks the other " +
      "pages in the background, and exits with code 70 if it finds damage.",
  },
  diskFloorBytes: {
    flag: "disk-floor-bytes",
    type: "integer",
    default: "268435456",
    unit: "bytes",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      "Free disk space below which writes are refused with STORE_FULL; reads and deletes " +
      "continue. 0 turns the check off.",
  },
  cacheBytes: {
    flag: "cache-bytes",
    type: "integer",
    default: undefined,
    ofMemory: { parts: 16, most: 67_108_864 },
    unit: "bytes",
    min: 1_048_576,
    max: 1_099_511_627_776,
    description: "Memory limit of the window cache.",
  },
  recallMemoryBytes: {
    flag: "recall-memory-bytes",
    type: "integer",
    default: undefined,
    ofMemory: { parts: 8, most: 268_435_456 },
    unit: "bytes",
    min: 16_777_216,
    max: 1_099_511_627_776,
    description:
      "Memory limit of the recall index over all namespaces. The least recently searched " +
      "namespaces are dropped and rebuilt at their next search; an oversized namespace drops " +
      "its oldest messages and documents from the index.",
  },
  backupDir: {
    flag: "backup-dir",
    type: "text",
    default: undefined,
    description:
      "Directory for back-ups of BackUp and of the schedule. It must exist, outside the data " +
      "directory, and belong to one server.",
  },
  backupEveryMs: {
    flag: "backup-every-ms",
    type: "integer",
    default: "0",
    unit: "ms",
    min: 0,
    max: 31_536_000_000,
    description:
      "Interval of scheduled back-ups, from the start of one to the start of the next, across " +
      "restarts. 0 turns the schedule off. Needs backup-dir.",
  },
  backupKeep: {
    flag: "backup-keep",
    type: "integer",
    default: "7",
    unit: "back-ups",
    min: 1,
    max: 100_000,
    description: "Number of complete back-ups of this store in backup-dir. Older ones are removed.",
  },
  backupBytesPerSecond: {
    flag: "backup-bytes-per-second",
    type: "integer",
    default: "33554432",
    unit: "bytes",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: "Speed limit of a back-up. 0 means no limit.",
  },
  allowNetworkFilesystem: {
    flag: "allow-network-filesystem",
    type: "boolean",
    default: "false",
    description: "Allows a store on a network filesystem, where it is not safe.",
  },
  disableReflection: {
    flag: "disable-reflection",
    type: "boolean",
    default: "false",
    description:
      "Turns server reflection off. Reflection is open to callers without a token, and its " +
      "responses are not bounded for a peer that does not read them.",
  },
  allowGrpcTrace: {
    flag: "allow-grpc-trace",
    type: "boolean",
    default: "false",
    description:
      "Allows GRPC_TRACE and GRPC_NODE_TRACE, which print the metadata of calls, including tokens.",
  },
  failpoints: {
    flag: "failpoints",
    type: "text",
    default: "",
    description: "Kills the process at named places. For tests of this project.",
    hidden: true,
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The name of a setting. */
export type SettingName = keyof typeof SETTINGS;

/**
 * The settings of `memory-sidecar mcp`. They have no key in the file. Those of `isScope` say whose
 * memories a model reaches: they come from here alone, never from the model.
 */
export const MCP_SETTINGS = {
  server: {
    flag: "server",
    type: "text",
    default: "127.0.0.1:50151",
    description: "Address of the running server: HOST:PORT, [IPV6]:PORT or unix:PATH.",
  },
  tokenFile: {
    flag: "token-file",
    type: "text",
    default: undefined,
    description:
      "File whose first token is sent with every call. Read again at every start. It must have " +
      "mode 0600 or stricter.",
  },
  tls: {
    flag: "tls",
    type: "boolean",
    default: "false",
    description: "Encrypts the connection and trusts the certificates of the system.",
  },
  tlsCa: {
    flag: "tls-ca",
    type: "text",
    default: undefined,
    description: "Certificates to trust instead, in PEM. Turns on TLS.",
  },
  timeoutMs: {
    flag: "timeout-ms",
    type: "integer",
    default: "30000",
    unit: "ms",
    min: 100,
    max: 600_000,
    description:
      "Time limit of a call to the server, with its repeats. A call waits this long for a server " +
      "that restarts.",
  },
  namespace: {
    flag: "namespace",
    type: "text",
    default: "default",
    isScope: true,
    description: "Namespace of all memories and sessions.",
  },
  user: {
    flag: "user",
    type: "text",
    default: "",
    isScope: true,
    description:
      "User whose memories and sessions the model reaches. Default: only what belongs to no user, " +
      "which everybody shares.",
  },
  agent: {
    flag: "agent",
    type: "text",
    default: "",
    isScope: true,
    description: "Agent that new memories belong to. Default: none, so that all agents see them.",
  },
  session: {
    flag: "session",
    type: "text",
    default: "",
    isScope: true,
    description: "The only session that the model may read. Default: all sessions of the user.",
  },
  referenceMemory: {
    flag: "reference-memory",
    type: "boolean",
    default: "false",
    isScope: true,
    description:
      "Offers the nine tools of the reference memory server, a knowledge graph, in place of our " +
      "own.",
  },
  importMemory: {
    flag: "import-memory",
    type: "text",
    default: undefined,
    description:
      "File of the reference memory server, memory.jsonl, to take over before serving; what is " +
      "known already stays. Needs reference-memory.",
  },
  readOnly: {
    flag: "read-only",
    type: "boolean",
    default: "false",
    isScope: true,
    description: "Offers only the tools that change nothing.",
  },
} as const satisfies Readonly<Record<string, McpSetting>>;

/** A setting of `memory-sidecar mcp`. */
export interface McpSetting extends Setting {
  /** Whether it says what a model reaches. */
  readonly isScope?: boolean;
}

/** The name of a setting of `memory-sidecar mcp`. */
export type McpSettingName = keyof typeof MCP_SETTINGS;

/** Prefix of every environment variable. */
export const ENV_PREFIX = "MEMORY_SIDECAR_";

/** The variable of a setting. */
export function envName(setting: Setting, prefix: string = ENV_PREFIX): string {
  return prefix + setting.flag.replaceAll("-", "_").toUpperCase();
}

/** Prefix of the variables of `memory-sidecar mcp`. */
export const MCP_PREFIX = `${ENV_PREFIX}MCP_`;

/** The key of a setting in the file. */
export function fileKey(setting: Setting): string {
  return setting.flag.replaceAll("-", "_");
}
