// The rules of the requests that search.

import { LIMITS } from "../../domain/limits.ts";
import type { SearchSessionsRequest } from "../../gen/memorysidecar/v1/session_service.ts";
import { searchTerms } from "../../service/search-text.ts";
import { checkId, checkNamespace, checkRange, checkText } from "./fields.ts";
import { checkSessionFilter } from "./session-requests.ts";
import type { Violations } from "./violations.ts";

export function checkSearchSessions(request: SearchSessionsRequest, v: Violations): void {
  checkNamespace(v, request.namespace);
  const { query, limit, filter } = request;
  checkText(v, "query", query, LIMITS.searchQueryBytes);
  if (query.length <= LIMITS.searchQueryBytes) {
    const count = searchTerms(query).length;
    if (count > LIMITS.searchTerms) {
      const description = `has ${count} different words; at most ${LIMITS.searchTerms} are allowed`;
      v.add("query", description, LIMITS.searchTerms);
    }
  }
  if (limit !== undefined) checkRange(v, "limit", limit, { min: 0, max: LIMITS.searchLimit });
  if (filter !== undefined) {
    v.enter("filter");
    checkSessionFilter(v, filter);
    v.leave();
  }
  checkId(v, "session_id_prefix", request.sessionIdPrefix, LIMITS.sessionIdBytes);
}
