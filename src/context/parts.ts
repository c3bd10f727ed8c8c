// The inputs and dependencies of AssembleContext.

import type { ServiceContext } from "../core/context.ts";
import type { Shown, Viewed } from "../core/window-shown.ts";
import type { Call } from "../kit/call.ts";
import type { AssembleContextInput } from "../memory/api.ts";
import type { MemoryScope } from "../memory/rules/memory.ts";
import type { RecallInput, RecallResult } from "../recall/api.ts";
import type { RecallCodec } from "../recall/parts.ts";
import type { Summary } from "../summary/rules/summary.ts";
import type { SectionRules } from "./rules/types.ts";

/** Dependencies of AssembleContext. */
export interface ContextParts {
  readonly context: ServiceContext;
  readonly codec: RecallCodec;
  /** Finds what fits, in its turn. */
  readonly recall: (call: Call, input: RecallInput) => Promise<RecallResult>;
  /** Shows the summary of a session among its messages, as GetWindow does. */
  readonly withSummary: (
    context: ServiceContext,
    viewed: Viewed,
    shown: Shown,
    summary: Summary | undefined,
  ) => Promise<Shown>;
}

/** One context that is asked for. */
export interface Asking {
  readonly parts: ContextParts;
  readonly call: Call;
  readonly input: AssembleContextInput;
  /** Scope of the reader: memories and documents are those that this scope sees. */
  readonly viewer: MemoryScope;
  /** Blank when nothing is asked. */
  readonly query: string;
  readonly sections: readonly SectionRules[];
  readonly budgetTokens: number;
  readonly nowMs: number;
  /** The time that days are counted from and validity is judged at. */
  readonly referenceMs: number;
}

/** The rules of a section that is asked for. */
export function sectionOf(
  { sections }: Asking,
  kind: SectionRules["kind"],
): SectionRules | undefined {
  return sections.find((section) => section.kind === kind);
}
