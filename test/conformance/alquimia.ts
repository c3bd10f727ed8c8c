// Alquimia: short-term strategies that choose what is read, long-term ones at the end of a turn.

import { EventType } from "../../clients/typescript/src/gen/memorysidecar/v1/event.ts";
import {
  type Message,
  Role,
  type ToolOutcome,
} from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import type { AppendMessagesResponse } from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import {
  PolicyWarningKind,
  type StageRun,
  TriggerKind,
} from "../../clients/typescript/src/gen/memorysidecar/v1/window.ts";
import {
  type Message as Given,
  Role as GivenRole,
} from "../../src/gen/memorysidecar/v1/message.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { atLeast, type Shown } from "./compare.ts";
import { HOOK } from "./hook.ts";
import {
  CaseFault,
  type Json,
  type JsonObject,
  listOf,
  needText,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";
import { type CaseMessages, caseMessages, givenTokens, plainText, toMessage } from "./messages.ts";
import {
  append,
  createSession,
  eventsOf,
  getWindow,
  logOf,
  storedWindow,
  summariesOf,
} from "./session.ts";
import { openStub, type Stub } from "./stub.ts";

const MAIN = "session";

interface Evaluation {
  readonly triggered: boolean;
  readonly trigger_reasons: readonly string[];
  readonly removed: readonly Shown[];
  readonly kept: readonly Shown[];
}

interface State extends Context {
  readonly messages: CaseMessages;
  readonly stub: Stub;
  opened: Promise<void> | undefined;
  /** Outcomes of tools count once: those that the case gives go with the first evaluation. */
  signals: JsonObject;
  view: readonly Shown[] | undefined;
  /** Whether a condition could not be told for that view. */
  warned: boolean;
  /** The window around the newest evaluation. */
  before: readonly Message[];
  after: readonly Message[];
  evaluated: AppendMessagesResponse | undefined;
  /** Results of all evaluations. */
  readonly results: Evaluation[];
}

/**
 * Counts are given with the messages. This system names no rule for those that have none: they cost
 * a quarter of their characters here.
 */
function counted(source: JsonObject): Message {
  const message = toMessage(source);
  const estimate = Math.floor([...plainText(message)].length / 4);
  return { ...message, tokenCount: givenTokens(source) ?? estimate };
}

/** Sets the scope of conditions, which cases name in several ways. */
function withScope(policy: JsonObject): JsonObject {
  const key = Object.keys(policy).find((name) => /^conditions?_scope$|^scope$/.test(name));
  const value = key === undefined ? undefined : textOf(policy[key], key);
  if (key === undefined || value === undefined) return policy;
  const { [key]: _, ...rest } = policy;
  const isWhole = /all|unit|interaction/i.test(value);
  return { ...rest, condition_scope: isWhole ? "interaction_all" : value };
}

/** The configuration of a case: one strategy, or lists of them. */
function optionsOf(given: JsonObject): JsonObject {
  const policy: Record<string, Json> = {
    hook: HOOK,
    ...withScope(objectOf(given["policy"], "policy")),
  };
  for (const list of ["short_term_memory", "long_term_memory"]) {
    const strategies = given[list];
    if (strategies !== undefined) policy[list] = strategies;
  }
  return policy;
}

async function open({ rpc, kase, messages }: State): Promise<void> {
  const options = optionsOf(kase.given);
  await createSession(rpc, { sessionId: MAIN, preset: "alquimia", options });
  const added = new Set(kase.when.map(({ op, id }) => (op === "add" ? id : undefined)));
  const given = listOf(kase.given["messages"], "messages").map((each) => messages.of(each));
  const first = given.filter(({ id }) => id === undefined || !added.has(id));
  if (first.length > 0) await append(rpc, MAIN, first.map(counted));
}

function ready<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    state.opened ??= open(state);
    await state.opened;
    return await act(state, argument);
  };
}

function showAll({ messages }: State, list: readonly Message[]): readonly Shown[] {
  return list.map((message) => messages.show(message, { role: message.role }));
}

