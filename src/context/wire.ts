// Contexts, and how they are asked for, between the wire and the domain.

import { contextProfile } from "../compat/profiles.ts";
import { fromMemoryScope } from "../core/wire.ts";
import type { MessageForm } from "../gen/memorysidecar/v1/message.ts";
import { Policy } from "../gen/memorysidecar/v1/policy.ts";
import * as wire from "../gen/memorysidecar/v1/recall.ts";
import type * as recallServiceWire from "../gen/memorysidecar/v1/recall_service.ts";
import { numbersByWord, wordsByNumber } from "../grpc/enums.ts";
import { fromOptionalTimestamp } from "../grpc/time.ts";
import { LIMITS } from "../kit/limits.ts";
import type { AssembleContextInput, AssembledContext } from "../memory/api.ts";
import { fromWeights, toCoverage } from "../recall/wire.ts";
import { addedIn, fromForm, toRendered } from "../session/form-wire.ts";
import { fromPolicy } from "../window/policy-wire.ts";
import { toTokenRule } from "../window/token-rule-wire.ts";
import { DEFAULT_PROFILE } from "./rules/profiles.ts";
import type {
  BlockFence,
  BlockRules,
  ContextCut,
  ContextItem,
  ContextPart,
  ContextRef,
  PackedBlock,
} from "./rules/types.ts";

const EMPTY = new Uint8Array(0);

const KINDS = numbersByWord(wire.ContextSectionKind);
const KIND_NAMES = wordsByNumber(wire.ContextSectionKind, undefined);
const PLACES = numbersByWord(wire.ContextPlace);
const PLACE_NAMES = wordsByNumber(wire.ContextPlace, "user-message");
const REASONS = numbersByWord(wire.ContextCutReason);

const FENCES: Readonly<Partial<Record<number, boolean>>> = {
  [wire.ContextFence.ON]: true,
  [wire.ContextFence.OFF]: false,
};

/** Bytes of what one answer tells of cuts: its content takes the rest of 4 MiB. */
const CUT_BYTES = 524_288;
/** Bytes of a cut beside its ids. */
const CUT_FRAME_BYTES = 48;

/** Gives what a checked request asks for. */
export function fromAssembleContext(
  request: recallServiceWire.AssembleContextRequest,
): AssembleContextInput {
  const { maxTokens, referenceTime, sessionId, scope, query } = request;
  const form = fromForm(request.form);
  return {
    namespace: request.namespace,
    sessionId,
    query,
    scope: scope && fromMemoryScope(scope),
    maxTokens: maxTokens === 0 ? LIMITS.contextTokensDefault : maxTokens,
    counting: fromCounting(request),
    sections: request.sections.flatMap((section) => {
      const kind = KIND_NAMES[section.kind];
      return kind === undefined ? [] : [{ ...section, kind }];
    }),
    collectionIds: request.collectionIds,
    profile: contextProfile(request.profile) ?? DEFAULT_PROFILE,
    includeConversation: !request.excludeConversation,
    compactionThreshold: request.compactionThreshold,
    minRelevance: request.minRelevance,
    minBestRelevance: request.minBestRelevance,
    weights: fromWeights(request.weights),
    referenceMs: fromOptionalTimestamp(referenceTime),
    fence: FENCES[request.fence],
    blocks: request.blocks.map((block) => fromBlock(block, request.fence)),
    addedTo: form === undefined ? undefined : (messages) => addedIn(form, messages),
  };
}

/** Gives a checked block. */
function fromBlock(block: wire.ContextBlock, sectionMarks: wire.ContextFence): BlockRules {
  const { name, place, sections, maxTokens, fence, toolName, toolCallId } = block;
  const call = {
    toolName,
    toolCallId: toolCallId === "" ? name : toolCallId,
    arguments: block.toolArguments === "" ? "{}" : block.toolArguments,
  };
  const isResult = place === wire.ContextPlace.TOOL_RESULT;
  return {
    name,
    place: PLACE_NAMES[place] ?? "user-message",
    sections: sections.flatMap((kind) => KIND_NAMES[kind] ?? []),
    fence: fence && fromFence(fence),
    hasSectionMarks: fence === undefined || sectionMarks === wire.ContextFence.ON,
    maxTokens: maxTokens === 0 ? Infinity : maxTokens,
    call: isResult ? call : undefined,
  };
}

