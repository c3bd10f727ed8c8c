// The checks of requests, made from the rules in the contract: one function for each message.
//
// Plain code instead of a table that is walked: an append of one message passes them in a third of
// a microsecond. Rules that join fields are not here but in the checks.ts of each feature.

import {
  createFileRegistry,
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  ScalarType,
} from "@bufbuild/protobuf";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { type FieldRules, RuleReader, type TextForm } from "./rules.ts";

const HEAD = `// Generated from the rules in proto/memorysidecar/v1 by tools/gen-checks.ts. DO NOT EDIT.
//
// Checks every request field by field. Rules that join fields stand in
// the checks.ts of each feature.

import * as fields from "../grpc/fields.ts";
import type { Violations } from "../grpc/violations.ts";
`;

/** Messages that represent a value, with their own checks if any. */
const VALUES = {
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
  struct: "google.protobuf.Struct",
} as const;

/** Maximum number of oneof fields that a violation names. */
const NAMED_CHOICES = 6;

/** Source text of the module with the checks of every served request. */
export function checksModule(set: FileDescriptorSet): string {
  const registry = createFileRegistry(set);
  const services = [...registry].filter(
    (desc) => desc.kind === "service" && desc.typeName.startsWith("memorysidecar.v1."),
  );
  const methods = services.flatMap((service) =>
    service.kind === "service" ? service.methods : [],
  );
  const reader = new RuleReader(registry);
  const destructive = methods.flatMap((method) => {
    const { input } = method;
    const test = reader.isDestructive(method) ? "() => true" : destructiveWhen(reader, input);
    return test === "" ? [] : [`  [".${input.typeName}", ${test}],`];
  });
  return [
    new ChecksWriter(reader).module(methods.map(({ input }) => input)),
    "/** Tells which requests delete what is stored, by the name of their type, with a leading dot. */",
    "export const DESTRUCTIVE_REQUESTS: ReadonlyMap<string, (m: any) => boolean> = new Map<string, (m: any) => boolean>([",
    ...destructive,
    "]);\n",
  ].join("\n");
}

/** Tells when the fields of a request make it destructive; empty for never. */
function destructiveWhen(reader: RuleReader, { fields }: DescMessage): string {
  const conditions = fields.flatMap((field) => {
    if (!reader.of(field).destructive) return [];
    if (field.fieldKind !== "list") throw new Error(`${String(field)} is destructive and no list`);
    return [`m.${field.localName}.length > 0`];
  });
  return conditions.length === 0 ? "" : `(m) => ${conditions.join(" || ")}`;
}

/** Subject of a check: the expressions for its value and for its name in violations. */
interface Subject {
  /** An expression for the value. */
  readonly value: string;
  /** An expression for the name of the field. */
  readonly name: string;
  readonly field: DescField;
  readonly rules: FieldRules;
  /** Whether the default counts as a set value. */
  readonly present: boolean;
  /** Whether the default is refused. */
  readonly required: boolean;
}

class ChecksWriter {
  readonly #reader: RuleReader;
  readonly #forms: ReadonlyMap<number, TextForm>;
  readonly #imports = new Map<string, Set<string>>();
  readonly #usedForms = new Set<number>();
  #bodies = new Map<DescMessage, readonly string[]>();
  /** Messages that have checks. */
  #active = new Set<DescMessage>();

  constructor(reader: RuleReader) {
    this.#reader = reader;
    this.#forms = reader.forms();
  }

