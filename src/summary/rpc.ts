import type { ListSummaryInputsInput } from "../core/window-api.ts";
import type { UnaryRpc } from "../edge/rpc.ts";
import {
  type CompactSessionRequest,
  CompactSessionResponse,
  type ListSummariesRequest,
  ListSummariesResponse,
  type ListSummaryInputsRequest,
  ListSummaryInputsResponse,
  type ListSummarySourcesRequest,
  ListSummarySourcesResponse,
  type SetSummaryRequest,
  SetSummaryResponse,
} from "../gen/memorysidecar/v1/session_service.ts";
import {
  CompactOutcome,
  Summary,
  SummaryOrder,
  SummaryPlacement,
} from "../gen/memorysidecar/v1/summary.ts";
import { numbersByWord } from "../grpc/enums.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { fillPage, fractionPosition, numberPosition, pageLimit } from "../grpc/page-token.ts";
import { spliceField, spliceMessages } from "../grpc/splice.ts";
import { fromOptionalSpan } from "../grpc/time.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { toPlacedSummary, toSession } from "../session/wire.ts";
import type { CompactSessionResult } from "../tasks/api.ts";
import { toListedSummary, toTask } from "../tasks/wire.ts";
import { checkSetSummary } from "../window/checks.ts";
import { idleInSummary } from "../window/policy/policy-idle.ts";
import { DEFAULT_SUMMARY_SPEC, MANUAL_HOOK } from "../window/policy/summary-spec.ts";
import { checkSummarize } from "../window/policy-checks.ts";
import { fromSummarize } from "../window/policy-wire.ts";
import { toTotals, toTrim } from "../window/wire.ts";

/** SetSummary. */
export const setSummary: UnaryRpc<SetSummaryRequest> = {
  validate: checkSetSummary,
  handle: ({ services, etags }, call, request) => {
    const { namespace, sessionId, text, replacedMessageIds, placement, expectedVersion } = request;
    return services.sessions.setSummary(call, {
      ...{ namespace, sessionId, text, replacedMessageIds },
      placement: placement === SummaryPlacement.IN_PLACE ? "in-place" : "session",
      ...(expectedVersion === undefined ? {} : { expectedVersion: Number(expectedVersion) }),
      encode: ({ session, trims, placed }) =>
        encodeWire(SetSummaryResponse, {
          session: toSession(session, etags),
          trims: trims.map(toTrim),
          placed: placed === undefined ? undefined : toPlacedSummary(placed),
        }),
    });
  },
};

const PAGE_SIZE_DEFAULT = 100;
const SUMMARIES_FIELD = 1;

/** ListSummaries. The position of a page token is the version of the last summary. */
export const listSummaries: UnaryRpc<ListSummariesRequest> = {
  handle: async ({ services, pageTokens }, call, request) => {
    const { currentOnly, namespace, pageToken, sessionId } = request;
    const page = await services.summaries.listSummaries(call, {
      ...{ namespace, sessionId, currentOnly },
      order: request.order === SummaryOrder.VERSION_ASC ? "asc" : "desc",
      ...pageTokens.read(call, pageToken, (at) => ({ after: numberPosition(at) })),
      limit: pageLimit(request.pageSize, PAGE_SIZE_DEFAULT),
    });
    const summaries = fillPage(page.summaries, (listed) =>
      encodeWire(Summary, toListedSummary(listed)),
    );
    const isCut = summaries.length < page.summaries.length;
    const next = isCut ? page.summaries[summaries.length - 1]?.record.version : page.next;
    const nextPageToken = pageTokens.make(call, next);
    const rest = encodeWire(ListSummariesResponse, { summaries: [], nextPageToken });
    return spliceField(SUMMARIES_FIELD, summaries, rest);
  },
};

const SOURCE_PAGE_SIZE_DEFAULT = 100;
const MESSAGES_FIELD = 1;

