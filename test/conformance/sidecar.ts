// Cases for abilities that only the server has, in its own terms: policies by preset, and summaries
// of every kind.

import {
  type Event,
  EventType,
  SupersedeReason,
} from "../../clients/typescript/src/gen/memorysidecar/v1/event.ts";
import type { Message } from "../../clients/typescript/src/gen/memorysidecar/v1/message.ts";
import {
  Summarize,
  SummaryFailure,
  SummaryKeep,
} from "../../clients/typescript/src/gen/memorysidecar/v1/policy.ts";
import { TaskFailureReason } from "../../clients/typescript/src/gen/memorysidecar/v1/task.ts";
import { type Adapter, bindAdapter, type Context, type Table } from "./adapter.ts";
import { atLeast, type Shown } from "./compare.ts";
import { HOOK } from "./hook.ts";
import {
  CaseFault,
  type Json,
  type JsonObject,
  listOf,
  needNumber,
  needText,
  objectOf,
  textOf,
} from "./json.ts";
import { type CaseMessages, caseMessages, roleName, toMessage } from "./messages.ts";
import { append, createSession, eventsOf, getWindow, summariesOf, summaryOf } from "./session.ts";
import { openStub, type Stub } from "./stub.ts";

const MAIN = "session";

interface State extends Context {
  readonly messages: CaseMessages;
  readonly model: Stub;
  opened: Promise<unknown> | undefined;
}

/** Does something once the session of the case is there. */
function opened<A>(act: (state: State, argument: A) => unknown) {
  return async (state: State, argument: A): Promise<unknown> => {
    const { rpc, kase } = state;
    state.opened ??= createSession(rpc, {
      sessionId: MAIN,
      preset: needText(kase.given["preset"], "preset"),
      options: { hook: HOOK, ...objectOf(kase.given["policy"], "policy") },
      summary: textOf(kase.given["summary"], "summary"),
    });
    await state.opened;
    return await act(state, argument);
  };
}

async function add({ rpc, messages }: State, op: JsonObject): Promise<void> {
  const references = listOf(op["ids"] ?? [op["id"] ?? null], "ids");
  await append(
    rpc,
    MAIN,
    references.map((reference) => toMessage(messages.of(reference))),
  );
}

async function update({ rpc }: State, op: JsonObject): Promise<void> {
  const messageId = needText(op["id"], "id");
  const message = { ...toMessage({ content: op["content"] ?? "" }), messageId };
  await rpc.call("updateMessage", { sessionId: MAIN, message, updateMask: ["text"] });
}

/** The value of an enum that a case writes as a word. */
function wordOf<Value>(values: Readonly<Record<string, Value>>, word: string): Value {
  const value = values[word.toUpperCase()];
  if (value === undefined) throw new CaseFault(`"${word}" is not understood`);
  return value;
}

/** The word for a value of an enum. */
function nameOf(values: object, value: string): string {
  const [name = ""] = Object.entries(values).find(([, known]) => known === value) ?? [];
  return name.toLowerCase();
}

async function compact({ rpc }: State, op: JsonObject): Promise<void> {
  const value = needNumber(op["keep_recent"], "keep_recent");
  const keep = wordOf(SummaryKeep, needText(op["keep"], "keep"));
  const summarize = Summarize.fromPartial({ hook: HOOK, keep });
  const choice = { $case: "keepRecent" as const, value };
  await rpc.call("compactSession", { sessionId: MAIN, choice, summarize });
}

async function setSummary({ rpc }: State, op: JsonObject): Promise<void> {
  await rpc.call("setSummary", { sessionId: MAIN, text: needText(op["text"], "text") });
}

async function windowOf({ rpc, messages }: State): Promise<readonly Shown[]> {
  const window = await getWindow(rpc, MAIN);
  return window.messages.map((message) => {
    const said = { role: roleName(message.role), content: message.text };
    return messages.show(message, said);
  });
}

function ids(list: readonly Pick<Message, "messageId">[], messages: CaseMessages): string[] {
  return list.map(({ messageId }) => messages.nameOf(messageId));
}

/** Every summary that there was, with the messages that it stands for over all levels. */
async function summaries({ rpc, messages }: State): Promise<readonly object[]> {
  const all = await summariesOf(rpc, MAIN);
  return await Promise.all(
    all.map(async ({ version, text, level, current, origin }) => {
      const placeholder = origin?.placeholder ?? false;
      const request = { sessionId: MAIN, version, pageSize: 1_000 };
      const sources = await rpc.call("listSummarySources", request);
      return atLeast({
        text,
        level,
        current,
        placeholder,
        sources: ids(sources.messages, messages),
      });
    }),
  );
}

const TYPES = [
  ...[EventType.MESSAGES_TRIMMED, EventType.SUMMARY_REQUESTED, EventType.SUMMARY_SET],
  ...[EventType.SUMMARY_FAILED, EventType.SUMMARY_SUPERSEDED, EventType.TASK_DEAD],
];

function heard({ detail }: Event, messages: CaseMessages): object {
  const event = detail?.$case;
  switch (detail?.$case) {
    case "messagesTrimmed":
      return { event, removed: (detail.value.trim?.messageIds ?? []).map(messages.nameOf) };
    case "summaryRequested":
      return { event, messages: detail.value.sourceTotals?.messageCount ?? 0 };
    case "summarySet":
      return { event, placeholder: detail.value.placeholder, calls: detail.value.callCount };
    case "summaryFailed":
      return { event, reason: nameOf(TaskFailureReason, detail.value.reason) };
    case "summarySuperseded":
      return { event, reason: nameOf(SupersedeReason, detail.value.reason) };
    case "taskDead":
      return { event, effect: nameOf(SummaryFailure, detail.value.effect) };
    default:
      throw new CaseFault("an event of another type");
  }
}

async function events({ rpc, messages }: State): Promise<readonly object[]> {
  const list = await eventsOf(rpc, MAIN, TYPES);
  return list.map((event) => atLeast(heard(event, messages)));
}

/** Inputs of the hook, one per call. */
function summaryInputs({ model, messages }: State): readonly object[] {
  return model.inputs.map((input) =>
    atLeast({
      ids: ids(input.messages, messages),
      transcript: input.transcript,
      prior: input.priorTexts,
      draft: input.draft,
      loop: input.loop,
      max_tokens: input.maxTokens,
    }),
  );
}

const OPERATIONS: Table<State, JsonObject> = {
  create: opened(() => undefined),
  add: opened(add),
  add_many: opened(add),
  update: opened(update),
  compact: opened(compact),
  set_summary: opened(setSummary),
  hold: ({ rpc }) => rpc.hold(),
  release: ({ rpc }) => rpc.release(),
};

const EXPECTATIONS: Table<State, Json> = {
  window: opened(windowOf),
  summary: opened(({ rpc }) => summaryOf(rpc, MAIN)),
  summaries: opened(summaries),
  summary_inputs: summaryInputs,
  calls: ({ model }) => model.inputs.length,
  events: opened(events),
};

/** Opens the adapter of the server itself. */
export function openSidecar(context: Context): Adapter {
  const { given } = context.kase;
  const model = openStub(given["summarizer_returns"]);
  context.rpc.script(model);
  const messages = caseMessages(listOf(given["messages"], "messages"));
  return bindAdapter<State>(
    { ...context, messages, model, opened: undefined },
    OPERATIONS,
    EXPECTATIONS,
  );
}
