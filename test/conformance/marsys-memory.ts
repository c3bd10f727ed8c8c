// MARSYS: the memory that a case works on.

import { isMemorySidecarError } from "../../clients/typescript/src/errors.ts";
import { Session } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import type { Context } from "./adapter.ts";
import { type Case, familyOf } from "./cases.ts";
import type { Shown } from "./compare.ts";
import { HOOK } from "./hook.ts";
import {
  CaseFault,
  isObject,
  type Json,
  type JsonObject,
  listOf,
  objectOf,
  textOf,
} from "./json.ts";
import { knownProcessors } from "./marsys-chain.ts";
import { type CaseMessages, checkTokens, toMessage } from "./messages.ts";
import { append, byPreset, createSession } from "./session.ts";
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
  readonly cacheStats: object[];
  /** The newest message that there was at the newest read. */
  readSeq: bigint | undefined;
  readonly measured: { readonly op: string; readonly total: number }[];
  opened: Promise<void> | undefined;
  tokens: readonly number[];
  saved: JsonObject | undefined;
  loaded: boolean;
  /** Result of the newest compaction. */
  compacted: Compacted | undefined;
}

/** Result of a compaction in the later releases. */
export interface Compacted {
  /** Events that the observers received. */
  readonly events: readonly object[];
  /** The processors' accounts of their work. */
  readonly stages: readonly object[];
  readonly returned: boolean;
}

const MODES = ["strict", "repack_always"];

/** The mode of packing that a case asks for, in whatever field it does, with that field. */
function modeOf({ given, feature, evidence }: Case): readonly [string, string] | undefined {
  const policy = objectOf(given["policy"], "policy");
  for (const [key, value] of Object.entries({ ...given, ...policy })) {
    if (typeof value === "string" && MODES.includes(value)) return [key, value];
    if (/strict|hysteresis/.test(key) && typeof value === "boolean") {
      return [key, value ? "strict" : "repack_always"];
    }
  }
  // The source packs always; what its documents say, and our decision, is to be strict. What a case
  // about tools rests on is how they go together, not when.
  const rests = evidence === "seed" || evidence === "decision";
  const isAboutWhen = familyOf({ feature }) === "managed" && !/bundle|tool/.test(feature);
  const isStrict = (rests && isAboutWhen) || /strict|hysteresis/.test(feature);
  return isStrict ? ["mode", "strict"] : undefined;
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
    cacheStats: [],
    readSeq: undefined,
    measured: [],
    opened: undefined,
    tokens: [],
    saved: undefined,
    loaded: false,
    compacted: undefined,
  };
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

/** Sets the policy of the memory, with some options of the chain changed. */
export async function setOptions(memory: Memory, changes: JsonObject): Promise<void> {
  const own = withKnown(optionsOf(memory));
  const { threshold_tokens, compaction_target_tokens, ...inner } = changes;
  const outer = Object.entries({ threshold_tokens, compaction_target_tokens });
  const context = own["active_context"];
  const options: JsonObject = {
    ...own,
    ...(isObject(context) ? { active_context: { ...context, ...inner } } : inner),
    ...Object.fromEntries(
      outer.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    ),
  };
  const session = Session.fromPartial({
    sessionId: MAIN,
    policy: byPreset(memory.rpc, "marsys", options),
  });
  await memory.rpc.call("updateSession", { session, updateMask: ["policy"] });
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
