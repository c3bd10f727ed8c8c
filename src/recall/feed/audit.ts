// Compares what the index holds with the store, one container at a time: the index is derived, and
// a fault of ours must not stay in it. What differs is told without content, and loaded anew.

import { isExpired } from "../../domain/session.ts";
import type { ContainerRef } from "../../recall/port.ts";
import type { Container } from "./container.ts";
import type { NamespaceFeed } from "./feed.ts";
import { POSITION_MAX, readUp, type Source } from "./source.ts";

/** Records that one look at the store takes. */
const LOOK = 64;
/** Larger containers are left alone: the list of their positions would hold up the event loop. */
const RECORDS_MAX = 20_000;
/** One audit of so many compares every position; the others compare counts. */
const WHOLE_EVERY = 16;

/** What an audit works with. */
export interface AuditParts {
  readonly onError: (error: unknown) => void;
}

/** The index held something else than the store. */
export class IndexMismatch extends Error {
  override readonly name = "IndexMismatch";

  constructor(kind: ContainerRef["kind"], held: number, stored: number) {
    super(
      `The index of recall held ${held} records of a ${kind} that has ${stored}, or others. ` +
        "It is loaded anew.",
    );
  }
}

/** What one step of the audits came to. */
export interface AuditStep {
  /** Nothing was found that must be told anew. */
  readonly isSame: boolean;
  /** Some container was not compared since it was loaded. */
  readonly isFirst: boolean;
}

/** Where the audits of one namespace stand. */
interface Round {
  readonly left: Iterator<Container>;
  readonly number: number;
}

/** Compares the containers of all namespaces, one in each step. */
export class Audits {
  readonly #rounds = new WeakMap<NamespaceFeed, Round>();
  #count = 0;

  /** Compares the next container, of a namespace that is in its first round if there is one. */
  async next(feeds: readonly NamespaceFeed[], parts: AuditParts): Promise<AuditStep> {
    const loaded = feeds.filter((feed) => !feed.isClosed && feed.isLoaded);
    const fresh = loaded.find((feed) => (this.#rounds.get(feed)?.number ?? 0) === 0);
    this.#count += 1;
    const feed = fresh ?? loaded[this.#count % Math.max(1, loaded.length)];
    const container = feed && this.#nextOf(feed);
    const isFirst = fresh !== undefined;
    if (feed === undefined || container === undefined) return { isSame: true, isFirst };
    const isWhole = this.#count % WHOLE_EVERY === 0;
    return { isSame: await auditContainer(feed, container, { ...parts, isWhole }), isFirst };
  }

  /** The next container of a round; undefined at its end. */
  #nextOf(feed: NamespaceFeed): Container | undefined {
    const round = this.#rounds.get(feed) ?? { left: feed.containers.values(), number: 0 };
    const { done, value } = round.left.next();
    const after = { left: feed.containers.values(), number: round.number + 1 };
    this.#rounds.set(feed, done === true ? after : round);
    return done === true ? undefined : value;
  }
}

/** Compares a container with the store; true when it is as it must be, or changes just now. */
export async function auditContainer(
  feed: NamespaceFeed,
  container: Container,
  how: AuditParts & { readonly isWhole: boolean },
): Promise<boolean> {
  return await container.inTurn(async () => {
    const { ref } = container;
    const isQuiet = (): boolean =>
      !feed.isClosed &&
      feed.containers.get(container.key) === container &&
      container.isLoaded &&
      container.told !== undefined &&
      container.sent <= RECORDS_MAX &&
      !container.isCut &&
      !container.isBroken &&
      !container.hasMarks;
    if (!isQuiet()) return true;
    if (await hasRunOut(feed.source, ref)) {
      // No event tells of it. A search leaves it out by its time; now it goes from the memory, too.
      if (isQuiet()) feed.reload(container);
      return false;
    }
    const held = await feed.positionsOf(container);
    const stored = how.isWhole ? undefined : await feed.countOf(container);
    const isSame =
      stored === undefined ? await holdsThese(feed.source, ref, held) : stored === held.length;
    if (isSame || !isQuiet()) return true;
    // Its time may have run out between the two looks: that is no fault either.
    if (await hasRunOut(feed.source, ref)) {
      if (isQuiet()) feed.reload(container);
      return false;
    }
    how.onError(new IndexMismatch(ref.kind, held.length, stored ?? container.count));
    feed.reload(container);
    return false;
  });
}

/** Whether the time of a session has run out. */
async function hasRunOut(source: Source, ref: Container["ref"]): Promise<boolean> {
  if (ref.kind !== "session") return false;
  const { store, namespace } = source;
  const session = await store.readSession({ namespace, sessionId: ref.id });
  return session !== undefined && isExpired(session, source.nowMs());
}

/** Whether the store has records at these positions and nowhere else. */
async function holdsThese(
  source: Source,
  ref: Container["ref"],
  held: readonly number[],
): Promise<boolean> {
  let at = 0;
  let first: number | undefined = 1;
  while (first !== undefined) {
    const piece = await readUp(
      { ...source, model: { id: "", dimensions: 0, isLocal: true } },
      ref,
      { first, last: POSITION_MAX },
      LOOK,
    );
    for (const { position } of piece.items) {
      if (held[at] !== position) return false;
      at += 1;
    }
    first = piece.next;
    if (first !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  return at === held.length;
}
