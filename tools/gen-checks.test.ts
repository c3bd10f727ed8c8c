// Goal: the generated checks skip messages without rules and handle recursive messages.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checksModule } from "./gen-checks.ts";

const ROOT = join(import.meta.dirname, "..");
const RULES = "memorysidecar/v1/rules.proto";
const HEAD = `syntax = "proto3";
package memorysidecar.v1;
import "${RULES}";
import "google/protobuf/struct.proto";
service S { rpc Do(DoRequest) returns (Plain); }
message Plain { string text = 1; Plain inner = 2; }
enum Kind { KIND_UNSPECIFIED = 0; KIND_ONE = 1; }
`;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gen-checks-"));
  mkdirSync(join(folder, "memorysidecar/v1"), { recursive: true });
  copyFileSync(join(ROOT, "proto", RULES), join(folder, RULES));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The checks of a contract with one request that has these fields. */
function checksOf(fields: string, more = ""): string {
  const text = `${HEAD}${more}\nmessage DoRequest { ${fields} }\n`;
  writeFileSync(join(folder, "memorysidecar/v1/s.proto"), text);
  const buf = join(ROOT, "node_modules/.bin/buf");
  const image = execFileSync(buf, ["build", "-o", "-"], { cwd: folder, maxBuffer: 2 ** 28 });
  return checksModule(fromBinary(FileDescriptorSetSchema, image));
}

describe("the checks of requests", () => {
  test("leave out fields, messages and requests without a rule", () => {
    const checks = checksOf("string text = 1; bool flag = 2; Plain plain = 3;");
    expect(checks).not.toMatch(/function|import \{|"\.memorysidecar/);
  });

  test("do not look at what only the server sets or what the rpc checks", () => {
    const checks = checksOf(
      `
      Kind one = 1 [(field_rules).output_only = true];
      repeated Node two = 2 [(field_rules).checked_by_rpc = true];`,
      "message Node { Kind kind = 1; }",
    );
    expect(checks).not.toContain("function");
  });

  test("follow a message that holds itself", () => {
    const node = "message Node { Node next = 1; string id = 2 [(field_rules).max_bytes = 8]; }";
    const checks = checksOf("Node node = 1;", node);
    expect(checks).toContain("function checkNode(v: Violations, m: Node)");
    expect(checks.match(/checkNode\(v, /g)).toHaveLength(2);
    expect(checks).toContain('fields.checkText(v, "id", m.id, 8)');
  });

  test("take the default of a number without presence for unset when no bound allows it", () => {
    const checks = checksOf(`
      int32 plain = 1 [(field_rules).min = 2];
      int32 required = 2 [(field_rules).min = 2, (field_rules).required = true];
      optional int32 present = 3 [(field_rules).min = 2];
      int32 from_zero = 4 [(field_rules).max = 2];`);
    expect(checks).toContain("if (m.plain != 0) {");
    expect(checks).not.toContain("m.required != 0");
    expect(checks).toContain("if (m.present !== undefined) {");
    expect(checks).not.toContain("m.fromZero != 0");
  });

  test("refuse the value 0 of an enum where it cannot mean unset", () => {
    const checks = checksOf(`
      Kind kind = 1;
      repeated Kind kinds = 2;
      oneof choice { Kind chosen = 3; }`);
    expect(checks).toContain("if (m.kind !== 0) fields.checkEnum");
    expect(checks.match(/must not be KIND_UNSPECIFIED/g)).toHaveLength(2);
  });

  test("refuse an empty text that is set, and only where it can be unset", () => {
    const rules = "[(field_rules).not_empty = true, (field_rules).max_bytes = 8]";
    const checks = checksOf(`optional string id = 1 ${rules};`);
    expect(checks).toContain("if (m.id !== undefined) {");
    expect(checks).toContain('if (m.id === "") v.add("id", "must not be empty; leave it unset");');
    expect(checks).toContain('else fields.checkText(v, "id", m.id, 8);');
    expect(() => checksOf(`string id = 1 ${rules};`)).toThrow(/without presence/);
  });

  test("name the requests that delete", () => {
    expect(checksOf("string text = 1;")).toContain("=> boolean>([\n]);");
    const purge = "service P { rpc Purge(Plain) returns (Plain) { option (destructive) = true; } }";
    expect(checksOf("string text = 1;", purge)).toContain(
      '  [".memorysidecar.v1.Plain", () => true],',
    );
    const field = "repeated string gone = 1 [(field_rules).destructive = true];";
    expect(checksOf(field)).toContain(
      '  [".memorysidecar.v1.DoRequest", (m) => m.gone.length > 0],',
    );
    const single = "string gone = 1 [(field_rules).destructive = true];";
    expect(() => checksOf(single)).toThrow(/is destructive and no list/);
  });

  test("need both limits of free-form data", () => {
    const field = "google.protobuf.Struct data = 1 [(field_rules).max_bytes = 8];";
    expect(() => checksOf(field)).toThrow(/max_depth/);
  });
});
