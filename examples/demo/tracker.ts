// Follows the event stream: checks that it has no gap and no repeat, and rebuilds from it alone
// which messages are in each window.

import type { Event, EventStream } from "../../clients/typescript/src/index.ts";

const WAIT_MS = 30_000;

/** State of the stream so far. */
export class EventTracker {
  /** Faults in the stream. */
  readonly faults: string[] = [];
  events = 0;
  trims = 0;
  summaries = 0;
  readonly #stream: EventStream;
  readonly #done: Promise<void>;
  #last: Event | undefined;
  #wake = new Set<() => void>();
  readonly #windows = new Map<string, Set<string>>();
  readonly #show: (event: Event) => void;

  constructor(stream: EventStream, show: (event: Event) => void = () => {}) {
    this.#show = show;
    this.#stream = stream;
    this.#done = this.#run(stream);
  }

  /** The ids of the messages in a session's window, in order, as the events tell it. */
  windowIds(sessionId: string): readonly string[] {
    return [...(this.#windows.get(sessionId) ?? [])];
  }

  /** The revision of the newest event. */
  get revision(): number {
    return this.#last?.revision ?? 0;
  }

  /** Waits until the stream has told of a revision. */
  async reached(revision: number): Promise<void> {
    const end = Date.now() + WAIT_MS;
    while (this.revision < revision) {
      if (Date.now() >= end) throw new Error(`the stream never told of revision ${revision}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        this.#wake.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Ends the stream. */
  async end(): Promise<void> {
    await this.#stream.return();
    await this.#done;
  }

  async #run(stream: EventStream): Promise<void> {
    try {
      for await (const { event } of stream) {
        this.#check(event);
        this.#apply(event);
        this.#show(event);
        this.#last = event;
        const wake = this.#wake;
        this.#wake = new Set();
        for (const go of wake) go();
      }
    } catch (error) {
      this.faults.push(`the stream failed: ${error instanceof Error ? error.message : error}`);
    }
  }

  #check({ revision, index }: Event): void {
    this.events++;
    const last = this.#last;
    if (last === undefined) return;
    const follows =
      revision === last.revision
        ? index === last.index + 1
        : revision === last.revision + 1 && index === 0;
    if (follows) return;
    this.faults.push(`event ${revision}.${index} came after ${last.revision}.${last.index}`);
  }

  #apply({ sessionId, detail }: Event): void {
    const ids = this.#windows.get(sessionId) ?? new Set();
    this.#windows.set(sessionId, ids);
    if (detail?.$case === "messagesAppended") for (const id of detail.value.messageIds) ids.add(id);
    if (detail?.$case === "summarySet") this.summaries++;
    if (detail?.$case === "messagesTrimmed") {
      this.trims++;
      for (const id of detail.value.trim?.messageIds ?? []) {
        if (!ids.delete(id)) this.faults.push(`${id} left the window twice`);
      }
    }
  }
}