  module(requests: readonly DescMessage[]): string {
    // First messages with rules of their own, then those that contain such messages, and so on.
    for (let known = -1; known < this.#active.size; ) {
      known = this.#active.size;
      this.#bodies = new Map();
      this.#imports.clear();
      for (const request of requests) this.#visit(request);
      const checked = [...this.#bodies].filter(([, body]) => body.length > 0);
      this.#active = new Set(checked.map(([desc]) => desc));
    }
    const checked = [...this.#bodies].filter(([desc]) => this.#active.has(desc));
    const functions = checked.map(([desc, body]) => {
      this.#use(desc, desc.name, true);
      return functionText(desc, body);
    });
    const table = requests
      .filter((request) => this.#active.has(request))
      .map((request) => `  [".${request.typeName}", ${functionName(request)}],`);
    const constants = [...this.#usedForms]
      .sort((one, other) => one - other)
      .map((number) => {
        const { name, pattern, meaning, maxChars } = this.#form(number);
        const text = JSON.stringify({ meaning, maxChars });
        return `const ${name} = fields.textForm(${regExpText(pattern)}, ${text});\n`;
      });
    return [
      HEAD.trimEnd(),
      `${this.#importText()}\n`,
      constants.join(""),
      functions.join("\n"),
      "/** The checks of requests by the name of their type, with a leading dot. */",
      "export const REQUEST_CHECKS: ReadonlyMap<string, (v: Violations, m: any) => void> = new Map<string, (v: Violations, m: any) => void>([",
      ...table,
      "]);\n",
    ].join("\n");
  }

  #importText(): string {
    return [...this.#imports]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([file, names]) => `import { ${[...names].sort().join(", ")} } from "./${file}.ts";`)
      .join("\n");
  }

  #use(type: DescMessage | DescEnum, name: string, asType = false): string {
    const names = this.#imports.get(type.file.name) ?? new Set();
    this.#imports.set(type.file.name, names.add(asType ? `type ${name}` : name));
    return name;
  }

  #form(number: number): TextForm {
    const form = this.#forms.get(number);
    if (form === undefined) throw new Error(`TextForm ${number} has no option text_pattern`);
    return form;
  }

  #formName(number: number): string {
    this.#usedForms.add(number);
    return this.#form(number).name;
  }

  #visit(desc: DescMessage): void {
    if (this.#bodies.has(desc)) return;
    // Messages may be recursive: the entry must exist before it is filled.
    this.#bodies.set(desc, []);
    const body = desc.members.flatMap((member) =>
      member.kind === "oneof" ? this.#oneof(member) : this.#field(member),
    );
    this.#bodies.set(desc, body);
  }

  #oneof(oneof: DescOneof): string[] {
    const value = `m.${oneof.localName}`;
    const cases = oneof.fields.flatMap((field) => {
      const body = this.#single(field, `${value}.value`, true);
      return body.length === 0
        ? []
        : [`case ${JSON.stringify(field.localName)}:`, ...body, "break;"];
    });
    if (this.#reader.isRequired(oneof)) {
      cases.unshift("case undefined:", add(oneof.name, choiceText(oneof)), "break;");
    }
    return cases.length === 0 ? [] : [`switch (${value}?.$case) {`, ...cases, "}"];
  }

