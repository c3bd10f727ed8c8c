// lauren-ai: ShortTermMemory, its view and its snapshots.

import {
  type ContentPart,
  type Message,
  Role,
} from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import { StageOn } from "../../clients/typescript/src/gen/memorysidecar/v1/policy.ts";
import { Session } from "../../clients/typescript/src/gen/memorysidecar/v1/session.ts";
import type { GetWindowResponse } from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import { HoldReason } from "../../clients/typescript/src/gen/memorysidecar/v1/window.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { atLeast, type Shown, shown } from "./compare.ts";
import { HOOK } from "./hook.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  listOf,
  needNumber,
  numberOf,
  objectOf,
  textOf,
} from "./json.ts";
import { otherMemory } from "./lauren-others.ts";
import { type CaseMessages, caseMessages, contentJson, roleName, toMessage } from "./messages.ts";
import { NotOffered } from "./not-offered.ts";
import {
  append,
  byPreset,
  createSession,
  getSession,
  getWindow,
  importDocument,
  storedWindow,
  summariesOf,
  summaryOf,
} from "./session.ts";
import { openStub, type Stub } from "./stub.ts";

const MAIN = "memory";
const FORMAT = "lauren";
const KEEP_RECENT = 6;
const CHARS_PER_TOKEN = 4;

interface State {
  readonly context: Context;
  readonly messages: CaseMessages;
  readonly summarizer: Stub;
  ready: Promise<void> | undefined;
  /** Result of the newest call of `messages`. */
  view: GetWindowResponse | undefined;
  /** Results of all calls of `messages`. */
  readonly views: (readonly Shown[])[];
  /** Whether the source has put system messages first since. */
  isReordered: boolean;
  toSummarize: readonly Shown[];
  /** Whether the runner would summarize memories of the sizes of the case. */
  readonly results: boolean[];
  snapshot: Json | undefined;
  /** The messages of the snapshot in the case's own words. */
  snapshotOf: readonly Message[];
}

/** The options of a case; a memory that never summarizes by itself does so when it is told. */
function optionsOf({ kase }: Context): JsonObject {
  const policy = objectOf(kase.given["policy"], "policy");
  return { hook: HOOK, ...policy, summarize_at: policy["summarize_at"] ?? 1 };
}

async function openMemory({ context, messages }: State): Promise<void> {
  const { given } = context.kase;
  await createSession(context.rpc, {
    sessionId: MAIN,
    preset: "lauren",
    options: optionsOf(context),
    summary: textOf(given["summary"] ?? given["summary_before"], "summary"),
  });
  const added = new Set(context.kase.when.map(({ id }) => id));
  const source = listOf(given["messages"], "messages").map((message) => messages.of(message));
  const first = source.filter(({ id }) => id === undefined || !added.has(id));
  if (first.length > 0) await append(context.rpc, MAIN, first.map(toMessage));
}

/** Does something once the memory of the case is there. */
function opened<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    state.ready ??= openMemory(state);
    await state.ready;
    return await act(state, argument);
  };
}

/** The results that stand for missing ones, side by side in one message as this system makes it. */
function synthetic(results: readonly Message[]): Shown {
  const blocks = results
    .map(({ toolCallId, text }) => ({
      type: "tool_result",
      tool_use_id: toolCallId,
      content: /interrupted/i.test(text) ? "<interrupted-notice>" : text,
    }))
    .sort((a, b) => (a.tool_use_id < b.tool_use_id ? -1 : 1));
  return shown([], atLeast({ id: "synthetic", role: "user", content: blocks }));
}

/** Whether the server made a message, to answer a call. */
function isMade({ seq, toolCallId }: Message): boolean {
  return seq === 0 && toolCallId !== "";
}

function showAll(state: State, messages: readonly Message[]): readonly Shown[] {
  const list: Shown[] = [];
  let made: Message[] = [];
  const flush = (): void => {
    if (made.length > 0) list.push(synthetic(made));
    made = [];
  };
  for (const message of messages) {
    // The runner puts the summary into the prompt; the memory does not show it.
    if (message.seq === 0 && message.role === Role.SYSTEM) continue;
    if (isMade(message)) {
      made.push(message);
      continue;
    }
    flush();
    const said = atLeast({ role: roleName(message.role), content: contentJson(message) });
    list.push(state.messages.show(message, said));
  }
  flush();
  return list;
}

