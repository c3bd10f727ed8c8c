// Whether a recall may find the messages of a session, as far as it is asked whose they are.

import type { MemoryScope } from "../memories/memory.ts";
import type { ScopeFilter } from "../memories/scopes.ts";

/**
 * Whether a filter means the messages of a session. Its user is compared as that of a memory is:
 * one without a user is shared. Its agent and its id count only where the filter names them.
 */
export function sessionPasses(session: MemoryScope, filter: ScopeFilter): boolean {
  if (filter.kind === "everyone") return true;
  const { kind, scope: wanted } = filter;
  const isOpen = kind === "visible-to";
  const { userId } = session;
  const isUser = userId === wanted.userId || (isOpen && userId === "");
  if (!isUser && !(kind === "owned-by" && wanted.userId === "")) return false;
  const hasAgent = session.agentId === wanted.agentId || wanted.agentId === "";
  if (!hasAgent && !(isOpen && session.agentId === "")) return false;
  return isOpen || wanted.sessionId === "" || session.sessionId === wanted.sessionId;
}
