// Models of the source systems for random cases: slow, and direct transcriptions of their
// descriptions. Each makes a case with its expected result.

import type { Random } from "../support/kit/random.ts";
import type { Case } from "./cases.ts";
import type { Json, JsonObject } from "./json.ts";
import { idsOf, randomConversation, type Said, written } from "./random-conversation.ts";

type Parts = Pick<Case, "given" | "when" | "expected">;
type Messages = readonly Said[];

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const add = ({ id }: Said): JsonObject => ({ op: "add", id });
const isTool = ({ role }: Said): boolean => role === "tool";

/** Count, then tokens, then an unsafe head; at least one message stays. Summaries add up. */
function selectools(random: Random): Parts {
  const messages = randomConversation(random, random.int(1, 13), { system: true, pending: true });
  const maxMessages = random.int(1, 8);
  const maxTokens = random.chance(0.6) ? random.int(1, 25) : null;
  const cost = ({ content }: Said): number => Math.floor(content.length / 4);
  let history: Said[] = [];
  let lastTrimmed: Messages = [];
  const events: Json[] = [];
  const when: JsonObject[] = [];
  const summarizes = random.chance(0.5);
  const answers: Json[] = [];
  const inputs: Json[] = [];
  let summary: string | null = null;
  for (let next = 0; next < messages.length; ) {
    const batch = messages.slice(next, next + random.pick([1, 1, 1, 2, 4]));
    next += batch.length;
    when.push({ op: "add_many", ids: idsOf(batch) });
    const before = [...history, ...batch];
    let kept = before.slice(-maxMessages);
    while (maxTokens !== null && kept.length > 1 && sum(kept.map(cost)) > maxTokens) {
      kept = kept.slice(1);
    }
    const isUnsafe = (head: Said | undefined): boolean =>
      head !== undefined && (isTool(head) || head.calls.length > 0);
    while (kept.length > 1 && isUnsafe(kept[0])) kept = kept.slice(1);
    history = kept;
    lastTrimmed = before.slice(0, before.length - kept.length);
    if (lastTrimmed.length === 0) continue;
    events.push({
      event: "on_memory_trim",
      run_id: "r1",
      messages_removed: lastTrimmed.length,
      messages_remaining: kept.length,
      reason: "enforce_limits",
    });
    if (!summarizes) continue;
    const lines = lastTrimmed.map(({ role, content }) => `${role.toUpperCase()}: ${content}`);
    inputs.push({ transcript: lines.join("\n"), max_tokens: 150 });
    const answer = random.pick([`It is ${next}.`, `It is ${next}.`, ""]);
    answers.push(answer === "" ? random.pick<Json>(["", { error: "down" }]) : answer);
    // Messages leave the window even when no summary is made of them.
    if (answer === "") continue;
    summary = summary === null ? answer : `${summary} ${answer}`;
    events.push({ event: "on_memory_summarize", run_id: "r1", summary });
  }
  const policy = {
    max_messages: maxMessages,
    max_tokens: maxTokens,
    summarize_on_trim: summarizes,
  };
  const given = {
    policy,
    messages: messages.map((message) => written(message, cost(message))),
    summarizer_returns: answers,
  };
  const trimmed = idsOf(lastTrimmed);
  const asked = { summary, summary_inputs: inputs };
  const expected = { survivors: idsOf(history), last_trimmed: trimmed, events, ...asked };
  return { given, when, expected };
}

/** Drops the oldest units, never the last question, and stops at one without text. */
function laurenTrim(messages: Messages, budget: number): { kept: Messages; warning: boolean } {
  let kept = messages;
  while (sum(kept.map(({ content }) => content.length)) > budget) {
    const start = kept.findIndex(({ role }) => role !== "system");
    const first = kept[start];
    if (first === undefined) break;
    let end = start + 1;
    while (first.calls.length > 0 && kept[end]?.role === "tool") end += 1;
    if (sum(kept.slice(start, end).map(({ content }) => content.length)) === 0) break;
    const rest = [...kept.slice(0, start), ...kept.slice(end)];
    if (!rest.some(({ role }) => role === "user")) return { kept, warning: true };
    kept = rest;
  }
  return { kept, warning: false };
}

