import { setImmediate as nextTurn } from "node:timers/promises";
import { expandPreset, type OptionInfo, PRESETS, type PresetInfo } from "../compat/presets.ts";
import type { PolicyPreview, TrimTarget } from "../core/window-api.ts";
import { fromSignals } from "../core/wire.ts";
import type { UnaryRpc } from "../edge/rpc.ts";
import type { MessageForm, RenderedMessages } from "../gen/memorysidecar/v1/message.ts";
import { PolicyPreset, type PresetOption, PreviewSource } from "../gen/memorysidecar/v1/policy.ts";
import {
  type GetWindowRequest,
  GetWindowResponse,
  type ListPolicyPresetsRequest,
  ListPolicyPresetsResponse,
  type PreviewPolicyRequest,
  PreviewPolicyResponse,
  type TrimSessionRequest,
  TrimSessionResponse,
} from "../gen/memorysidecar/v1/session_service.ts";
import { encodeWire } from "../grpc/fast-writer.ts";
import { fillPage, pageLimit } from "../grpc/page-token.ts";
import { RESPONSE_BYTES_MAX, spliceField, spliceMessages } from "../grpc/splice.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { type AppError, formTooLarge } from "../kit/errors.ts";
import { checkGetWindow } from "../session/checks.ts";
import { toRendered } from "../session/form-wire.ts";
import { toSummary } from "../session/wire.ts";
import { checkTrimSession } from "./checks.ts";
import type { WindowUnit } from "./policy/policy.ts";
import { checkPreviewPolicy } from "./policy-checks.ts";
import { fromPolicyChoice, toPolicy } from "./policy-wire.ts";
import {
  fromOccasions,
  toConditionWarning,
  toPreviews,
  toSeqRange,
  toStageRuns,
  toTotals,
  toTrim,
  toWindowChange,
} from "./wire.ts";

const MESSAGES_FIELD = 1;

/** GetWindow. */
export const getWindow: UnaryRpc<GetWindowRequest> = {
  validate: checkGetWindow,
  handle: async ({ services }, call, request) => {
    const { namespace, sessionId, policy, asOfSeq, newest, readOnly, form } = request;
    const chosen = policy && fromPolicyChoice(policy);
    const result = await services.sessions.getWindow(call, {
      ...{ namespace, sessionId },
      ...(chosen === undefined ? {} : { policy: chosen }),
      ...(asOfSeq === undefined ? {} : { asOfSeq: Number(asOfSeq) }),
      ...(newest === undefined ? {} : { newest }),
      readOnly,
    });
    const rendered = toRendered(form, result.messages, "window");
    const rest = encodeWire(GetWindowResponse, {
      messages: [],
      rendered,
      summary: result.summary === undefined ? undefined : toSummary(result.summary),
      windowTotals: toTotals(result.window),
      outsideTotals: result.outside === undefined ? undefined : toTotals(result.outside),
      outsideSeqRanges: result.outsideRanges.map(toSeqRange),
      outsideTruncated: result.outsideTruncated,
      trims: result.trims.map(toTrim),
      openToolCallIds: [...result.openToolCallIds],
      overLimit: result.overLimit,
      lastSeq: BigInt(result.lastSeq),
      revision: BigInt(result.revision),
      stageRuns: toStageRuns(result.runs),
      warnings: result.warnings.map(toConditionWarning),
      shortenedMessageIds: [...result.shortenedIds],
    });
    return rendered === undefined ? spliceMessages(MESSAGES_FIELD, result.messages, rest) : rest;
  },
};

/** PreviewPolicy. */
export const previewPolicy: UnaryRpc<PreviewPolicyRequest> = {
  validate: checkPreviewPolicy,
  cancelable: true,
  handle: async ({ services }, call, request) => {
    const { namespace, sessionId, policies, occasions, source } = request;
    const result = await services.sessions.previewPolicy(call, {
      ...{ namespace, sessionId },
      policies: policies.flatMap((policy) => fromPolicyChoice(policy) ?? []),
      occasions: fromOccasions(occasions),
      source: source === PreviewSource.LOG ? "log" : "window",
      ...fromSignals(request),
    });
    const answer = encodeWire(PreviewPolicyResponse, {
      previews: toPreviews(result.previews),
      lastSeq: BigInt(result.lastSeq),
      revision: BigInt(result.revision),
      rendered: await renderedOf(call, request.form, result.previews),
    });
    const { length } = answer;
    if (request.form !== 0 && length > RESPONSE_BYTES_MAX) throw previewsTooLarge(length);
    return answer;
  },
};

