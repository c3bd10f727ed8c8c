// A set of conversations on a server: storing, indexing and querying it.

import type {
  MemorySidecar,
  MessageInput,
  RecallOptions,
  RecallResponse,
} from "../../clients/typescript/src/index.ts";
import type { ConversationSet, SetConversation, SetQuestion, SetTurn } from "./conversation-set.ts";
import { bySession, type Quality, qualityOf } from "./quality.ts";
import { SCRIPTED_MESSAGES } from "./scripted-extractor.ts";

export const MODES = ["lexical", "dense", "hybrid"] as const;
/** Mode of a search; `sessions` is hybrid and ranks sessions instead of messages. */
export type Mode = (typeof MODES)[number] | "rank fusion" | "sessions";

const BATCH_MESSAGES = 100;
const BATCH_BYTES = 1_048_576;
/** Messages per extraction. */
const EXTRACT_MESSAGES = 200;
const HITS = 10;
/** Longest wait for the vectors of an external embedder. */
const VECTORS_MS = 3_600_000;
const LOOK_MS = 500;

/** Result of one question. */
export interface Asked {
  readonly question: SetQuestion;
  readonly quality: Quality;
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

/** A set on a server: each conversation has its own namespace. */
export class ServedSet {
  readonly #client: MemorySidecar;
  readonly #set: ConversationSet;
  /** The turn of each message, by namespace, session and seq. */
  readonly #turns = new Map<string, number>();

  readonly #facts: number | undefined;

  constructor(client: MemorySidecar, set: ConversationSet, facts?: number) {
    this.#client = client;
    this.#set = set;
    this.#facts = facts;
  }

  /** Stores the facts that a hook, or the rules, find in the messages; returns their number. */
  async remember(hook = ""): Promise<number> {
    const step = hook === "" ? EXTRACT_MESSAGES : SCRIPTED_MESSAGES;
    let count = 0;
    for (const [at, conversation] of this.#set.conversations.entries()) {
      const sessions = Map.groupBy(conversation.turns, ({ session }) => session);
      for (const [sessionId, turns] of sessions) {
        for (let first = 1; first <= turns.length; first += step) {
          const lastSeq = Math.min(turns.length, first + step - 1);
          const run = { namespace: `c${at}`, sessionId, firstSeq: first, lastSeq };
          const found = await this.#client.extractMemories({ ...run, extraction: { hook } });
          count += found.createdCount;
        }
      }
    }
    return count;
  }

  /** Stores every message. */
  async store(): Promise<{ readonly count: number; readonly seconds: number }> {
    const start = performance.now();
    let count = 0;
    for (const [at, conversation] of this.#set.conversations.entries()) {
      const sessions = Map.groupBy(conversation.turns.entries(), ([, turn]) => turn.session);
      for (const [session, turns] of sessions) {
        await this.#append(`c${at}`, session, [...turns]);
        count += turns.length;
      }
    }
    return { count, seconds: (performance.now() - start) / 1_000 };
  }

  async #append(namespace: string, session: string, turns: [number, SetTurn][]): Promise<void> {
    let batch: SetTurn[] = [];
    let bytes = 0;
    const send = async (): Promise<void> => {
      const options = { namespace, createSession: true };
      if (batch.length > 0) await this.#client.append(session, batch.map(messageOf), options);
      batch = [];
      bytes = 0;
    };
    for (const [place, [index, turn]] of turns.entries()) {
      this.#turns.set(`${namespace} ${session} ${place + 1}`, index);
      const size = Buffer.byteLength(turn.text) + 256;
      if (batch.length >= BATCH_MESSAGES || bytes + size > BATCH_BYTES) await send();
      batch.push(turn);
      bytes += size;
    }
    await send();
  }

  /** Waits until everything is indexed, including vectors. */
  async index(): Promise<{ readonly seconds: number; readonly model: string }> {
    const start = performance.now();
    let model = "none";
    for (const at of this.#set.conversations.keys()) {
      const end = performance.now() + VECTORS_MS;
      for (;;) {
        const { coverage } = await this.#client.recall("hello", { namespace: `c${at}` });
        model = coverage?.embeddingModel || model;
        const missing = model === "none" ? 0 : (coverage?.withoutVectorCount ?? 0);
        if (missing === 0 || performance.now() > end) break;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    }
    return { seconds: (performance.now() - start) / 1_000, model };
  }

  /** Asks every question. */
  async *ask(mode: Mode): AsyncGenerator<Asked, void, undefined> {
    for (const [at, conversation] of this.#set.conversations.entries()) {
      for (const question of conversation.questions) {
        const start = performance.now();
        const options = { ...optionsFor(at, mode, question), ...weightsOf(this.#facts) };
        const found = await this.#client.recall(question.query, options);
        const ms = performance.now() - start;
        const hits = this.#turnsOf(`c${at}`, found, conversation);
        yield { question, quality: qualityIn(mode, conversation, hits, question), ms };
      }
    }
  }

  #turnsOf(namespace: string, found: RecallResponse, { turns }: SetConversation): number[] {
    return found.hits.map(({ record }) => {
      if (record?.$case !== "message") throw new Error("a hit is no message");
      const { sessionId, message } = record.value;
      const turn = this.#turns.get(`${namespace} ${sessionId} ${message?.seq}`);
      if (turn === undefined || turns[turn] === undefined) throw new Error("a hit is unknown");
      return turn;
    });
  }
}

/** Quality of the hits; for sessions each session counts once, in the hits and in the evidence. */
function qualityIn(
  mode: Mode,
  { turns }: SetConversation,
  hits: readonly number[],
  { evidence }: SetQuestion,
): Quality {
  if (mode !== "sessions") return qualityOf(hits, evidence);
  const numbers = new Map<string, number>();
  const sessionOf = (turn: number): number => {
    const session = turns[turn]?.session ?? "";
    const number = numbers.get(session) ?? numbers.size;
    numbers.set(session, number);
    return number;
  };
  return qualityOf(bySession(hits, sessionOf), bySession(evidence, sessionOf));
}

function weightsOf(facts: number | undefined): RecallOptions {
  return facts === undefined ? {} : { weights: { facts } };
}

function optionsFor(at: number, mode: Mode, { askedMs }: SetQuestion): RecallOptions {
  return {
    namespace: `c${at}`,
    pageSize: HITS,
    // Only messages hold evidence; memories raise their scores.
    filter: { kinds: ["message"] },
    ...optionsOf(mode),
    ...(askedMs === undefined ? {} : { referenceTime: new Date(askedMs) }),
  };
}

function optionsOf(mode: Mode): RecallOptions {
  if (mode === "rank fusion") return { fusion: "reciprocal-rank" };
  return mode === "sessions" ? { groupBySession: 1 } : { mode };
}
