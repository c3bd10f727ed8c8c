// Plays a recorded conversation and shows what becomes of the window, over a kill -9 of the server.

import {
  dropOldest,
  type Event,
  type GetWindowResponse,
  type Message,
  type PolicyInput,
  type SessionFields,
  summarize,
  toMessage,
} from "../../clients/typescript/src/index.ts";
import {
  type Ack,
  checkAcks,
  checkLog,
  checkPairs,
  checkSources,
  checkWindow,
  idsInLog,
} from "./checks.ts";
import type { Conversation } from "./conversation.ts";
import {
  count,
  glyph,
  INDENT,
  oneLine,
  type Screen,
  summaryText,
  trimText,
  windowLine,
  wrap,
} from "./screen.ts";
import { openStage, type Stage } from "./stage.ts";
import { EventTracker } from "./tracker.ts";

const HIGH_TOKENS = 1_500;
const LOW_TOKENS = 1_000;
const STEP_MS = 200;
const DRAMA_MS = 900;
const SUMMARY_TOKENS = 120;
const WAIT_MS = 30_000;
const SUMMARY_LINES = 4;

/** The built-in summarizer adds messages that leave to the summary. */
const SUMMARIZE = summarize({
  hook: "builtin",
  keep: "append",
  leave: "at-once",
  maxTokens: SUMMARY_TOKENS,
});

/** Small enough to see it work: over 1,500 tokens the oldest turns go, down to 1,000. */
const POLICY: PolicyInput = {
  stages: [
    dropOldest(
      "turns",
      { maxTokens: LOW_TOKENS },
      { over: { tokens: HIGH_TOKENS }, summarize: SUMMARIZE },
    ),
    dropOldest(
      "assistant_turns",
      { maxTokens: HIGH_TOKENS },
      { unit: "assistant-turn", over: { tokens: HIGH_TOKENS }, summarize: SUMMARIZE },
    ),
  ],
};

interface Play {
  readonly stage: Stage;
  readonly screen: Screen;
  readonly conversation: Conversation;
  /** What the session is created with. */
  readonly session: SessionFields;
  readonly tracker: EventTracker;
  readonly resumed: Watched["resumed"];
  readonly acks: Ack[];
  readonly faults: string[];
}

function header(screen: Screen, conversation: Conversation): void {
  const messages = conversation.appends.flatMap((append) => append.messages).length;
  screen.line(screen.paint("bold", `Memory Sidecar demo: ${conversation.title}`));
  screen.line(`${messages} messages in ${conversation.appends.length} appends.`);
  screen.line(
    `Policy: over ${count(HIGH_TOKENS)} tokens with the summary, the oldest turns leave it, ` +
      `down to ${count(LOW_TOKENS)}.`,
  );
  screen.line(
    "S system, U user, A assistant, C with tool calls, t tool, x failed tool, ·9· outside",
  );
  screen.line();
}

/** Shows a trim or a summary as it arrives. */
function showEvent(screen: Screen, event: Event): void {
  if (event.detail?.$case === "summarySet") {
    const text = `${summaryText(event.detail.value)} [event ${event.revision}.${event.index}]`;
    screen.line(screen.paint("cyan", `${INDENT}✎ ${oneLine(text, screen.width - 8)}`));
  }
  if (event.detail?.$case !== "messagesTrimmed" || event.detail.value.trim === undefined) return;
  const text = `${trimText(event.detail.value.trim)} [event ${event.revision}.${event.index}]`;
  screen.line(screen.paint("yellow", `${INDENT}✂ ${oneLine(text, screen.width - 8)}`));
}

function showStep(screen: Screen, step: number, messages: readonly Message[]): void {
  const glyphs = messages.map((message) => glyph(screen, message)).join("");
  const said = messages.findLast((message) => message.text !== "")?.text ?? "";
  const space = " ".repeat(Math.max(1, 6 - messages.length));
  const head = `${String(step).padStart(3)}  +${glyphs}${space}`;
  const width = 6 + Math.max(7, messages.length + 1);
  screen.line(`${head}${screen.paint("bold", oneLine(said, screen.width - width))}`);
}