/** ListSummarySources. The position of a page token is the seq of the last message. */
export const listSummarySources: UnaryRpc<ListSummarySourcesRequest> = {
  handle: async ({ services, pageTokens }, call, request) => {
    const { namespace, pageToken, sessionId } = request;
    const page = await services.summaries.listSummarySources(call, {
      ...{ namespace, sessionId },
      version: Number(request.version),
      ...pageTokens.read(call, pageToken, (at) => ({ after: numberPosition(at) })),
      limit: pageLimit(request.pageSize, SOURCE_PAGE_SIZE_DEFAULT),
    });
    const nextPageToken = pageTokens.make(call, page.next);
    const rest = encodeWire(ListSummarySourcesResponse, { messages: [], nextPageToken });
    return spliceMessages(MESSAGES_FIELD, page.messages, rest);
  },
};

const INPUT_MESSAGES_FIELD = 1;

/** The messages that a request means. */
function fromChoice(
  choice: ListSummaryInputsRequest["choice"] | CompactSessionRequest["choice"],
): ListSummaryInputsInput["choice"] {
  if (choice?.$case === "stage") return { kind: "stage", stage: choice.value };
  return { kind: "keep-recent", keepRecent: choice?.value ?? 0 };
}

/** ListSummaryInputs. The position of a page token is the place of the last message. */
export const listSummaryInputs: UnaryRpc<ListSummaryInputsRequest> = {
  handle: async ({ services, pageTokens }, call, request) => {
    const { namespace, sessionId, choice, pageSize, pageToken } = request;
    const result = await services.sessions.listSummaryInputs(call, {
      ...{ namespace, sessionId },
      choice: fromChoice(choice),
      ...pageTokens.read(call, pageToken, (at) => ({ after: fractionPosition(at) })),
      limit: pageLimit(pageSize, LIMITS.pageSizeMax),
    });
    const { next } = result;
    const rest = encodeWire(ListSummaryInputsResponse, {
      messages: [],
      totals: toTotals(result.total),
      nextPageToken: pageTokens.make(call, next),
    });
    return spliceMessages(INPUT_MESSAGES_FIELD, result.messages, rest);
  },
};

const OUTCOMES = numbersByWord(CompactOutcome);

function encodeAnswer({ revision, task, outcome, summary }: CompactSessionResult): Uint8Array {
  return encodeWire(CompactSessionResponse, {
    revision: BigInt(revision),
    task: task === undefined ? undefined : toTask(task),
    outcome: OUTCOMES[outcome],
    summary: summary === undefined ? undefined : toListedSummary(summary),
  });
}

/** CompactSession. */
export const compactSession: UnaryRpc<CompactSessionRequest> = {
  validate: checkCompactSession,
  waits: ({ wait }) => fromOptionalSpan(wait, 0) > 0,
  handle: ({ services }, call, { namespace, sessionId, choice, summarize, wait }) =>
    services.summaries.compactSession(call, {
      ...{ namespace, sessionId },
      choice: fromChoice(choice),
      spec: summarize === undefined ? undefined : fromSummarize(summarize),
      waitMs: fromOptionalSpan(wait, 0),
      encode: encodeAnswer,
    }),
};

// The rules of the requests about the summaries of a session, one function each.

export function checkCompactSession(request: CompactSessionRequest, v: Violations): void {
  const { summarize } = request;
  checkSummarize(v, summarize);
  if (summarize?.hook === MANUAL_HOOK) v.add("summarize.hook", `must not be ${MANUAL_HOOK}`);
  if (!v.isEmpty || summarize === undefined) return;
  const spec = fromSummarize(summarize);
  for (const { field, description } of idleInSummary(spec)) {
    v.add(`summarize.${field}`, description);
  }
  if (spec.fanIn !== DEFAULT_SUMMARY_SPEC.fanIn) {
    v.add(
      "summarize.fan_in",
      "has no effect here, where one summary is made: set it in the policy",
    );
  }
}
