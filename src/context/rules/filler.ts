// Fills sections with whole entries, the most wanted first, and leaves out what is said already.

import { codePointsOf } from "../../window/policy/tokens.ts";
import type { ContextCount } from "./count.ts";
import { ANSWER_BYTES } from "./entries.ts";
import { blockMarks, FENCE_CLOSE, fenceOpen } from "./fence.ts";
import { hasMarks, SECTION_CUT } from "./layout.ts";
import { SECTION_GAP } from "./parts.ts";
import type { BlockRules, ContextCutReason, ContextStyle, Entry, ReadySection } from "./types.ts";

// The longest head of a group, which stands in a section besides its heading.
const DAY_HEAD = "=== 2026-01-31 ===\n";

/** Characters of a token of marks, about. */
const MARK_CHARS = 3;

const NO_MARKS = { open: "", close: "" };

/** State of a section while it is filled. */
interface Filling {
  readonly section: ReadySection;
  /** Tokens of the section before its first entry. */
  readonly frame: number;
  /** The entries by units, each unit whole or not at all; the most wanted first. */
  readonly units: readonly (readonly Entry[])[];
  readonly taken: Set<Entry>;
  chars: number;
  used: number;
}

/** Fills the sections of one context. */
export class Filler {
  readonly #count: ContextCount;
  readonly #fillings: readonly Filling[];
  /** Of the answer. */
  #bytes = 0;
  /** Keys of the content taken so far, with counts. */
  readonly #told = new Map<string, number>();
  /** The units that were taken, in their order. */
  readonly #order: { readonly filling: Filling; readonly unit: readonly Entry[] }[] = [];

