// Options in the configurations of source systems that the server's presets refuse, because they
// would change nothing here. Only options of this table are left out of a case; a run names those
// that it left out.

import { isObject, type Json, type JsonObject, listOf } from "./json.ts";

/** A field of a configuration that the server does not get. */
interface LeftOut {
  readonly preset: string;
  /** The path of the field: a dot leads into an object. */
  readonly path: string;
  readonly because: string;
  /** Whether the field is left out of these options. Default: always. */
  readonly applies?: (options: JsonObject) => boolean;
  /** Replacement that the server gets. Default: none. */
  readonly instead?: Json;
}

const AGENT = "the agent's prompt, which it sends as a message";
const WITHOUT_UNIFIED = "ignored by the source while unified memory is off";
const RECALL = "for searches of the collection: requests of Recall and AssembleContext say it here";

const NEVER = "without summarize_at nothing is ever summarized";

const notUnified = ({ unified }: JsonObject): boolean => unified !== true;

const neverSummarized = (options: JsonObject): boolean =>
  (options["summarize_at"] ?? null) === null;

/** The table. */
export const LEFT_OUT: readonly LeftOut[] = [
  ...["memory_window_tokens", "keep_recent"].map((path) => ({
    ...{ preset: "lauren", path, because: NEVER },
    applies: neverSummarized,
  })),
  { preset: "marsys", path: "description", because: AGENT },
  {
    preset: "marsys",
    path: "tool_truncation.include_tool_payload_user_messages",
    because: "takes user messages for tool results by their wording",
  },
  {
    preset: "marsys",
    path: "cache_invalidation_events",
    because: "without add: only new messages make a read pack anew",
    applies: (options) => !listOf(options["cache_invalidation_events"], "events").includes("add"),
    instead: [],
  },
  { preset: "alquimia", path: "knowledge_base.search_mode", because: RECALL },
  { preset: "alquimia", path: "knowledge_base.top_k", because: RECALL },
  ...[
    ...(["short_term_limit", "importance_threshold", "long_term_limit"] as const),
    ...(["episodic_retention_days", "auto_promote", "compaction_threshold"] as const),
    ...(["context_max_tokens", "entity_memory", "knowledge_graph", "knowledge_memory"] as const),
  ].map((path) => ({
    ...{ preset: "selectools", path, because: WITHOUT_UNIFIED },
    applies: notUnified,
  })),
];

/**
 * Attributes that the source systems' classes set themselves, and that callers of the server do
 * not.
 */
export const OF_CLASSES: Readonly<Record<string, string>> = {
  "definable store": "where the source keeps its entries",
  "definable model": "the model that summarizes: a hook here",
  "definable description": "a line in the guide of an agent",
  "definable strategy_alone": "the strategy without its memory, which the server does not have",
};

/** Gives options as the server takes them; `used` hears what they lose. */
export function takenBy(
  preset: string,
  options: JsonObject,
  used: (name: string) => void,
): JsonObject {
  let taken = options;
  for (const entry of LEFT_OUT) {
    if (entry.preset !== preset || !(entry.applies?.(options) ?? true)) continue;
    const without = replaced(taken, entry.path.split("."), entry.instead);
    if (without === undefined) continue;
    used(`${preset} ${entry.path}: ${entry.because}`);
    taken = without;
  }
  return taken;
}

/** Puts a value in the place of a field, or takes the field out; undefined where there is none. */
function replaced(
  options: JsonObject,
  [name = "", ...rest]: readonly string[],
  instead: Json | undefined,
): JsonObject | undefined {
  const { [name]: value, ...others } = options;
  if (value === undefined) return undefined;
  if (rest.length === 0) return instead === undefined ? others : { ...others, [name]: instead };
  const inner = isObject(value) ? replaced(value, rest, instead) : undefined;
  return inner === undefined ? undefined : { ...others, [name]: inner };
}
