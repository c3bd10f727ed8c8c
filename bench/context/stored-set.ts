// A set of conversations on a server, as an agent leaves it: every conversation twice, with its
// sessions apart and in one long session. Contexts are made for its questions.

import type {
  ContextOptions,
  MemorySidecar,
  MessageInput,
} from "../../clients/typescript/src/index.ts";
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
const LOOK_MS = 500;

/** What is in the context. */
export const MODES = ["window only", "recall only", "both"] as const;
export type Mode = (typeof MODES)[number];

/** How much of the evidence of a question is inside its context. */
export interface Evidence {
  readonly question: SetQuestion;
  /** The share of its messages. */
  readonly share: number;
  readonly ms: number;
}

function messageOf(turn: SetTurn): MessageInput {
  return {
    role: turn.role,
    name: turn.author,
    text: turn.text,
    ...(turn.timeMs === 0 ? {} : { sentTime: new Date(turn.timeMs) }),
  };
}

/** White space apart, which a context may join. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A set on a server. */
export class StoredSet {
  readonly #client: MemorySidecar;
  readonly #set: ConversationSet;

  constructor(client: MemorySidecar, set: ConversationSet) {
    this.#client = client;
    this.#set = set;
  }

  /** Stores every conversation in both ways, and waits until all of it can be recalled. */
  async store(): Promise<void> {
    for (const [at, { turns }] of this.#set.conversations.entries()) {
      const sessions = Map.groupBy(turns, ({ session }) => session);
      for (const [session, own] of sessions) await this.#append(`c${at}`, session, own);
      await this.#append(`w${at}`, ONE, turns);
      for (;;) {
        const options = { namespace: `c${at}`, pageSize: 1 };
        const { coverage } = await this.#client.recall("hello", options);
        const isReady = coverage?.complete === true && coverage.withoutVectorCount === 0n;
        if (isReady || coverage?.embeddingModel === "") break;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    }
  }

  async #append(namespace: string, sessionId: string, turns: readonly SetTurn[]): Promise<void> {
    // What leaves the window is promoted by the default rules.
    await this.#client.createSession({ sessionId, userId: USER, memoryPolicy: {} }, { namespace });
    let batch: MessageInput[] = [];
    let bytes = 0;
    const send = async (): Promise<void> => {
      if (batch.length > 0) await this.#client.append(sessionId, batch, { namespace });
      batch = [];
      bytes = 0;
    };
    for (const turn of turns) {
      const size = Buffer.byteLength(turn.text) + 256;
      if (batch.length >= BATCH_MESSAGES || bytes + size > BATCH_BYTES) await send();
      batch.push(messageOf(turn));
      bytes += size;
    }
    await send();
  }

  /** Makes the context of every `step`-th question. */
  async *ask(
    mode: Mode,
    options: ContextOptions,
    step = 1,
  ): AsyncGenerator<Evidence, void, undefined> {
    let asked = 0;
    for (const [at, conversation] of this.#set.conversations.entries()) {
      for (const question of conversation.questions) {
        asked += 1;
        if (asked % step !== 0) continue;
        const request = { ...optionsOf(mode, at, conversation), ...options };
        const start = performance.now();
        const { text } = await this.#client.assembleContext({
          ...request,
          query: question.query,
          ...(question.askedMs === undefined ? {} : { referenceTime: new Date(question.askedMs) }),
        });
        const ms = performance.now() - start;
        yield { question, ms, share: shareIn(text, conversation, question) };
      }
    }
  }
}

/** The newest session is the one in which the question is asked. */
function optionsOf(mode: Mode, at: number, { turns }: SetConversation): ContextOptions {
  if (mode === "window only") {
    const sections = [{ kind: "conversation" }] as const;
    return { namespace: `w${at}`, sessionId: ONE, sections };
  }
  if (mode === "recall only") {
    const sections = [{ kind: "recalled-messages" }] as const;
    return { namespace: `c${at}`, userId: USER, sections };
  }
  const sessionId = turns.at(-1)?.session ?? "";
  return { namespace: `c${at}`, sessionId };
}

function shareIn(text: string, { turns }: SetConversation, { evidence }: SetQuestion): number {
  const whole = plain(text);
  const found = evidence.filter((index) => whole.includes(plain(turns[index]?.text ?? "")));
  return found.length / evidence.length;
}
