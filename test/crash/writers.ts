// The load of the crash tests: writers that append, change and delete, and write down in the
// journal what they intend and what they are told.

import {
  connect,
  dropOldest,
  isMemorySidecarError,
  type MemorySidecar,
  type MessageFields,
  makePolicy,
  Status,
  summarize,
  summaryView,
} from "../../clients/typescript/src/index.ts";
import type { Random } from "../support/kit/random.ts";
import type { Content, Entry, Journal, Operation } from "./journal.ts";
import { seenEvent } from "./observe.ts";
import { eventKey } from "./oracle.ts";

/** Trims with nearly every append. */
export const SMALL_POLICY = {
  stages: [dropOldest("keep", { maxMessages: 12 }, { unit: "message" })],
};

/** The same with a summary of what leaves, by the built-in hook. */
export const SUMMARIZING_POLICY = makePolicy(
  [
    dropOldest(
      "keep",
      { maxMessages: 12 },
      { unit: "message", summarize: summarize({ hook: "builtin", keep: "append", maxTokens: 64 }) },
    ),
  ],
  { summaryView: summaryView({ show: "none" }) },
);

const TEXTS = ["plain words", "größer – übel", "日本語の文", "😀🧠", "line\nbreak\ttab", '{"a":1}'];

/** A client that never repeats a call: the journal wants to know every answer. */
export function plainClient(address: string): MemorySidecar {
  return connect(address, { retry: { maxAttempts: 1 }, timeoutMs: 20_000 });
}

function content(random: Random, tag: string): Content {
  const role = random.chance(0.5) ? "user" : "assistant";
  const text = `${tag} ${random.pick(TEXTS)} ${"x".repeat(random.int(0, 600))}`;
  const payload = random.chance(0.2)
    ? Uint8Array.from({ length: random.int(1, 300) }, () => random.int(0, 255))
    : undefined;
  return { role, text, payload, toolCallId: "", toolCallIds: [] };
}

function fields(messageId: string, one: Content): MessageFields {
  return {
    messageId,
    role: one.role,
    text: one.text,
    toolCallId: one.toolCallId,
    toolCalls: one.toolCallIds.map((toolCallId) => ({ toolCallId, name: "look", arguments: "{}" })),
    ...(one.payload && { providerPayload: { provider: "test", data: one.payload } }),
  };
}

/** Messages of one append: one, a few, or a tool call with its results. */
function draft(journal: Journal, random: Random): { messageId: string; content: Content }[] {
  const tag = `m-${journal.number()}`;
  const kind = random.weighted({ one: 6, some: 3, pair: 2 });
  if (kind !== "pair") {
    const count = kind === "one" ? 1 : random.int(2, 6);
    return Array.from({ length: count }, (_, i) => {
      const messageId = `${tag}-${i}`;
      return { messageId, content: content(random, messageId) };
    });
  }
  const toolCallIds = [`${tag}-c1`, `${tag}-c2`];
  const call = { ...content(random, tag), role: "assistant" as const, toolCallIds };
  const results = toolCallIds.map((toolCallId, i) => ({
    messageId: `${tag}-r${i}`,
    content: { ...content(random, tag), role: "tool" as const, toolCallId },
  }));
  return [{ messageId: tag, content: call }, ...results];
}

/** One writer with the messages it alone changes. */
export class Writer {
  readonly #client: MemorySidecar;
  readonly #journal: Journal;
  readonly #random: Random;
  readonly #sessionId: string;
  readonly #own: Entry[];
  #stopped = false;

  constructor(
    client: MemorySidecar,
    journal: Journal,
    random: Random,
    start: { readonly sessionId: string; readonly own: readonly Entry[] },
  ) {
    this.#client = client;
    this.#journal = journal;
    this.#random = random;
    this.#sessionId = start.sessionId;
    this.#own = [...start.own];
  }

  /** Ends the writer after the call under way. */
  stop(): void {
    this.#stopped = true;
  }

