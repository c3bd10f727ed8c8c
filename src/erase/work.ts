// An erasure while it is done or counted. Its steps only look for records of the subject; a record
// is erased in a transaction of its own kind, which also saves the receipt with it counted. So an
// erasure that is killed goes on with the step it was at, looks again, and finds what is left.
//
// Sessions go first: after that nothing makes memories of them any more. Later steps know them by
// the marks that were saved as they went.

import type { ServiceContext } from "../core/context.ts";
import { checkLive } from "../kit/call.ts";
import type { DocumentForms } from "../recall/api.ts";
import type { ErasedPart } from "../session/erase-session.ts";
import type { Owner } from "../session/rules/session.ts";
import type { ErasureProgress } from "../store/store.ts";
import {
  type ErasedKind,
  type Erasure,
  type ErasureLeft,
  type ErasureStep,
  type ErasureSubject,
  mark,
  withCounts,
} from "./rules/erasure.ts";

/** The parts that erasures need. */
export interface EraseParts {
  readonly context: ServiceContext;
  readonly codec: Pick<DocumentForms, "readDocumentHead">;
  /** Deletes what is saved of the index of recall; rejects when it may still be there. */
  readonly eraseSavedIndex: (namespace: string) => Promise<void>;
}

/** An erasure that is begun, or gone on with. */
interface WorkStart {
  readonly namespace: string;
  readonly erasure: Erasure;
  readonly subject: ErasureSubject;
  readonly marks: ReadonlySet<string>;
  /** Only counts. */
  readonly isDry: boolean;
  readonly signal: AbortSignal;
}

/** One erasure, done by one runner: nobody else changes its record. */
export class ErasureWork {
  readonly parts: EraseParts;
  readonly namespace: string;
  readonly subject: ErasureSubject;
  readonly marks: Set<string>;
  readonly isDry: boolean;
  readonly #signal: AbortSignal;
  #erasure: Erasure;

  constructor(parts: EraseParts, start: WorkStart) {
    this.parts = parts;
    this.namespace = start.namespace;
    this.subject = start.subject;
    this.marks = new Set(start.marks);
    this.isDry = start.isDry;
    this.#signal = start.signal;
    this.#erasure = start.erasure;
  }

  get erasure(): Erasure {
    return this.#erasure;
  }

  /** The owner of the session that the subject names; undefined while it is not known. */
  get owner(): Owner | undefined {
    return this.#erasure.work?.owner;
  }

  /** Throws when the work is to end. */
  checkLive(): void {
    checkLive(this.#signal);
  }

  /** The state with a part more, for the transaction that erases it; undefined when dry. */
  readonly settle = ({ counts, marks }: ErasedPart): ErasureProgress | undefined =>
    this.isDry ? undefined : { erasure: withCounts(this.#erasure, counts), marks };

  /** Goes on from the state that `settle` gave, once it is durable. */
  took({ counts, marks }: ErasedPart): void {
    this.#erasure = withCounts(this.#erasure, counts);
    for (const one of marks) this.marks.add(one);
  }

  /** Whether a user or an agent is the subject, and an owner is it. */
  owns({ userId, agentId }: Owner): boolean {
    const { subject } = this;
    if (subject.kind === "user") return userId === subject.userId;
    return subject.kind === "agent" && agentId === subject.agentId;
  }

  /** Whether an owner names a user or an agent, as the subject is one. */
  knows({ userId, agentId }: Owner): boolean {
    const { subject } = this;
    if (subject.kind === "user") return userId !== "";
    return subject.kind === "agent" && agentId !== "";
  }

  /** Whether a session is erased, or its messages. */
  isErased(sessionId: string): boolean {
    return this.marks.has(mark.session(sessionId));
  }

  /** The ids or numbers in the marks with this beginning. */
  marked(beginning: string): readonly string[] {
    return [...this.marks].flatMap((one) =>
      one.startsWith(`${beginning} `) ? [one.slice(beginning.length + 1)] : [],
    );
  }

  /** Saves what is known of the work beside the records that are erased. */
  async note(
    news: { readonly left?: Partial<ErasureLeft>; readonly owner?: Owner },
    marks: readonly string[] = [],
  ): Promise<void> {
    const { work } = this.#erasure;
    const left = { ...this.#erasure.left, ...news.left };
    const owner = news.owner ?? work?.owner;
    const known = owner === undefined ? {} : { owner };
    const next = work === undefined ? undefined : { ...work, ...known };
    await this.#save({ ...this.#erasure, left, work: next }, marks);
  }

  /** Saves how many records of a kind name a session of which nobody knows whose it was. */
  async noteUnknown(kind: ErasedKind, count: number): Promise<void> {
    if (count === 0) return;
    await this.note({ left: { unknown: { ...this.#erasure.left.unknown, [kind]: count } } });
  }

  /** Goes on to a step; undefined: all are done, and the record no longer names the subject. */
  async goTo(step: ErasureStep | undefined): Promise<void> {
    const { work } = this.#erasure;
    const next = step === undefined || work === undefined ? undefined : { ...work, step };
    await this.#save({ ...this.#erasure, work: next });
  }

  async #save(erasure: Erasure, marks: readonly string[] = []): Promise<void> {
    if (!this.isDry) {
      const ref = { namespace: this.namespace, erasureId: erasure.erasureId };
      await this.parts.context.store.changeErasure(ref, () => ({
        kind: "save",
        result: undefined,
        ...{ erasure, marks },
      }));
    }
    this.#erasure = erasure;
    for (const one of marks) this.marks.add(one);
  }
}
