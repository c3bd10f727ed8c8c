// Every field of a hook in the hooks file, in one table: for which kinds it is, what it may be, and
// what it does. The reader of the file, its messages and docs/hooks.md use this table.

import type { HookKind } from "../service/hook-port.ts";

/** The kinds of hooks, as the file names them. */
export const HOOK_KINDS = [
  "builtin",
  "openai",
  "grpc",
  "poll",
  "onnx",
] as const satisfies readonly HookKind[];

/** What a hook is for. */
export const HOOK_WORKS = ["summarize", "embed", "rerank", "extract", "score", "resolve"] as const;
export type HookWork = (typeof HOOK_WORKS)[number];

/** What a field holds. A `file` is a path; one that is not absolute begins at the hooks file. */
export type HookFieldType = "integer" | "number" | "boolean" | "text" | "object" | "file";

/** A field of a hook. */
export interface HookField {
  readonly kinds: readonly HookKind[];
  /** What a hook with the field is for. Default: any of it. */
  readonly does?: readonly HookWork[];
  readonly type: HookFieldType;
  /** Default: it may be left out. */
  readonly required?: true;
  /** Undefined when there is none. */
  readonly default?: number | boolean | string;
  /** The values that a text may have. */
  readonly oneOf?: readonly string[];
  /** Where a kind has a default of its own. */
  readonly defaultOf?: Partial<Readonly<Record<HookKind, number>>>;
  readonly unit?: string;
  readonly min?: number;
  readonly max?: number;
  /** Plain sentences, for people. */
  readonly description: string;
}

const CALLED = ["builtin", "openai", "grpc", "onnx"] as const;
const REMOTE = ["openai", "grpc"] as const;
const TASKS = ["builtin", "openai", "grpc", "poll"] as const;
/** What a hook that asks a chat model is for. */
const CHATS = ["summarize", "extract", "score", "resolve"] as const;
/** What can be something else than summaries. */
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
      "What the hook is for: summaries, vectors of texts, the order of results, facts in messages " +
      "(`extract`), how important texts are (`score`), or what becomes of memories that contradict " +
      "a new one (`resolve`). A hook of the kind `onnx` makes vectors, one of the kind `builtin` " +
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
    description: "How long a call may take, from the look-up of the name to the last byte.",
  },
  concurrency: {
    kinds: CALLED,
    type: "integer",
    default: 4,
    defaultOf: { builtin: 1 },
    unit: "calls",
    min: 1,
    max: 256,
    description: "The most calls at one time.",
  },
  max_attempts: {
    kinds: TASKS,
    does: ["summarize"],
    type: "integer",
    default: 5,
    unit: "attempts",
    min: 1,
    max: 100,
    description: "How many attempts of a task may fail until it is dead.",
  },
  calls_per_hour: {
    kinds: HOOK_KINDS,
    type: "integer",
    default: 0,
    unit: "calls",
    min: 0,
    max: 1_000_000_000,
    description: "The budget of each namespace for calls in an hour. 0 means no limit.",
  },
  tokens_per_hour: {
    kinds: HOOK_KINDS,
    type: "integer",
    default: 0,
    unit: "tokens",
    min: 0,
    max: 1_000_000_000_000,
    description: "The budget of each namespace for tokens in an hour. 0 means no limit.",
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
    description: "How much of the messages one task gives to the hook; the rest comes later.",
  },
  url: {
    kinds: ["openai"],
    type: "text",
    required: true,
    description:
      "The base of the endpoint, for example `http://127.0.0.1:11434/v1`. `/chat/completions`, " +
      "`/embeddings` or `/rerank` is added when it is missing.",
  },
  model: {
    kinds: ["openai"],
    type: "text",
    required: true,
    description: "The model, as the endpoint names it.",
  },
  key_file: {
    kinds: ["openai"],
    type: "file",
    description:
      "A file that holds the key and nothing else, sent as a bearer token. Read again when it " +
      "changes.",
  },
  temperature: {
    kinds: ["openai"],
    does: CHATS,
    type: "number",
    default: 0,
    min: 0,
    max: 2,
    description: "How far the model may stray. Left out when the endpoint refuses it.",
  },
  extra_body: {
    kinds: ["openai"],
    type: "object",
    description:
      "More fields of the request, which win over those of the server; `null` leaves a field out. " +
      "What the server sends of texts, and `stream`, cannot be changed.",
  },
  directory: {
    kinds: ["onnx"],
    type: "file",
    required: true,
    description:
      "The directory of a sentence transformer: `model.onnx` (or `onnx/model.onnx`) and " +
      "`tokenizer.json`.",
  },
  dimensions: {
    kinds: WORKS,
    does: ["embed"],
    type: "integer",
    unit: "values",
    min: 1,
    max: 4_096,
    description: "How many values a vector has. Required for a hook that makes vectors.",
  },
  send_dimensions: {
    kinds: ["openai"],
    does: ["embed"],
    type: "boolean",
    default: false,
    description: "Asks the endpoint for vectors of `dimensions` values, for models that can cut.",
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
      "The most texts in one call. For `poll` at most 786432 values, `batch_size` times `dimensions`.",
  },
  query_prefix: {
    kinds: ["openai", "onnx"],
    does: ["embed"],
    type: "text",
    description: "Stands before each query, for models that want it, for example `query: `.",
  },
  passage_prefix: {
    kinds: ["openai", "onnx"],
    does: ["embed"],
    type: "text",
    description: "Stands before each text that is to be found, for example `passage: `.",
  },
  target: {
    kinds: ["grpc"],
    type: "text",
    required: true,
    description: "Where the server of the hook is: `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`.",
  },
  tls: {
    kinds: ["grpc"],
    type: "boolean",
    default: false,
    description: "Speaks TLS, and checks the certificate.",
  },
  token_file: {
    kinds: ["grpc"],
    type: "file",
    description:
      "A file that holds a token and nothing else, sent as a bearer token. Read again when it " +
      "changes.",
  },
  ca_file: {
    kinds: REMOTE,
    type: "file",
    description:
      "Certificates in PEM that vouch for the endpoint, instead of the usual ones. Only with TLS.",
  },
  max_response_bytes: {
    kinds: REMOTE,
    type: "integer",
    default: 1_048_576,
    unit: "bytes",
    min: 4_096,
    max: 67_108_864,
    description:
      "The longest answer that is read; a longer one is cut off and refused. A whole batch of " +
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

/** One row of the table for each field: name, kinds, default, and what it does. */
export function hookFieldRows(): string[][] {
  const kinds = HOOK_KINDS.map((kind) => `\`${kind}\``).join(", ");
  const first = ["`kind`", "all", "required", `What the hook is. One of ${kinds}.`];
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
