// The user of a session that an adapter was given.

import type { MemorySidecar } from "../client.ts";
import { refuseOtherUser } from "../owner.ts";
import { passOver } from "./errors.ts";

/** Refuses the session of another user than the one who is named, if there are both. */
export async function checkUser(
  client: MemorySidecar,
  sessionId: string,
  userId: string | undefined,
): Promise<void> {
  if (!userId) return;
  const session = await client.getSession(sessionId).catch(passOver("SESSION_NOT_FOUND"));
  if (session !== undefined) refuseOtherUser(session, userId);
}
