// What of a namespace a search looks at: so much of it must be in the index, and no more.

import type { RecallFilter } from "../../domain/recall/filter.ts";
import type { SessionQuery } from "../../storage/store.ts";

/** The sessions and collections of a search. */
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
  return { sessions: { kind: "none" }, collections: { kind: "ids", ids: [collectionId] } };
}

/** What a filter lets a search look at. */
export function scopeOf(filter: RecallFilter): Scope {
  return { sessions: sessionsOf(filter), collections: collectionsOf(filter) };
}

function sessionsOf(filter: RecallFilter): Scope["sessions"] {
  const { kinds, sessionIds, userId, agentId, sessionLabels } = filter;
  if (kinds.size > 0 && !kinds.has("message")) return { kind: "none" };
  if (sessionIds.length > 0) return { kind: "ids", ids: sessionIds };
  if (userId === "" && agentId === "" && sessionLabels.size === 0) return { kind: "all" };
  const query = {
    ...(userId === "" ? {} : { userId }),
    ...(agentId === "" ? {} : { agentId }),
    ...(sessionLabels.size === 0 ? {} : { labels: sessionLabels }),
  };
  return { kind: "query", query };
}

function collectionsOf(filter: RecallFilter): Scope["collections"] {
  const { kinds, collectionIds, userId, agentId, sessionLabels } = filter;
  const hasSession = userId !== "" || agentId !== "" || sessionLabels.size > 0;
  if (hasSession || (kinds.size > 0 && !kinds.has("document"))) return { kind: "none" };
  if (collectionIds.length > 0) return { kind: "ids", ids: collectionIds };
  return { kind: "all" };
}
