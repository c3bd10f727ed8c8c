// Back-ups and compactions of the store while it is served: one at a time, on request and, of
// back-ups, on a schedule.

import { shuttingDown } from "../grpc/error-status.ts";
import { checkLive } from "../kit/call.ts";
import {
  AppError,
  backUpFailed,
  backUpNotConfigured,
  backUpRunning,
  compactionFailed,
  compactionRunning,
} from "../kit/errors.ts";
import type { CompactProgress, ServedCompaction } from "../store/backup/compact.ts";
import type { NamedBackUp, StoreCopier } from "../store/backup/copier.ts";
import type { CopyProgress } from "../store/backup/copy-store.ts";

/** Settings of back-ups. */
export interface BackUpSettings {
  readonly copier: StoreCopier;
  /** Interval of the schedule; 0 for none. */
  readonly everyMs: number;
  /** 0 for no limit. */
  readonly bytesPerSecond: number;
}

/** A request for a back-up. */
export interface BackUpInput {
  /** Takes the bytes of the data file. Undefined: the back-up goes to the directory. */
  readonly write: ((chunk: Uint8Array) => Promise<void>) | undefined;
  /** 0 for the limit of the settings. */
  readonly bytesPerSecond: number;
  readonly onProgress: (progress: CopyProgress) => void;
}

/** A back-up that was made. One that went to a caller has no name and no counts. */
export interface MadeBackUp extends Pick<NamedBackUp, "storeId" | "startMs" | "bytes" | "sha256"> {
  readonly name: string;
  readonly endMs: number;
  readonly totals: NamedBackUp["totals"] | undefined;
}

/** A scheduled back-up that was made or failed. */
export type BackUpNews =
  | { readonly kind: "made"; readonly backUp: MadeBackUp }
  | { readonly kind: "failed"; readonly error: unknown };

// Timers of Node hold 24 days at most, and clocks are set.
const LOOK_MS = 3_600_000;
const RETRY_MS = 600_000;
const NO_FILE = "It has no data file.";

/** The back-ups and compactions of a server. */
export class BackUps {
  readonly #settings: BackUpSettings | undefined;
  readonly #storeId: string;
  readonly #nowMs: () => number;
  readonly #onNews: (news: BackUpNews) => void;
  readonly #stopping = new AbortController();
  #running: { readonly what: "back-up" | "compaction"; readonly end: Promise<unknown> } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;

  constructor(
    settings: BackUpSettings | undefined,
    storeId: string,
    nowMs: () => number,
    onNews: (news: BackUpNews) => void = () => undefined,
  ) {
    this.#settings = settings;
    this.#storeId = storeId;
    this.#nowMs = nowMs;
    this.#onNews = onNews;
    const { directory } = settings?.copier ?? {};
    if (settings === undefined || directory === undefined || settings.everyMs === 0) return;
    const newestMs = directory.newestStartMs();
    this.#dueMs = newestMs === undefined ? 0 : newestMs + settings.everyMs;
    this.#schedule();
  }

  /**
   * Makes a back-up. Throws BACK_UP_NOT_CONFIGURED, BACK_UP_RUNNING, COMPACTION_RUNNING,
   * BACK_UP_FAILED and RECORD_CORRUPT.
   */
  run(signal: AbortSignal, input: BackUpInput): Promise<MadeBackUp> {
    return this.#alone("back-up", signal, (settings, ended) => this.#make(settings, ended, input));
  }

  /**
   * Compacts the store. Throws COMPACTION_RUNNING, BACK_UP_RUNNING, COMPACTION_FAILED and
   * RECORD_CORRUPT.
   */
  compact(
    signal: AbortSignal,
    onProgress: (progress: CompactProgress) => void,
  ): Promise<ServedCompaction> {
    return this.#alone("compaction", signal, ({ copier }, ended) =>
      copier.compact({ onProgress, signal: ended }),
    );
  }

  async #alone<T>(
    what: "back-up" | "compaction",
    signal: AbortSignal,
    work: (settings: BackUpSettings, ended: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const isBackUp = what === "back-up";
    if (this.#settings === undefined) {
      throw isBackUp ? backUpNotConfigured() : compactionFailed(NO_FILE);
    }
    if (this.#running !== undefined) {
      throw this.#running.what === "back-up" ? backUpRunning() : compactionRunning();
    }
    const ended = AbortSignal.any([signal, this.#stopping.signal]);
    const end = work(this.#settings, ended);
    this.#running = { what, end };
    try {
      return await end;
    } catch (error) {
      checkLive(signal);
      if (this.#stopping.signal.aborted) throw shuttingDown();
      if (error instanceof AppError) throw error;
      throw isBackUp ? backUpFailed(error) : compactionFailed(error);
    } finally {
      this.#running = undefined;
    }
  }

  /** Gives up the back-up under way; no more are made. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#running?.end.catch(() => undefined);
  }

  async #make(
    { copier, ...settings }: BackUpSettings,
    signal: AbortSignal,
    { write, onProgress, ...input }: BackUpInput,
  ): Promise<MadeBackUp> {
    const limits = [input.bytesPerSecond, settings.bytesPerSecond].filter((limit) => limit > 0);
    const bytesPerSecond = limits.length === 0 ? 0 : Math.min(...limits);
    const options = { bytesPerSecond, onProgress, signal };
    const startMs = this.#nowMs();
    if (write === undefined) {
      if (copier.directory === undefined) throw backUpNotConfigured();
      const made = await copier.directory.make(startMs, options);
      return { ...made, endMs: this.#nowMs() };
    }
    const copied = await copier.stream(write, options);
    const facts = { name: "", storeId: this.#storeId, totals: undefined };
    return { ...facts, ...copied, startMs, endMs: this.#nowMs() };
  }

  #schedule(): void {
    const waitMs = Math.min(Math.max(0, this.#dueMs - this.#nowMs()), LOOK_MS);
    this.#timer = setTimeout(() => void this.#onTime(), waitMs);
    this.#timer.unref();
  }

  async #onTime(): Promise<void> {
    if (this.#nowMs() >= this.#dueMs) await this.#runScheduled();
    if (!this.#stopping.signal.aborted) this.#schedule();
  }

  async #runScheduled(): Promise<void> {
    const { everyMs = 0 } = this.#settings ?? {};
    const startMs = this.#nowMs();
    const input = { write: undefined, bytesPerSecond: 0, onProgress: () => undefined };
    try {
      const made = await this.run(this.#stopping.signal, input);
      this.#dueMs = startMs + everyMs;
      this.#onNews({ kind: "made", backUp: made });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#dueMs = this.#nowMs() + Math.min(everyMs, RETRY_MS);
      this.#onNews({ kind: "failed", error });
    }
  }
}
