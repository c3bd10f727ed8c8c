// Filters of sessions, from the wire to the domain.

import type { SessionFilter } from "../../gen/memorysidecar/v1/session.ts";
import type { ListSessionsInput } from "../../service/api.ts";
import { fromTimestamp } from "./time.ts";

/** What of a list of sessions its filter decides. */
type Filtered = Omit<ListSessionsInput, "namespace" | "order" | "after" | "limit">;

/** Gives what a filter asks for; what is unset asks for nothing. */
export function fromSessionFilter(filter: SessionFilter | undefined): Filtered {
  if (filter === undefined) return {};
  const { userId, agentId, labels } = filter;
  const { createTimeFrom, createTimeBefore, updateTimeFrom, updateTimeBefore } = filter;
  return {
    ...(userId === undefined ? {} : { userId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...(labels.size === 0 ? {} : { labels }),
    ...(createTimeFrom === undefined ? {} : { createdFromMs: fromTimestamp(createTimeFrom) }),
    ...(createTimeBefore === undefined ? {} : { createdBeforeMs: fromTimestamp(createTimeBefore) }),
    ...(updateTimeFrom === undefined ? {} : { updatedFromMs: fromTimestamp(updateTimeFrom) }),
    ...(updateTimeBefore === undefined ? {} : { updatedBeforeMs: fromTimestamp(updateTimeBefore) }),
  };
}