/** Answers the open calls of the last calling turn once the conversation went on. */
function laurenHeal(messages: Messages, always: boolean): readonly Json[] {
  const ids: Json[] = [...idsOf(messages)];
  const caller = messages.findLastIndex(({ calls }) => calls.length > 0);
  const calls = messages[caller]?.calls ?? [];
  const isAnswer = ({ answers }: Said): boolean => answers !== undefined && calls.includes(answers);
  const answered = messages.filter(isAnswer).map(({ answers }) => answers);
  const missing = calls.filter((call) => !answered.includes(call)).sort();
  const last = Math.max(caller, messages.findLastIndex(isAnswer));
  const wentOn = messages.slice(last + 1).some((message) => !isTool(message));
  if (missing.length === 0 || !(always || wentOn)) return ids;
  const content = missing.map((call) => ({
    type: "tool_result",
    tool_use_id: call,
    content: "<interrupted-notice>",
  }));
  return [...ids.slice(0, last + 1), { role: "user", content }, ...ids.slice(last + 1)];
}

function lauren(random: Random): Parts {
  const messages = randomConversation(random, random.int(1, 13), { system: true, pending: true });
  const budget = random.int(0, 30);
  const { kept, warning } = laurenTrim(messages, budget * 4);
  const given = { messages: messages.map((message) => written(message)) };
  const view = laurenHeal(kept, false);
  switch (random.pick(["view", "view", "trim", "heal"])) {
    case "view": {
      const expected = { view, buffer_after: idsOf(messages), warning };
      const policy = { max_tokens: budget };
      return { given: { ...given, policy }, when: [{ op: "messages" }], expected };
    }
    case "trim": {
      const when = [{ op: "trim_to_fit", max_tokens: budget }, { op: "messages" }];
      // A permanent trim repairs the view permanently as well.
      return { given, when, expected: { buffer_after: view, view } };
    }
    default: {
      const when = [{ op: "ensure_valid" }, { op: "ensure_valid" }];
      return { given, when, expected: { buffer: laurenHeal(messages, true) } };
    }
  }
}

interface Entry {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly time: number;
}

/** The two cuts of a list of entries: what is pinned, what is summarized, what is recent. */
function definableCuts(entries: readonly Entry[], pin: number, keep: number) {
  let from = Math.min(pin, entries.length);
  let to = Math.max(from, entries.length - keep);
  while (from < to && entries[from]?.role === "tool") from += 1;
  while (from < to && entries[to]?.role === "tool") to -= 1;
  return {
    pinned: entries.slice(0, from),
    middle: entries.slice(from, to),
    recent: entries.slice(to),
  };
}

function definable(random: Random): Parts {
  const messages = randomConversation(random, random.int(3, 15), { system: false, pending: true });
  const [max, pin, keep] = [random.int(1, 7), random.int(0, 3), random.int(1, 4)];
  const answers = messages.map((_, index) => random.pick([`S${index}`, `S${index}`, ""]));
  const inputs: JsonObject[] = [];
  const counts: number[] = [];
  let entries: readonly Entry[] = [];
  for (const [index, { id, role, content }] of messages.entries()) {
    entries = [...entries, { id, role, content, time: index + 1 }];
    const { pinned, middle, recent } = definableCuts(entries, pin, keep);
    const [first] = middle;
    if (entries.length > max && entries.length > pin + keep && first !== undefined) {
      const lines = middle.map((entry) => `${entry.role}: ${entry.content}`);
      const prior = pinned.filter((entry) => entry.role === "summary");
      inputs.push({
        prior: prior.map((entry) => `Previous summary: ${entry.content}`).join("\n"),
        transcript: lines.join("\n"),
      });
      const answer = answers[inputs.length - 1] || `Summary of ${middle.length} messages.`;
      const summary = { id: "", role: "summary", content: answer, time: first.time };
      const next = [...pinned, summary, ...recent];
      if (next.length < entries.length) entries = next;
    }
    counts.push(entries.length);
  }
  const policy = { max_messages: max, pin_count: pin, recent_count: keep };
  const shown = entries.map(
    ({ id, role, content, time }): Json =>
      role === "summary" ? { role, content, created_at: time } : id,
  );
  return {
    given: { policy, messages: messages.map((one) => written(one)), summarizer_returns: answers },
    when: [...messages.map(add), { op: "get_entries" }],
    expected: { entries: shown, count_after_each_add: counts, summary_inputs: inputs },
  };
}

