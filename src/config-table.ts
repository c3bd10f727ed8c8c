// Every setting of the server, in one table: how it is named in flags, in the environment and in
// the file, what it may be, and what it does. The reader, the help text and the README use this
// table.

import { LOG_LEVELS } from "./log.ts";

/** What a setting holds. */
export type SettingType = "integer" | "number" | "boolean" | "text" | "list";

/** A setting. */
export interface Setting {
  /** The flag without its dashes. The other names follow from it. */
  readonly flag: string;
  readonly type: SettingType;
  /** As it would be written on a command line; undefined when there is none. */
  readonly default: string | undefined;
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
    description: "The directory of the store. Made with mode 0700 if it is missing.",
  },
  listen: {
    flag: "listen",
    type: "list",
    default: undefined,
    description:
      "Where to listen: HOST:PORT, [IPV6]:PORT or unix:PATH; several with commas or by repeating " +
      "the flag. Default: 127.0.0.1:50151 and unix:DATA_DIR/memory-sidecar.sock (the socket is " +
      "left out when its path is longer than 107 bytes). Addresses other than loopback and Unix " +
      "sockets need token-file, or tls-cert and tls-key.",
  },
  tokenFile: {
    flag: "token-file",
    type: "text",
    default: undefined,
    description:
      "A file with one token a line, of 32 characters or more. Every call must then bring one of " +
      "them, on every address. Read again when it changes.",
  },
  tlsCert: {
    flag: "tls-cert",
    type: "text",
    default: undefined,
    description: "The certificate chain in PEM. All TCP addresses then speak TLS. Needs tls-key.",
  },
  tlsKey: {
    flag: "tls-key",
    type: "text",
    default: undefined,
    description: "The private key of tls-cert in PEM.",
  },
  hooksFile: {
    flag: "hooks-file",
    type: "text",
    default: undefined,
    description:
      "A JSON file that names the hooks which make summaries and vectors and put results in " +
      "order; docs/hooks.md explains it. Without it the server makes summaries and vectors itself.",
  },
  logLevel: {
    flag: "log-level",
    type: "text",
    default: "info",
    oneOf: LOG_LEVELS,
    description: "How much is logged. `debug` adds a line for every call; content never is.",
  },
  maxHandlers: {
    flag: "max-handlers",
    type: "integer",
    default: "512",
    unit: "calls",
    min: 1,
    max: 65_536,
    description: "The most calls that run at once; more are refused with OVERLOADED.",
  },
  maxConnections: {
    flag: "max-connections",
    type: "integer",
    default: "256",
    unit: "connections",
    min: 1,
    max: 65_536,
    description: "The most open connections over all addresses; more are closed at once.",
  },
  maxStreams: {
    flag: "max-streams",
    type: "integer",
    default: "400",
    unit: "streams",
    min: 1,
    max: 65_536,
    description:
      "The most calls at once on one connection, open watches among them; a client keeps more " +
      "back.",
  },
  watchStreams: {
    flag: "watch-streams",
    type: "integer",
    default: "1000",
    unit: "streams",
    min: 1,
    max: 65_536,
    description: "The most open watches; more are refused with STREAM_LIMIT_REACHED.",
  },
  maxBufferedBytes: {
    flag: "max-buffered-bytes",
    type: "integer",
    default: "268435456",
    unit: "bytes",
    min: 16_777_216,
    max: Number.MAX_SAFE_INTEGER,
    description:
      "The most bytes of answers that wait for their readers, over all connections, with 8 KiB more " +
      "for each answer, and as much again of requests that did not come in one piece, until their " +
      "calls are over; more is refused with OVERLOADED. Each connection always has its share: " +
      "this, divided by max-connections. Not counted: requests of one piece, watches, which wait " +
      "for their readers by themselves, health and reflection.",
  },
  maxConnectionBufferedBytes: {
    flag: "max-connection-buffered-bytes",
    type: "integer",
    default: "67108864",
    unit: "bytes",
    min: 1_048_576,
    max: Number.MAX_SAFE_INTEGER,
    description:
      "The same for one connection. Answers of writes are never refused: a connection on which " +
      "they make twice as much is closed.",
  },
  stallTimeoutMs: {
    flag: "stall-timeout-ms",
    type: "integer",
    default: "30000",
    unit: "ms",
    min: 100,
    max: 3_600_000,
    description:
      "How long a connection may take no answer, or less than 4 KiB a second, while answers wait, " +
      "and how long a request may stop half way. The connection, or the call, is then closed.",
  },
  shutdownGraceMs: {
    flag: "shutdown-grace-ms",
    type: "integer",
    default: "10000",
    unit: "ms",
    min: 0,
    max: 600_000,
    description: "How long a stop waits for calls under way.",
  },
  idempotencyWindowMs: {
    flag: "idempotency-window-ms",
    type: "integer",
    default: "86400000",
    unit: "ms",
    min: 60_000,
    max: 2_592_000_000,
    description: "How long a request id is remembered.",
  },
  eventRetentionAgeMs: {
    flag: "event-retention-age-ms",
    type: "integer",
    default: "604800000",
    unit: "ms",
    min: 1_000,
    max: 31_536_000_000,
    description: "How long events are kept.",
  },
  eventRetentionCount: {
    flag: "event-retention-count",
    type: "integer",
    default: "1000000",
    unit: "events",
    min: 1,
    max: 1_000_000_000,
    description: "How many events are kept.",
  },
  memoryDecayFactor: {
    flag: "memory-decay-factor",
    type: "number",
    default: "1",
    min: 0,
    max: 1,
    description:
      "What is left of the confidence of every memory after a period of `memory-decay-period-ms`, " +
      "0 to 1. 1 turns this off. Periods in which the server did not run count.",
  },
  memoryDecayPeriodMs: {
    flag: "memory-decay-period-ms",
    type: "integer",
    default: "604800000",
    unit: "ms",
    min: 60_000,
    max: 31_536_000_000,
    description: "How often the confidence of a memory fades, counted from when it was made.",
  },
  memoryDecayFloor: {
    flag: "memory-decay-floor",
    type: "number",
    default: "0",
    min: 0,
    max: 1,
    description:
      "Memories whose confidence fades below this are deleted, 0 to 1, but for persistent ones. 0 " +
      "deletes none.",
  },
  checkpointIntervalMs: {
    flag: "checkpoint-interval-ms",
    type: "integer",
    default: "10000",
    unit: "ms",
    min: 100,
    max: 600_000,
    description: "The longest silence of a watch before a checkpoint is sent.",
  },
  diskFloorBytes: {
    flag: "disk-floor-bytes",
    type: "integer",
    default: "268435456",
    unit: "bytes",
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      "Free space of the disk below which writes are refused with STORE_FULL; reads and deletes " +
      "go on. 0 turns the check off.",
  },
  cacheBytes: {
    flag: "cache-bytes",
    type: "integer",
    default: "134217728",
    unit: "bytes",
    min: 1_048_576,
    max: 1_099_511_627_776,
    description: "How much memory the cache of windows may take.",
  },
  recallMemoryBytes: {
    flag: "recall-memory-bytes",
    type: "integer",
    default: "268435456",
    unit: "bytes",
    min: 16_777_216,
    max: 1_099_511_627_776,
    description:
      "How much memory the index of recall may take, over all namespaces. Those that were searched " +
      "the longest time ago are dropped and built again when they are searched; a namespace that is " +
      "too large by itself leaves its oldest messages and documents out.",
  },
  allowNetworkFilesystem: {
    flag: "allow-network-filesystem",
    type: "boolean",
    default: "false",
    description: "Opens a store on a network filesystem, where it is not safe.",
  },
  disableReflection: {
    flag: "disable-reflection",
    type: "boolean",
    default: "false",
    description:
      "Leaves server reflection out, which is open to callers without a token and whose answers " +
      "are not bounded for a peer that reads none of them.",
  },
  allowGrpcTrace: {
    flag: "allow-grpc-trace",
    type: "boolean",
    default: "false",
    description:
      "Starts with GRPC_TRACE or GRPC_NODE_TRACE set, which print the metadata of calls, tokens " +
      "too.",
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

/** How every variable of the environment begins. */
export const ENV_PREFIX = "MEMORY_SIDECAR_";

/** The variable of a setting. */
export function envName(setting: Setting): string {
  return ENV_PREFIX + setting.flag.replaceAll("-", "_").toUpperCase();
}

/** The key of a setting in the file. */
export function fileKey(setting: Setting): string {
  return setting.flag.replaceAll("-", "_");
}
