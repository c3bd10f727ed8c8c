// Replays a set of conversations: each becomes a session, and is read back and compared.

import type { Message, MessageFields } from "../../clients/typescript/src/index.ts";
import { type Ack, checkAcks, checkLog, checkWindow } from "./checks.ts";
import { count, oneLine, type Screen } from "./screen.ts";
import type { SetConversation } from "./sets.ts";
import { openStage, type Stage } from "./stage.ts";
import { EventTracker } from "./tracker.ts";

const BATCH_MESSAGES = 100;
const BATCH_CHARS = 500_000;

/** Cuts messages into appends: one session of the set at most, of a size that fits a request. */
function* batches(messages: readonly MessageFields[]): Generator<readonly MessageFields[]> {
  let batch: MessageFields[] = [];
  let chars = 0;
  for (const message of messages) {
    const size = message.text?.length ?? 0;
    const isOther =
      batch[0] !== undefined && batch[0].labels?.["sess"] !== message.labels?.["sess"];
    const isFull = batch.length >= BATCH_MESSAGES || chars + size > BATCH_CHARS;
    if (batch.length > 0 && (isOther || isFull)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(message);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}

interface Totals {
  messages: number;
  tokens: number;
  faults: number;
}

async function replayOne(
  stage: Stage,
  tracker: EventTracker,
  { id, messages }: SetConversation,
): Promise<{ readonly line: string; readonly tokens: number; readonly faults: readonly string[] }> {
  const { client } = stage;
  const trimsBefore = tracker.trims;
  const acks: Ack[] = [];
  const started = performance.now();
  const { sessionId } = await client.createSession({ sessionId: id });
  for (const batch of batches(messages)) {
    const answer = await client.append(sessionId, batch);
    acks.push(...answer.messages);
  }
  const seconds = (performance.now() - started) / 1000;
  const { logTotals: stored, revision } = await client.getSession(sessionId);
  await tracker.reached(revision);
  const log: Message[] = [];
  for await (const message of client.listMessages(sessionId)) log.push(message);
  const tokens = log.reduce((sum, message) => sum + (message.tokenCount ?? 0), 0);
  const window = await client.window(sessionId);
  const faults = [
    ...checkAcks(acks, messages.length),
    ...checkLog(log, messages),
    ...checkWindow(window, tracker.windowIds(sessionId), {
      messageCount: log.length,
      tokenCount: stored?.tokenCount ?? 0,
    }),
  ];
  const inside = `${count(window.messages.length)} in the window`;
  const trims = `${count(tracker.trims - trimsBefore)} trims`;
  const speed = `${count(Math.round(messages.length / seconds))} messages/s`;
  const size = `${count(messages.length)} messages, ${count(tokens)} tokens`;
  return { line: `${size}, ${inside}, ${trims}, ${speed}`, tokens, faults };
}

/** Replays a set. Gives whether everything held. */
export async function replaySet(screen: Screen, set: readonly SetConversation[]): Promise<boolean> {
  const total = set.reduce((sum, { messages }) => sum + messages.length, 0);
  screen.line(screen.paint("bold", "Memory Sidecar demo: replay of a set of conversations"));
  const size = `${count(set.length)} conversation${set.length === 1 ? "" : "s"}`;
  screen.line(`${size}, ${count(total)} messages, the default policy.`);
  screen.line();
  const stage = await openStage();
  const totals: Totals = { messages: 0, tokens: 0, faults: 0 };
  try {
    const stream = stage.client.watch();
    await stream.ready;
    const tracker = new EventTracker(stream);
    for (const [index, conversation] of set.entries()) {
      const { line, tokens, faults } = await replayOne(stage, tracker, conversation);
      totals.messages += conversation.messages.length;
      totals.tokens += tokens;
      totals.faults += faults.length;
      const mark = faults.length === 0 ? screen.paint("green", "✓") : screen.paint("red", "✗");
      const head = `${mark} ${index + 1}/${set.length} ${oneLine(conversation.id, 24)}`;
      screen.line(`${head}: ${line}`);
      for (const fault of faults.slice(0, 5)) screen.line(`    ${fault}`);
    }
    await tracker.end();
    for (const fault of tracker.faults.slice(0, 5)) screen.line(`✗ ${fault}`);
    totals.faults += tracker.faults.length;
    return summary(screen, { set, totals, tracker });
  } finally {
    await stage.close();
  }
}

function summary(
  screen: Screen,
  run: { set: readonly SetConversation[]; totals: Totals; tracker: EventTracker },
): boolean {
  const { set, totals, tracker } = run;
  const undated = set.reduce((sum, conversation) => sum + conversation.undated, 0);
  screen.line();
  if (undated > 0) screen.line(`${count(undated)} messages had no date that could be read.`);
  const size = `${count(totals.messages)} messages, ${count(totals.tokens)} tokens`;
  screen.line(`${size}, ${count(tracker.events)} events, ${count(tracker.trims)} trims.`);
  const isGood = totals.faults === 0;
  screen.line(
    isGood
      ? "Every message was acknowledged once and read back as it was sent; no event was missed."
      : `${count(totals.faults)} checks failed.`,
  );
  return isGood;
}