/** Cost of a message here: each part is rounded down, and so is the sum. */
function structured({ content, calls, answers }: Said): number {
  const called = Math.trunc(sum(calls.map(() => 5 + "look".length / 4 + "{}".length / 4)));
  const answer = answers === undefined ? 0 : "look".length / 4 + 10;
  return Math.trunc(3 + Math.floor(content.length / 4) + called + answer);
}

/** Fills a budget from the newest backwards; calls and their results go together. */
function marsysPack(messages: Messages, budget: number): Messages {
  let taken: Messages = [];
  for (let end = messages.length; end > 0; ) {
    let start = end - 1;
    while (start > 0 && messages[start]?.role === "tool") start -= 1;
    const bundle = messages.slice(start, end);
    const fits = sum([...bundle, ...taken].map(structured)) <= budget;
    if (!fits && taken.length > 0) break;
    taken = [...bundle, ...taken];
    if (!fits) break;
    end = start;
  }
  return taken;
}

/** When a read packs anew: always, above the trigger of what is read, or after a gap. */
function marsys(random: Random): Parts {
  const messages = randomConversation(random, random.int(1, 13), { system: true, pending: false });
  const mode = random.pick(["always", "strict", "gap"]);
  const [target, headroom] = [random.int(10, 150), random.pick([0, 0.1, 0.25, 0.5])];
  const [steps, tokens] = [random.int(1, 5), random.int(5, 80)];
  const trigger = mode === "gap" ? 100_000 : random.int(10, 200);
  const budget = Math.trunc(target * (1 - headroom));
  const policy = {
    max_total_tokens_trigger: trigger,
    target_total_tokens: target,
    enable_headroom_percent: headroom,
    ...(mode === "strict" ? { mode } : {}),
    ...(mode === "gap"
      ? {
          cache_invalidation_events: [],
          min_retrieval_gap_steps: steps,
          min_retrieval_gap_tokens: tokens,
        }
      : {}),
  };
  const when: JsonObject[] = [];
  const views: Json[] = [];
  let view: Messages = [];
  let since: Messages = [];
  for (const [index, message] of messages.entries()) {
    when.push(add(message));
    view = [...view, message];
    since = [...since, message];
    // A read between a call and its results would see half of a bundle.
    const isLast = index === messages.length - 1;
    if (!isLast && (messages[index + 1]?.role === "tool" || random.chance(0.5))) continue;
    when.push({ op: "get_messages" });
    const isOver = sum(view.map(structured)) > trigger;
    const isGap = since.length >= steps || sum(since.map(structured)) >= tokens;
    if (mode === "always" || isOver || (mode === "gap" && isGap)) {
      view = marsysPack(mode === "strict" ? view : messages.slice(0, index + 1), budget);
      since = [];
    }
    views.push(idsOf(view));
  }
  const given = { policy, messages: messages.map((one) => written(one, structured(one))) };
  const total = sum(messages.map(structured));
  return { given, when, expected: { views, estimated_total_tokens: total } };
}

interface Counted extends Said {
  readonly tokens: number;
}

function interactionsOf(messages: readonly Counted[]): readonly (readonly Counted[])[] {
  const groups: Counted[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (last === undefined || message.role === "user") groups.push([message]);
    else last.push(message);
  }
  return groups;
}

const CONDITIONS: readonly (readonly [string, (message: Counted) => boolean])[] = [
  ["message.role != 'tool'", ({ role }) => role !== "tool"],
  ["message.tokens < 20", ({ tokens }) => tokens < 20],
  [
    "message.content != '' or message.role == 'assistant'",
    ({ content, role }) => content !== "" || role === "assistant",
  ],
];

