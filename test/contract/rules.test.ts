// Goal: the server keeps every rule that the contract gives a field. Each rule of each field that a
// request can hold is tried at its limit and one beyond it, in every request that holds the field.

import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  type DescMethod,
  type Message,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { describe, expect, test } from "vitest";
import { REQUEST_CHECKS } from "../../src/gen/checks.ts";
import { AdminServiceService } from "../../src/gen/memorysidecar/v1/admin_service.ts";
import { EventServiceService } from "../../src/gen/memorysidecar/v1/event_service.ts";
import { MemoryServiceService } from "../../src/gen/memorysidecar/v1/memory_service.ts";
import { RecallServiceService } from "../../src/gen/memorysidecar/v1/recall_service.ts";
import { RecordServiceService } from "../../src/gen/memorysidecar/v1/record_service.ts";
import { SessionServiceService } from "../../src/gen/memorysidecar/v1/session_service.ts";
import { TaskServiceService } from "../../src/gen/memorysidecar/v1/task_service.ts";
import { loadDescriptors } from "../../src/grpc/descriptors.ts";
import { Violations } from "../../src/grpc/violations.ts";
import { RuleReader } from "../../tools/rules.ts";
import { samplesOf } from "../support/contract/rule-samples.ts";

const registry = createFileRegistry(loadDescriptors());
const reader = new RuleReader(registry);
const forms = reader.forms();

const DECODERS = new Map(
  [
    ...[AdminServiceService, EventServiceService, MemoryServiceService, RecordServiceService],
    ...[RecallServiceService, SessionServiceService, TaskServiceService],
  ].flatMap((service) =>
    Object.values(service).map(({ path, requestDeserialize }) => [path, requestDeserialize]),
  ),
);

/** A place in a request where a field stands. */
interface Place {
  readonly method: DescMethod;
  /** As violations name it. */
  readonly path: string;
  /** Makes a request with the message that holds the field, after a change of it. */
  readonly build: (change: (message: ReflectMessage) => void) => Message;
}

const places = new Map<DescField, Place[]>();

function walk(desc: DescMessage, at: Place, above: readonly DescMessage[]): void {
  for (const field of desc.fields) {
    const path = at.path === "" ? field.name : `${at.path}.${field.name}`;
    places.set(field, [...(places.get(field) ?? []), { ...at, path }]);
    const { outputOnly, checkedByRpc } = reader.of(field);
    const inner = field.message;
    if (outputOnly || checkedByRpc || inner === undefined || above.includes(inner)) continue;
    if (!inner.typeName.startsWith("memorysidecar.")) continue;
    const isList = field.fieldKind === "list";
    const build: Place["build"] = (change) =>
      at.build((outer) => {
        const message = reflect(inner);
        change(message);
        if (isList) outer.get(field).add(message);
        else outer.set(field, message);
      });
    const innerPath = isList ? `${path}[0]` : path;
    walk(inner, { method: at.method, path: innerPath, build }, [...above, inner]);
  }
}

for (const service of registry) {
  if (service.kind !== "service" || !service.typeName.startsWith("memorysidecar.v1.")) continue;
  for (const method of service.methods) {
    const build: Place["build"] = (change) => {
      const message = reflect(method.input, create(method.input));
      change(message);
      return message.message;
    };
    walk(method.input, { method, path: "", build }, [method.input]);
  }
}

/** Number of times that the checks of a request name a field. */
function faultsAt({ method, build }: Place, path: string, change: (m: ReflectMessage) => void) {
  const bytes = toBinary(method.input, build(change));
  const decode = DECODERS.get(`/${method.parent.typeName}/${method.name}`);
  if (decode === undefined) throw new Error(`${method.name} is not served`);
  const violations = new Violations();
  REQUEST_CHECKS.get(`.${method.input.typeName}`)?.(violations, decode(Buffer.from(bytes)));
  const found = violations.error()?.detail.violations ?? [];
  return found.filter((fault) => fault.field === path);
}

type Change = (message: ReflectMessage) => void;

/** Expects that a change breaks the rules of a field, or not, wherever the field stands. */
function expectFault(field: DescField, broken: boolean, change: Change, suffix = ""): void {
  for (const place of places.get(field) ?? []) {
    const path = `${place.path}${suffix}`;
    const faults = faultsAt(place, path, change);
    expect(faults.length, `${place.method.name} ${path}`).toBe(broken ? 1 : 0);
    for (const { description } of faults) expect(description).not.toMatch(/undefined|NaN/);
  }
}

function asValue(field: DescField, value: unknown): unknown {
  return field.message === undefined ? value : reflect(field.message, value as Message);
}

function setter(field: DescField, value: unknown): Change {
  return (message) => {
    if (field.fieldKind === "list") message.get(field).add(asValue(field, value));
    else message.set(field, asValue(field, value));
  };
}

function entriesSetter(field: DescField, count: number): Change {
  return (message) => {
    if (field.fieldKind === "map") {
      for (let i = 0; i < count; i++) message.get(field).set(`k${i}`, "v");
    } else if (field.fieldKind === "list") {
      const list = message.get(field);
      for (let i = 0; i < count; i++) list.add(entryOf(field));
    }
  };
}

