// Table of the fields of a hook in the hooks file: kinds, types and descriptions. The parser, its
// messages and docs/hooks.md use this table.

import type { DirectWork, HookKind } from "./port.ts";
import { DIRECT_WORKS, isChatWork, workRow } from "./works.ts";

/** The kinds of hooks, as the file names them. */
export const HOOK_KINDS = [
  "builtin",
  "openai",
  "grpc",
  "poll",
  "onnx",
] as const satisfies readonly HookKind[];

/** Kind of work that a hook does. */
export type HookWork = "summarize" | DirectWork;
export const HOOK_WORKS: readonly HookWork[] = ["summarize", ...DIRECT_WORKS];

/** Type of a field. A `file` is a path; a relative one starts at the folder of the hooks file. */
export type HookFieldType = "integer" | "number" | "boolean" | "text" | "object" | "file";

/** A field of a hook. */
export interface HookField {
  readonly kinds: readonly HookKind[];
  /** Kinds of work whose hooks have the field. Default: all. */
  readonly does?: readonly HookWork[];
  readonly type: HookFieldType;
  /** Default: optional. */
  readonly required?: true;
  /** Undefined when there is none. */
  readonly default?: number | boolean | string;
  /** Allowed values of a text. */
  readonly oneOf?: readonly string[];
  /** Defaults that differ by kind. */
  readonly defaultOf?: Partial<Readonly<Record<HookKind, number>>>;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  /** Description for the documentation. */
  readonly description: string;
}

const CALLED = ["builtin", "openai", "grpc", "onnx"] as const;
const REMOTE = ["openai", "grpc"] as const;
const TASKS = ["builtin", "openai", "grpc", "poll"] as const;
/** Kinds of work that ask a chat model. */
const CHATS = HOOK_WORKS.filter((work) => work === "summarize" || isChatWork(work));
const PURPOSES = ["summaries", ...DIRECT_WORKS.map((work) => workRow(work).purpose)];
/** Hook kinds that can do other work than summaries. */
const WORKS = ["openai", "grpc", "poll"] as const;
const EMBEDDERS = ["openai", "grpc", "poll", "onnx"] as const;

/** The fields by their names in the file, in the order of the table; `kind` comes before them. */
const HOOK_FIELDS = {
  does: {
    kinds: WORKS,
    type: "text",
    default: "summarize",
    oneOf: HOOK_WORKS,
    description:
      `Purposes of the hook: ${PURPOSES.slice(0, -1).join(", ")}, or ${PURPOSES.at(-1)}. ` +
      "A hook of the kind `onnx` makes vectors, one of the kind `builtin` " +
      "summaries, and facts and scores by rules.",
  },
  timeout_ms: {
    kinds: CALLED,
    type: "integer",
    default: 60_000,
    defaultOf: { builtin: 30_000 },
    unit: "ms",
    min: 100,
    max: 3_600_000,
    description: "Deadline of a call, from name resolution to the last byte.",
  },
  concurrency: {
    kinds: CALLED,
    type: "integer",
    default: 4,
    defaultOf: { builtin: 1 },
    unit: "calls",
    min: 1,
    max: 256,
    description: "Maximum concurrent calls.",
  },
  max_attempts: {
    kinds: TASKS,
    does: ["summarize"],
    type: "integer",
    default: 5,
    unit: "attempts",
    min: 1,
    max: 100,
    description: "Failed attempts after which a task is dead.",
  },
  calls_per_hour: {
    kinds: HOOK_KINDS,
    type: "integer",
    default: 0,
    unit: "calls",
    min: 0,
    max: 1_000_000_000,
    description: "Calls per hour allowed to each namespace. 0 means no limit.",
  },
  tokens_per_hour: {
    kinds: HOOK_KINDS,
    type: "integer",
    default: 0,
    unit: "tokens",
    min: 0,
    max: 1_000_000_000_000,
    description: "Tokens per hour allowed to each namespace. 0 means no limit.",
  },
  max_input_tokens: {
    kinds: TASKS,
    does: ["summarize"],
    type: "integer",
    default: 12_000,
    defaultOf: { builtin: 262_144 },
    unit: "tokens",
    min: 256,
    max: 10_000_000,
    description: "Maximum size of the messages in one task; the rest goes into later tasks.",
  },
  url: {
    kinds: ["openai"],
    type: "text",
    required: true,
    description:
      "Base URL of the endpoint, for example `http://127.0.0.1:11434/v1`. `/chat/completions`, " +
      "`/embeddings` or `/rerank` is appended if missing.",
  },
  model: {
    kinds: ["openai"],
    type: "text",
    required: true,
    description: "Model name at the endpoint.",
  },
  key_file: {
    kinds: ["openai"],
    type: "file",
    description:
      "File that holds only the key, which is sent as a bearer token. Reloaded when it changes.",
  },
  temperature: {
    kinds: ["openai"],
    does: CHATS,
    type: "number",
    default: 0,
    min: 0,
    max: 2,
    description: "Sampling temperature. Left out when the endpoint refuses it.",
  },
  extra_body: {
    kinds: ["openai"],
    type: "object",
    description:
      "Additional request fields, which override those of the server; `null` leaves a field out. " +
      "The texts and `stream` cannot be overridden.",
  },
  directory: {
    kinds: ["onnx"],
    type: "file",
    required: true,
    description:
      "Directory of a sentence transformer: `model.onnx` (or `onnx/model.onnx`) and " +
      "`tokenizer.json`.",
  },
  dimensions: {
    kinds: WORKS,
    does: ["embed"],
    type: "integer",
    unit: "values",
    min: 1,
    max: 4_096,
    description: "Number of values of a vector. Required for a hook that makes vectors.",
  },
  send_dimensions: {
    kinds: ["openai"],
    does: ["embed"],
    type: "boolean",
    default: false,
    description:
      "Asks the endpoint for vectors of `dimensions` values, for models that can shorten theirs.",
  },
  batch_size: {
    kinds: EMBEDDERS,
    does: ["embed"],
    type: "integer",
    default: 64,
    defaultOf: { onnx: 16 },
    unit: "texts",
    min: 1,
    max: 1_024,
    description:
      "Maximum texts per call. For `poll`, `batch_size` times `dimensions` is at most 786432.",
  },
  query_prefix: {
    kinds: ["openai", "onnx"],
    does: ["embed"],
    type: "text",
    description: "Prefix of each query, for models that expect one, for example `query: `.",
  },
  passage_prefix: {
    kinds: ["openai", "onnx"],
    does: ["embed"],
    type: "text",
    description:
      "Prefix of each indexed text, for models that expect one, for example `passage: `.",
  },
  target: {
    kinds: ["grpc"],
    type: "text",
    required: true,
    description: "Address of the hook server: `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`.",
  },
  tls: {
    kinds: ["grpc"],
    type: "boolean",
    default: false,
    description: "Uses TLS and verifies the certificate.",
  },
  token_file: {
    kinds: ["grpc"],
    type: "file",
    description:
      "File that holds only a token, which is sent as a bearer token. Reloaded when it changes.",
  },
  ca_file: {
    kinds: REMOTE,
    type: "file",
    description: "CA certificates in PEM for the endpoint, instead of the system's. Only with TLS.",
  },
  max_response_bytes: {
    kinds: REMOTE,
    type: "integer",
    default: 1_048_576,
    unit: "bytes",
    min: 4_096,
    max: 67_108_864,
    description:
      "Maximum response size; a longer one is cut off and refused. A whole batch of " +
      "vectors is always read.",
  },
  allow_private_address: {
    kinds: REMOTE,
    type: "boolean",
    default: false,
    description:
      "Lets a host name lead to an address that is private, loopback, link-local or else not " +
      "public, and allows the metadata addresses of clouds. An IP address or `localhost` in the " +
      "file itself needs it for metadata addresses only.",
  },
} as const satisfies Readonly<Record<string, HookField>>;