  #field(field: DescField): string[] {
    const rules = this.#reader.of(field);
    if (rules.outputOnly) return [];
    const value = `m.${field.localName}`;
    if (field.fieldKind === "list") return this.#list(field, value, rules);
    if (field.fieldKind === "map") return this.#map(field, value, rules);
    const optional = field.proto.proto3Optional;
    if (!optional) return this.#single(field, value, false);
    const body = this.#single(field, value, true);
    const rest = body.length === 0 ? [] : [`if (${value} !== undefined) {`, ...body, "}"];
    if (!rules.required) return rest;
    return [`if (${value} === undefined) ${add(field.name, "is required")}`, ...rest.map(elseIf)];
  }

  /** The check of a field that holds one value. */
  #single(field: DescField, value: string, present: boolean): string[] {
    const rules = this.#reader.of(field);
    if (rules.outputOnly) return [];
    const name = JSON.stringify(field.name);
    return this.#value({ value, name, field, rules, present, required: rules.required });
  }

  #value(subject: Subject): string[] {
    const { field } = subject;
    if (field.message !== undefined) return this.#message(subject, field.message);
    if (field.enum !== undefined) return this.#enumeration(subject, field.enum);
    switch (field.scalar) {
      case ScalarType.STRING:
        return this.#text(subject);
      case ScalarType.BYTES:
        return bytes(subject);
      case ScalarType.BOOL:
        return [];
      default:
        return number(subject);
    }
  }

  #text({ value, name, field, rules, present, required }: Subject): string[] {
    const { maxBytes, form, notEmpty } = rules;
    if (notEmpty && !present) throw new Error(`${String(field)} is not_empty without presence`);
    const args = `v, ${name}, ${value}`;
    const length = maxBytes > 0 ? `fields.checkText(${args}, ${maxBytes})` : "";
    const look = form > 0 ? `fields.checkForm(${args}, ${this.#formName(form)})` : "";
    const fault = required ? "is required" : notEmpty ? "must not be empty; leave it unset" : "";
    const isSet = fault === "" ? `${value} !== ""` : "";
    // A text that is too long gets no violation about its form.
    const last = look === "" ? length : look;
    const conditions = [isSet, last === look ? length : ""].filter((part) => part !== "");
    const guard = conditions.length === 0 ? "" : `if (${conditions.join(" && ")}) `;
    const check = last === "" ? [] : [`${guard}${last};`];
    if (fault === "") return check;
    return [refuse(`${value} === ""`, name, fault), ...check.map((line) => `else ${line}`)];
  }

  #enumeration({ value, name, field, present, required }: Subject, type: DescEnum): string[] {
    const names = this.#use(type, type.name);
    const check = `fields.checkEnum(v, ${name}, ${value}, ${names});`;
    const zero = `must not be ${type.values[0]?.name}`;
    if (field.fieldKind === "list" || present)
      return [refuse(`${value} === 0`, name, zero), `else ${check}`];
    if (required) return [refuse(`${value} === 0`, name, "is required"), `else ${check}`];
    return [`if (${value} !== 0) ${check}`];
  }

  #message(subject: Subject, type: DescMessage): string[] {
    const { value, name, field, rules, present, required } = subject;
    if (type.typeName === VALUES.struct) {
      if (rules.maxBytes === 0 || rules.maxDepth === 0) {
        throw new Error(`${String(field)} needs max_bytes and max_depth`);
      }
      const limits = `{ maxBytes: ${rules.maxBytes}, maxDepth: ${rules.maxDepth} }`;
      return [`if (${value}.length > 0) fields.checkFreeForm(v, ${name}, ${value}, ${limits});`];
    }
    let check: string[] = [];
    if (type.typeName === VALUES.timestamp)
      check = [`fields.checkTimestamp(v, ${name}, ${value});`];
    else if (type.typeName === VALUES.duration) {
      check = [`fields.checkDuration(v, ${name}, ${value}, ${boundsText(rules)});`];
    } else if (type.typeName.startsWith("memorysidecar.") && !rules.checkedByRpc) {
      this.#visit(type);
      if (this.#active.has(type)) {
        check = [`v.enter(${name});`, `${functionName(type)}(v, ${value});`, "v.leave();"];
      }
    }
    const missing = refuse(`${value} === undefined`, name, "is required");
    if (present) return check;
    if (check.length === 0) return required ? [missing] : [];
    if (required) return [missing, "else {", ...check, "}"];
    return [`if (${value} !== undefined) {`, ...check, "}"];
  }

  #list(field: DescField, value: string, rules: FieldRules): string[] {
    const name = JSON.stringify(field.name);
    const entries = this.#entries(field, value, rules);
    const loop =
      entries.length === 0
        ? []
        : [`for (let i = 0; i < ${value}.length && !v.full; i++) {`, ...entries, "}"];
    let body = loop;
    if (rules.maxItems > 0) {
      const over = `${value}.length > ${rules.maxItems}`;
      const fault = `fields.addCount(v, ${name}, ${value}.length, ${rules.maxItems});`;
      body = [`if (${over}) ${fault}`, ...(loop.length === 0 ? [] : ["else {", ...loop, "}"])];
    }
    if (!rules.required) return body;
    const missing = `if (${value}.length === 0) v.add(${name}, "must have 1 entry at least", 1);`;
    return body.length === 0 ? [missing] : [missing, "else {", ...body, "}"];
  }

  #entries(field: DescField, list: string, rules: FieldRules): string[] {
    const value = `${list}[i]!`;
    const type = field.message;
    if (rules.checkedByRpc) return [];
    if (type?.typeName.startsWith("memorysidecar.") === true) {
      this.#visit(type);
      if (!this.#active.has(type)) return [];
      const enter = `v.enterItem(${JSON.stringify(field.name)}, i);`;
      return [enter, `${functionName(type)}(v, ${value});`, "v.leaveItem();"];
    }
    const name = `\`${field.name}[\${i}]\``;
    const required = rules.requiredEntries;
    return this.#value({ value, name, field, rules, present: true, required });
  }

  #map(field: DescField, value: string, rules: FieldRules): string[] {
    const parts = [
      `maxItems: ${rules.maxItems}`,
      `maxBytes: ${rules.maxBytes}`,
      ...(rules.keyForm > 0 ? [`keyForm: ${this.#formName(rules.keyForm)}`] : []),
      ...(rules.maxKeyBytes > 0 ? [`maxKeyBytes: ${rules.maxKeyBytes}`] : []),
    ];
    if (!this.#reader.hasRules(field)) return [];
    const check = `fields.checkMap(v, ${JSON.stringify(field.name)}, ${value}, { ${parts.join(", ")} });`;
    return [`if (${value}.size > 0) ${check}`];
  }
}