/** One append, with its window shown and checked. */
async function playStep(play: Play, step: number, during?: () => Promise<void>): Promise<void> {
  const { stage, screen, conversation, tracker } = play;
  const { sessionId, appends } = conversation;
  const messages = appends[step]?.messages ?? [];
  // The whole turn is one call: it creates the session, appends, and answers with the window.
  const { session } = play;
  const turn = { createSession: true, session, window: true };
  const sending = stage.client.append(sessionId, messages, turn);
  // The disturbance comes while the append is on its way; a failure is seen at the await below.
  sending.catch(() => {});
  await during?.();
  const answer = await sending;
  if (during !== undefined) {
    const text = `${INDENT}  the append is acknowledged, as revision ${answer.revision}`;
    screen.line(screen.paint("green", text));
    screen.line();
  }
  play.acks.push(...answer.messages);
  await tracker.reached(answer.revision);
  const { window, isTold } = await readWindow(play, answer.window);
  showStep(screen, step + 1, messages.map(toMessage));
  screen.line(windowLine(screen, window));
  if (!isTold) play.faults.push(`after step ${step + 1} the window is not what the events tell`);
  if (Number(window.windowTotals?.tokenCount) > HIGH_TOKENS && !window.overLimit) {
    play.faults.push(`after step ${step + 1} the window is over its limit`);
  }
}

/** A summary may arrive between a read and the events of it: then both are looked at again. */
const READS_MAX = 100;

