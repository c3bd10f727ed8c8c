// Errors as the contract documents them: all reasons with their remedies, and the reasons of each
// rpc.

import type { DescMethod } from "@bufbuild/protobuf";
import type { Contract } from "./contract.ts";

/** A reason of an error. */
export interface Reason {
  /** Name on the wire, without the prefix of the enum. */
  readonly name: string;
  /** The gRPC code. */
  readonly code: string;
  readonly retry: string;
  readonly meaning: string;
  /** The remedy for the caller. */
  readonly remedy: string;
  /** Metadata keys of ErrorInfo. May be empty. */
  readonly metadata: string;
}

/** An error in the comment of an rpc. */
export interface RpcError {
  readonly code: string;
  readonly reasons: readonly string[];
  /** Condition of the error, where the reason does not imply it. May be empty. */
  readonly when: string;
}

const PREFIX = "ERROR_REASON_";

/** Advice on repeating the same request, by code. */
const RETRY: Readonly<Record<string, string>> = {
  UNAVAILABLE: "yes, after a delay",
  ABORTED: "not as it is: look, then decide",
  DEADLINE_EXCEEDED: "a read; a write with its `request_id`",
  RESOURCE_EXHAUSTED: "when there is room again",
};

// CODE with `Details`. Meaning. Remedy: remedy. Metadata: `keys`.
const REASON = /^([A-Z_]+)(?: (with [^.]*))?\. (.+?) Remedy: (.+?)\.(?: Metadata: (.+)\.)?$/;

/** The reasons of the enum. Throws when a comment does not have the regular form. */
export function reasonsOf(contract: Contract): Reason[] {
  const reasons = contract.registry.getEnum("memorysidecar.v1.ErrorReason");
  if (reasons === undefined) throw new Error("the contract has no enum ErrorReason");
  return reasons.values.slice(1).map((value) => {
    const comment = contract.comment(`${reasons.typeName}.${value.name}`).replaceAll("\n", " ");
    const [, code = "", detail = "", rest = "", remedy = "", metadata = ""] =
      REASON.exec(comment) ?? [];
    if (code === "") throw new Error(`the comment of ${value.name} is not of the regular form`);
    const name = value.name.slice(PREFIX.length);
    const meaning = detail === "" ? rest : `${rest} W${detail.slice(1)}.`;
    return { name, code, retry: RETRY[code] ?? "no", meaning, remedy, metadata };
  });
}

/** The text of an rpc's comment before its list of errors. */
export function descriptionOf(contract: Contract, method: DescMethod): string {
  return (
    commentOf(contract, method)
      .split(/^Errors:$/m)[0]
      ?.trim() ?? ""
  );
}

/** The list of errors in an rpc's comment. Throws when an item is not `CODE, `REASON`, when`. */
export function errorsOf(contract: Contract, method: DescMethod): RpcError[] {
  const list = commentOf(contract, method).split(/^Errors:$/m)[1] ?? "";
  const items = list.split(/^ *- /m).slice(1);
  return items.map((item) => {
    const text = item.replace(/\s+/g, " ").trim();
    const [, code = "", names = "", when = ""] = ERROR.exec(text) ?? [];
    if (code === "") throw new Error(`${method.name}: its comment has an odd error: ${text}`);
    const reasons = [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name);
    return { code, reasons, when };
  });
}

const ERROR = /^([A-Z_]+), (`[A-Z_]+`(?:, `[A-Z_]+`)*)(?:[,:]? (.*))?$/;

function commentOf(contract: Contract, { parent, name }: DescMethod): string {
  return contract.comment(`${parent.typeName}.${name}`);
}
