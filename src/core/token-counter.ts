// Counts the tokens of messages, once, when they are appended or changed.
//
// The heuristics cost nothing worth mentioning and are done at once. Byte pair encodings take 15 to
// 50 us for a short text and would stop every other call for a long one, so they run in a worker
// thread, started with the first count; its tables take about 60 MB, which a store that never asks
// for exact counts does not pay.

import { Worker } from "node:worker_threads";
import { AppError } from "../kit/errors.ts";
import {
  type CountedRule,
  countedTexts,
  countPlainText,
  countTokens,
  isExact,
  withImages,
} from "../window/policy/token-rules.ts";
import type { MessageDraft } from "./codec.ts";

/** A count asked of the worker. */
export interface BpeRequest {
  readonly id: number;
  readonly rule: "o200k" | "cl100k";
  /** The texts of each message. */
  readonly messages: readonly (readonly string[])[];
}

/** Answer of the worker: the tokens of each message, or why it failed. */
export interface BpeAnswer {
  readonly id: number;
  readonly counts?: readonly number[];
  readonly error?: string;
}

interface Waiting {
  readonly chars: number;
  readonly resolve: (counts: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

/** Text that may wait for the worker, in UTF-16 units; it counts one to fifty million a second. */
const WAITING_CHARS_MAX = 16 * 1024 * 1024;
const RETRY_DELAY_MS = 1_000;

/** Counts tokens by every rule. */
export class TokenCounter {
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #waitingChars = 0;
  #nextId = 1;

  /**
   * The counts of drafts if they can be had at once; undefined when the worker is needed. A draft
   * that brings its count keeps it.
   */
  countNow(drafts: readonly MessageDraft[], rule: CountedRule): number[] | undefined {
    if (isExact(rule.rule) && drafts.some((draft) => draft.tokenCount === undefined)) {
      return undefined;
    }
    return drafts.map((draft) => draft.tokenCount ?? countTokens(draft.counted(), rule));
  }

  /** The counts of drafts by any rule. A draft that brings its count keeps it. */
  async countAll(drafts: readonly MessageDraft[], rule: CountedRule): Promise<number[]> {
    const now = this.countNow(drafts, rule);
    if (now !== undefined) return now;
    const open = drafts.filter((draft) => draft.tokenCount === undefined);
    const texts = open.map((draft) => countedTexts(draft.counted()));
    const counted = await this.#ask(rule.rule === "cl100k" ? "cl100k" : "o200k", texts);
    let next = 0;
    return drafts.map((draft) => {
      if (draft.tokenCount !== undefined) return draft.tokenCount;
      const tokens = counted[next] ?? 0;
      next += 1;
      return withImages(tokens, draft.imageCount, rule);
    });
  }

  /**
   * The tokens of a text of the server's own, a whole number: those of a message that holds just
   * it, rounded down. `given` counts bytes divided by 4, for what no caller counts.
   */
  async countText(text: string, rule: CountedRule): Promise<number> {
    if (!isExact(rule.rule)) return countPlainText(text, rule);
    const [count] = await this.#ask(rule.rule, [[text]]);
    return count ?? 0;
  }

  /** As countText, of several texts at once. */
  async countTexts(texts: readonly string[], rule: CountedRule): Promise<readonly number[]> {
    if (!isExact(rule.rule)) return texts.map((text) => countPlainText(text, rule));
    if (texts.length === 0) return [];
    return await this.#ask(
      rule.rule,
      texts.map((text) => [text]),
    );
  }

  /** Stops the worker; counts under way fail. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll(new Error("The token counter is closed."));
    await worker?.terminate();
  }

  async #ask(
    rule: "o200k" | "cl100k",
    messages: readonly (readonly string[])[],
  ): Promise<readonly number[]> {
    let chars = 0;
    for (const texts of messages) for (const text of texts) chars += text.length;
    // One call always gets its turn, however large: a request is bounded by itself.
    if (this.#waiting.size > 0 && this.#waitingChars + chars > WAITING_CHARS_MAX)
      throw overloaded();
    this.#worker ??= this.#start();
    const id = this.#nextId;
    this.#nextId += 1;
    const request: BpeRequest = { id, rule, messages };
    const answer = new Promise<readonly number[]>((resolve, reject) => {
      this.#waiting.set(id, { chars, resolve, reject });
    });
    this.#waitingChars += chars;
    this.#worker.postMessage(request);
    return await answer;
  }

  #start(): Worker {
    // The worker lies beside this file, as .ts in the sources and as .js in a build.
    const extension = import.meta.filename.endsWith(".ts") ? "ts" : "js";
    const worker = new Worker(new URL(`./bpe-worker.${extension}`, import.meta.url));
    worker.unref();
    worker.on("message", (answer: BpeAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      this.#waitingChars -= waiting?.chars ?? 0;
      if (answer.counts !== undefined) waiting?.resolve(answer.counts);
      else waiting?.reject(new Error(answer.error ?? "The token worker gave no counts."));
    });
    const stop = (error: Error): void => {
      // The next count starts a new worker.
      if (this.#worker === worker) this.#worker = undefined;
      this.#failAll(error);
    };
    worker.on("error", stop);
    worker.on("exit", () => stop(new Error("The token worker stopped.")));
    return worker;
  }

  #failAll(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
    this.#waitingChars = 0;
  }
}

function overloaded(): AppError {
  const limit = WAITING_CHARS_MAX;
  return new AppError(
    "OVERLOADED",
    `More than ${limit} characters wait to be counted exactly. Retry, or send token counts.`,
    { metadata: { limit }, retryDelayMs: RETRY_DELAY_MS },
  );
}
