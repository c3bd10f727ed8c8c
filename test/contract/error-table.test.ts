// Goal: the reasons of the contract, the list of the domain and the table of statuses are one list.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { ERROR_REASONS } from "../../src/domain/errors.ts";
import { ErrorReason } from "../../src/gen/memorysidecar/v1/error_reason.ts";
import { STATUS_CODES } from "../../src/transport/error-status.ts";
import { buildContract, rpcsOf } from "../../tools/reference/contract.ts";
import { errorsOf } from "../../tools/reference/errors.ts";

const PROTO = join(import.meta.dirname, "../../proto/memorysidecar/v1/error_reason.proto");

/** The reasons of the proto file with the code that their comment begins with. */
function documented(): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  let comment = "";
  for (const line of readFileSync(PROTO, "utf8").split("\n")) {
    const text = /^ {2}\/\/ ?(.*)$/.exec(line)?.[1];
    const name = /^ {2}ERROR_REASON_([A-Z0-9_]+) = \d+;$/.exec(line)?.[1];
    if (text !== undefined) comment = comment === "" ? text : `${comment} ${text}`;
    if (name !== undefined && name !== "UNSPECIFIED") {
      reasons.set(name, /^([A-Z_]+)(?:\.| with)/.exec(comment)?.[1] ?? "");
    }
    if (text === undefined) comment = "";
  }
  return reasons;
}

const CONTRACT = buildContract(join(import.meta.dirname, "../.."));

describe("the reasons of failures", () => {
  it("are the same in the contract, the generated code and the domain", () => {
    const generated = Object.keys(ErrorReason).filter(
      (name) => name !== "UNSPECIFIED" && name !== "UNRECOGNIZED",
    );
    expect(generated).toEqual([...ERROR_REASONS]);
    expect([...documented().keys()]).toEqual([...ERROR_REASONS]);
  });

  it.each(ERROR_REASONS)("%s has the code that its comment names", (reason) => {
    expect(status[STATUS_CODES[reason]]).toBe(documented().get(reason));
  });

  it.each(rpcsOf(CONTRACT))("of $name are told once each, with their code", (method) => {
    const told = errorsOf(CONTRACT, method).flatMap(({ code, reasons }) =>
      reasons.map((reason) => ({ reason, code })),
    );
    const codes: Readonly<Record<string, number>> = STATUS_CODES;
    const known = told.map(({ reason }) => ({ reason, code: status[codes[reason] ?? -1] }));
    expect(told).toEqual(known);
    expect(new Set(told.map(({ reason }) => reason)).size).toBe(told.length);
  });
});
