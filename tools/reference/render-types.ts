// Messages and enums as tables.

import {
  type DescEnum,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  ScalarType,
} from "@bufbuild/protobuf";
import { type Contract, rpcsOf, typesWithin } from "./contract.ts";
import { inCell, page, table } from "./markdown.ts";
import { ruleText } from "./rule-text.ts";

/** Page of an rpc, relative to the folder of the reference. */
export function rpcPage({ parent, name }: DescMethod): string {
  return `${parent.name}/${name}.md`;
}

/** Page of a type that more than one rpc uses. */
export function typesPage(file: DescFile): string {
  const name = file.name
    .replace(/^memorysidecar\//, "")
    .replace(/^v1\//, "")
    .replace("/v1/", "-");
  return `types/${name}.md`;
}

/** Page of each type by its full name: of the only rpc that uses it, else of its file. */
export type TypePages = ReadonlyMap<string, string>;

/** The enum that the page of errors is about. */
const REASONS = "memorysidecar.v1.ErrorReason";

/** Finds the page of every type. */
export function typePagesOf(contract: Contract): TypePages {
  const users = new Map<string, Set<string>>();
  for (const method of rpcsOf(contract)) {
    const types = typesWithin(method.input);
    for (const type of typesWithin(method.output, types)) {
      const pages = users.get(type) ?? new Set();
      users.set(type, pages.add(rpcPage(method)));
    }
  }
  const pages = new Map<string, string>();
  for (const file of contract.files) {
    for (const { typeName } of [...file.messages, ...file.enums]) {
      const [only, ...others] = users.get(typeName) ?? [];
      pages.set(typeName, only !== undefined && others.length === 0 ? only : typesPage(file));
    }
  }
  pages.set(REASONS, "errors.md");
  return pages;
}

/** Location of a table, from which its links start. */
export interface Place {
  readonly contract: Contract;
  readonly pages: TypePages;
  /** Page that contains the table. */
  readonly page: string;
}

/** The types that a page documents. */
export function typesOn({ contract, pages, page: path }: Place): (DescMessage | DescEnum)[] {
  return contract.files
    .flatMap((file) => [...file.messages, ...file.enums])
    .filter(({ typeName }) => pages.get(typeName) === path);
}

/** A section about a message or an enum, its heading included. */
export function typeSection(place: Place, type: DescMessage | DescEnum): string {
  const body = type.kind === "message" ? fieldTable(place, type) : valueTable(place, type);
  return page(`### ${type.name}`, place.contract.comment(type.typeName), body).trimEnd();
}

/** The fields of a message. */
export function fieldTable(place: Place, message: DescMessage): string {
  if (message.members.length === 0) return "It has no fields.";
  const comment = (name: string): string =>
    inCell(place.contract.comment(`${message.typeName}.${name}`));
  const hasRules = message.fields.some((field) => place.contract.rules.hasRules(field));
  const row = (field: DescField, indent: string): string[] => [
    `${indent}\`${field.name}\``,
    typeText(place, field),
    ...(hasRules ? [inCell(ruleText(place.contract.rules, field))] : []),
    comment(field.name),
  ];
  const rows = message.members.flatMap((member) =>
    member.kind === "field"
      ? [row(member, "")]
      : [
          [
            `\`${member.name}\``,
            "one of these",
            ...(hasRules ? [place.contract.rules.isRequired(member) ? "required" : ""] : []),
            comment(member.name),
          ],
          ...member.fields.map((field) => row(field, "↳ ")),
        ],
  );
  return table(["Field", "Type", ...(hasRules ? ["Rules"] : []), "Meaning"], rows);
}

function valueTable({ contract }: Place, type: DescEnum): string {
  const rows = type.values.map(({ name }) => [
    `\`${name}\``,
    inCell(contract.comment(`${type.typeName}.${name}`)),
  ]);
  return table(["Value", "Meaning"], rows);
}

function typeText(place: Place, field: DescField): string {
  switch (field.fieldKind) {
    case "map":
      return `map of ${scalarName(field.mapKey)} to ${elementText(place, field)}`;
    case "list":
      return `repeated ${elementText(place, field)}`;
    case "scalar":
      return field.proto.proto3Optional
        ? `optional ${elementText(place, field)}`
        : elementText(place, field);
    default:
      return elementText(place, field);
  }
}

function elementText(place: Place, field: DescField): string {
  const type = field.message ?? field.enum;
  if (type !== undefined) return typeLink(place, type);
  return field.scalar === undefined ? "" : scalarName(field.scalar);
}

function scalarName(type: ScalarType): string {
  return ScalarType[type].toLowerCase();
}

function typeLink(
  { pages, page: from }: Place,
  { typeName, name }: DescMessage | DescEnum,
): string {
  const to = pages.get(typeName);
  if (to === undefined) return typeName;
  const heading = typeName === REASONS ? "every-reason" : name.toLowerCase();
  return `[${name}](${to === from ? "" : `../${to}`}#${heading})`;
}
