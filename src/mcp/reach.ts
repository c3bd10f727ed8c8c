// Whose memories and sessions a model reaches. The operator's configuration says it; no argument of
// a tool can widen it.

/** The reach of the tools of one connection. */
export interface McpReach {
  readonly namespace: string;
  /** Empty: only what belongs to no user. */
  readonly userId: string;
  /** Empty: no agent. */
  readonly agentId: string;
  /** The only session to read; empty for all sessions of the user. */
  readonly sessionId: string;
  /** Whether only tools that change nothing are offered. */
  readonly isReadOnly: boolean;
  /** Whether they are those of the reference memory server. */
  readonly isReference: boolean;
}

/** The members of a scope that are not empty. */
export function scopeOf({ userId, agentId }: McpReach) {
  return {
    ...(userId === "" ? {} : { userId }),
    ...(agentId === "" ? {} : { agentId }),
  };
}

/** Says whether something belongs to exactly this user and agent. */
export function isOwn(
  reach: McpReach,
  owner: { readonly userId: string; readonly agentId: string },
): boolean {
  return owner.userId === reach.userId && owner.agentId === reach.agentId;
}
