// Brings into the index what a search must find, before it is asked.

import { checkLive } from "../change.ts";
import type { Container } from "./container.ts";
import type { NamespaceFeed } from "./feed.ts";
import type { Pace } from "./pace.ts";
import type { SearchTerms } from "./scope.ts";

const SESSION_PAGE = 100;
/** Changed containers that are told in one turn of the event loop. */
const TELL_IN_TURN = 16;

/** What of a namespace the index did not have when it was asked. */
export interface Missing {
  readonly isComplete: boolean;
  readonly pending: number;
  readonly leftOut: number;
}

/**
 * Waits until everything in the scope is loaded, or with `allowPartial` what was written since the
 * server started, and tells the index what has changed in the scope. When the promise is done, a
 * search that is asked next finds it.
 */
export async function prepare(
  feed: NamespaceFeed,
  terms: SearchTerms,
  pace: Pace,
): Promise<Missing> {
  if (terms.tfIdf !== undefined) {
    await feed.wantTfIdf(feed.containerOf({ kind: "collection", id: terms.tfIdf }));
  }
  await loadAll(feed, terms);
  let told = 0;
  for (const container of [...feed.dirty]) {
    const lifts = terms.scope.isLifted && container.ref.kind === "scope";
    if (!lifts && !isInScope(container, terms)) continue;
    await feed.tell(container);
    told += 1;
    if (told % TELL_IN_TURN !== 0) continue;
    await pace.turn(true);
    checkLive(terms.signal);
  }
  // What was told may have begun anew: a session that was deleted and made again.
  return missingOf(feed, terms, await loadAll(feed, terms));
}

/** Loads what the search needs; gives the containers it named, or that it meant all of them. */
async function loadAll(feed: NamespaceFeed, terms: SearchTerms): Promise<Named> {
  if (!terms.allowPartial) return await loadScope(feed, terms);
  await loadWritten(feed, terms);
  return "all";
}

/** The containers that a search named, or all in its scope. */
type Named = readonly Container[] | "all";

function isInScope({ ref, scope: owner }: Container, { scope }: SearchTerms): boolean {
  if (ref.kind === "scope") {
    const { memories } = scope;
    if (memories.kind !== "scopes") return memories.kind === "all";
    return owner === undefined || memories.has(owner);
  }
  const asked = ref.kind === "session" ? scope.sessions : scope.collections;
  if (asked.kind === "none") return false;
  // Which user a session belongs to may be just what has changed.
  return asked.kind !== "ids" || asked.ids.includes(ref.id);
}

/** Loads what was written to before its runs were kept. */
async function loadWritten(feed: NamespaceFeed, terms: SearchTerms): Promise<void> {
  if (feed.isLoaded) return;
  for (const container of [...feed.containers.values()]) {
    if (!container.mustLoad || !isInScope(container, terms)) continue;
    await feed.load(container, terms.signal);
  }
}

async function loadScope(feed: NamespaceFeed, terms: SearchTerms): Promise<Named> {
  const { sessions, collections, memories } = terms.scope;
  if (sessions.kind === "all") await feed.whenLoaded();
  if (sessions.kind === "all" || (feed.isLoaded && !feed.isFull && !feed.hasBroken)) return "all";
  const named = (await namedIn(feed, terms)).map((ref) => feed.containerOf(ref));
  for (const container of named) {
    feed.reopen(container);
    await feed.load(container, terms.signal);
  }
  const rest: Container[] = [];
  if (collections.kind === "all") {
    await feed.whenCollectionsListed();
    rest.push(...containersOf(feed, "collection"));
  }
  if (memories.kind !== "none") {
    await feed.whenScopesListed();
    rest.push(...containersOf(feed, "scope").filter((one) => isInScope(one, terms)));
  }
  for (const container of rest) await feed.load(container, terms.signal);
  return [...named, ...rest];
}

function containersOf(feed: NamespaceFeed, kind: Container["ref"]["kind"]): Container[] {
  return [...feed.containers.values()].filter(({ ref }) => ref.kind === kind);
}

/** The sessions and collections that the scope names, or that its query finds. */
async function namedIn(
  feed: NamespaceFeed,
  { scope, signal }: SearchTerms,
): Promise<readonly Container["ref"][]> {
  const { sessions, collections } = scope;
  const refs: Container["ref"][] = [];
  if (collections.kind === "ids") {
    refs.push(...collections.ids.map((id) => ({ kind: "collection", id }) as const));
  }
  if (sessions.kind === "ids") {
    refs.push(...sessions.ids.map((id) => ({ kind: "session", id }) as const));
  }
  if (sessions.kind !== "query") return refs;
  let after: number | undefined;
  do {
    const page = await feed.listSessions({
      ...sessions.query,
      order: "desc",
      limit: SESSION_PAGE,
      ...(after === undefined ? {} : { after }),
    });
    checkLive(signal);
    refs.push(...page.sessions.map(({ sessionId: id }) => ({ kind: "session", id }) as const));
    after = page.next;
  } while (after !== undefined);
  return refs;
}

/** What the index does not have of a namespace, and whether that touches the search. */
function missingOf(feed: NamespaceFeed, terms: SearchTerms, named: Named): Missing {
  if (feed.isLoaded && !feed.isFull && !feed.hasBroken) {
    return { isComplete: true, pending: 0, leftOut: 0 };
  }
  const isShort = (container: Container): boolean =>
    container.isCut || container.isBroken || !container.isLoaded;
  let isComplete = named !== "all" || feed.isListed;
  if (named !== "all") isComplete = !named.some(isShort);
  let pending = 0;
  let leftOut = 0;
  for (const container of feed.containers.values()) {
    if (!isShort(container)) continue;
    if (container.isCut || container.isBroken) leftOut += container.missing;
    else pending += container.missing;
    if (named === "all" && isInScope(container, terms)) isComplete = false;
  }
  return { isComplete, pending, leftOut };
}
