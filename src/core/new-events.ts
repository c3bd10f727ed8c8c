// Makes the events of a change: splits what is too long, numbers the parts, and encodes them.

import type { EventDetail } from "../events/rules/event.ts";
import { splitEvent } from "../events/rules/event-split.ts";
import type { SessionFields, SessionRef } from "../session/rules/session.ts";
import type { NewEvent } from "../store/store.ts";
import type { ServiceContext } from "./context.ts";

/** Common fields of the events of one change. */
export interface EventOrigin {
  readonly session: SessionRef & { readonly fields: Pick<SessionFields, "userId" | "agentId"> };
  readonly revision: number;
  readonly nowMs: number;
  readonly requestId: string;
  /** Number of events of the revision before these. Default 0. */
  readonly firstIndex?: number;
}

/** The events of a change, ready for a plan, in the order of `details`. */
export function newEvents(
  context: ServiceContext,
  origin: EventOrigin,
  details: readonly EventDetail[],
): NewEvent[] {
  const { namespace, sessionId, fields } = origin.session;
  const events: NewEvent[] = [];
  for (const whole of details) {
    for (const { detail, continued } of splitEvent(whole)) {
      const body = context.codec.encodeEvent({
        revision: origin.revision,
        index: (origin.firstIndex ?? 0) + events.length,
        namespace,
        sessionId,
        userId: fields.userId,
        agentId: fields.agentId,
        createMs: origin.nowMs,
        requestId: origin.requestId,
        continued,
        detail,
      });
      events.push({
        type: detail.type,
        namespace,
        sessionId,
        userId: fields.userId,
        createMs: origin.nowMs,
        body,
      });
    }
  }
  return events;
}
