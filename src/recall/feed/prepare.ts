// Brings the part of a namespace that a search reads into the index before the search is made.

import { checkLive } from "../../kit/call.ts";
import type { Pace } from "../../kit/semaphore.ts";
import type { MemoryScope } from "../../memory/rules/memory.ts";
import { meansScope } from "../../memory/rules/scopes.ts";
import type { SessionPlace, SessionQuery } from "../../store/store.ts";
import { isWithin } from "../rules/collection-path.ts";
import type { RecallFilter } from "../rules/filter.ts";
import type { Container } from "./container.ts";
import type { NamespaceFeed } from "./feed.ts";

/** The sessions, collections and memories of a search. */
export interface Scope {
  readonly sessions:
    | { readonly kind: "none" | "all" }
    | { readonly kind: "ids"; readonly ids: readonly string[] }
    | {
        readonly kind: "query";
        readonly query: Pick<SessionQuery, "userId" | "agentId" | "labels">;
      };
  readonly collections:
    | { readonly kind: "none" | "all" }
    | { readonly kind: "ids"; readonly ids: readonly string[] }
    /** Those, and all below them. */
    | { readonly kind: "trees"; readonly roots: ReadonlySet<string> };
  readonly memories:
    | { readonly kind: "none" | "all" }
    | { readonly kind: "scopes"; readonly has: (scope: MemoryScope) => boolean };
  /** Memories lift the messages they come from: changes of loaded memories are sent first. */
  readonly isLifted: boolean;
}

/** The scope of a search, and how it waits. */
export interface SearchTerms {
  readonly namespace: string;
  readonly scope: Scope;
  readonly allowPartial: boolean;
  readonly signal: AbortSignal;
  /**
   * Time at which the caller stops waiting. Somewhat before, the search takes what the index holds.
   * Default: it waits until the signal is aborted.
   */
  readonly deadlineMs?: number;
  /** A collection whose documents are scored by TF-IDF. */
  readonly tfIdf?: string;
}

/** The documents of one collection. */
export function collectionScope(collectionId: string): Scope {
  return {
    sessions: { kind: "none" },
    collections: { kind: "ids", ids: [collectionId] },
    memories: { kind: "none" },
    isLifted: false,
  };
}

/** The part of a namespace that passes a filter. */
export function scopeOf(filter: RecallFilter): Scope {
  const sessions = sessionsOf(filter);
  return {
    sessions,
    collections: collectionsOf(filter),
    memories: memoriesOf(filter),
    isLifted: sessions.kind !== "none",
  };
}

function sessionsOf(filter: RecallFilter): Scope["sessions"] {
  const { kinds, sessionIds, sessionLabels } = filter;
  if (kinds.size > 0 && !kinds.has("message")) return { kind: "none" };
  if (sessionIds.length > 0) return { kind: "ids", ids: sessionIds };
  const { userId, agentId } = ownersOf(filter);
  if (userId === "" && agentId === "" && sessionLabels.size === 0) return { kind: "all" };
  const query = {
    ...(userId === "" ? {} : { userId }),
    ...(agentId === "" ? {} : { agentId }),
    ...(sessionLabels.size === 0 ? {} : { labels: sessionLabels }),
  };
  return { kind: "query", query };
}

/** The user and the agent that every session has; empty where shared ones count too. */
function ownersOf({ scope }: RecallFilter): { userId: string; agentId: string } {
  const isOpen = scope.kind === "everyone" || scope.kind === "visible-to";
  return isOpen ? { userId: "", agentId: "" } : scope.scope;
}

function collectionsOf(filter: RecallFilter): Scope["collections"] {
  const { kinds, collectionIds, isRecursive = false, sessionLabels } = filter;
  const isAsked = kinds.size === 0 || kinds.has("document");
  if (!isAsked || sessionLabels.size > 0) return { kind: "none" };
  if (collectionIds.length > 0 && isRecursive) {
    return { kind: "trees", roots: new Set(collectionIds) };
  }
  if (collectionIds.length > 0) return { kind: "ids", ids: collectionIds };
  return { kind: "all" };
}