function fromFence({ marks }: wire.BlockFence): BlockFence {
  if (marks?.$case === "lines") return { kind: "lines", ...marks.value };
  return { kind: "tag", tag: marks?.value ?? "" };
}

function fromCounting(
  request: recallServiceWire.AssembleContextRequest,
): AssembleContextInput["counting"] {
  const { tokenRule, tokenPreset, model, customTokenRule } = request;
  if (tokenRule === 0) return undefined;
  const rule = { tokenRule, tokenPreset, model, customTokenRule };
  return fromPolicy({ ...Policy.decode(EMPTY), ...rule });
}

/** Gives the answer that a context makes. */
export function toContext(
  context: AssembledContext,
  form: MessageForm,
): recallServiceWire.AssembleContextResponse {
  const { text, tokenCount, budgetTokens, parts, cut, coverage, messages, tokenRule } = context;
  return {
    text,
    tokenCount,
    budgetTokens,
    parts: parts.map(toPart),
    cuts: someCuts(cut).map(toCut),
    totalCutCount: cut.length,
    coverage: coverage === undefined ? undefined : toCoverage(coverage),
    rendered: toRendered(form, messages, "window"),
    blocks: context.blocks.map(toBlock),
    ...toTokenRule(tokenRule),
  };
}

function toBlock({ rules, sections, text, tokenCount }: PackedBlock): wire.AssembledBlock {
  const { name, place, call } = rules;
  return {
    name,
    place: PLACES[place],
    text,
    tokenCount,
    sections: sections.map((kind) => KINDS[kind]),
    toolName: call?.toolName ?? "",
    toolCallId: call?.toolCallId ?? "",
    toolArguments: call?.arguments ?? "",
  };
}

/** As many cuts as an answer has room for, from the first on. */
function someCuts(cuts: readonly ContextCut[]): readonly ContextCut[] {
  let bytes = 0;
  const end = cuts.slice(0, LIMITS.contextCuts).findIndex(({ ref }) => {
    for (const id of Object.values(ref)) bytes += Buffer.byteLength(String(id));
    bytes += CUT_FRAME_BYTES;
    return bytes > CUT_BYTES;
  });
  return cuts.slice(0, end < 0 ? LIMITS.contextCuts : end);
}

function toPart({ kind, heading, tokenCount, items }: ContextPart): wire.ContextPart {
  return { kind: KINDS[kind], heading, tokenCount, items: items.map(toItem) };
}

function toItem({ ref, text, tokenCount, relevance, trust }: ContextItem): wire.ContextItem {
  return { ref: toRef(ref), text, tokenCount, relevance, trust };
}

function toCut({ kind, ref, tokenCount, reason }: ContextCut): wire.ContextCut {
  return { kind: KINDS[kind], ref: toRef(ref), tokenCount, reason: REASONS[reason] };
}

function toRef(ref: ContextRef): wire.ItemRef {
  switch (ref.kind) {
    case "memory":
      return { ref: { $case: "memoryId", value: ref.memoryId } };
    case "message": {
      const { sessionId, messageId, seq } = ref;
      return { ref: { $case: "message", value: { sessionId, messageId, seq: BigInt(seq) } } };
    }
    case "document": {
      const { collectionId, documentId } = ref;
      return { ref: { $case: "document", value: { collectionId, documentId } } };
    }
    default: {
      const { sessionId, version } = ref;
      return { ref: { $case: "summary", value: { sessionId, version: BigInt(version) } } };
    }
  }
}