async function group(state: State): Promise<readonly (readonly Shown[])[]> {
  const { previews } = await state.rpc.call("previewPolicy", { sessionId: MAIN });
  const numbers = new Map<string, number>();
  for (const { messageId, turn } of previews[0]?.messages ?? []) {
    numbers.set(messageId, turn);
  }
  const groups = new Map<number, Message[]>();
  for (const message of await storedWindow(state.rpc, MAIN)) {
    const number = numbers.get(message.messageId) ?? 0;
    groups.set(number, [...(groups.get(number) ?? []), message]);
  }
  return [...groups.values()].map((list) => showAll(state, list));
}

async function view(state: State): Promise<readonly Shown[]> {
  const { messages, warnings } = await getWindow(state.rpc, MAIN);
  state.view = showAll(state, messages);
  state.warned = warnings.some(({ kind }) => kind === PolicyWarningKind.CONDITION_FAILED);
  return state.view;
}

function outcomesOf(signals: JsonObject): ToolOutcome[] {
  return listOf(signals["tool_outcomes"], "tool_outcomes").map((value) => {
    const outcome = objectOf(value, "an outcome");
    const tool = textOf(outcome["name"] ?? outcome["tool"], "the name of a tool") ?? "";
    return { tool, error: outcome["success"] === false || outcome["error"] === true };
  });
}

async function evaluate(state: State, op: JsonObject): Promise<Evaluation> {
  const { rpc } = state;
  const signals = { ...state.signals, ...objectOf(op["signals"], "signals") };
  const inputTokens = numberOf(
    signals["llm_input_tokens"] ?? signals["model_input_tokens"],
    "llm_input_tokens",
  );
  state.signals = {};
  state.before = await storedWindow(rpc, MAIN);
  state.evaluated = await rpc.call("appendMessages", {
    sessionId: MAIN,
    turnEnd: true,
    toolOutcomes: outcomesOf(signals),
    ...(inputTokens === undefined ? {} : { modelInputTokens: inputTokens }),
  });
  state.after = await storedWindow(rpc, MAIN);
  const result = atLeast({
    triggered: runsOf(state).length > 0,
    trigger_reasons: reasonsOf(state),
    removed: removed(state),
    kept: kept(state),
  });
  state.results.push(result);
  return result;
}

const REASONS: Readonly<Partial<Record<TriggerKind, string>>> = {
  [TriggerKind.MODEL_INPUT_TOKENS]: "input_tokens",
  [TriggerKind.TURN_COUNT]: "interaction_qty",
  [TriggerKind.TURN_TOKENS]: "interaction_tokens",
  [TriggerKind.TOOL_SUCCESS]: "tool_success",
  [TriggerKind.TOOL_ERROR]: "tool_error",
};

/** The stages that acted because of a trigger: those of long-term strategies. */
function runsOf({ evaluated }: State): readonly StageRun[] {
  if (evaluated === undefined) throw new CaseFault("nothing was evaluated");
  return evaluated.stageRuns.filter(({ triggers }) => triggers.length > 0);
}

function reasonsOf(state: State): readonly string[] {
  return runsOf(state).flatMap(({ triggers }) =>
    triggers.map(({ kind, tool }) => {
      const reason = REASONS[kind] ?? `trigger ${kind}`;
      return tool === "" ? reason : `${reason}:${tool}`;
    }),
  );
}

/** An older summary, which is no message of the conversation here but known before. */
function isOlder({ seq, role }: Pick<Message, "seq" | "role"> | Pick<Given, "seq" | "role">) {
  return Number(seq) === 0 && (role === Role.SYSTEM || role === GivenRole.SYSTEM);
}

/** Messages that left the window: erased ones, or the summary that replaces them now. */
function removed(state: State): readonly Shown[] {
  const left = new Set(state.after.map(({ messageId }) => messageId));
  return showAll(
    state,
    state.before.filter((message) => !isOlder(message) && !left.has(message.messageId)),
  );
}

/** Messages that are still in the window, without those that the server made. */
function kept(state: State): readonly Shown[] {
  return showAll(
    state,
    state.after.filter(({ seq }) => seq !== 0),
  );
}

/** Input of the model for the newest summary. */
function summaryInput({ stub, messages }: State): readonly string[] {
  const given = stub.inputs.at(-1)?.messages ?? [];
  return given
    .filter((message) => !isOlder(message))
    .map(({ messageId }) => messages.nameOf(messageId));
}

