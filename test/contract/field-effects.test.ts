// Goal: no field of a policy, a memory policy, a recall or a context is accepted and without
// effect. Every field of the contract has a row that says when it has one; where another choice
// takes the effect away, the field is refused by its name, with why and what to do.

import { createFileRegistry, type DescMessage, fromJson, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { checkAssembleContext } from "../../src/context/checks.ts";
import { REQUEST_CHECKS } from "../../src/gen/checks.ts";
import { MemoryPolicy } from "../../src/gen/memorysidecar/v1/memory.ts";
import { Policy } from "../../src/gen/memorysidecar/v1/policy.ts";
import {
  AssembleContextRequest,
  RecallRequest,
} from "../../src/gen/memorysidecar/v1/recall_service.ts";
import { loadDescriptors } from "../../src/grpc/descriptors.ts";
import { Violations } from "../../src/grpc/violations.ts";
import { checkRecall } from "../../src/recall/checks.ts";
import { FIELD_EFFECTS } from "../support/contract/field-effects.ts";
import { checkWholeMemoryPolicy, checkWholePolicy } from "../support/contract/whole-checks.ts";

const registry = createFileRegistry(loadDescriptors());

function messageOf(name: string): DescMessage {
  const found = registry.getMessage(`memorysidecar.v1.${name}`);
  if (found === undefined) throw new Error(`There is no message ${name}.`);
  return found;
}

/** Violations that the server finds in the bytes of a message at the root. */
const CHECKS: Readonly<Record<string, (v: Violations, bytes: Uint8Array) => void>> = {
  Policy: (v, bytes) => checkWholePolicy(v, Policy.decode(bytes)),
  MemoryPolicy: (v, bytes) => checkWholeMemoryPolicy(v, MemoryPolicy.decode(bytes)),
  RecallRequest: (v, bytes) => {
    const request = RecallRequest.decode(bytes);
    REQUEST_CHECKS.get(".memorysidecar.v1.RecallRequest")?.(v, request);
    checkRecall(request, v);
  },
  AssembleContextRequest: (v, bytes) => {
    const request = AssembleContextRequest.decode(bytes);
    REQUEST_CHECKS.get(".memorysidecar.v1.AssembleContextRequest")?.(v, request);
    checkAssembleContext(request, v);
  },
};

function faultsOf(root: string, json: object) {
  const desc = messageOf(root);
  const violations = new Violations();
  // Without what is undefined, which JSON does not know.
  const plain = JSON.parse(JSON.stringify(json)) as Parameters<typeof fromJson>[1];
  CHECKS[root]?.(violations, toBinary(desc, fromJson(desc, plain, { registry })));
  return (violations.error()?.detail.violations ?? []).map(({ field, description }) => ({
    field: field.replace(/^(memory_)?policy\./, ""),
    description,
  }));
}

/** Messages that say the same wherever they stand, and have tables of their own. */
const ELSEWHERE = new Set(["Embedding", "MemoryScope", "ScopeFilter", "MetadataCondition"]);

function fieldsBelow(desc: DescMessage, seen = new Set<DescMessage>()): readonly string[] {
  if (seen.has(desc) || ELSEWHERE.has(desc.name)) return [];
  if (!desc.typeName.startsWith("memorysidecar.")) return [];
  seen.add(desc);
  return desc.fields.flatMap((field) => [
    `${desc.name}.${field.name}`,
    ...(field.message === undefined ? [] : fieldsBelow(field.message, seen)),
  ]);
}

describe.each(Object.entries(FIELD_EFFECTS))("%s", (root, effects) => {
  test("has a row for each field, and for no other", () => {
    const shared = root === "AssembleContextRequest" ? /^(RecallWeights|CustomTokenRule)\./ : /^$/;
    const fields = fieldsBelow(messageOf(root)).filter((field) => !shared.test(field));
    expect(Object.keys(effects).sort()).toEqual([...fields].sort());
  });

  const rows = Object.entries(effects).flatMap(([name, effect]) =>
    typeof effect === "string" ? [] : [[name, effect.when, effect] as const],
  );

  test.each(rows)("%s is refused when it has no effect (%s)", (name, _, effect) => {
    const field = effect.field ?? name.slice(name.indexOf(".") + 1);
    const stageField = name.startsWith("PolicyStage.") && effect.field === undefined;
    const path = stageField ? `stages[0].${field}` : field;
    const faults = faultsOf(root, effect.idle);
    expect(faults.map((fault) => fault.field)).toContain(path);
    expect(faults.find((fault) => fault.field === path)?.description).not.toBe("");
    expect(faultsOf(root, effect.used)).toEqual([]);
  });
});
