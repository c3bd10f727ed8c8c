// Reads the input of a task's hook: the messages from the log, the inserts between them in the
// window, and earlier summaries. Everything is read when the task is taken, which keeps stored
// tasks small.

import { liveSession } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import type { SourceLine, SummarizeInput } from "../hooks/port.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Session, SessionRef, WindowInsert } from "../session/rules/session.ts";
import type { StoredMessage } from "../store/store.ts";
import type { TakenTask } from "../tasks/take-task.ts";
import { isPlaced } from "../window/policy/summary-spec.ts";
import { containsSeq } from "../window/rules/ranges.ts";
import { ROLE, ROLE_NAMES, type SeqRange } from "../window/rules/types.ts";
import { standingRanges } from "./apply-summary.ts";
import { cutMessages, type SourceMessage } from "./cut-messages.ts";
import { transcriptOf } from "./rules/inputs.ts";
import { lowestTrust, type SummaryRecord, type Trust } from "./rules/summary.ts";

const PAGE = 500;

/**
 * Input of a task's hook. Undefined when nothing is left of it: the session is gone, or every
 * message of the task was deleted.
 */
export async function readInputs(
  context: ServiceContext,
  task: TakenTask,
  inputTokensMax: number,
): Promise<SummarizeInput | undefined> {
  const session = liveSession(context, await context.store.readSession(task));
  if (session === undefined) return undefined;
  const found = await readSources(context, session, task);
  if (found.length === 0) return undefined;
  const { spec, loop, draft } = task.summarize;
  const sources = cutMessages(context.codec, found, {
    tokensMax: inputTokensMax,
    imageTokenCount: session.fields.policy.imageTokenCount,
  });
  const lines = sources.map((source) => lineOf(context, source));
  const prior = await priorOf(context, session, task, found[0]?.position ?? 0);
  const trusts = sources.map(({ bytes }) => context.codec.readTrust(bytes));
  const isDensity = spec.flow === "density";
  return {
    messages: sources.map(({ bytes }) => bytes),
    lines,
    transcript: transcriptOf(lines, spec.transcript),
    priorTexts: prior.texts,
    replacesPrior: prior.isReplaced,
    savesTokens: isPlaced(spec),
    maxTokens: spec.maxTokens,
    instructions: spec.instructions,
    loop: isDensity ? loop : 0,
    maxLoops: isDensity ? spec.maxLoops : 1,
    draft: draft?.text ?? "",
    structured: spec.shape === "exchange",
    trust: lowestTrust([...trusts, ...prior.trusts]),
  };
}

/** The messages of a task that still exist, by rising position. */
async function readSources(
  context: ServiceContext,
  session: Session,
  task: TakenTask,
): Promise<readonly SourceMessage[]> {
  const sources: SourceMessage[] = [];
  for (const range of task.summarize.ranges) {
    for await (const { seq, bytes, tokenCount } of messagesOf(context, task, range)) {
      sources.push({ position: seq, bytes, tokenCount, isSummary: false, text: undefined });
    }
  }
  const inserts = new Map(session.fields.inserts.map((insert) => [insert.messageId, insert]));
  for (const { messageId, version } of task.summarize.made) {
    const record = version === 0 ? undefined : await context.store.readSummary(task, version);
    const insert = inserts.get(messageId);
    if (insert !== undefined) sources.push(ofInsert(insert, record));
    else if (record !== undefined) sources.push(ofRecord(context, record));
  }
  return withoutKnown(session, task, sources).sort((a, b) => a.position - b.position);
}

/**
 * Restored messages have their summary already: they leave with the others, and the hook sees them
 * only when there is nothing else.
 */
function withoutKnown(
  { fields }: Session,
  { summarize: { made } }: TakenTask,
  sources: SourceMessage[],
): SourceMessage[] {
  const taken = new Set(made.map(({ messageId }) => messageId));
  const inserts = fields.inserts.filter(({ messageId }) => !taken.has(messageId));
  const standing = standingRanges({ ...fields, inserts }, { own: true });
  const fresh = sources.filter(({ position }) => !containsSeq(standing, position));
  return fresh.length === 0 ? sources : fresh;
}

