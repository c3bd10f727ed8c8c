// That generated code in every language has the names of the contract, and one package for each
// language. Read from descriptors, which is what generators see.

import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  type FileOptions,
} from "@bufbuild/protobuf/wkt";
import { type NameKind, pascalCase, RESERVED_WORDS } from "./reserved-words.ts";

/** A name that a rule refuses and that stays, with the reason. */
export interface NameException {
  /** The name from its package on, such as `memorysidecar.v1.Session.window`. */
  readonly name: string;
  readonly reason: string;
}

interface Found {
  readonly name: string;
  readonly problem: string;
}

/** The files that clients and hooks are generated from: all of ours but the records on disk. */
export function publicFiles(files: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  return files.filter((file) => /^memorysidecar\.(?!storage\.)/.test(file.package));
}

/** Names what generators would rename or refuse, and exceptions that nothing needs. */
export function nameProblems(
  files: readonly FileDescriptorProto[],
  exceptions: readonly NameException[],
): string[] {
  const found = files.flatMap(problemsOfFile);
  const excepted = new Set(exceptions.map(({ name }) => name));
  const names = new Set(found.map(({ name }) => name));
  const unused = exceptions.filter(({ name }) => !names.has(name));
  return [
    ...found
      .filter(({ name }) => !excepted.has(name))
      .map(({ name, problem }) => `${name}: ${problem}`),
    ...unused.map(({ name }) => `${name}: an exception that nothing needs`),
  ];
}

function problemsOfFile(file: FileDescriptorProto): Found[] {
  const types = [
    ...file.messageType.flatMap((message) => problemsOfMessage(message, file.package)),
    ...file.enumType.flatMap((type) => problemsOfEnum(type, file.package)),
  ];
  const rpcs = file.service.flatMap((service) =>
    service.method.flatMap(({ name }) =>
      reserved("rpc", name, `${file.package}.${service.name}.${name}`),
    ),
  );
  return [...types, ...rpcs];
}

function problemsOfMessage(message: DescriptorProto, outer: string): Found[] {
  // Generators hide the entries of a map.
  if (message.options?.mapEntry === true) return [];
  const path = `${outer}.${message.name}`;
  return [
    ...reserved("type", message.name, path),
    ...message.field.flatMap(({ name }) => reserved("field", name, `${path}.${name}`)),
    ...message.oneofDecl
      .filter(({ name }) => !name.startsWith("_"))
      .flatMap(({ name }) => reserved("field", name, `${path}.${name}`)),
    ...ownNameProblems(message, path),
    ...accessorProblems(message, path),
    ...message.nestedType.flatMap((nested) => problemsOfMessage(nested, path)),
    ...message.enumType.flatMap((type) => problemsOfEnum(type, path)),
  ];
}

function problemsOfEnum(type: EnumDescriptorProto, outer: string): Found[] {
  const path = `${outer}.${type.name}`;
  const prefix = `${type.name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toUpperCase()}_`;
  const values = type.value.flatMap(({ name }) =>
    reserved(
      "enum value",
      name.startsWith(prefix) ? name.slice(prefix.length) : name,
      `${path}.${name}`,
    ),
  );
  return [...reserved("type", type.name, path), ...values];
}

function reserved(kind: NameKind, name: string, path: string): Found[] {
  const languages = RESERVED_WORDS.filter(
    (list) => list.kind === kind && list.words.has(list.casing(name)),
  ).map(({ language }) => language);
  if (languages.length === 0) return [];
  return [{ name: path, problem: `a word that ${[...new Set(languages)].join(", ")} cannot use` }];
}

/** C# has no member of the name of its class: the generator adds an underscore. */
function ownNameProblems(message: DescriptorProto, path: string): Found[] {
  return message.field
    .filter(({ name }) => pascalCase(name) === message.name)
    .map(({ name }) => ({ name: `${path}.${name}`, problem: "the name of its message, in C#" }));
}

/** Fields whose accessors in Java, such as `getXCount`, are those of another field. */
function accessorProblems(message: DescriptorProto, path: string): Found[] {
  const names = new Map(message.field.map(({ name }) => [pascalCase(name), name]));
  return message.field.flatMap((field) =>
    javaSuffixes(field, message).flatMap((suffix) => {
      const other = names.get(`${pascalCase(field.name)}${suffix}`);
      if (other === undefined) return [];
      return [{ name: `${path}.${other}`, problem: `has an accessor of ${field.name}, in Java` }];
    }),
  );
}

/** Suffixes of Java's accessors of a field. */
function javaSuffixes(field: FieldDescriptorProto, message: DescriptorProto): readonly string[] {
  const isMap = message.nestedType.some(
    ({ name, options }) => options?.mapEntry === true && field.typeName.endsWith(`.${name}`),
  );
  if (isMap) return ["Count", "Map", "OrDefault", "OrThrow"];
  const repeated = field.label === FieldDescriptorProto_Label.REPEATED;
  const many = repeated ? ["Count", "List"] : [];
  if (field.type === FieldDescriptorProto_Type.ENUM) {
    return [...many, "Value", ...(repeated ? ["ValueList"] : [])];
  }
  if (field.type === FieldDescriptorProto_Type.STRING) return [...many, "Bytes"];
  if (field.type !== FieldDescriptorProto_Type.MESSAGE) return many;
  const builders = ["Builder", "OrBuilder"];
  return [...many, ...builders, ...(repeated ? builders.map((name) => `${name}List`) : [])];
}

const TEXT_OPTIONS = [
  ...["csharpNamespace", "goPackage", "javaOuterClassname", "javaPackage"],
  ...["phpNamespace", "rubyPackage"],
] as const;

/** Names files without the options of a language, and outer classes with the name of a type. */
export function optionProblems(files: readonly FileDescriptorProto[]): string[] {
  return files.flatMap((file) => {
    const options: Partial<FileOptions> = file.options ?? {};
    const missing = TEXT_OPTIONS.filter(
      (name) => (options[name as keyof FileOptions] ?? "") === "",
    );
    const problems = missing.map((name) => `${file.name}: no option ${name}`);
    if (options.javaMultipleFiles !== true) problems.push(`${file.name}: no javaMultipleFiles`);
    return [...problems, ...outerClassProblems(file, files)];
  });
}

function outerClassProblems(
  file: FileDescriptorProto,
  files: readonly FileDescriptorProto[],
): string[] {
  const outer = file.options?.javaOuterClassname.toLowerCase();
  if (outer === undefined || outer === "") return [];
  return (
    files
      .filter(({ options }) => options?.javaPackage === file.options?.javaPackage)
      .flatMap((other) => {
        const types = [...other.messageType, ...other.enumType, ...other.service];
        const names = types.map(({ name }) => name);
        if (other !== file) names.push(other.options?.javaOuterClassname ?? "");
        return names;
      })
      // Classes are files, and some file systems ignore case.
      .filter((name) => name.toLowerCase() === outer)
      .map((name) => `${file.name}: its outer class is also ${name}`)
  );
}