function memoriesOf(filter: RecallFilter): Scope["memories"] {
  const { kinds, sessionLabels, scope } = filter;
  const isAsked = kinds.size === 0 || kinds.has("memory");
  if (!isAsked || sessionLabels.size > 0) return { kind: "none" };
  if (scope.kind === "everyone") return { kind: "all" };
  return { kind: "scopes", has: (own) => meansScope(own, scope) };
}

const SESSION_PAGE = 100;
/** Changed containers that are sent in one turn of the event loop. */
const SEND_IN_TURN = 16;

/** The part of a namespace that the index did not have when it was searched. */
export interface Missing {
  readonly isComplete: boolean;
  readonly pending: number;
  readonly leftOut: number;
}

/**
 * Waits until everything in the scope is loaded, or with `allowPartial` what was written since the
 * server started, and sends the changes in the scope to the index. A search that is made after the
 * promise is done finds it all.
 */
export async function prepare(
  feed: NamespaceFeed,
  terms: SearchTerms,
  pace: Pace,
): Promise<Missing> {
  await feed.whenRestored();
  if (terms.tfIdf !== undefined) {
    await feed.wantTfIdf(feed.containerOf({ kind: "collection", id: terms.tfIdf }));
  }
  await loadAll(feed, terms);
  let sent = 0;
  for (const container of [...feed.dirty]) {
    const lifts = terms.scope.isLifted && container.ref.kind === "scope";
    if (!lifts && !isInScope(container, terms)) continue;
    await feed.sendMarked(container);
    sent += 1;
    if (sent % SEND_IN_TURN !== 0) continue;
    await pace.turn(true);
    checkLive(terms.signal);
  }
  // A session that was deleted and created again is loaded from its start.
  return missingOf(feed, terms, await loadAll(feed, terms));
}

/** Loads what the search needs; gives the containers it named, or that it meant all of them. */
async function loadAll(feed: NamespaceFeed, terms: SearchTerms): Promise<Named> {
  if (!terms.allowPartial) return await loadScope(feed, terms);
  if (feed.isLoaded) return "all";
  for (const container of [...feed.containers.values()]) {
    if (!container.mustLoad || !isInScope(container, terms)) continue;
    await feed.load(container, terms.signal);
  }
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
  if (asked.kind === "trees") return isWithin(ref.id, asked.roots);
  // The owner of a session may have changed.
  return asked.kind !== "ids" || asked.ids.includes(ref.id);
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
  for (const root of collections.kind === "trees" ? collections.roots : []) {
    refs.push({ kind: "collection", id: root });
    for await (const id of feed.collectionsBelow(root)) {
      checkLive(signal);
      refs.push({ kind: "collection", id });
    }
  }
  if (sessions.kind === "ids") {
    refs.push(...sessions.ids.map((id) => ({ kind: "session", id }) as const));
  }
  if (sessions.kind !== "query") return refs;
  let after: SessionPlace | undefined;
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

/** The gaps of an index at the early end of a wait: some changes may not have been sent. */
export function missingNow(feed: NamespaceFeed, terms: SearchTerms): Missing {
  return { ...missingOf(feed, terms, "all"), isComplete: false };
}

/** Counts what the index lacks, and decides whether that touches the search. */
function missingOf(feed: NamespaceFeed, terms: SearchTerms, named: Named): Missing {
  if (feed.isLoaded && !feed.isFull && !feed.hasBroken) {
    return { isComplete: true, pending: 0, leftOut: 0 };
  }
  const isShort = (container: Container): boolean =>
    container.isCut || container.isBroken || container.isDamaged || !container.isLoaded;
  let isComplete = named === "all" ? feed.isListed : !named.some(isShort);
  if (feed.isListDamaged) isComplete = false;
  let pending = 0;
  let leftOut = 0;
  for (const container of feed.containers.values()) {
    if (!isShort(container)) continue;
    const isLeftOut = container.isCut || container.isBroken || container.isDamaged;
    if (isLeftOut) leftOut += container.missing;
    else pending += container.missing;
    if (named === "all" && isInScope(container, terms)) isComplete = false;
  }
  return { isComplete, pending, leftOut };
}
