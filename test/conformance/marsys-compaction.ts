// MARSYS: how its later releases compact a memory.

import { CompactOutcome } from "../../clients/typescript/src/gen/memorysidecar/v1/summary.ts";
import { MAIN, type Memory } from "./marsys-memory.ts";
import { getSession, getWindow } from "./session.ts";

const SUMMARIZATION = "summarization";

/** Compacts a memory that is above its threshold. */
export async function compactIfNeeded(memory: Memory): Promise<void> {
  const target = { $case: "runPolicy" as const, value: {} };
  const { trims, stageRuns } = await memory.rpc.call("trimSession", { sessionId: MAIN, target });
  memory.compacted = trims.length > 0 || stageRuns.some(({ triggers }) => triggers.length > 0);
}

/** Summarizes at once what can be, whatever the threshold; says whether there was anything. */
export async function compactForError(memory: Memory): Promise<boolean> {
  const { rpc, model } = memory;
  const versions = (await getSession(rpc, MAIN)).placedSummaries.length;
  const choice = { $case: "stage" as const, value: SUMMARIZATION };
  memory.compacted = false;
  if (!model.present) return false;
  const { outcome } = await rpc.call("compactSession", { sessionId: MAIN, choice });
  if (outcome === CompactOutcome.NOTHING) return false;
  memory.compacted = (await getSession(rpc, MAIN)).placedSummaries.length > versions;
  return memory.compacted;
}

/** Cost of the memory since its compaction, of the window that a read shows. */
export async function compactedTokens({ rpc }: Memory): Promise<number> {
  return Number((await getWindow(rpc, MAIN)).windowTotals?.tokenCount ?? 0);
}

/** Speakers in what the model was given, the instruction first, which is the hook's own here. */
export function summaryInputRoles({ model }: Memory): readonly (readonly string[])[] {
  return model.inputs.map(({ messages }) => {
    const roles = messages.map(
      ({ role }) => ["", "user", "assistant", "system", "tool"][role] ?? "",
    );
    return ["system", ...roles, ...(roles.at(-1) === "user" ? [] : ["user"])];
  });
}