function alquimia(random: Random): Parts {
  const mix = { system: true, pending: true };
  const messages = randomConversation(random, random.int(1, 15), mix).map((message) => ({
    ...message,
    tokens: random.pick([0, 5, 10, 20]),
  }));
  const wanted = random.chance(0.5) ? [] : CONDITIONS.filter(() => random.chance(0.5));
  const passes = (group: readonly Counted[]): boolean =>
    group.every((message) => wanted.every(([, holds]) => holds(message)));
  const groups = interactionsOf(messages);
  const conditions = wanted.map(([condition]) => condition);
  const given = { messages: messages.map((message) => written(message, message.tokens)) };
  const make = random.chance(0.5) ? alquimiaView : alquimiaLong;
  return make(random, { groups, conditions, passes, given });
}

interface Alquimia {
  readonly groups: readonly (readonly Counted[])[];
  readonly conditions: readonly string[];
  readonly passes: (group: readonly Counted[]) => boolean;
  readonly given: JsonObject;
}

const costOf = (groups: readonly (readonly Counted[])[]): number =>
  sum(groups.flat().map(({ tokens }) => tokens));

function alquimiaView(random: Random, { groups, conditions, passes, given }: Alquimia): Parts {
  const max = random.pick([-1, 0, random.int(0, 120), random.int(0, 120)]);
  let kept: readonly (readonly Counted[])[] = [];
  for (const group of groups.filter(passes).reverse()) {
    if (max < 0 || costOf([group, ...kept]) > max) break;
    kept = [group, ...kept];
  }
  const policy = { memory_strategy_id: "max_tokens", memory_max_tokens: max, conditions };
  const expected = { view: idsOf(kept.flat()), stored: idsOf(groups.flat()) };
  return { given: { ...given, policy }, when: [{ op: "view" }], expected };
}

function alquimiaLong(random: Random, { groups, conditions, passes, given }: Alquimia): Parts {
  const [quantity, tokens] = [random.int(-1, 3), random.pick([-1, 0, 20, 50])];
  const [keep, input] = [random.int(0, 3), random.pick([0, 100])];
  const inputTokens = random.pick([99, 100, 101]);
  const outcomes = ["a", "b"].map((name) => ({ name, success: random.chance(0.5) }));
  const counted = groups.filter(passes);
  const reasons = [
    ...(input > 0 && inputTokens > input ? ["input_tokens"] : []),
    ...(quantity > 0 && counted.length > quantity ? ["interaction_qty"] : []),
    ...(tokens > 0 && costOf(counted) > tokens ? ["interaction_tokens"] : []),
    ...outcomes.filter(({ success }) => success).map(({ name }) => `tool_success:${name}`),
    ...outcomes.filter(({ success }) => !success).map(({ name }) => `tool_error:${name}`),
  ];
  const listens = random.chance(0.3);
  const fired = listens ? reasons : reasons.filter((reason) => !reason.startsWith("tool"));
  const split = fired.length === 0 ? 0 : Math.max(0, groups.length - keep);
  const policy = {
    long_term_memory_id: "neuralyzer",
    interaction_threshold_qty: quantity,
    interaction_threshold_tokens: tokens,
    interaction_keep: keep,
    input_tokens_threshold: input,
    interaction_conditions: conditions,
    on_tools_success_threshold: listens ? ["a", "b"] : [],
    on_tools_error_threshold: listens ? ["a", "b"] : [],
  };
  const signals = { llm_input_tokens: inputTokens, tool_outcomes: outcomes };
  const expected = {
    triggered: fired.length > 0,
    trigger_reasons: fired,
    removed: idsOf(groups.slice(0, split).flat()),
    kept: idsOf(groups.slice(split).flat()),
  };
  return { given: { ...given, policy, signals }, when: [{ op: "evaluate_long_term" }], expected };
}

/** The models by the numbers of their systems. */
export const MODELS: readonly (readonly [string, (random: Random) => Parts])[] = [
  ["000", selectools],
  ["001", lauren],
  ["002", definable],
  ["003", marsys],
  ["004", alquimia],
];
