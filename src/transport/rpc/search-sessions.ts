import { LIMITS } from "../../domain/limits.ts";
import {
  type SearchSessionsRequest,
  SearchSessionsResponse,
} from "../../gen/memorysidecar/v1/session_service.ts";
import { fromNamespace } from "../convert/session.ts";
import { fromSessionFilter } from "../convert/session-filter.ts";
import { encodeWire } from "../fast-writer.ts";
import type { UnaryRpc } from "../rpc.ts";
import { checkSearchSessions } from "../validate/search-requests.ts";

/** SearchSessions. */
export const searchSessions: UnaryRpc<SearchSessionsRequest> = {
  validate: checkSearchSessions,
  cancelable: true,
  handle: async ({ services }, call, { namespace, query, limit, filter, sessionIdPrefix }) => {
    const matches = await services.sessions.searchSessions(call, {
      namespace: fromNamespace(namespace),
      ...fromSessionFilter(filter),
      query,
      limit: limit ?? LIMITS.searchLimitDefault,
      sessionIdPrefix,
    });
    return encodeWire(SearchSessionsResponse, {
      matches: matches.map(({ sessionId, score, snippets }) => ({
        sessionId,
        score: BigInt(score),
        snippets: snippets.map((snippet) => ({ ...snippet, seq: BigInt(snippet.seq) })),
      })),
    });
  },
};
