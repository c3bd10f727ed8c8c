// What of a namespace a search looks at: so much of it must be in the index, and no more.

import type { MemoryScope } from "../../domain/memories/memory.ts";
import { meansScope } from "../../domain/memories/scopes.ts";
import type { RecallFilter } from "../../domain/recall/filter.ts";
import type { SessionQuery } from "../../storage/store.ts";

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
    | { readonly kind: "ids"; readonly ids: readonly string[] };
  readonly memories:
    | { readonly kind: "none" | "all" }
    /** Those of some scopes. */
    | { readonly kind: "scopes"; readonly has: (scope: MemoryScope) => boolean };
  /** Memories lift what is looked for: those that are loaded are told before. */
  readonly isLifted: boolean;
}

/** How a search wants to wait. */
export interface SearchTerms {
  readonly namespace: string;
  readonly scope: Scope;
  readonly allowPartial: boolean;
  readonly signal: AbortSignal;
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

/** What a filter lets a search look at. */
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
  const { kinds, collectionIds, sessionLabels } = filter;
  const isAsked = kinds.size === 0 || kinds.has("document");
  if (!isAsked || sessionLabels.size > 0) return { kind: "none" };
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
