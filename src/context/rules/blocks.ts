// Blocks of a context: some of its sections as a text of their own, with a place in the prompt and
// marks around it that declare it as data.

import { LIMITS } from "../../kit/limits.ts";
import { blockMarks, withoutBlockMarks } from "./fence.ts";
import type { SectionText } from "./layout.ts";
import { joined, SECTION_GAP } from "./parts.ts";
import type {
  BlockFence,
  BlockRules,
  ContextSectionKind,
  PackedBlock,
  SectionRules,
} from "./types.ts";

/** Puts sections into the blocks that name them. */
export function sectionsInBlocks(
  sections: readonly SectionRules[],
  blocks: readonly BlockRules[],
): readonly SectionRules[] {
  return sections.map((section) => {
    const block = blocks.find(({ sections: kinds }) => kinds.includes(section.kind));
    return block === undefined ? section : { ...section, block };
  });
}

/** A block before it is counted. */
export type BlockText = Omit<PackedBlock, "tokenCount">;

/** Sections as they stand in a context, and the blocks that they make. */
export interface Written {
  readonly texts: readonly SectionText[];
  readonly blocks: readonly BlockText[];
  /** The text of the sections that are in no block. */
  readonly text: string;
}

/** Makes the blocks of sections, and the text of those that are in none. */
export function writeBlocks(texts: readonly SectionText[], blocks: readonly BlockRules[]): Written {
  const changed = new Map<SectionText, SectionText>();
  const made = blocks.map((rules): BlockText => {
    const own = rules.sections.flatMap((kind) =>
      texts.filter((one) => one.rules.kind === kind && one.text !== ""),
    );
    const sections = own.map((one): ContextSectionKind => one.rules.kind);
    const { fence } = rules;
    if (fence === undefined || own.length === 0) return { rules, sections, text: joined(own) };
    const body = withoutBlockMarks(joined(own), fence);
    // It has the same length: every section stands where it stood.
    let start = 0;
    for (const one of own) {
      const end = start + one.text.length;
      changed.set(one, { ...one, text: body.slice(start, end) });
      start = end + SECTION_GAP.length;
    }
    return { rules, sections, text: fenced(body, fence, own) };
  });
  const all = texts.map((one) => changed.get(one) ?? one);
  return { texts: all, blocks: made, text: joined(all.filter((one) => isFree(one.rules))) };
}

function isFree({ block }: SectionRules): boolean {
  return block === undefined;
}

function fenced(body: string, fence: BlockFence, sections: readonly SectionText[]): string {
  const trusts = sections.flatMap(({ spans }) => spans.map(({ entry }) => entry.candidate.trust));
  const { open, close } = blockMarks(fence, trusts);
  return `${open}\n${body}\n${close}`;
}

/** The words of the call that a block answers, as they are counted; empty without one. */
export function callText({ text, rules: { call } }: BlockText): string {
  return call === undefined || text === "" ? "" : `${call.toolName} ${call.arguments}`;
}

const { contextCallIdBytes: ID_CHARS } = LIMITS;

/** Gives calls of blocks ids that no call of the window has. */
export function withCallIds(
  blocks: readonly BlockRules[],
  taken: ReadonlySet<string>,
): readonly BlockRules[] {
  const ids = new Set(taken);
  return blocks.map((block) => {
    const { call } = block;
    if (call === undefined) return block;
    let toolCallId = call.toolCallId.slice(0, ID_CHARS);
    for (let number = 2; ids.has(toolCallId); number++) {
      const suffix = `_${number}`;
      toolCallId = call.toolCallId.slice(0, ID_CHARS - suffix.length) + suffix;
    }
    ids.add(toolCallId);
    return { ...block, call: { ...call, toolCallId } };
  });
}