async function buffer(state: State): Promise<readonly Shown[]> {
  const stored = await storedWindow(state.context.rpc, MAIN);
  const isSystem = ({ role }: Message): boolean => role === Role.SYSTEM;
  const first = stored.findIndex((message) => !isSystem(message));
  if (state.isReordered && first >= 0 && stored.slice(first).some(isSystem)) {
    throw new NotOffered("system messages first");
  }
  return showAll(state, stored);
}

async function view(state: State): Promise<readonly Shown[]> {
  state.view = await getWindow(state.context.rpc, MAIN);
  return showAll(state, state.view.messages);
}

function isWarned({ view }: State): boolean {
  const runs = view?.stageRuns ?? [];
  return runs.some((run) => run.overLimit && run.heldBy.includes(HoldReason.LAST_USER));
}

async function add(state: State, op: JsonObject): Promise<void> {
  const source = op["message"] ?? op["id"];
  const spoken = { role: "user", content: op["content"] ?? op["text"] ?? "" };
  const message = source === undefined ? spoken : state.messages.of(source);
  await append(state.context.rpc, MAIN, [toMessage(message)]);
}

async function addResults(state: State, op: JsonObject): Promise<void> {
  const results = listOf(op["results"] ?? [op["result"] ?? null], "results");
  if (results.length === 0) return;
  const content = results.map((result) => ({ type: "tool_result", ...objectOf(result, "result") }));
  await append(state.context.rpc, MAIN, [toMessage({ role: "user", content })]);
}

/** Sets the policy of the memory, with some options changed. */
async function setPolicy({ context }: State, changes: JsonObject): Promise<void> {
  const options = { ...optionsOf(context), ...changes };
  const session = Session.fromPartial({
    sessionId: MAIN,
    policy: byPreset(context.rpc, "lauren", options),
  });
  await context.rpc.call("updateSession", { session, updateMask: ["policy"] });
}

/** Trims the buffer as this profile does on request. */
async function trimToFit(state: State, op: JsonObject): Promise<void> {
  const budget = numberOf(op["max_tokens"], "max_tokens");
  if (budget !== undefined) await setPolicy(state, { max_tokens: budget });
  const target = { $case: "runPolicy" as const, value: {} };
  const { rpc } = state.context;
  await rpc.call("trimSession", { sessionId: MAIN, target });
  // The system heals what it trimmed as it heals what is read, for good.
  const { messages } = await getWindow(rpc, MAIN);
  if (messages.some(isMade))
    await rpc.call("fillToolResults", { sessionId: MAIN, newestOnly: true });
  if (budget !== undefined) await setPolicy(state, {});
}

/** Refuses a case in which the source removes the newest question, which this profile keeps. */
function checkGuard({ context }: State, removed: readonly Message[], stored: readonly Message[]) {
  const { guard_last_user: guard, era } = optionsOf(context);
  const isGuarded = guard !== false && (guard === true || era !== "A");
  const newest = stored.findLast(({ role, parts }) => role === Role.USER && parts.length === 0);
  if (!isGuarded || !removed.some(({ messageId }) => messageId === newest?.messageId)) return;
  throw new NotOffered("summary of the newest question");
}

async function trimToRecent(state: State, op: JsonObject): Promise<void> {
  const { rpc } = state.context;
  const stored = await storedWindow(rpc, MAIN);
  const removed = await toSummarize(state, op);
  checkGuard(state, removed, stored);
  const target = { $case: "maxMessages" as const, value: stored.length - removed.length };
  await rpc.call("trimSession", { sessionId: MAIN, target });
  state.isReordered = true;
}

async function toSummarize(state: State, op: JsonObject): Promise<readonly Message[]> {
  const value = numberOf(op["keep_recent"], "keep_recent") ?? KEEP_RECENT;
  const choice = { $case: "keepRecent" as const, value };
  return (await state.context.rpc.call("listSummaryInputs", { sessionId: MAIN, choice })).messages;
}

async function takeSnapshot(state: State): Promise<unknown> {
  const { rpc } = state.context;
  const document = (await rpc.exportDocument(MAIN, FORMAT)) as Json;
  state.snapshotOf = await storedWindow(rpc, MAIN);
  state.snapshot = document;
  return undefined;
}