function previewsTooLarge(bytes: number): AppError {
  const advice = "Preview fewer policies, or the window without a form.";
  return formTooLarge(bytes, RESPONSE_BYTES_MAX, advice);
}

/** The windows of previews in a form; none without one. Throws WINDOW_FULL. */
async function renderedOf(
  call: Call,
  form: MessageForm,
  previews: readonly PolicyPreview[],
): Promise<RenderedMessages[]> {
  const all: RenderedMessages[] = [];
  let bytes = 0;
  for (const { shown } of previews) {
    const rendered = toRendered(form, shown, "window");
    if (rendered === undefined) return all;
    all.push(rendered);
    bytes += rendered.messages.length + rendered.system.length;
    if (bytes > RESPONSE_BYTES_MAX) throw previewsTooLarge(bytes);
    // Other work runs between two windows.
    await nextTurn();
    checkLive(call.signal);
  }
  return all;
}

// By their public numbers. Not set means one message after the other here.
const UNITS: readonly WindowUnit[] = ["message", "message", "assistant-turn", "turn"];

function fromTarget(target: TrimSessionRequest["target"]): TrimTarget {
  switch (target?.$case) {
    case "maxTokens":
      return { kind: "tokens", maxTokens: Number(target.value) };
    case "maxMessages":
      return { kind: "messages", maxMessages: target.value };
    case "keepRecent":
      return { kind: "recent", unitCount: target.value };
    default:
      return { kind: "policy" };
  }
}

/** TrimSession. */
export const trimSession: UnaryRpc<TrimSessionRequest> = {
  validate: checkTrimSession,
  handle: ({ services }, call, { namespace, sessionId, target, unit, discard, etag }) =>
    services.sessions.trimSession(call, {
      ...{ namespace, sessionId },
      target: fromTarget(target),
      unit: UNITS[unit] ?? "message",
      discard,
      etag,
      encode: (result) =>
        encodeWire(TrimSessionResponse, {
          ...toWindowChange(result),
          stageRuns: toStageRuns(result.runs),
          overLimit: result.overLimit,
        }),
    }),
};

// Presets as ListPolicyPresets shows them.

/** Gives a preset with its options and, when none is required, the policy of their defaults. */
export function toPolicyPreset(preset: PresetInfo): PolicyPreset {
  const expanded = expandPreset(preset.name, {});
  return {
    name: preset.name,
    description: preset.description,
    options: preset.options.map(toPresetOption),
    policy: "policy" in expanded ? toPolicy(expanded.policy) : undefined,
  };
}

function toPresetOption(option: OptionInfo): PresetOption {
  const { name, description, defaultValue, group, required } = option;
  return { name, description, defaultValue, group, required };
}

const PAGE_SIZE_DEFAULT = 100;
const PRESETS_FIELD = 1;
const BY_NAME = PRESETS.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** ListPolicyPresets. The position of a page token is the last name of the page before. */
export const listPolicyPresets: UnaryRpc<ListPolicyPresetsRequest> = {
  handle: async ({ pageTokens }, call, { pageSize, pageToken }) => {
    const after = pageTokens.read(call, pageToken, String) ?? "";
    const left = BY_NAME.filter(({ name }) => name > after);
    const presets = fillPage(left.slice(0, pageLimit(pageSize, PAGE_SIZE_DEFAULT)), (preset) =>
      encodeWire(PolicyPreset, toPolicyPreset(preset)),
    );
    const last = presets.length < left.length ? left[presets.length - 1] : undefined;
    const nextPageToken = pageTokens.make(call, last?.name);
    const rest = encodeWire(ListPolicyPresetsResponse, { presets: [], nextPageToken });
    return spliceField(PRESETS_FIELD, presets, rest);
  },
};