/** Inputs of the model, one per call. */
function summaryInputs({ stub, messages }: State): readonly object[] {
  return stub.inputs.map((input) => {
    const said = input.messages.filter((message) => !isOlder(message));
    const ids = said.map(({ messageId }) => messages.nameOf(messageId));
    const older = input.messages.filter(isOlder).map(({ text }) => text);
    const prior = [...input.priorTexts, ...older].join("\n");
    const previous = input.draft === "" ? null : input.draft;
    return atLeast({
      ...{ ids, messages: ids, transcript: input.transcript, loop: input.loop },
      ...{ prior, prior_context: prior === "" ? null : prior },
      ...{ draft: previous, previous_summary: previous },
      instructions: input.instructions === "" ? null : input.instructions,
    });
  });
}

/** The newest summary: it stands in the window, or is that of the session. */
async function summary({ rpc }: State): Promise<string | null> {
  return (await summariesOf(rpc, MAIN)).at(-1)?.text ?? null;
}

/** Records that were written to the collection of a strategy. */
async function vectorWrites({ rpc, kase }: State): Promise<readonly object[]> {
  const base = objectOf(objectOf(kase.given["policy"], "policy")["knowledge_base"], "it");
  const collectionId = needText(base["collection_id"], "collection_id");
  const { documents } = await rpc.call("listDocuments", { collectionId });
  return documents.map(({ text }) => ({ collection_id: collectionId, text }));
}

/** The source's error when it gives up on a summary. */
async function failure({ rpc }: State): Promise<string | null> {
  const events = await eventsOf(rpc, MAIN, [EventType.TASK_DEAD]);
  return events.length === 0 ? null : "SummarizationFailed";
}

/** A field of what came of the newest evaluation; of every one where a case lists them. */
function newestOrAll(field: keyof Evaluation) {
  return ({ results }: State, expected: Json): unknown => {
    const [newest] = results.slice(-1);
    if (newest === undefined) throw new CaseFault("nothing was evaluated");
    const isList = Array.isArray(newest[field]);
    const listed = isList && Array.isArray(expected) ? expected[0] : expected;
    return Array.isArray(listed) ? results.map((result) => result[field]) : newest[field];
  };
}

async function stored(state: State): Promise<readonly Shown[]> {
  return showAll(state, await storedWindow(state.rpc, MAIN));
}

const OPERATIONS: Table<State, JsonObject> = {
  create: ready(() => undefined),
  add: ready(async (state, op: JsonObject) => {
    const source = state.messages.of(op["message"] ?? op["id"] ?? null);
    await append(state.rpc, MAIN, [counted(source)]);
  }),
  group: ready(group),
  view: ready(view),
  evaluate_long_term: ready(evaluate),
};

const EXPECTATIONS: Table<State, Json> = {
  interactions: ready(group),
  view: ready((state) => state.view ?? view(state)),
  warning: ready(async (state) => {
    if (state.view === undefined) await view(state);
    return state.warned;
  }),
  stored: ready(async (state) => showAll(state, await logOf(state.rpc, MAIN))),
  results: ({ results }) => results,
  triggered: newestOrAll("triggered"),
  trigger_reasons: newestOrAll("trigger_reasons"),
  removed: newestOrAll("removed"),
  kept: ready((state, expected: Json) =>
    state.results.length === 0 ? stored(state) : newestOrAll("kept")(state, expected),
  ),
  summary_input: summaryInput,
  summary_inputs: summaryInputs,
  calls: ({ stub }) => stub.inputs.length,
  loops: ({ stub }) => stub.inputs.at(-1)?.loop ?? 0,
  summary: ready(summary),
  vector_writes: ready(vectorWrites),
  event: ready(failure),
};

/** Opens the adapter of Alquimia. */
export function openAlquimia(context: Context): Adapter {
  const { given } = context.kase;
  // A case that gives no answer is about what is summarized: any answer will do.
  const answers = given["summarizer_returns"] ?? given["model_returns"] ?? "All in one.";
  const stub = openStub(answers);
  context.rpc.script(stub);
  const state: State = {
    ...context,
    messages: caseMessages(listOf(given["messages"], "messages")),
    stub,
    opened: undefined,
    signals: objectOf(given["signals"], "signals"),
    view: undefined,
    warned: false,
    before: [],
    after: [],
    evaluated: undefined,
    results: [],
  };
  return bindAdapter(state, OPERATIONS, EXPECTATIONS);
}