/** The window, and whether the events tell of the same one. */
async function readWindow({ stage, conversation, tracker }: Play, told?: GetWindowResponse) {
  const { sessionId } = conversation;
  for (let reads = 1, given = told; ; reads++, given = undefined) {
    const window = given ?? (await stage.client.window(sessionId));
    await tracker.reached(window.revision);
    const isTold = idsInLog(window).join() === tracker.windowIds(sessionId).join();
    if (isTold || reads === READS_MAX) return { window, isTold };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Kills the server while an append is on its way, and starts it again. */
async function crash({ stage, screen, resumed }: Play): Promise<void> {
  const { pid } = stage.server();
  // Time for the request to leave this process, not for the answer to come back.
  await new Promise((resolve) => setTimeout(resolve, 2));
  screen.line();
  screen.line(screen.paint("red", `${INDENT}⚡ kill -9 ${pid}, with an append on its way`));
  await stage.kill();
  await screen.pause(DRAMA_MS);
  await stage.restart();
  const text = `${INDENT}↻ restarted as process ${stage.server().pid} on the same store`;
  screen.line(screen.paint("green", text));
  await resumed();
}

interface Watched {
  readonly tracker: EventTracker;
  /** Settles when the stream goes on; at once while it is not broken. */
  resumed(): Promise<void>;
}

/** Opens the stream and says when it breaks and when it goes on. */
async function openStream({ client }: Stage, screen: Screen): Promise<Watched> {
  let pause: PromiseWithResolvers<void> | undefined;
  let tracker: EventTracker | undefined;
  const stream = client.watch({
    onInterrupt: () => {
      if (pause !== undefined) return;
      pause = Promise.withResolvers();
      screen.line(screen.paint("red", `${INDENT}  the event stream is broken`));
    },
    // The first answer after a break comes without an event.
    onCheckpoint: () => {
      if (pause === undefined) return;
      const text = `${INDENT}  the event stream goes on after event ${tracker?.revision}`;
      screen.line(screen.paint("green", text));
      pause.resolve();
      pause = undefined;
    },
  });
  await stream.ready;
  tracker = new EventTracker(stream, (event) => showEvent(screen, event));
  return { tracker, resumed: async () => pause?.promise };
}

/** Shows the window that the model would get now. */
async function showFinal({ stage, screen, conversation }: Play): Promise<void> {
  const window = await stage.client.window(conversation.sessionId);
  const runs = window.outsideSeqRanges.map(({ firstSeq, lastSeq }) => `${firstSeq}-${lastSeq}`);
  const outside = runs.length === 0 ? "nothing" : `seq ${runs.join(", ")}, still in the log`;
  screen.line();
  screen.line(screen.paint("bold", "The final window, as the model gets it; outside: ") + outside);
  screen.line(windowLine(screen, window));
  for (const message of window.messages.slice(-4)) {
    const text = oneLine(message.text, screen.width - INDENT.length - 8);
    screen.line(`${INDENT}${String(message.seq).padStart(4)} ${glyph(screen, message)} ${text}`);
  }
  screen.line();
  const { text = "", version = 0, tokenCount = 0 } = window.summary ?? {};
  screen.line(
    screen.paint("bold", `The summary of what is outside, version ${version}: `) +
      `${count(tokenCount)} tokens, which end with`,
  );
  const rest = text.slice(-(screen.width - INDENT.length) * SUMMARY_LINES);
  for (const line of wrap(rest, screen.width - INDENT.length)) screen.line(`${INDENT}${line}`);
}

/** Waits until every task is done; gives those that are not. */
async function settle({ stage, conversation }: Play): Promise<readonly string[]> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const left: string[] = [];
    for await (const task of stage.client.listTasks({ sessionId: conversation.sessionId })) {
      left.push(`${task.taskId} is not done`);
    }
    if (left.length === 0 || Date.now() > end) return left;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function verify(play: Play): Promise<readonly (readonly [string, readonly string[]])[]> {
  const { stage, conversation, tracker } = play;
  const { sessionId } = conversation;
  const sent = conversation.appends.flatMap((append) => append.messages);
  const log: Message[] = [];
  for await (const message of stage.client.listMessages(sessionId)) log.push(message);
  const window = await stage.client.window(sessionId);
  const tokenCount = log.reduce((sum, message) => sum + (message.tokenCount ?? 0), 0);
  const totals = { messageCount: log.length, tokenCount };
  const sources: number[] = [];
  const { version = 0 } = window.summary ?? {};
  for await (const { seq } of stage.client.listSummarySources(sessionId, version)) {
    sources.push(seq);
  }
  return [
    [`${play.acks.length} messages acknowledged, each once`, checkAcks(play.acks, sent.length)],
    ["the log equals the recording, field by field", checkLog(log, sent)],
    [`${tracker.events} events without a gap or a repeat`, tracker.faults],
    [
      "the window is what the events tell, and nothing is lost",
      checkWindow(window, tracker.windowIds(sessionId), totals),
    ],
    ["the summary stands for exactly what left", checkSources(sources, window, log)],
    ["no tool result without its call", checkPairs(window.messages, log)],
    ["every window kept to its limit, its summary included", play.faults],
  ];
}

/** Plays a conversation. Gives whether everything held. */
export async function playConversation(
  screen: Screen,
  conversation: Conversation,
): Promise<boolean> {
  header(screen, conversation);
  const stage = await openStage();
  try {
    const watched = await openStream(stage, screen);
    const { title: _title, description: _description, appends, ...session } = conversation;
    const play: Play = {
      ...{ stage, screen, conversation, ...watched, acks: [], faults: [] },
      session: { ...session, policy: POLICY },
    };
    const middle = Math.floor(appends.length / 2);
    for (const step of appends.keys()) {
      await playStep(play, step, step === middle ? () => crash(play) : undefined);
      await screen.pause(STEP_MS);
    }
    play.faults.push(...(await settle(play)));
    await showFinal(play);
    await watched.tracker.end();
    return summary(play, await verify(play));
  } finally {
    await stage.close();
  }
}

function summary(play: Play, results: Awaited<ReturnType<typeof verify>>): boolean {
  const { screen, tracker } = play;
  screen.line();
  for (const [what, faults] of results) {
    const mark = faults.length === 0 ? screen.paint("green", "✓") : screen.paint("red", "✗");
    screen.line(`  ${mark} ${what}`);
    for (const fault of faults.slice(0, 5)) screen.line(`      ${fault}`);
  }
  const isGood = results.every(([, faults]) => faults.length === 0);
  screen.line();
  const { trims, summaries } = tracker;
  const size = `${play.acks.length} messages, ${trims} trims, ${summaries} summaries, one kill -9`;
  screen.line(isGood ? `All of it held: ${size}, nothing lost.` : `Not all of it held: ${size}.`);
  return isGood;
}
