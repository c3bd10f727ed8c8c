// The rules of the blocks of a context.

import { contextProfile } from "../compat/profiles.ts";
import { MessageForm } from "../gen/memorysidecar/v1/message.ts";
import {
  type BlockFence,
  type ContextBlock,
  ContextFence,
  ContextPlace,
} from "../gen/memorysidecar/v1/recall.ts";
import type { AssembleContextRequest } from "../gen/memorysidecar/v1/recall_service.ts";
import { checkJson } from "../grpc/fields.ts";
import type { Violations } from "../grpc/violations.ts";
import { LIMITS } from "../kit/limits.ts";
import { FENCE_CLOSE, withoutBlockMarks } from "./rules/fence.ts";
import { sectionRules } from "./rules/profiles.ts";
import type { ContextSectionKind } from "./rules/types.ts";
import { fromAssembleContext } from "./wire.ts";

const TAG = /^[A-Za-z][A-Za-z0-9_-]*$/u;
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/u;
const CALL_ID = /^[A-Za-z0-9_-]*$/u;
/** The fewest characters of a mark: shorter ones stand in any text. */
const MARK_CHARS = 3;

/** Checks the blocks of a request whose other fields hold. */
export function checkBlocks(request: AssembleContextRequest, v: Violations): void {
  const { blocks } = request;
  if (blocks.length === 0) return;
  if (contextProfile(request.profile)?.pack !== undefined) {
    v.add("profile", "packs everything into one text: leave it out, or leave out blocks");
  }
  const { kinds, asked } = kindsOf(request);
  const names = new Set<string>();
  const callIds = new Set<string>();
  const taken = new Map<ContextSectionKind, string>();
  for (const [index, block] of blocks.entries()) {
    if (v.full) return;
    v.enterItem("blocks", index);
    if (names.has(block.name)) v.add("name", "is that of an earlier block");
    names.add(block.name);
    for (const [at, kind] of (asked[index] ?? []).entries()) {
      const other = taken.get(kind);
      const problem = sectionProblem(kind, { other, kinds, request });
      if (problem !== undefined) v.add(`sections[${at}]`, problem);
      taken.set(kind, block.name);
    }
    if (block.fence !== undefined) checkFence(v, block.fence, request.fence);
    if (block.place === ContextPlace.TOOL_RESULT) checkCall(v, block, callIds);
    else checkNoCall(v, block);
    v.leaveItem();
  }
}

/** The sections of a context, and those of each block. */
function kindsOf(request: AssembleContextRequest): {
  readonly kinds: ReadonlySet<ContextSectionKind>;
  readonly asked: readonly (readonly ContextSectionKind[])[];
} {
  const { profile, sections, blocks } = fromAssembleContext(request);
  const kinds = new Set(sectionRules(profile, sections).map(({ kind }) => kind));
  return { kinds, asked: blocks.map((block) => block.sections) };
}

/** Says why a section cannot stand in a block; undefined when it can. */
function sectionProblem(
  kind: ContextSectionKind,
  {
    other,
    kinds,
    request,
  }: {
    readonly other: string | undefined;
    readonly kinds: ReadonlySet<ContextSectionKind>;
    readonly request: AssembleContextRequest;
  },
): string | undefined {
  if (other !== undefined) return `is in the block ${other} already`;
  if (kind === "conversation" && request.form !== MessageForm.UNSPECIFIED) {
    return "is in no block with form: its messages are those of the prompt";
  }
  if (kind === "conversation" && request.excludeConversation) {
    return "must not come with exclude_conversation";
  }
  return kinds.has(kind) ? undefined : "is no section of this context: add it to sections";
}

function checkFence(v: Violations, { marks }: BlockFence, sectionMarks: ContextFence): void {
  v.enter("fence");
  const hasSectionMarks = sectionMarks === ContextFence.ON;
  if (marks?.$case === "tag") {
    const tag = marks.value;
    if (!TAG.test(tag))
      v.add("tag", "must be 1 to 32 characters of A-Za-z0-9_-, the first a letter");
    else if (hasSectionMarks && isInSectionMarks({ kind: "tag", tag })) {
      v.add("tag", "is that of the marks of sections: take another, or leave out fence ON");
    }
  } else if (marks?.$case === "lines") {
    v.enter("lines");
    const { open, close } = marks.value;
    for (const [field, line] of Object.entries({ open, close })) {
      if ([...line].length < MARK_CHARS || line !== line.trim()) {
        v.add(field, "must be 3 characters at least, without spaces at its ends", MARK_CHARS);
      }
    }
    if (hasSectionMarks && v.isEmpty && isInSectionMarks({ kind: "lines", open, close })) {
      v.add("close", "is part of the marks of sections: take others, or leave out fence ON");
    }
    v.leave();
  }
  v.leave();
}

/** Whether the marks of sections would pass for marks of a block. */
function isInSectionMarks(fence: Parameters<typeof withoutBlockMarks>[1]): boolean {
  const marks = `<data source="documents" trust="medium">\n${FENCE_CLOSE}`;
  return withoutBlockMarks(marks, fence) !== marks;
}

function checkCall(v: Violations, block: ContextBlock, callIds: Set<string>): void {
  const { name, toolName, toolCallId, toolArguments } = block;
  if (!TOOL_NAME.test(toolName)) {
    const form = "1 to 64 characters of A-Za-z0-9_-, the first a letter or _";
    v.add("tool_name", toolName === "" ? "is required with this place" : `must be ${form}`);
  }
  if (!CALL_ID.test(toolCallId)) v.add("tool_call_id", "must hold only A-Za-z0-9_-");
  if (callIds.has(toolCallId)) v.add("tool_call_id", "is that of an earlier block");
  callIds.add(toolCallId === "" ? name : toolCallId);
  if (toolArguments === "") return;
  const bytes = Buffer.from(toolArguments);
  checkJson(v, "tool_arguments", bytes, LIMITS.metadataBytes);
  if (!toolArguments.trimStart().startsWith("{")) v.add("tool_arguments", "must be a JSON object");
}

function checkNoCall(v: Violations, { toolName, toolCallId, toolArguments }: ContextBlock): void {
  const fields = {
    tool_name: toolName,
    tool_call_id: toolCallId,
    tool_arguments: toolArguments,
  };
  for (const [field, value] of Object.entries(fields)) {
    if (value !== "") v.add(field, "is only allowed with CONTEXT_PLACE_TOOL_RESULT");
  }
}
