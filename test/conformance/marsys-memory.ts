// MARSYS: the memory that a case works on.

import { isMemorySidecarError } from "../../clients/typescript/src/errors.ts";
import type { Context } from "./adapter.ts";
import type { Case } from "./cases.ts";
import type { Shown } from "./compare.ts";
import { HOOK } from "./hook.ts";
import {
  CaseFault,
  isObject,
  type Json,
  type JsonObject,
  listOf,
  needText,
  objectOf,
  textOf,
} from "./json.ts";
import { type CaseMessages, checkTokens, toMessage } from "./messages.ts";
import { append, createSession } from "./session.ts";
import { openStub, type Stub } from "./stub.ts";

/** The session of the memory. */
export const MAIN = "memory";

/** Name of the model that compacts, which cases assume. */
const MODEL = "small";

/** A memory and what was seen of it. */
export interface Memory extends Context {
  readonly messages: CaseMessages;
  readonly model: Stub;
  readonly isManaged: boolean;
  readonly views: (readonly Shown[])[];
  readonly measured: { readonly op: string; readonly total: number }[];
  opened: Promise<void> | undefined;
  tokens: readonly number[];
  saved: JsonObject | undefined;
  loaded: boolean;
  /** Whether the newest compaction did something; undefined before the first. */
  compacted: boolean | undefined;
}

const MODES = ["strict", "repack_always"];

/** The mode of packing that a case asks for, in whatever field it does, with that field. */
function modeOf({ given }: Case): readonly [string, string] | undefined {
  const policy = objectOf(given["policy"], "policy");
  for (const [key, value] of Object.entries({ ...given, ...policy })) {
    if (typeof value === "string" && MODES.includes(value)) return [key, value];
    if (/strict|hysteresis/.test(key) && typeof value === "boolean") {
      return [key, value ? "strict" : "repack_always"];
    }
  }
  return undefined;
}

/** Whether an option asks for bundles that stay whole: here they always do. */
function isWholeBundles(key: string, value: Json): boolean {
  return /^bundle/.test(key) && (value === true || /^(atomic|whole)$/i.test(String(value)));
}

function optionsOf({ kase, isManaged, model }: Memory): JsonObject {
  const policy = objectOf(kase.given["policy"], "policy");
  const type = isManaged ? "managed_conversation" : "conversation_history";
  // Without a model nothing is summarized: messages wait for a caller who never comes.
  const hook = model.present ? HOOK : "manual";
  const given = Object.entries(policy).filter(([key, value]) => !isWholeBundles(key, value));
  const options: JsonObject = { hook, memory_type: type, ...Object.fromEntries(given) };
  const [key, mode] = modeOf(kase) ?? [];
  if (key === undefined || mode === undefined) return options;
  const { [key]: _, ...rest } = options;
  return { ...rest, mode };
}

/** A manager is told its type; the classes that it makes differ by what a case is about. */
function isManagedCase({ kase }: Context): boolean {
  const { memory_type: type, ...rest } = objectOf(kase.given["policy"], "policy");
  if (type !== undefined) return type === "managed_conversation";
  const options = Object.keys(rest).filter((name) => name !== "description");
  return options.length > 0 || kase.feature.split(".")[0] === "managed";
}

/** Makes the memory of a case; its session comes with the first operation. */
export function openMemory(context: Context, messages: CaseMessages): Memory {
  const { given } = context.kase;
  const answers = given["compaction_model_returns"] ?? given["model_returns"];
  const model = openStub(answers ?? given["summarizer_returns"], MODEL);
  context.rpc.script(model);
  return {
    ...context,
    messages,
    model,
    isManaged: isManagedCase(context),
    views: [],
    measured: [],
    opened: undefined,
    tokens: [],
    saved: undefined,
    loaded: false,
    compacted: undefined,
  };
}

const PROCESSORS: Readonly<Record<string, string>> = {
  tool_truncation: "tool_truncation",
  summarization: "summarization",
  backward_packing: "backward_packing",
  // Names that earlier releases used.
  tool_response_truncation: "tool_truncation",
  model_compaction: "summarization",
};

/** The processors of a list that the source knows; it leaves out the others. */
function knownProcessors(names: Json | undefined): readonly string[] {
  return listOf(names, "processors").flatMap(
    (name) => PROCESSORS[needText(name, "a processor")] ?? [],
  );
}

const LISTS = ["processor_order", "excluded_processors"];

/** Whether a list of processors holds an unknown one. */
function hasUnknown(options: JsonObject): boolean {
  return JSON.stringify(withKnown(options)) !== JSON.stringify(options);
}

/** Leaves out of the lists what the source leaves out as well, with a warning in its log. */
function withKnown(options: JsonObject): JsonObject {
  const entries = Object.entries(options).map(([key, value]): [string, Json] => {
    if (LISTS.includes(key)) return [key, knownProcessors(value)];
    return [key, key === "active_context" && isObject(value) ? withKnown(value) : value];
  });
  return Object.fromEntries(entries);
}

/** The server refuses a name that it does not know, so that a caller has to leave it out. */
async function createRefused({ rpc }: Memory, options: JsonObject): Promise<void> {
  if (!hasUnknown(options)) return;
  try {
    await createSession(rpc, { sessionId: "refused", preset: "marsys", options });
  } catch (error) {
    const refused = isMemorySidecarError(error) ? error.violations : [];
    if (refused.some(({ field }) => LISTS.some((name) => field.includes(name)))) return;
    throw error;
  }
  throw new CaseFault("a processor that there is not is not refused");
}

async function open(memory: Memory): Promise<void> {
  const { rpc, kase, isManaged } = memory;
  const options = optionsOf(memory);
  await createRefused(memory, options);
  await createSession(rpc, { sessionId: MAIN, preset: "marsys", options: withKnown(options) });
  const description = textOf(objectOf(kase.given["policy"], "policy")["description"], "it");
  if (description !== undefined && !isManaged) {
    await append(rpc, MAIN, [toMessage({ role: "system", content: description })]);
  }
  const added = new Set(kase.when.map(({ op, id }) => (op === "add" ? id : undefined)));
  const given = listOf(kase.given["messages"], "messages").map((each) => objectOf(each, "it"));
  const first = given.filter(({ id }) => id === undefined || !added.has(id));
  if (first.length === 0) return;
  const answer = await append(rpc, MAIN, first.map(toMessage));
  if ("token_rule" in kase.given) checkTokens(first, answer.messages);
}

/** Does something once the session of the memory is there. */
export function ready<A>(act: (memory: Memory, argument: A) => unknown) {
  return async (memory: Memory, argument: A): Promise<unknown> => {
    memory.opened ??= open(memory);
    await memory.opened;
    return await act(memory, argument);
  };
}
