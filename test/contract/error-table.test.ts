// Goal: the reasons of the contract and the table of the domain are one list, and the code alone
// says whether a retry makes sense.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Metadata, status } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { Status } from "../../src/gen/google/rpc/status.ts";
import { ErrorReason } from "../../src/gen/memorysidecar/v1/error_reason.ts";
import { toErrorStatus } from "../../src/grpc/error-status.ts";
import { AppError, ERROR_CODES } from "../../src/kit/errors.ts";
import { buildContract, rpcsOf } from "../../tools/reference/contract.ts";
import { errorsOf } from "../../tools/reference/errors.ts";

const REASONS = Object.keys(ERROR_CODES) as (keyof typeof ERROR_CODES)[];
const PROTO = join(import.meta.dirname, "../../proto/memorysidecar/v1/error_reason.proto");

/** The reasons of the proto file with their comments. */
function documented(): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  let comment = "";
  for (const line of readFileSync(PROTO, "utf8").split("\n")) {
    const text = /^ {2}\/\/ ?(.*)$/.exec(line)?.[1];
    const name = /^ {2}ERROR_REASON_([A-Z0-9_]+) = \d+;$/.exec(line)?.[1];
    if (text !== undefined) comment = comment === "" ? text : `${comment} ${text}`;
    if (name !== undefined && name !== "UNSPECIFIED") reasons.set(name, comment);
    if (text === undefined) comment = "";
  }
  return reasons;
}

const CONTRACT = buildContract(join(import.meta.dirname, "../.."));
const COMMENT = /^([A-Z_]+)(?: with ([^.]+))?\. .+ Remedy: [^.]+\./;

function detailsOf(metadata: Metadata): readonly string[] {
  const [bytes] = metadata.get("grpc-status-details-bin");
  const { details } = Status.decode(bytes instanceof Buffer ? bytes : Buffer.alloc(0));
  return details.map(({ typeUrl }) => typeUrl.slice("type.googleapis.com/google.rpc.".length));
}

describe("the reasons of failures", () => {
  test("are the same in the contract, the generated code and the domain", () => {
    const generated = Object.keys(ErrorReason).filter(
      (name) => name !== "UNSPECIFIED" && name !== "UNRECOGNIZED",
    );
    expect(generated).toEqual(REASONS);
    expect([...documented().keys()]).toEqual(REASONS);
  });

  test.each(REASONS)("%s has a comment with its code, its details and a remedy", (reason) => {
    const { code, metadata } = toErrorStatus(new AppError(reason, "Why."));
    const details = detailsOf(metadata).filter((name) => name !== "ErrorInfo");
    const [, name = "", told = ""] = COMMENT.exec(documented().get(reason) ?? "") ?? [];
    expect(name).toBe(status[code]);
    expect(ERROR_CODES[reason]).toBe(name);
    for (const detail of details) expect(told).toContain(`\`${detail}\``);
  });

  test.each(REASONS)("%s says when to come back if and only if it is UNAVAILABLE", (reason) => {
    const { code, metadata } = toErrorStatus(new AppError(reason, "Why.", { retryDelayMs: 1_250 }));
    const isUnavailable = code === status.UNAVAILABLE;
    expect(detailsOf(metadata).includes("RetryInfo")).toBe(isUnavailable);
    expect(metadata.get("grpc-retry-pushback-ms")).toEqual(isUnavailable ? ["1250"] : []);
    expect(/RetryInfo/.test(documented().get(reason) ?? "")).toBe(isUnavailable);
  });

  test.each(rpcsOf(CONTRACT))("of $name are told once each, with their code", (method) => {
    const told = errorsOf(CONTRACT, method).flatMap(({ code, reasons }) =>
      reasons.map((reason) => ({ reason, code })),
    );
    const codes: Readonly<Record<string, string>> = ERROR_CODES;
    const known = told.map(({ reason }) => ({ reason, code: codes[reason] }));
    expect(told).toEqual(known);
    expect(new Set(told.map(({ reason }) => reason)).size).toBe(told.length);
  });
});
