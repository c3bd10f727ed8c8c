// Erasures: begun in one transaction, done one after the other in the background, and looked up.

import { replayOf, replyPart } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { erasureLimitReached, erasureNotFound } from "../kit/errors.ts";
import { makeErasureId } from "../kit/ids.ts";
import { LIMITS } from "../kit/limits.ts";
import { pause } from "../kit/world.ts";
import type { ErasureRef } from "../store/store.ts";
import type { EraseSubjectInput, ErasureServiceApi, Receipt } from "./api.ts";
import { ERASURE_STEPS, type Erasure, newErasure } from "./rules/erasure.ts";
import { STEPS } from "./steps.ts";
import { type EraseParts, ErasureWork } from "./work.ts";

const RANDOM_BYTES = 10;
/** Rest after a failure, for example at a damaged record. */
const RETRY_MS = 30_000;

/** Does erasures from its start to `stop`. */
export class Erasures implements ErasureServiceApi {
  readonly #parts: EraseParts;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  #isAsked = false;
  #pumping: Promise<void> | undefined;

  constructor(parts: EraseParts, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#onError = onError;
    this.#wake();
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
    this.#wake();
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

  /** Ends the work after the transaction under way; the next start goes on with it. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#pumping;
  }

  #wake(): void {
    this.#isAsked = true;
    if (this.#pumping !== undefined || this.#stop.signal.aborted) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
      if (this.#isAsked) this.#wake();
    });
  }

  async #pump(): Promise<void> {
    const { context } = this.#parts;
    const { signal } = this.#stop;
    while (this.#isAsked && !signal.aborted) {
      this.#isAsked = false;
      let hasFailed = false;
      try {
        for (const ref of await context.store.runningErasures()) {
          // One that fails does not hold up the others.
          await this.#run(ref).catch((error: unknown) => {
            hasFailed = true;
            if (!signal.aborted) this.#onError(error);
          });
        }
      } catch (error) {
        hasFailed = true;
        if (!signal.aborted) this.#onError(error);
      }
      if (hasFailed && (await pause(context.world, RETRY_MS, signal))) this.#isAsked = true;
    }
  }

  async #run(ref: ErasureRef): Promise<void> {
    const { store } = this.#parts.context;
    const { signal } = this.#stop;
    const erasure = await store.readErasure(ref);
    if (erasure?.work === undefined) return;
    const { subject, step } = erasure.work;
    const marks = await store.erasureMarks(ref);
    const { namespace } = ref;
    const work = new ErasureWork(this.#parts, {
      ...{ namespace, erasure, subject, marks, isDry: false, signal },
    });
    const todo = ERASURE_STEPS.slice(ERASURE_STEPS.indexOf(step));
    for (const [index, one] of todo.entries()) {
      await STEPS[one](work, signal);
      await work.goTo(todo[index + 1]);
    }
  }
}

function receiptOf({ settings, world }: ServiceContext, erasure: Erasure): Receipt {
  const eventsMs = erasure.doneMs === 0 ? world.nowMs() : erasure.doneMs;
  return { erasure, eventsDropMs: eventsMs + settings.eventAgeMsMax };
}
