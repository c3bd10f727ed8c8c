// What a context is made with.

import type { SectionRules } from "../../domain/context/profiles.ts";
import type { MemoryScope } from "../../domain/memories/memory.ts";
import type { Call } from "../call.ts";
import type { ServiceContext } from "../context.ts";
import type { AssembleContextInput } from "../memory-api.ts";
import type { RecallCodec } from "../recall/parts.ts";
import type { RecallServiceApi } from "../recall-api.ts";

/** What AssembleContext works with. */
export interface ContextParts {
  readonly context: ServiceContext;
  readonly codec: RecallCodec;
  /** Finds what fits, in its turn. */
  readonly recall: RecallServiceApi["recall"];
}

/** One context that is asked for. */
export interface Asking {
  readonly parts: ContextParts;
  readonly call: Call;
  readonly input: AssembleContextInput;
  /** Who looks: memories and documents are those that this scope sees. */
  readonly viewer: MemoryScope;
  /** Blank when nothing is asked. */
  readonly query: string;
  readonly sections: readonly SectionRules[];
  readonly budgetTokens: number;
  readonly nowMs: number;
  /** What days are counted from and validity is judged at. */
  readonly referenceMs: number;
}

/** The rules of a section that is asked for. */
export function sectionOf(
  { sections }: Asking,
  kind: SectionRules["kind"],
): SectionRules | undefined {
  return sections.find((section) => section.kind === kind);
}