  /** Writes until it is stopped or the server is gone. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const kind = this.#random.weighted({ append: 12, update: 2, delete: 2, refused: 1 });
      const at = this.#random.int(0, Math.max(0, this.#own.length - 1));
      const entry = this.#own[at];
      if (kind === "refused") await this.#appendRefused();
      else if (kind === "append" || entry === undefined) await this.#append();
      else if (kind === "update") await this.#update(entry);
      else {
        this.#own.splice(at, 1);
        await this.#delete(entry);
      }
    }
  }

  async #append(): Promise<void> {
    const messages = draft(this.#journal, this.#random);
    const operation = this.#journal.intendAppend(this.#sessionId, messages);
    const answer = await this.#try(operation, () => send(this.#client, this.#journal, operation));
    if (answer === undefined) return;
    this.#journal.acknowledge(operation, answer);
    for (const { messageId } of messages) {
      const entry = this.#journal.entries.get(messageId);
      if (entry !== undefined) this.#own.push(entry);
    }
  }

  /** An append that must be refused and leave nothing behind. */
  async #appendRefused(): Promise<void> {
    const messageId = `refused-${this.#journal.number()}`;
    const one = content(this.#random, messageId);
    const messages = [{ messageId, content: one }];
    const operation = this.#journal.intendAppend(this.#sessionId, messages);
    const answer = await this.#try(operation, async () => {
      const { requestId } = operation;
      const options = { requestId, expectedLastSeq: 1_000_000 };
      await this.#client.append(this.#sessionId, [fields(messageId, one)], options);
      return { revision: 0 };
    });
    if (answer !== undefined) this.#journal.complaints.push(`${messageId} was not refused`);
  }

  async #update(entry: Entry): Promise<void> {
    const old = entry.contents[0];
    if (old === undefined) return;
    const text = `${entry.messageId} changed ${this.#journal.number()}`;
    const operation = this.#journal.intendUpdate(entry, { ...old, text });
    const answer = await this.#try(operation, () => send(this.#client, this.#journal, operation));
    if (answer !== undefined) this.#journal.acknowledge(operation, answer);
  }

  async #delete(entry: Entry): Promise<void> {
    const operation = this.#journal.intendDelete(entry);
    const answer = await this.#try(operation, () => send(this.#client, this.#journal, operation));
    if (answer !== undefined) this.#journal.acknowledge(operation, answer);
  }

  async #try<T>(operation: Operation, call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      this.#failed(operation, error);
      return undefined;
    }
  }

  #failed(operation: Operation, error: unknown): void {
    const gone = isMemorySidecarError(error) && error.reason === "";
    const refused = isMemorySidecarError(error, "LAST_SEQ_MISMATCH");
    const stopping = isMemorySidecarError(error, "SHUTTING_DOWN");
    if (refused || stopping) this.#journal.refuse(operation);
    else this.#journal.unanswered += 1;
    if (refused) return;
    this.#stopped = true;
    const lost = gone && (error.code === Status.UNAVAILABLE || error.code === Status.CANCELLED);
    if (!lost && !stopping) this.#journal.complaints.push(`${operation.kind} failed: ${error}`);
  }
}

/** Makes the call of an operation. Making it again with the same journal repeats it exactly. */
export async function send(
  client: MemorySidecar,
  journal: Journal,
  operation: Operation,
): Promise<{ revision: number; seqs?: readonly number[] }> {
  const { kind, sessionId, requestId, messageIds } = operation;
  const [messageId = ""] = messageIds;
  if (kind === "delete") {
    const answer = await client.deleteMessage(sessionId, messageId, { requestId });
    return { revision: Number(answer.revision) };
  }
  if (kind === "update") {
    const text = operation.content?.text ?? "";
    const answer = await client.updateMessage(sessionId, { messageId, text }, { requestId });
    return { revision: Number(answer.revision) };
  }
  const messages = messageIds.map((id) => {
    const first = journal.originals.get(id);
    if (first === undefined) throw new Error("the journal has no such message");
    return fields(id, first);
  });
  const answer = await client.append(sessionId, messages, { requestId });
  const seqs = answer.messages.map((message) => Number(message.seq));
  return { revision: Number(answer.revision), seqs };
}

/** Watches the namespace and notes every event it is shown. Returns how to stop. */
export function watchInto(client: MemorySidecar, journal: Journal): () => Promise<void> {
  const stream = client.watch({ from: "oldest" });
  const reading = (async () => {
    for await (const { event } of stream) journal.seenEvents.add(eventKey(seenEvent(event)));
  })().catch(() => {});
  return async () => {
    await stream.return();
    await reading;
  };
}