/** The name of a field. */
export type HookFieldName = keyof typeof HOOK_FIELDS;

/** All names, in the order of the table. */
export const HOOK_FIELD_NAMES = Object.keys(HOOK_FIELDS) as HookFieldName[];

/** A field by its name. */
export function hookField(name: HookFieldName): HookField {
  return HOOK_FIELDS[name];
}

function kindsText(kinds: readonly HookKind[]): string {
  if (kinds.length === HOOK_KINDS.length) return "all";
  return kinds.map((kind) => `\`${kind}\``).join(", ");
}

function defaultText(field: HookField): string {
  if (field.required === true) return "required";
  if (field.default === undefined) return "";
  const others = Object.entries(field.defaultOf ?? {}).map(
    ([kind, value]) => `, \`${value}\` for \`${kind}\``,
  );
  return `\`${field.default}\`${others.join("")}`;
}

function rangeText(field: HookField): string {
  if (field.oneOf !== undefined)
    return ` One of ${field.oneOf.map((one) => `\`${one}\``).join(", ")}.`;
  if (field.min === undefined) return "";
  const range = `${field.min} to ${field.max}`;
  return field.unit === undefined ? ` ${range}.` : ` In ${field.unit} (${range}).`;
}

/** One row of the table for each field: name, kinds, default and description. */
export function hookFieldRows(): string[][] {
  const kinds = HOOK_KINDS.map((kind) => `\`${kind}\``).join(", ");
  const first = ["`kind`", "all", "required", `Kind of the hook. One of ${kinds}.`];
  const rows = HOOK_FIELD_NAMES.map((name) => {
    const field = hookField(name);
    const text = `${field.description}${rangeText(field)}`;
    const does = field.does === undefined ? "" : ` to ${field.does.join(", ")}`;
    return [`\`${name}\``, `${kindsText(field.kinds)}${does}`, defaultText(field), text];
  });
  return [first, ...rows];
}

/** The fields as a Markdown table, for docs/hooks.md. */
export function hookFieldTable(): string {
  const rows = hookFieldRows().map((cells) => `| ${cells.join(" | ")} |`);
  return ["| Field | Kinds | Default | What it does |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}
