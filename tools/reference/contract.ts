// The contract as input of the reference: descriptors with their comments.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import {
  createFileRegistry,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescService,
  type FileRegistry,
  fromBinary,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { RuleReader } from "../rules.ts";

/** Output of `buf build`, comments included. */
export interface Contract {
  readonly registry: FileRegistry;
  /** The files of the public contract, by name. */
  readonly files: readonly DescFile[];
  readonly services: readonly DescService[];
  readonly rules: RuleReader;
  /** The comment of an item by its full name, such as `memorysidecar.v1.Session.session_id`. */
  readonly comment: (name: string) => string;
}

/** Builds the contract from the proto files. */
export function buildContract(root: string): Contract {
  const image = execFileSync(join(root, "node_modules/.bin/buf"), ["build", "-o", "-"], {
    cwd: root,
    maxBuffer: 2 ** 28,
  });
  const set = fromBinary(FileDescriptorSetSchema, image);
  const registry = createFileRegistry(set);
  const files = [...registry.files]
    .filter(({ proto }) => /^memorysidecar\.(?!storage)/.test(proto.package))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const comments = new Map(files.flatMap(({ proto }) => commentsOf(proto)));
  return {
    registry,
    files,
    services: files.flatMap((file) => file.services),
    rules: new RuleReader(registry),
    comment: (name) => comments.get(name) ?? "",
  };
}

/** Every rpc of the contract, in the order of the files. */
export function rpcsOf(contract: Contract): DescMethod[] {
  return contract.services.flatMap((service) => service.methods);
}

/** The JSON form of a message. Scores are rounded, as their last digits vary between machines. */
export function messageJson(
  { registry }: Contract,
  type: DescMessage,
  bytes: Uint8Array,
): JsonValue {
  return rounded(toJson(type, fromBinary(type, bytes), { registry }));
}

function rounded(value: JsonValue): JsonValue {
  if (typeof value === "number")
    return Number.isInteger(value) ? value : Number(value.toPrecision(2));
  if (Array.isArray(value)) return value.map(rounded);
  return typeof value === "object" && value !== null ? mapValues(value, rounded) : value;
}

/** An object with `change` applied to every value. */
export function mapValues(object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, inner]) => [key, change(inner)]));
}

/** All messages and enums that a message contains, at any depth, including itself. */
export function typesWithin(message: DescMessage, found = new Set<string>()): Set<string> {
  if (found.has(message.typeName) || !message.typeName.startsWith("memorysidecar.")) return found;
  found.add(message.typeName);
  for (const field of message.fields) {
    if (field.enum !== undefined) found.add(field.enum.typeName);
    if (field.message !== undefined) typesWithin(field.message, found);
  }
  return found;
}

/** An item by its full name, with its path in the source info. */
type Item = readonly [name: string, path: readonly number[]];

// Field numbers of descriptors, which form paths.
const FILE = { message: 4, enum: 5, service: 6 } as const;
const MESSAGE = { field: 2, nested: 3, enum: 4, oneof: 8 } as const;
const MEMBER = 2;

function commentsOf(file: FileDescriptorProto): [name: string, comment: string][] {
  const places = file.sourceCodeInfo?.location ?? [];
  const byPath = new Map(places.map((place) => [place.path.join("."), place.leadingComments]));
  return itemsOf(file).map(([name, path]) => {
    const lines = (byPath.get(path.join(".")) ?? "").split("\n");
    return [
      name,
      lines
        .map((line) => line.replace(/^ /, ""))
        .join("\n")
        .trim(),
    ];
  });
}

function itemsOf(file: FileDescriptorProto): Item[] {
  const scope = file.package;
  return [
    ...file.messageType.flatMap((desc, at) => itemsOfMessage(desc, scope, [FILE.message, at])),
    ...file.enumType.flatMap((desc, at) => itemsOfEnum(desc, scope, [FILE.enum, at])),
    ...file.service.flatMap((desc, at) => {
      const item: Item = [`${scope}.${desc.name}`, [FILE.service, at]];
      return [item, ...membersOf(desc.method, item, MEMBER)];
    }),
  ];
}

function itemsOfMessage(desc: DescriptorProto, scope: string, path: readonly number[]): Item[] {
  const item: Item = [`${scope}.${desc.name}`, path];
  const [name] = item;
  return [
    item,
    ...membersOf(desc.field, item, MESSAGE.field),
    ...membersOf(desc.oneofDecl, item, MESSAGE.oneof),
    ...desc.enumType.flatMap((one, at) => itemsOfEnum(one, name, [...path, MESSAGE.enum, at])),
    ...desc.nestedType.flatMap((one, at) =>
      itemsOfMessage(one, name, [...path, MESSAGE.nested, at]),
    ),
  ];
}

function itemsOfEnum(desc: EnumDescriptorProto, scope: string, path: readonly number[]): Item[] {
  const item: Item = [`${scope}.${desc.name}`, path];
  return [item, ...membersOf(desc.value, item, MEMBER)];
}

function membersOf(
  members: readonly { readonly name: string }[],
  [scope, path]: Item,
  number: number,
): Item[] {
  return members.map(({ name }, at) => [`${scope}.${name}`, [...path, number, at]]);
}