/** Lists the fields of a oneof, or the first of many. */
function choiceText({ fields }: DescOneof): string {
  const names = fields.map(({ name }) => name);
  if (names.length > NAMED_CHOICES) return `is required: ${names[0]} or another of its fields`;
  return `one of ${names.slice(0, -1).join(", ")} and ${names.at(-1)} is required`;
}

function bytes({ value, name, rules, required }: Subject): string[] {
  const check = `fields.checkBytes(v, ${name}, ${value}, ${rules.maxBytes});`;
  const lines = required ? [`if (${value}.length === 0) v.add(${name}, "is required");`] : [];
  return rules.maxBytes > 0 ? [...lines, check] : lines;
}

function number({ value, name, field, rules, present, required }: Subject): string[] {
  const { min, max, above, below } = rules;
  const conditions = [
    ...(min === undefined ? [] : [`${value} >= ${min}`]),
    ...(above === undefined ? [] : [`${value} > ${above}`]),
    ...(max === undefined ? [] : [`${value} <= ${max}`]),
    ...(below === undefined ? [] : [`${value} < ${below}`]),
  ];
  const isFloat = field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT;
  if (conditions.length === 0) {
    if (isFloat) return [refuse(`!Number.isFinite(${value})`, name, "must be a finite number")];
    return required ? [refuse(`${value} == 0`, name, "is required")] : [];
  }
  if (isFloat && conditions.length === 1) conditions.push(`Number.isFinite(${value})`);
  const check = `if (!(${conditions.join(" && ")})) fields.addRange(v, ${name}, ${value}, ${boundsText(rules)});`;
  const zeroFits = (min ?? 0) <= 0 && (above ?? -1) < 0 && (max ?? 0) >= 0 && (below ?? 1) > 0;
  if (present || required || zeroFits) return [check];
  return [`if (${value} != 0) {`, check, "}"];
}

function boundsText({ min, max, above, below }: FieldRules): string {
  return JSON.stringify({ min, max, above, below });
}

function regExpText(pattern: string): string {
  return `/^(?:${pattern.replaceAll("/", "\\/")})$/u`;
}

function refuse(condition: string, name: string, said: string): string {
  return `if (${condition}) v.add(${name}, ${JSON.stringify(said)});`;
}

function add(field: string, said: string): string {
  return `v.add(${JSON.stringify(field)}, ${JSON.stringify(said)});`;
}

function elseIf(line: string, index: number): string {
  return index === 0 ? `else ${line}` : line;
}

function functionName({ name }: DescMessage): string {
  return `check${name}`;
}

function functionText(desc: DescMessage, body: readonly string[]): string {
  const head = `export function ${functionName(desc)}(v: Violations, m: ${desc.name}): void {`;
  return [`/** Checks ${desc.name}. */`, head, ...indented(body), "}\n"].join("\n");
}

/** Indents lines by the brackets and cases that they open and close. */
function indented(lines: readonly string[]): string[] {
  let depth = 1;
  return lines.map((line) => {
    if (line.startsWith("}")) depth -= 1;
    const text = `${"  ".repeat(depth)}${line}`;
    if (line.endsWith("{") || line.startsWith("case ")) depth += 1;
    if (line === "break;") depth -= 1;
    return text;
  });
}
