// A set of conversations on a server, as an agent leaves it. Every conversation is stored twice: as
// separate sessions and, where needed, as one long session. Contexts are made for questions.

import type {
  AssembleContextResponse,
  ContextOptions,
  MemorySidecar,
  MessageInput,
} from "../../clients/typescript/src/index.ts";
import { withoutMarks } from "../../src/context/rules/fence.ts";
import type {
  ConversationSet,
  SetConversation,
  SetQuestion,
  SetTurn,
} from "../recall/conversation-set.ts";

const USER = "u";
const ONE = "one";
const BATCH_MESSAGES = 100;
const BATCH_BYTES = 1_048_576;
/** Messages per extraction. */
const EXTRACT_MESSAGES = 200;
const LOOK_MS = 500;

/** Sources of a context. */
export const MODES = ["window only", "recall only", "both"] as const;
export type Mode = (typeof MODES)[number];

/** A kind of context. */
export interface Asked {
  readonly mode: Mode;
  readonly maxTokens: number;
  /** The shares requested for its sections, as text; empty for the server's defaults. */
  readonly shares: string;
  readonly sections: ContextOptions["sections"];
}

/** Share of a question's evidence that its context contains. */
export interface Evidence {
  /** Share of the evidence messages whose whole text is in the context. */
  readonly share: number;
  /** The same share, where a memory that names a message as its source counts as that message. */
  readonly told: number;
  readonly ms: number;
}

function messageOf(turn: SetTurn, index: number): MessageInput {
  return {
    ...{ role: turn.role, name: turn.author, text: turn.text, messageId: `m${index}` },
    ...(turn.timeMs === 0 ? {} : { sentTime: new Date(turn.timeMs) }),
  };
}

/** Normalizes white space, which a context may join. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A message as a context renders it, with its markup escaped. */
function shownAs(text: string): string {
  return plain(withoutMarks(text));
}

/** A set on a server. */
export class StoredSet {
  readonly #client: MemorySidecar;
  readonly #set: ConversationSet;
  readonly #prefix: string;
  readonly #modes: readonly Mode[];
  /** Turns that a memory was derived from, by memory id. */
  readonly #sources = new Map<string, readonly number[]>();

  constructor(
    client: MemorySidecar,
    from: { readonly set: ConversationSet; readonly prefix: string },
    modes: readonly Mode[],
  ) {
    this.#client = client;
    this.#set = from.set;
    this.#prefix = from.prefix;
    this.#modes = modes;
  }

  #apart(at: number): string {
    return `${this.#prefix}-c${at}`;
  }

  #inOne(at: number): string {
    return `${this.#prefix}-w${at}`;
  }

  /** Stores every conversation in the forms that the modes need. */
  async store(): Promise<void> {
    for (const [at, { turns }] of this.#set.conversations.entries()) {
      const all = [...turns.entries()];
      if (this.#modes.includes("window only")) await this.#append(this.#inOne(at), ONE, all);
      if (this.#modes.every((mode) => mode === "window only")) continue;
      const sessions = Map.groupBy(all, ([, { session }]) => session);
      for (const [session, own] of sessions) await this.#append(this.#apart(at), session, own);
    }
  }

  /** Stores the facts that the server's rules find in the messages; returns their number. */
  async remember(): Promise<number> {
    for (const [at, { turns }] of this.#set.conversations.entries()) {
      const namespace = this.#apart(at);
      for (const [sessionId, own] of Map.groupBy(turns, ({ session }) => session)) {
        for (let firstSeq = 1; firstSeq <= own.length; firstSeq += EXTRACT_MESSAGES) {
          const lastSeq = Math.min(own.length, firstSeq + EXTRACT_MESSAGES - 1);
          await this.#client.extractMemories({ namespace, sessionId, firstSeq, lastSeq });
        }
      }
      for await (const { memoryId, source } of this.#client.listMemories({
        namespace,
        filter: { everyone: true },
      })) {
        const turnsOf = source?.messageIds.map((id) => Number(id.slice(1))) ?? [];
        this.#sources.set(memoryId, turnsOf);
      }
    }
    return this.#sources.size;
  }

  /** Waits until everything is indexed for recall. */
  async index(): Promise<void> {
    if (this.#modes.every((mode) => mode === "window only")) return;
    for (const at of this.#set.conversations.keys()) {
      for (;;) {
        const options = { namespace: this.#apart(at), pageSize: 1 };
        const { coverage } = await this.#client.recall("hello", options);
        const isReady = coverage?.complete === true && coverage.withoutVectorCount === 0;
        if (isReady || coverage?.embeddingModel === "") break;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    }
  }

  async #append(namespace: string, sessionId: string, turns: [number, SetTurn][]): Promise<void> {
    // The default rules promote every message that leaves the window, from either role.
    const memoryPolicy = { promotion: { selection: "any-text" }, episodes: {} } as const;
    await this.#client.createSession({ sessionId, userId: USER, memoryPolicy }, { namespace });
    let batch: MessageInput[] = [];
    let bytes = 0;
    const send = async (): Promise<void> => {
      if (batch.length > 0) await this.#client.append(sessionId, batch, { namespace });
      batch = [];
      bytes = 0;
    };
    for (const [index, turn] of turns) {
      const size = Buffer.byteLength(turn.text) + 256;
      if (batch.length >= BATCH_MESSAGES || bytes + size > BATCH_BYTES) await send();
      batch.push(messageOf(turn, index));
      bytes += size;
    }
    await send();
  }

  /** Makes the context of every `step`-th question of the main figure. */
  async *ask(asked: Asked, step = 1): AsyncGenerator<Evidence, void, undefined> {
    let count = 0;
    for (const [at, conversation] of this.#set.conversations.entries()) {
      for (const question of conversation.questions) {
        if (!question.isMain) continue;
        count += 1;
        if (count % step !== 0) continue;
        const start = performance.now();
        const context = await this.#client.assembleContext({
          ...this.#optionsOf(asked, at, conversation),
          ...{ maxTokens: asked.maxTokens, query: question.query },
          ...(question.askedMs === undefined ? {} : { referenceTime: new Date(question.askedMs) }),
        });
        const ms = performance.now() - start;
        yield { ms, ...this.#sharesIn(context, conversation, question) };
      }
    }
  }

  /** The question is asked in the newest session. */
  #optionsOf({ mode, sections }: Asked, at: number, { turns }: SetConversation): ContextOptions {
    if (mode === "window only") {
      const only = [{ kind: "conversation" }] as const;
      return { namespace: this.#inOne(at), sessionId: ONE, sections: only };
    }
    if (mode === "recall only") {
      const only = [{ kind: "recalled-messages" }] as const;
      return { namespace: this.#apart(at), userId: USER, sections: only };
    }
    const own = sections === undefined ? {} : { sections };
    return { namespace: this.#apart(at), sessionId: turns.at(-1)?.session ?? "", ...own };
  }

  #sharesIn(
    { text, parts }: AssembleContextResponse,
    { turns }: SetConversation,
    { evidence }: SetQuestion,
  ): Pick<Evidence, "share" | "told"> {
    const whole = plain(text);
    const found = evidence.filter((index) => whole.includes(shownAs(turns[index]?.text ?? "")));
    const sources = parts.flatMap(({ items }) =>
      items.flatMap(({ ref }) =>
        ref?.ref?.$case === "memoryId" ? (this.#sources.get(ref.ref.value) ?? []) : [],
      ),
    );
    const told = new Set([...found, ...sources]);
    const isTold = evidence.filter((index) => told.has(index));
    return { share: found.length / evidence.length, told: isTold.length / evidence.length };
  }
}
