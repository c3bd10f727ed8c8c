// Erasures: begun in one transaction, done in the background, and looked up.

import { replayOf, replyPart } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { erasureLimitReached, erasureNotFound } from "../kit/errors.ts";
import { makeErasureId } from "../kit/ids.ts";
import { LIMITS } from "../kit/limits.ts";
import { Semaphore } from "../kit/semaphore.ts";
import { pause } from "../kit/world.ts";
import type { ErasureRef } from "../store/store.ts";
import type { EraseSubjectInput, Receipt } from "./api.ts";
import {
  ERASURE_STEPS,
  type Erasure,
  isDone,
  newErasure,
  type ErasureWork as Work,
} from "./rules/erasure.ts";
import { STEPS } from "./steps.ts";
import { type EraseParts, ErasureWork } from "./work.ts";

const RANDOM_BYTES = 10;
/** Rest after a failure, for example at a damaged record. */
const RETRY_MS = 30_000;
const JOURNAL_POLL_MS = 50;

/** Does erasures from its start to `stop`. */
export class Erasures {
  readonly #parts: EraseParts;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  /** One erases at a time; those that wait for upkeep only look from time to time. */
  readonly #turns = new Semaphore({ running: 1 });
  readonly #underWay = new Set<Promise<void>>();

  constructor(parts: EraseParts, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#onError = onError;
    this.#begin(async () => {
      for (const ref of await parts.context.store.runningErasures()) {
        this.#begin(() => this.#run(ref));
      }
    });
  }

  /** Begins an erasure, or counts what it would erase. */
  async eraseSubject(call: Call, input: EraseSubjectInput): Promise<Uint8Array> {
    const { namespace, subject, dryRun, encode } = input;
    const { context } = this.#parts;
    checkLive(call.signal);
    const nowMs = context.world.nowMs();
    const erasureId = makeErasureId(nowMs, context.world.random(RANDOM_BYTES));
    const erasure = newErasure(namespace, subject, { erasureId: dryRun ? "" : erasureId, nowMs });
    if (dryRun) {
      const { signal } = call;
      const start = { namespace, erasure, subject, marks: new Set<string>(), isDry: true, signal };
      const work = new ErasureWork(this.#parts, start);
      for (const step of ERASURE_STEPS) await STEPS[step](work, signal);
      return encode(receiptOf(context, work.erasure));
    }
    const { requestId } = call;
    const answer = await context.store.changeErasure<Uint8Array>(
      { namespace, erasureId, requestId },
      ({ running, reply }) => {
        const replay = replayOf(context, call, reply);
        if (replay !== undefined) return { kind: "answer", result: replay };
        if (running >= LIMITS.erasures) throw erasureLimitReached(LIMITS.erasures);
        const result = encode(receiptOf(context, erasure));
        return { kind: "save", result, erasure, ...replyPart(call, nowMs, result) };
      },
    );
    this.#begin(() => this.#run({ namespace, erasureId }));
    return answer;
  }

  /** Gets a receipt. */
  async getErasure(call: Call, ref: ErasureRef): Promise<Receipt> {
    checkLive(call.signal);
    const { context } = this.#parts;
    const erasure = await context.store.readErasure(ref);
    if (erasure === undefined) throw erasureNotFound(ref.erasureId);
    return receiptOf(context, erasure);
  }

  /** Ends the work after the transactions under way; the next start goes on with it. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#underWay);
  }

  /** Does work in the background, and again after a failure, until it succeeds or all ends. */
  #begin(work: () => Promise<void>): void {
    const { signal } = this.#stop;
    const attempts = async (): Promise<void> => {
      do {
        try {
          return await work();
        } catch (error) {
          if (!signal.aborted) this.#onError(error);
        }
      } while (await pause(this.#parts.context.world, RETRY_MS, signal));
    };
    const done = attempts().finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #run(ref: ErasureRef): Promise<void> {
    const { store, world } = this.#parts.context;
    const { signal } = this.#stop;
    const erasure = await store.readErasure(ref);
    if (erasure === undefined || isDone(erasure)) return;
    const { work } = erasure;
    const nameless = work === undefined ? erasure : await this.#erase(ref, erasure, work);
    // Until then the journal, and what it has not brought into the index yet, name the subject.
    while (!(await store.clearJournal())) {
      await pause(world, JOURNAL_POLL_MS, signal);
      checkLive(signal);
    }
    const done = { ...nameless, doneMs: world.nowMs() };
    await store.changeErasure(ref, () => ({ kind: "save", result: undefined, erasure: done }));
  }

  /** Does the steps that are left. Gives the state after them, which names no subject. */
  async #erase(ref: ErasureRef, erasure: Erasure, left: Work): Promise<Erasure> {
    const { signal } = this.#stop;
    const { subject, step: from } = left;
    const marks = await this.#parts.context.store.erasureMarks(ref);
    const { namespace } = ref;
    const work = new ErasureWork(this.#parts, {
      ...{ namespace, erasure, subject, marks, isDry: false, signal },
    });
    const todo = ERASURE_STEPS.slice(ERASURE_STEPS.indexOf(from));
    for (const [index, one] of todo.entries()) {
      const step = async (): Promise<void> => {
        await STEPS[one](work, signal);
        await work.goTo(todo[index + 1]);
      };
      await (one === "purge" ? step() : this.#turns.run(signal, step));
    }
    return work.erasure;
  }
}

function receiptOf({ settings, world }: ServiceContext, erasure: Erasure): Receipt {
  const eventsMs = erasure.doneMs === 0 ? world.nowMs() : erasure.doneMs;
  return { erasure, eventsDropMs: eventsMs + settings.eventAgeMsMax };
}
