import { toListTotal } from "../core/wire.ts";
import type { UnaryRpc } from "../edge/rpc.ts";
import { SessionOrder } from "../gen/memorysidecar/v1/session.ts";
import {
  type CreateSessionRequest,
  CreateSessionResponse,
  type DeleteSessionRequest,
  DeleteSessionResponse,
  type ForkSessionRequest,
  ForkSessionResponse,
  type GetSessionRequest,
  GetSessionResponse,
  type ListSessionsRequest,
  ListSessionsResponse,
  type ResetSessionRequest,
  ResetSessionResponse,
  type UpdateSessionRequest,
  UpdateSessionResponse,
} from "../gen/memorysidecar/v1/session_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { numberPosition, pageLimit } from "../grpc/page-token.ts";
import type { SessionPlace } from "../store/store.ts";
import { toStageRuns, toTotals, toTrim } from "../window/wire.ts";
import type { ListSessionsInput } from "./api.ts";
import {
  checkCreateSession,
  checkSessionFilter,
  checkUpdateSession,
  requiredSession,
} from "./checks.ts";
import {
  encodeSessionAnswer,
  fromSession,
  fromSessionFilter,
  sessionPaths,
  toSession,
} from "./wire.ts";

/** CreateSession. */
export const createSession: UnaryRpc<CreateSessionRequest> = {
  validate: checkCreateSession,
  handle: ({ services, etags }, call, { namespace, session }) =>
    services.sessions.createSession(call, {
      namespace,
      sessionId: session?.sessionId ?? "",
      input: session === undefined ? {} : fromSession(session),
      encode: (created) => encodeSessionAnswer(CreateSessionResponse, created, etags),
    }),
};

/** GetSession. */
export const getSession: UnaryRpc<GetSessionRequest> = {
  handle: async ({ services, etags }, call, { namespace, sessionId }) => {
    const ref = { namespace, sessionId };
    const session = await services.sessions.getSession(call, ref);
    return encodeSessionAnswer(GetSessionResponse, session, etags);
  },
};

const PAGE_SIZE_DEFAULT = 50;
const OLDEST_FIRST: ReadonlySet<SessionOrder> = new Set([
  SessionOrder.CREATE_TIME_ASC,
  SessionOrder.UPDATE_TIME_ASC,
]);
const BY_UPDATE: ReadonlySet<SessionOrder> = new Set([
  SessionOrder.UPDATE_TIME_ASC,
  SessionOrder.UPDATE_TIME_DESC,
]);

/** ListSessions. */
export const listSessions: UnaryRpc<ListSessionsRequest> = {
  validate: checkSessionFilter,
  handle: async ({ services, etags, pageTokens }, call, request) => {
    const { order, pageToken } = request;
    const input: ListSessionsInput = {
      namespace: request.namespace,
      ...fromSessionFilter(request.filter),
      by: BY_UPDATE.has(order) ? "update" : "create",
      order: OLDEST_FIRST.has(order) ? "asc" : "desc",
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
      includeTotal: request.includeTotal,
      ...pageTokens.read(call, pageToken, (at) => ({ after: placeOf(at) })),
    };
    const { sessions, next, total } = await services.sessions.listSessions(call, input);
    return encodeWire(ListSessionsResponse, {
      sessions: sessions.map((session) => toSession(session, etags)),
      nextPageToken: pageTokens.make(call, next && `${next.sessionNo} ${next.updateMs}`),
      total: total && toListTotal(total),
    });
  },
};

// Tokens of before there was an order by update have the number alone.
function placeOf(position: string): SessionPlace {
  const [sessionNo = "", updateMs = "0"] = position.split(" ");
  return { sessionNo: numberPosition(sessionNo), updateMs: numberPosition(updateMs) };
}

/** UpdateSession. */
export const updateSession: UnaryRpc<UpdateSessionRequest> = {
  validate: checkUpdateSession,
  handle: ({ services, etags }, call, request) => {
    const session = requiredSession(request);
    const input = fromSession(session);
    return services.sessions.updateSession(call, {
      namespace: request.namespace,
      sessionId: session.sessionId,
      input,
      paths: sessionPaths(session, input, request.updateMask),
      etag: session.etag,
      encode: (result) =>
        encodeWire(UpdateSessionResponse, {
          session: toSession(result.session, etags),
          trims: result.trims.map(toTrim),
          stageRuns: toStageRuns(result.runs),
          overLimit: result.overLimit,
        }),
    });
  },
};

/** DeleteSession. */
export const deleteSession: UnaryRpc<DeleteSessionRequest> = {
  handle: ({ services }, call, { namespace, sessionId, etag, allowMissing }) =>
    services.sessions.deleteSession(call, {
      ...{ namespace, sessionId, etag, allowMissing },
      encode: ({ revision }) => encodeWire(DeleteSessionResponse, { revision: BigInt(revision) }),
    }),
};

/** ForkSession. Copying a long log takes a while: it stops when the call has ended. */
export const forkSession: UnaryRpc<ForkSessionRequest> = {
  cancelable: true,
  handle: ({ services, etags }, call, { namespace, sourceSessionId, sessionId, atSeq }) =>
    services.sessions.forkSession(call, {
      ...{ namespace, sourceSessionId, sessionId },
      ...(atSeq === undefined ? {} : { atSeq: Number(atSeq) }),
      encode: (session) => encodeSessionAnswer(ForkSessionResponse, session, etags),
    }),
};

/** ResetSession. */
export const resetSession: UnaryRpc<ResetSessionRequest> = {
  handle: ({ services, etags }, call, { requestId: _, ...request }) =>
    services.sessions.resetSession(call, {
      ...request,
      encode: ({ session, deleted }) =>
        encodeWire(ResetSessionResponse, {
          session: toSession(session, etags),
          deletedTotals: toTotals(deleted),
        }),
    }),
};