/** The snapshot with the messages by their names. */
function snapshotShown(state: State): unknown {
  const { summary = null, messages } = objectOf(state.snapshot, "the snapshot");
  const count = listOf(messages, "the messages of the snapshot").length;
  const names = showAll(state, state.snapshotOf);
  return { messages: count === names.length ? names : messages, summary };
}

/** A message as it stands in a snapshot: without the name that only the case has for it. */
function withoutId(message: Json): Json {
  if (!isObject(message)) return { role: "user", content: message };
  const { id: _, chars: __, tokens: ___, ...rest } = message;
  return rest;
}

async function restore(state: State, op: JsonObject): Promise<void> {
  const { rpc, kase } = state.context;
  const given = op["snapshot"] ?? kase.given["snapshot"];
  const source = given ?? state.snapshot ?? null;
  const list = Array.isArray(source) ? source : objectOf(source, "snapshot")["messages"];
  const messages = listOf(list, "the messages of a snapshot");
  const bare = messages.map(withoutId);
  const document = Array.isArray(source)
    ? bare
    : { ...objectOf(source, "snapshot"), ...(list === undefined ? {} : { messages: bare }) };
  await importDocument(rpc, MAIN, FORMAT, document);
  const named = given === undefined ? namesOf(state) : messages.filter(isObject);
  state.messages.match(named, await storedWindow(rpc, MAIN));
}

function namesOf(state: State): readonly JsonObject[] {
  return showAll(state, state.snapshotOf).map(({ names }) => ({ id: names[0] ?? null }));
}

/**
 * Summarizes what is old, as the source's runner does; it then has the system messages first. A
 * failure changes nothing at all.
 */
async function summarize(state: State): Promise<void> {
  const { rpc } = state.context;
  const before = await summariesOf(rpc, MAIN);
  const { keep_recent: keepRecent = KEEP_RECENT } = optionsOf(state.context);
  const old = await toSummarize(state, { keep_recent: keepRecent });
  checkGuard(state, old, await storedWindow(rpc, MAIN));
  const choice = { $case: "stage" as const, value: "summarize" };
  await rpc.call("compactSession", { sessionId: MAIN, choice });
  state.isReordered ||= (await summariesOf(rpc, MAIN)).length > before.length;
}

/** Whether the runner would summarize a memory of this size. */
async function wouldSummarize({ context }: State, estimate: number): Promise<boolean> {
  const { rpc, kase } = context;
  const sessionId = `of ${estimate} tokens`;
  const policy = objectOf(kase.given["policy"], "policy");
  // One message is old, and one recent; only how large they are is asked about.
  const options = { ...policy, hook: HOOK, keep_recent: 1 };
  await createSession(rpc, { sessionId, preset: "lauren", options });
  const texts = ["o".repeat(estimate * CHARS_PER_TOKEN - 1), "n"];
  await append(
    rpc,
    sessionId,
    texts.map((content) => toMessage({ role: "user", content })),
  );
  const occasions = [StageOn.TURN_END];
  const { previews } = await rpc.call("previewPolicy", { sessionId, occasions });
  const runs = previews[0]?.stageRuns ?? [];
  return runs.some(({ triggers }) => triggers.length > 0);
}

async function wouldEach(state: State): Promise<void> {
  const estimates = listOf(state.context.kase.given["token_estimates"], "token_estimates");
  for (const estimate of estimates) {
    state.results.push(await wouldSummarize(state, needNumber(estimate, "a token estimate")));
  }
}

/** The prompt of the system as the runner builds it: that of the agent, then the summary. */
async function systemPrompt({ context }: State): Promise<string> {
  const { given } = context.kase;
  const base = textOf(given["system_prompt"] ?? given["system"], "system_prompt") ?? "";
  const { messages } = await getWindow(context.rpc, MAIN);
  const made = messages.find(({ seq, role }) => seq === 0 && role === Role.SYSTEM);
  return [base, made?.text ?? ""].filter((text) => text !== "").join("\n\n");
}

/** Inputs of the model that summarizes. */
function summaryInputs({ summarizer }: State): readonly object[] {
  return summarizer.inputs.map(({ transcript, maxTokens, priorTexts }) =>
    atLeast({ transcript, max_tokens: maxTokens, prior: priorTexts.join("\n") }),
  );
}

