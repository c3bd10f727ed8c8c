// Errors as the contract tells them: the reasons with what to do, and those of each rpc.

import type { DescMethod } from "@bufbuild/protobuf";
import type { Contract } from "./contract.ts";

/** A reason of failure. */
export interface Reason {
  /** As it is on the wire, without the prefix of the enum. */
  readonly name: string;
  /** The gRPC code. */
  readonly code: string;
  readonly retry: string;
  readonly meaning: string;
  /** What to do. */
  readonly remedy: string;
  /** What the metadata of ErrorInfo holds. May be empty. */
  readonly metadata: string;
}

/** An error that the comment of an rpc names. */
export interface RpcError {
  readonly code: string;
  readonly reasons: readonly string[];
  /** When it comes, where the reason does not say it. May be empty. */
  readonly when: string;
}

const PREFIX = "ERROR_REASON_";

/** Whether the same request may be sent again, by code. */
const RETRY: Readonly<Record<string, string>> = {
  UNAVAILABLE: "yes, after a delay",
  ABORTED: "not as it is: look, then decide",
  DEADLINE_EXCEEDED: "a read; a write with its `request_id`",
  RESOURCE_EXHAUSTED: "when there is room again",
};

// CODE with `Details`. Meaning. What to do: remedy. Metadata: `keys`.
const REASON = /^([A-Z_]+)(?: (with [^.]*))?\. (.+?) What to do: (.+?)\.(?: Metadata: (.+)\.)?$/;

/** The reasons of the enum. Throws when a comment is not of the regular form. */
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
