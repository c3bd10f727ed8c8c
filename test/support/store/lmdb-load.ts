// A load on the bare LMDB store for tests that kill it: appends that trim, edits, erasures, copies,
// imports, deletions and upkeep over a few sessions, with failpoints armed. Writes one line for
// every change that was acknowledged. Usage: node lmdb-load.ts DIR FAILPOINTS SEED

import { writeSync } from "node:fs";
import { AppError } from "../../../src/kit/errors.ts";
import { armFailpoints } from "../../../src/kit/failpoint.ts";
import { EMPTY_POLICY_STATE, type SessionRef } from "../../../src/session/rules/session.ts";
import { openLmdbStore } from "../../../src/store/lmdb/store.ts";
import type { SessionPlan, SessionView, Store, StoredEntry } from "../../../src/store/store.ts";
import { type Random, randomFrom } from "../kit/random.ts";
import {
  newEvent,
  newFields,
  newHead,
  newInsert,
  newMessage,
  newReply,
  rangesOf,
  readFacts,
  START_MS,
  totalsOf,
} from "./plans.ts";
import { changeTask, type WorkAction, work } from "./work.ts";

const WINDOW_MAX = 12;
const SESSIONS = 8;

/** Appends one message and trims the window to its newest messages. */
export function appendPlan(ref: SessionRef, view: SessionView, text: string): SessionPlan {
  const old = view.session?.head ?? newHead();
  const seq = old.lastSeq + 1;
  const message = newMessage({ seq, text });
  const all = [...view.window(), message];
  const window = all.slice(-WINDOW_MAX);
  return {
    ...(view.session === undefined ? { fields: newFields({ userId: "u" }) } : {}),
    append: [message],
    window,
    windowTrimmed: window.length < all.length,
    head: headOf(view, seq, window, { messageCount: 1, tokenCount: message.tokenCount }),
    events: [newEvent(ref)],
  };
}

function headOf(
  view: SessionView,
  lastSeq: number,
  window: readonly StoredEntry[],
  added: { readonly messageCount: number; readonly tokenCount: number },
) {
  const old = view.session?.head ?? newHead();
  return newHead({
    lastSeq,
    firstSeq: old.firstSeq,
    log: {
      messageCount: old.log.messageCount + added.messageCount,
      tokenCount: old.log.tokenCount + added.tokenCount,
    },
    window: totalsOf(window),
    windowRanges: rangesOf(window.map(({ seq }) => seq)),
    revision: view.revision,
  });
}

/**
 * Appends two messages and erases for good what leaves the window, the first of the two as well;
 * places a summary instead, and has the policy remember it.
 */
export function discardPlan(ref: SessionRef, view: SessionView, text: string): SessionPlan {
  const { lastSeq } = view.session?.head ?? newHead();
  const messages = [1, 2].map((step) =>
    newMessage({ seq: lastSeq + step, text, tokenCount: 2.25 }),
  );
  const old = view.window();
  const window = [...old.slice(-3), ...messages.slice(1)];
  const gone = [...old.slice(0, -3), ...messages.slice(0, 1)];
  const { messageCount, tokenCount } = totalsOf(gone);
  const added = { messageCount: 2 - messageCount, tokenCount: 4.5 - tokenCount };
  const mark = { stage: "stage", seq: lastSeq + 2, window: { messageCount, tokenCount } };
  const head = headOf(view, lastSeq + 2, window, added);
  const fields = view.session?.fields ?? newFields({ userId: "u" });
  return {
    fields: { ...fields, inserts: [newInsert({ position: lastSeq + 0.5 })] },
    append: messages,
    erase: gone.map(({ seq, messageId }) => ({ seq, messageId })),
    window,
    windowTrimmed: true,
    head: { ...head, policyState: { ...EMPTY_POLICY_STATE, marks: [mark] } },
    events: [newEvent(ref)],
  };
}

/** Erases the newest message of the window. */
export function erasePlan(ref: SessionRef, view: SessionView): SessionPlan | undefined {
  const last = view.window().at(-1);
  if (last === undefined || view.session === undefined) return undefined;
  const window = view.window().slice(0, -1);
  const added = { messageCount: -1, tokenCount: -last.tokenCount };
  return {
    erase: [last],
    window,
    head: headOf(view, view.session.head.lastSeq, window, added),
    events: [newEvent(ref)],
  };
}

