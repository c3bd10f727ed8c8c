// Compares the index with the store, one container at a time, since a fault in the feed must not
// stay in the index. A difference is reported without content, and the container loaded again.

import { isExpired } from "../../session/rules/session.ts";
import type { ContainerRef } from "../index/port.ts";
import type { Container } from "./container.ts";
import type { NamespaceFeed } from "./feed.ts";
import { POSITION_MAX, readUp, type Source } from "./source.ts";

/** Records read from the store at a time. */
const READ = 64;
/** Larger containers are skipped: listing their positions would block the event loop. */
const RECORDS_MAX = 20_000;
/** One audit in this many compares every position; the others compare counts. */
const WHOLE_EVERY = 16;

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

/** The outcome of one step of the audits. */
export interface AuditStep {
  /** No container must be loaded again. */
  readonly isSame: boolean;
  /** The first round since the load is not done. */
  readonly isFirst: boolean;
}

/** The progress of the audits of one namespace. */
interface Round {
  readonly left: Iterator<Container>;
  readonly number: number;
}

/** Compares the containers of all namespaces, one in each step. */
export class Audits {
  readonly #rounds = new WeakMap<NamespaceFeed, Round>();
  #count = 0;

  /** Compares the next container, of a namespace that is in its first round if there is one. */
  async next(
    feeds: readonly NamespaceFeed[],
    onError: (error: unknown) => void,
  ): Promise<AuditStep> {
    const loaded = feeds.filter((feed) => !feed.isClosed && feed.isLoaded);
    const fresh = loaded.find((feed) => (this.#rounds.get(feed)?.number ?? 0) === 0);
    this.#count += 1;
    const feed = fresh ?? loaded[this.#count % Math.max(1, loaded.length)];
    const container = feed && this.#nextOf(feed);
    const isFirst = fresh !== undefined;
    if (feed === undefined || container === undefined) return { isSame: true, isFirst };
    const isWhole = this.#count % WHOLE_EVERY === 0;
    return { isSame: await auditContainer(feed, container, { onError, isWhole }), isFirst };
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

/** Compares a container with the store; true when they agree, or when it is changing. */
export async function auditContainer(
  feed: NamespaceFeed,
  container: Container,
  how: { readonly onError: (error: unknown) => void; readonly isWhole: boolean },
): Promise<boolean> {
  return await container.inTurn(async () => {
    const { ref } = container;
    const isQuiet = (): boolean =>
      !feed.isClosed &&
      feed.containers.get(container.key) === container &&
      container.isLoaded &&
      container.sentInfo !== undefined &&
      container.sent <= RECORDS_MAX &&
      !container.isCut &&
      !container.isBroken &&
      !container.isDamaged &&
      !container.hasMarks;
    if (!isQuiet()) return true;
    if (await hasRunOut(feed.source, ref)) {
      // There is no event of an expiry. Searches leave it out by its time; this frees its memory.
      if (isQuiet()) feed.reload(container);
      return false;
    }
    const held = await feed.positionsOf(container);
    const stored = how.isWhole ? undefined : await feed.countOf(container);
    const isSame =
      stored === undefined ? await holdsThese(feed.source, ref, held) : stored === held.length;
    if (isSame || !isQuiet()) return true;
    // An expiry between the two reads is no fault either.
    if (await hasRunOut(feed.source, ref)) {
      if (isQuiet()) feed.reload(container);
      return false;
    }
    how.onError(new IndexMismatch(ref.kind, held.length, stored ?? container.count));
    feed.reload(container);
    return false;
  });
}

/** Whether a session has expired. */
async function hasRunOut(source: Source, ref: Container["ref"]): Promise<boolean> {
  if (ref.kind !== "session") return false;
  const { store, namespace } = source;
  const session = await store.readSession({ namespace, sessionId: ref.id });
  return session !== undefined && isExpired(session, source.nowMs());
}

/** Whether the store has records at exactly these positions. */
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
      READ,
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
