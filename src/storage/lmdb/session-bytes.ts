// How large sessions are on the wire, at least as much as they take: pages of sessions are bounded
// by it. The public form is not known here, only that it holds the same texts and numbers.

import type { Policy, PolicyStage, Selection } from "../../domain/policy.ts";
import type { Session, WindowInsert } from "../../domain/session.ts";

// What a session, a stage of its policy, a text, a run and a mark take beside their texts.
const FIXED_BYTES = 656;
const STAGE_BYTES = 80;
const SUMMARIZE_BYTES = 80;
const ENTRY_BYTES = 16;
const RUN_BYTES = 22;
const INSERT_BYTES = 96;
const MARK_BYTES = 48;

const policies = new WeakMap<Policy, number>();

/** At least the bytes of the wire form of a session. */
export function sessionBytes(session: Session): number {
  const { fields, head, namespace, sessionId } = session;
  const { userId, agentId, policy, summary, forkedFrom } = fields;
  // A policy is given as it was chosen and as it is in force.
  let bytes = FIXED_BYTES + fields.metadata.length + 2 * policyBytes(policy);
  bytes += textBytes([namespace, sessionId, userId, agentId]);
  bytes += textBytes([forkedFrom?.sessionId ?? "", summary?.text ?? "", summary?.hook ?? ""]);
  bytes += (summary?.ranges.length ?? 0) * RUN_BYTES;
  for (const [key, value] of fields.labels) {
    bytes += ENTRY_BYTES + key.length + Buffer.byteLength(value);
  }
  for (const insert of fields.inserts) {
    bytes += insertBytes(insert);
  }
  for (const { stage } of head.policyState.marks) {
    bytes += MARK_BYTES + stage.length;
  }
  return bytes;
}

function textBytes(texts: readonly string[]): number {
  let bytes = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text);
  }
  return bytes;
}

function listBytes(texts: readonly string[]): number {
  return textBytes(texts) + texts.length * ENTRY_BYTES;
}

// Its text is no longer than the message that shows it.
function insertBytes({ messageId, bytes, ranges, hook, stage }: WindowInsert): number {
  const texts = textBytes([messageId, hook, stage]);
  return INSERT_BYTES + texts + bytes.length + ranges.length * RUN_BYTES;
}

function policyBytes(policy: Policy): number {
  let bytes = policies.get(policy);
  if (bytes === undefined) {
    bytes = textBytes([policy.name, policy.model, policy.toolResultFill?.text ?? ""]);
    bytes += textBytes([policy.summaryView.prefix]);
    bytes += listBytes(policy.protections.pinIds);
    for (const stage of policy.stages) {
      bytes += stageBytes(stage);
    }
    policies.set(policy, bytes);
  }
  return bytes;
}

function stageBytes({ name, anyOf, countIf, select, summarize }: PolicyStage): number {
  let bytes = STAGE_BYTES + name.length + anyOf.length * ENTRY_BYTES;
  if (summarize !== undefined) {
    const { hook, instructions, placeholder, separator, prefix } = summarize;
    bytes += SUMMARIZE_BYTES + textBytes([hook, instructions, placeholder, separator, prefix]);
  }
  for (const trigger of anyOf) {
    bytes += "names" in trigger ? listBytes(trigger.names) : 0;
  }
  return bytes + listBytes(countIf) + listBytes(conditionsOf(select));
}

function conditionsOf(select: Selection): readonly string[] {
  return select.kind === "filter" ? select.conditions : [];
}