/** An entry of a list that a count can be tried with. */
function entryOf({ message, enum: type, scalar }: DescField): unknown {
  if (message !== undefined) return reflect(message);
  if (type !== undefined) return 1;
  return scalar === ScalarType.STRING ? "a" : 0;
}

const fields = [...places.keys()].filter((field) => !reader.of(field).outputOnly);
const named = (list: readonly DescField[]) =>
  list.map((field) => [`${field.parent.name}.${field.name}`, field] as const);

describe("a value", () => {
  const cases = fields
    .filter(({ fieldKind }) => fieldKind !== "map")
    .flatMap((field) =>
      samplesOf(field, reader.of(field), forms).map(
        (samples) => [`${field.parent.name}.${field.name}`, samples.rule, field, samples] as const,
      ),
    );

  test.each(cases)("of %s keeps the rule %s", (_name, _rule, field, { good, bad }) => {
    const suffix = field.fieldKind === "list" ? "[0]" : "";
    for (const value of good) expectFault(field, false, setter(field, value), suffix);
    const { message, oneof, proto } = field;
    const hasPresence = message !== undefined || oneof !== undefined || proto.proto3Optional;
    for (const value of bad) {
      // Without presence 0 is unset, which no bound speaks of.
      const unset = suffix === "" && !hasPresence && (value === 0 || value === 0n);
      if (!unset) expectFault(field, true, setter(field, value), suffix);
    }
  });
});

// Names become parts of keys of the store, and no key may take more than 1,978 bytes.
test("every text of a form has a maximum length", () => {
  const unbounded = fields.filter((field) => {
    const { form, maxBytes } = reader.of(field);
    return form > 0 && maxBytes === 0 && (forms.get(form)?.maxChars ?? 0) === 0;
  });
  expect(named(unbounded).map(([name]) => name)).toEqual([]);
});

describe("the entries", () => {
  test.each(named(fields.filter((field) => reader.of(field).maxItems > 0)))(
    "of %s are not too many",
    (_name, field) => {
      const { maxItems } = reader.of(field);
      expectFault(field, false, entriesSetter(field, maxItems));
      expectFault(field, true, entriesSetter(field, maxItems + 1));
    },
  );

  test.each(named(fields.filter((field) => reader.of(field).requiredEntries)))(
    "of %s are not empty",
    (_name, field) => {
      expectFault(field, true, setter(field, ""), "[0]");
      expectFault(field, false, setter(field, "a"), "[0]");
    },
  );

  const lists = fields.filter(({ fieldKind, enum: type }) => fieldKind === "list" && type);
  test.each(named(lists))("of %s are not unspecified", (_name, field) => {
    expectFault(field, true, setter(field, 0), "[0]");
  });
});

describe("a map", () => {
  const maps = fields.filter(({ fieldKind }) => fieldKind === "map");
  const entry = (key: string, value: string) => (field: DescField) => (message: ReflectMessage) => {
    if (field.fieldKind === "map") message.get(field).set(key, value);
  };

  test.each(named(maps))("%s has keys and values as its rules say", (_name, field) => {
    const { maxBytes, keyForm, maxKeyBytes } = reader.of(field);
    const form = forms.get(keyForm);
    const longest = form?.maxChars ?? maxKeyBytes;
    expect(maxBytes * longest).toBeGreaterThan(0);
    expectFault(field, false, entry("k", "v".repeat(maxBytes))(field), '["k"]');
    expectFault(field, true, entry("k", "v".repeat(maxBytes + 1))(field), '["k"]');
    expectFault(field, true, entry("", "v")(field), '[""]');
    const key = "k".repeat(longest);
    expectFault(field, false, entry(key, "v")(field), `["${key.slice(0, 40)}..."]`);
    expectFault(field, true, entry(`${key}k`, "v")(field), `["${key.slice(0, 40)}..."]`);
    if (form !== undefined) expectFault(field, true, entry("a b", "v")(field), '["a b"]');
  });
});

describe("what is required", () => {
  test.each(named(fields.filter((field) => reader.of(field).required)))(
    "is asked for in %s",
    (_name, field) => {
      const unset: Change = (message) => {
        if (field.oneof !== undefined) message.set(field, reflect(field.parent).get(field));
      };
      expectFault(field, true, unset);
    },
  );

  const oneofs = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))];
  test.each(oneofs.map((oneof) => [`${oneof.parent.name}.${oneof.name}`, oneof] as const))(
    "or not is said of %s",
    (_name, oneof) => {
      const [field] = oneof.fields;
      if (field === undefined) throw new Error("a oneof has fields");
      for (const place of places.get(field) ?? []) {
        const path = place.path.replace(/[^.]+$/, oneof.name);
        const faults = faultsAt(place, path, () => {});
        expect(faults.length, path).toBe(reader.isRequired(oneof) ? 1 : 0);
      }
    },
  );
});

describe("what only the server sets", () => {
  const outputs = [...places.keys()].filter((field) => reader.of(field).outputOnly);

  test.each(named(outputs))("is not looked at in %s", (_name, field) => {
    if (field.enum !== undefined) expectFault(field, false, setter(field, 999));
    else if (field.scalar === ScalarType.STRING) expectFault(field, false, setter(field, "\u0000"));
    else expectFault(field, false, () => {});
  });
});
