import { describe, expect, test } from "vitest";
import { requestInvalid } from "../kit/errors.ts";
import { ConditionFault } from "../window/conditions/condition.ts";
import { toErrorStatus } from "./error-status.ts";

/** The trailers that stock clients take, less what base64 adds. */
const DETAILS_BYTES_MAX = (8_192 * 3) / 4;

function detailsOf(violations: Parameters<typeof requestInvalid>[0]): Buffer {
  const [details] = toErrorStatus(requestInvalid(violations)).metadata.get(
    "grpc-status-details-bin",
  );
  if (!Buffer.isBuffer(details)) throw new Error("An error has no details.");
  return details;
}

describe("the faulty fields of a request", () => {
  test("come with all that is said of a condition", () => {
    const description = `at character 1024: ${new ConditionFault(0, "x".repeat(999)).message}`;
    // The first fault is in the message of the error as well.
    const faults = [
      { field: "name", description: "is wrong" },
      { field: "policy", description },
    ];
    expect(detailsOf(faults).includes(description)).toBe(true);
  });

  test("stay within what stock clients take, many and long as they may be", () => {
    const long = { field: "f".repeat(1_000), description: "d".repeat(1_000) };
    expect(detailsOf(Array(100).fill(long)).length).toBeLessThan(DETAILS_BYTES_MAX);
  });
});