async function characters({ context }: State): Promise<readonly number[]> {
  const stored = await storedWindow(context.rpc, MAIN);
  return stored.map(({ text, parts }) => text.length + lengthOf(parts));
}

function lengthOf(parts: readonly ContentPart[]): number {
  return parts.reduce((sum, { part }) => {
    if (part?.$case === "text") return sum + part.value.length;
    if (part?.$case !== "toolResult") return sum;
    return sum + part.value.text.length + lengthOf(part.value.parts);
  }, 0);
}

async function estimate({ context }: State): Promise<number> {
  const { windowTotals: window } = await getSession(context.rpc, MAIN);
  return window?.tokenCount ?? 0;
}

const OPERATIONS: Table<State, JsonObject> = {
  create: opened(() => undefined),
  add: opened(add),
  add_user: opened(add),
  add_assistant: opened((state, op: JsonObject) =>
    add(state, { message: { role: "assistant", content: op["content"] ?? "", ...op } }),
  ),
  add_tool_result: opened(addResults),
  add_tool_results: opened(addResults),
  mutate_buffer_add: opened(add),
  messages: opened(async (state) => {
    const shownNow = await view(state);
    state.views.push(shownNow);
    return shownNow;
  }),
  trim_to_fit: opened(trimToFit),
  trim_to_recent: opened(trimToRecent),
  messages_to_summarize: opened(async (state, op: JsonObject) => {
    state.toSummarize = showAll(state, await toSummarize(state, op));
  }),
  summarize: opened(summarize),
  should_summarize_each: wouldEach,
  set_summary: opened(async ({ context }, op: JsonObject) => {
    const text = textOf(op["text"] ?? op["summary"], "text") ?? "";
    await context.rpc.call("setSummary", { sessionId: MAIN, text });
  }),
  clear: opened(async ({ context }) => {
    await context.rpc.call("resetSession", { sessionId: MAIN, keepSummary: true });
  }),
  ensure_valid: opened(async ({ context }) => {
    await context.rpc.call("fillToolResults", { sessionId: MAIN, newestOnly: true });
  }),
  snapshot: opened(takeSnapshot),
  restore: opened(restore),
  token_estimate: opened(() => undefined),
};

const EXPECTATIONS: Table<State, Json> = {
  view: opened(async (state) => (state.view === undefined ? await view(state) : viewShown(state))),
  views: ({ views }) => views,
  buffer: opened(buffer),
  buffer_after: opened(buffer),
  warning: opened(async (state) => {
    if (state.view === undefined) await view(state);
    return isWarned(state);
  }),
  summary: opened(({ context }) => summaryOf(context.rpc, MAIN)),
  snapshot: opened(snapshotShown),
  after_restore: opened(async (state) =>
    atLeast({
      buffer: await buffer(state),
      view: await view(state),
      summary: await summaryOf(state.context.rpc, MAIN),
    }),
  ),
  results: ({ results }) => results,
  summary_inputs: summaryInputs,
  system_prompt: opened(systemPrompt),
  transcript: ({ summarizer }) => summarizer.inputs.at(-1)?.transcript ?? null,
  calls: ({ summarizer }) => summarizer.inputs.length,
  to_summarize: opened(({ toSummarize: list }) => list),
  chars: opened(characters),
  token_estimate: opened(estimate),
};

function viewShown(state: State): readonly Shown[] {
  return showAll(state, state.view?.messages ?? []);
}

/** Opens the adapter of lauren-ai: of one of its stores for a case about that, else of a memory. */
export function openLauren(context: Context): Adapter {
  const other = otherMemory(context);
  if (other !== undefined) return other;
  const { given } = context.kase;
  const summarizer = openStub(given["summarizer_returns"] ?? given["model_returns"]);
  context.rpc.script(summarizer);
  const state: State = {
    context,
    messages: caseMessages(listOf(given["messages"], "messages")),
    summarizer,
    ready: undefined,
    view: undefined,
    views: [],
    isReordered: false,
    toSummarize: [],
    results: [],
    snapshot: undefined,
    snapshotOf: [],
  };
  return bindAdapter(state, OPERATIONS, EXPECTATIONS);
}