async function* messagesOf(
  { store }: ServiceContext,
  ref: SessionRef,
  { first, last }: SeqRange,
): AsyncGenerator<StoredMessage> {
  for (let seq: number | undefined = first; seq !== undefined && seq <= last; ) {
    const query = { firstSeq: seq, lastSeq: last, order: "asc", limit: PAGE } as const;
    const page = await store.listMessages(ref, query);
    if (page === undefined) return;
    yield* page.messages;
    seq = page.next;
  }
}

/** The source for an entry that is in the window but not in the log. */
function ofInsert(insert: WindowInsert, record: SummaryRecord | undefined): SourceMessage {
  const { position, bytes, tokenCount, kind } = insert;
  const isSummary = kind === "summary";
  return { position, bytes, tokenCount, isSummary, text: isSummary ? record?.text : undefined };
}

/** A placed summary that left the window: it is shown as it was, at the place of its messages. */
function ofRecord({ codec }: ServiceContext, record: SummaryRecord): SourceMessage {
  const { placedMessageId: messageId, text, tokenCount, trust, createMs } = record;
  const bytes = codec.encodeMade({
    messageId,
    kind: "summary",
    role: ROLE.system,
    trust,
    text,
    tokenCount,
    toolCallId: "",
    name: "",
    createMs,
  });
  const position = (record.ranges[0]?.first ?? 1) - 0.5;
  return { position, bytes, tokenCount, isSummary: true, text };
}

function lineOf({ codec }: ServiceContext, source: SourceMessage): SourceLine {
  const { messageId, role } = codec.readFacts(source.bytes);
  const { content, name } = codec.readDetail(source.bytes);
  return {
    role: source.isSummary ? "summary" : ROLE_NAMES[role],
    text: source.text ?? content,
    name,
    messageId,
    seq: Number.isInteger(source.position) ? source.position : 0,
  };
}

interface Prior {
  readonly texts: readonly string[];
  readonly isReplaced: boolean;
  /** Trust of the earlier summaries. */
  readonly trusts: readonly Trust[];
}

/** Earlier summaries that the new text continues or replaces. */
async function priorOf(
  context: ServiceContext,
  session: Session,
  task: TakenTask,
  firstPosition: number,
): Promise<Prior> {
  const { keep } = task.summarize.spec;
  const { summary, inserts } = session.fields;
  if (keep === "replace" && summary !== undefined) {
    return { texts: [summary.text], isReplaced: true, trusts: [summary.trust] };
  }
  if (keep !== "in-place") return { texts: [], isReplaced: false, trusts: [] };
  const before = inserts.filter(
    ({ kind, position }) => kind === "summary" && position < firstPosition,
  );
  const own = summary === undefined ? [] : [summary];
  const trusts = [...own, ...before].map(({ trust }) => trust);
  const texts = own.map(({ text }) => text);
  texts.push(...(await newestTexts(context, task, before, Buffer.byteLength(texts.join("")))));
  return { texts, isReplaced: false, trusts };
}

/** The texts of the newest of some summaries, as many as a task gives, the oldest of them first. */
async function newestTexts(
  { store, codec }: ServiceContext,
  task: TakenTask,
  summaries: readonly WindowInsert[],
  taken: number,
): Promise<readonly string[]> {
  const texts: string[] = [];
  let bytes = taken;
  for (const { version, bytes: shown } of [...summaries].reverse()) {
    const record = await store.readSummary(task, version);
    const text = record?.text ?? codec.readDetail(shown).content;
    bytes += Buffer.byteLength(text);
    if (bytes > LIMITS.taskPriorBytes) break;
    texts.unshift(text);
  }
  return texts;
}