async function step(store: Store, random: Random, name: string): Promise<void> {
  const ref = { namespace: "default", sessionId: name };
  const change = { ...ref, requestId: `${name}-${random.int(0, 1_000_000_000)}` };
  const kind = random.weighted({
    append: 20,
    discard: 3,
    erase: 2,
    work: 6,
    task: 4,
    remove: 1,
    copy: 1,
    import: 1,
    upkeep: 2,
  });
  if (kind === "append" || kind === "discard") {
    const text = "x".repeat(random.int(0, 400));
    const seq = await store.changeSession(change, (view) => {
      const plan = (kind === "append" ? appendPlan : discardPlan)(ref, view, text);
      return {
        kind: "save",
        result: plan.head?.lastSeq ?? 0,
        plan: { ...plan, reply: newReply("appended") },
      };
    });
    writeSync(1, `${name} ${seq}\n`);
  } else if (kind === "erase") {
    await store.changeSession(change, (view) => {
      const plan = erasePlan(ref, view);
      return plan === undefined
        ? { kind: "answer", result: false }
        : { kind: "save", result: true, plan };
    });
  } else if (kind === "work") {
    await work(store, workOf(ref, random)).catch(allowMissing);
  } else if (kind === "task") {
    await taskOf(store, ref, random);
  } else if (kind === "remove") {
    const other = { namespace: "default", sessionId: `${name}-copy` };
    await store.changeSession(other, (view) =>
      view.session === undefined
        ? { kind: "answer", result: false }
        : { kind: "save", result: true, plan: { remove: true, events: [newEvent(other)] } },
    );
  } else if (kind === "copy") {
    await copyOf(store, ref);
  } else if (kind === "import") {
    await importOf(store, ref, random.int(1, 600));
  } else {
    await store.maintain({
      nowMs: START_MS + random.int(0, 1_000_000),
      eventAgeMsMax: 1e12,
      eventCountMax: 300,
      replyAgeMsMax: 10_000,
      usageHourMin: random.int(0, 4),
    });
  }
}

/** Tasks and summaries: new ones, other ones, fewer. */
export function workOf(ref: SessionRef, random: Random): WorkAction {
  const draft = () => ({
    hook: random.pick(["h", "hook"]),
    state: random.pick(["ready", "leased", "waiting", "dead"] as const),
    dueMs: START_MS + random.int(0, 1_000),
  });
  return {
    ...ref,
    kind: "work",
    nowMs: START_MS,
    make: [draft(), draft()],
    change: [{ ...draft(), at: random.int(0, 9) }],
    remove: [random.int(0, 9), random.int(0, 9)],
    take: { hook: "hook", hour: random.int(1, 6), tokens: random.int(0, 9) },
    summaries: ["summary ".repeat(random.int(0, 90))],
    forget: [random.int(5, 9)],
  };
}

function allowMissing(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

async function taskOf(store: Store, ref: SessionRef, random: Random): Promise<void> {
  const { tasks } = await store.listTasks({ ...ref, limit: 20 });
  const task = tasks[random.int(0, 19)];
  if (task === undefined) return;
  const draft = { hook: task.hook, state: "ready", dueMs: START_MS + random.int(0, 9) } as const;
  const base = { namespace: ref.namespace, taskNo: task.taskNo, hour: random.int(1, 6) };
  await changeTask(store, {
    ...base,
    kind: "task",
    sessionId: ref.sessionId,
    nowMs: START_MS,
    tokens: 1,
    draft: random.chance(0.3) ? null : draft,
  });
}

async function copyOf(store: Store, source: SessionRef): Promise<void> {
  const target = { namespace: "default", sessionId: `${source.sessionId}-copy` };
  await store.copySession({ source, target }, (view) => {
    if (view.source === undefined || view.target !== undefined) {
      return { kind: "answer", result: false };
    }
    const { copied } = view;
    if (copied === undefined) return { kind: "copy", atSeq: view.source.head.lastSeq };
    const last = copied.window.at(-1)?.seq ?? 0;
    return {
      kind: "save",
      result: true,
      fields: newFields(),
      head: newHead({
        lastSeq: Math.max(last, view.source.head.lastSeq),
        log: copied.log,
        window: totalsOf(copied.window),
        windowRanges: rangesOf(copied.window.map(({ seq }) => seq)),
        revision: view.revision,
      }),
      events: [newEvent(target)],
    };
  });
}

/** Puts a log of its own in the place of a session, or gives it up half-way. */
async function importOf(store: Store, source: SessionRef, count: number): Promise<void> {
  const target = { namespace: "default", sessionId: `${source.sessionId}-import` };
  const lastSeq = count * 2;
  const log = await store.importLog({ firstSeq: 1, lastSeq });
  const messages = Array.from({ length: count }, (_, index) =>
    newMessage({ seq: index * 2 + 1, messageId: `imported ${index}` }),
  );
  await log.add(messages);
  if (count % 3 === 0) {
    log.abandon();
    return;
  }
  const window = messages.slice(-WINDOW_MAX);
  const { messageCount, tokenCount } = totalsOf(messages);
  await log.publish(target, (view) => ({
    kind: "save",
    result: true,
    fields: newFields({ userId: "u" }),
    head: newHead({
      lastSeq,
      log: { messageCount, tokenCount },
      window: totalsOf(window),
      windowRanges: rangesOf(window.map(({ seq }) => seq)),
      revision: view.revision,
    }),
    events: [newEvent(target)],
  }));
}

async function main(directory: string, failpoints: string, seed: number): Promise<void> {
  const store = await openLmdbStore({ directory, readFacts, floor: { bytes: 0 } });
  armFailpoints(failpoints);
  const random = randomFrom(seed);
  await Promise.all(
    Array.from({ length: SESSIONS }, async (_, i) => {
      for (;;) {
        await step(store, random, `s${i}`);
      }
    }),
  );
}

const [, , directory = "", failpoints = "", seed = "1"] = process.argv;
if (directory !== "") await main(directory, failpoints, Number(seed));