  constructor(sections: readonly ReadySection[], style: ContextStyle, count: ContextCount) {
    this.#count = count;
    this.#fillings = sections.map((section) => {
      const { rules } = section;
      if (rules.isApart) return emptyFilling(section, { frame: 0, chars: 0 });
      const fence = hasMarks(style, rules) ? `${fenceOpen(rules.kind, [2])}\n${FENCE_CLOSE}\n` : "";
      const heads = rules.kind === "daily-log" ? DAY_HEAD.repeat(2) : "";
      const words = [rules.heading, rules.footer, SECTION_GAP].join("\n") + heads;
      const frame = words + fence;
      return emptyFilling(section, {
        frame: count.added(frame, Math.ceil(frame.length / 2)),
        chars: codePointsOf(words),
      });
    });
  }

  /** Tokens that each section would add with all its entries. */
  wants(): readonly number[] {
    return this.#fillings.map(({ section, frame, taken }) => {
      const costs = section.entries.flatMap((entry) =>
        entry.reason === undefined && !taken.has(entry) ? [entry.cost] : [],
      );
      const left = Math.max(0, section.rules.limit - taken.size);
      const sum = costs.slice(0, left).reduce((total, cost) => total + cost, 0);
      return sum === 0 || taken.size > 0 ? sum : sum + frame;
    });
  }

  /** Tokens of a section now. */
  used(index: number): number {
    return this.#fillings[index]?.used ?? 0;
  }

  /** Takes what fits into a section that may cost so much; only what `accept` lets pass. */
  fill(index: number, room: number, accept: (entry: Entry) => boolean = () => true): void {
    const filling = this.#fillings[index];
    if (filling === undefined) return;
    const { rules } = filling.section;
    for (const unit of filling.units) {
      if (unit.some((entry) => filling.taken.has(entry) || !accept(entry))) continue;
      if (filling.taken.size + unit.length > rules.limit) {
        // Older messages than one that is left out would stand there without what follows them.
        if (rules.kind === "conversation") return;
        continue;
      }
      if (unit.some((entry) => entry.reason !== undefined)) continue;
      if (rules.kind !== "conversation" && unit.every((entry) => this.#isTold(entry))) continue;
      if (this.#take(filling, unit, room)) continue;
      if (rules.kind === "conversation") return;
    }
  }

  #take(filling: Filling, unit: readonly Entry[], room: number): boolean {
    const { rules } = filling.section;
    const bytes = unit.reduce((sum, entry) => sum + entry.bytes, 0);
    if (this.#bytes + bytes > ANSWER_BYTES) return false;
    const cost = unit.reduce((sum, entry) => sum + entry.cost, 0);
    const frame = filling.taken.size === 0 ? filling.frame : 0;
    const chars = unit.reduce((sum, { line }) => sum + codePointsOf(line) + 1, 0);
    if (rules.maxChars > 0) {
      // The end of the conversation is what is wanted most: it is never what is cut off.
      const needed = rules.kind === "conversation" ? filling.chars + chars : filling.chars;
      if (needed > rules.maxChars) return false;
    }
    const left = Math.max(0, rules.maxChars - filling.chars);
    // Nothing but the heading and the mark would stand there.
    const isBare = rules.maxChars > 0 && chars > left && left <= codePointsOf(SECTION_CUT);
    if (isBare && filling.taken.size === 0) return false;
    const part = rules.maxChars > 0 && chars > left ? left / chars : 1;
    const more = frame + cost * part + this.#blockFrame(rules.block);
    if (filling.used + more > room) return false;
    if (this.#usedIn(rules.block) + more > (rules.block?.maxTokens ?? Infinity)) return false;
    filling.used += more;
    filling.chars += chars;
    for (const entry of unit) {
      filling.taken.add(entry);
      this.#tell(entry, 1);
    }
    this.#bytes += bytes;
    this.#order.push({ filling, unit });
    return true;
  }

  /** Tokens of the sections of a block. */
  #usedIn(block: BlockRules | undefined): number {
    if (block === undefined) return 0;
    const own = this.#fillings.filter(({ section }) => section.rules.block === block);
    return own.reduce((sum, { used }) => sum + used, 0);
  }

  /** Tokens that the marks and the call of a block add with its first entry. */
  #blockFrame(block: BlockRules | undefined): number {
    if (block === undefined || this.#usedIn(block) > 0) return 0;
    const { open, close } = block.fence === undefined ? NO_MARKS : blockMarks(block.fence, [2]);
    const { toolName = "", arguments: given = "" } = block.call ?? {};
    const text = `${open}${close}${toolName}${given}`;
    return text === "" ? 0 : this.#count.added(text, Math.ceil(text.length / MARK_CHARS));
  }

  /** Takes back what the conversation says since it got more room. */
  dropRepeated(): void {
    for (const filling of this.#fillings) {
      if (filling.section.rules.kind === "conversation") continue;
      for (const entry of [...filling.taken]) {
        this.#tell(entry, -1);
        if (this.#isTold(entry)) this.#drop(filling, entry);
        else this.#tell(entry, 1);
      }
    }
  }

  #drop(filling: Filling, entry: Entry): void {
    filling.taken.delete(entry);
    this.#bytes -= entry.bytes;
    filling.used -= filling.taken.size === 0 ? filling.used : entry.cost;
    const at = this.#order.findIndex(({ unit }) => unit.includes(entry));
    if (at >= 0) this.#order.splice(at, 1);
  }

  #tell({ tells }: Entry, times: number): void {
    for (const key of tells) this.#told.set(key, (this.#told.get(key) ?? 0) + times);
  }

  /**
   * Takes back what was taken last, in a block if one is given: units of about so much cost, one at
   * least.
   */
  takeBack(cost: number, least: number, block?: BlockRules): boolean {
    let [freed, units] = [0, 0];
    while (freed < cost || units < least) {
      const at = this.#order.findLastIndex(
        ({ filling }) => block === undefined || filling.section.rules.block === block,
      );
      const last = this.#order[at];
      if (last === undefined || last.unit.some(isFixed)) break;
      this.#order.splice(at, 1);
      const { filling, unit } = last;
      for (const entry of unit) {
        filling.taken.delete(entry);
        filling.used -= entry.cost;
        freed += entry.cost;
        this.#bytes -= entry.bytes;
        this.#tell(entry, -1);
      }
      units += 1;
    }
    return units > 0;
  }

  /** The entries of a section that were taken, the most wanted first. */
  taken(index: number): readonly Entry[] {
    const filling = this.#fillings[index];
    return filling?.section.entries.filter((entry) => filling.taken.has(entry)) ?? [];
  }

  /** Reason for leaving out an entry of a section. */
  reasonOf(index: number, entry: Entry): ContextCutReason {
    if (entry.reason !== undefined) return entry.reason;
    const filling = this.#fillings[index];
    const kind = filling?.section.rules.kind;
    if (kind !== "conversation" && this.#isTold(entry)) return "duplicate";
    const isFull = (filling?.taken.size ?? 0) >= (filling?.section.rules.limit ?? 0);
    return isFull ? "limit" : "budget";
  }

  #isTold({ self, says }: Entry): boolean {
    const isThere = (key: string): boolean => (this.#told.get(key) ?? 0) > 0;
    return (self !== "" && isThere(self)) || (says.length > 0 && says.every(isThere));
  }
}

function emptyFilling(
  section: ReadySection,
  { frame, chars }: Pick<Filling, "frame" | "chars">,
): Filling {
  return { section, frame, units: unitsOf(section), taken: new Set(), chars, used: 0 };
}

/** Whether an entry is included whatever it costs. */
export function isFixed({ candidate }: Entry): boolean {
  return candidate.apart?.isFixed === true;
}

/** Entries by units, in the order of the first of each. */
function unitsOf({ entries }: ReadySection): readonly (readonly Entry[])[] {
  return [...Map.groupBy(entries, (entry) => entry.candidate.unit ?? entry).values()];
}
