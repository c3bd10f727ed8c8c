// Whether a recall may find the messages of a session, or documents, as far as it is asked whose
// they are.

import { type MemoryScope, SHARED_SCOPE } from "../memories/memory.ts";
import { meansScope, type ScopeFilter } from "../memories/scopes.ts";
import type { RecallFilter } from "./filter.ts";

type Asked = Pick<RecallFilter, "scope" | "userId" | "agentId">;

/** Whether messages of a session with this user and agent may be found. */
export function sessionPasses(session: MemoryScope, filter: Asked): boolean {
  const { scope, userId, agentId } = filter;
  if (scope !== undefined) return meansSession(session, scope);
  return (
    (userId === "" || session.userId === userId) && (agentId === "" || session.agentId === agentId)
  );
}

/** A session without a user is shared; its agent and its id count where the filter names them. */
function meansSession(session: MemoryScope, filter: ScopeFilter): boolean {
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

/** Whether documents, which everybody shares, may be found. */
export function documentsPass({ scope, userId, agentId }: Asked): boolean {
  if (scope !== undefined) return meansScope(SHARED_SCOPE, scope);
  return userId === "" && agentId === "";
}
