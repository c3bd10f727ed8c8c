// A contract of one rpc and one reason, with each of its parts missing in turn.

import { describe, expect, test } from "vitest";
import { reasonProblems, rpcProblems } from "./contract.ts";

const PROTO = "proto/memorysidecar/v1/session_service.proto";
const REASONS = "proto/memorysidecar/v1/error_reason.proto";

describe("rpcs", () => {
  const whole = new Map([
    [PROTO, "service S {\n  // Gets.\n  rpc GetSession(A) returns (B);\n}\n"],
    ["src/session/rpc.ts", "export const getSession = {};"],
    ["test/contract/sessions.test.ts", "await client.getSession({});"],
  ]);

  test("are served and have a contract test", () => {
    expect(rpcProblems(whole)).toEqual([]);
  });

  test.each(["src/session/rpc.ts", "test/contract/sessions.test.ts"])(
    "are not done without %s",
    (path) => {
      const project = new Map(whole);
      project.delete(path);
      expect(rpcProblems(project)).toHaveLength(1);
    },
  );

  test("of a service that hooks implement need no route", () => {
    const service = "service HookService {\n  rpc Summarize(A) returns (B);\n}\n";
    const called = "proto/memorysidecar/hook/v1/hook_service.proto";
    expect(rpcProblems(new Map(whole).set(called, service))).toEqual([]);
    const served = "proto/memorysidecar/v1/hook_service.proto";
    expect(rpcProblems(new Map(whole).set(served, service))).toHaveLength(2);
  });
});

describe("reasons", () => {
  const whole = new Map([
    [REASONS, "enum R {\n  ERROR_REASON_UNSPECIFIED = 0;\n  ERROR_REASON_GONE = 1;\n}\n"],
    ["src/kit/errors.ts", 'export function gone() { return new AppError("GONE", "x"); }'],
    ["src/session/a.ts", 'import { gone } from "../kit/errors.ts";\nthrow gone();'],
    ["test/contract/a.test.ts", 'expect(reason).toBe("GONE");'],
  ]);

  test("are raised and tested", () => {
    expect(reasonProblems(whole)).toEqual([]);
  });

  test("are raised by a constructor that somebody imports, not only defined", () => {
    const project = new Map(whole).set("src/session/a.ts", "");
    expect(reasonProblems(project)).toEqual(["GONE: nothing in src raises it"]);
    project.set("src/session/b.ts", 'throw new AppError("GONE", "x");');
    expect(reasonProblems(project)).toEqual([]);
  });

  test("are expected by a test", () => {
    const project = new Map(whole);
    project.delete("test/contract/a.test.ts");
    expect(reasonProblems(project)).toEqual(["GONE: no test expects it"]);
  });
});
