// Whether a session that exists is of the user who was named.

import { foundError, Status } from "./errors.ts";
import type { Session } from "./gen/memorysidecar/v1/session.ts";
import { SessionServiceService as Sessions } from "./gen/memorysidecar/v1/session_service.ts";

/**
 * Refuses a session of another user than the one who is named. That of nobody is taken. The error
 * does not tell the name of the other user: the caller may show it.
 */
export function refuseOtherUser(
  { sessionId, userId }: Pick<Session, "sessionId" | "userId">,
  asked: string | undefined,
): void {
  if (!asked || userId === "" || userId === asked) return;
  const message =
    `Session "${sessionId}" exists, and belongs to another user than "${asked}". Give each user a ` +
    "session of its own.";
  const finding = { code: Status.ALREADY_EXISTS, reason: "SESSION_ALREADY_EXISTS", message };
  throw foundError(finding, Sessions.createSession.path);
}
