// Descriptors of one message, enum or file with one fault, and the same without it.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type DescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileOptionsSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { nameProblems, optionProblems, publicFiles } from "./contract-names.ts";

type MessageInit = MessageInitShape<typeof DescriptorProtoSchema>;
type FileInit = MessageInitShape<typeof FileDescriptorProtoSchema>;
type FieldInit = NonNullable<MessageInit["field"]>[number];

const OPTIONS = {
  csharpNamespace: "P",
  goPackage: "p",
  javaMultipleFiles: true,
  javaOuterClassname: "FileProto",
  javaPackage: "p",
  phpNamespace: "P",
  rubyPackage: "P",
};

function fileOf(init: FileInit): FileDescriptorProto {
  return create(FileDescriptorProtoSchema, {
    name: "p/file.proto",
    package: "memorysidecar.v1",
    options: create(FileOptionsSchema, OPTIONS),
    ...init,
  });
}

/** The problems of a message, with no exceptions. */
function problemsOf(message: MessageInit): string[] {
  return nameProblems([fileOf({ messageType: [{ name: "M", ...message }] })], []);
}

function field(name: string, type: Type = Type.INT32, label: Label = Label.OPTIONAL): FieldInit {
  return { name, type, label };
}

const P = "memorysidecar.v1";

describe("reserved words", () => {
  test.each([
    ["string", "Go"],
    ["class", "Java, Kotlin, Python, C++, Swift, Ruby"],
    ["when", "Kotlin"],
    ["object", "Kotlin"],
    ["equals", "C#"],
    ["from", "Python"],
    ["to_string", "C#, TypeScript"],
    ["super", "Kotlin, Rust, Swift"],
    ["default", "C++, Swift"],
    ["method", "Ruby"],
  ])("refuse a field %s: %s", (name, languages) => {
    expect(problemsOf({ field: [field(name)] })).toEqual([
      `${P}.M.${name}: a word that ${languages} cannot use`,
    ]);
  });

  test.each([
    ["Context", "Java"],
    ["Unit", "Kotlin"],
    ["Task", "C#"],
    ["Warning", "Python"],
    ["Promise", "TypeScript"],
    ["Option", "Rust"],
    ["Empty", "PHP"],
  ])("refuse a message and an enum %s: %s", (name, languages) => {
    const problem = `${P}.${name}: a word that ${languages} cannot use`;
    expect(problemsOf({ name })).toEqual([problem]);
    expect(nameProblems([fileOf({ enumType: [{ name }] })], [])).toEqual([problem]);
  });

  test("refuse an enum value without the prefix of its enum", () => {
    const value = [{ name: "COLOR_KIND_SELF" }, { name: "COLOR_KIND_RED" }];
    expect(nameProblems([fileOf({ enumType: [{ name: "ColorKind", value }] })], [])).toEqual([
      `${P}.ColorKind.COLOR_KIND_SELF: a word that Rust, Swift cannot use`,
    ]);
  });

  test("refuse an rpc and a oneof", () => {
    const service = [{ name: "S", method: [{ name: "Import" }, { name: "ImportAll" }] }];
    expect(nameProblems([fileOf({ service })], [])).toEqual([
      `${P}.S.Import: a word that Java cannot use`,
    ]);
    expect(problemsOf({ oneofDecl: [{ name: "when" }] })).toHaveLength(1);
  });

  test("are sought in nested messages and enums", () => {
    expect(problemsOf({ nestedType: [{ name: "Unit", field: [field("from")] }] })).toHaveLength(2);
    expect(problemsOf({ enumType: [{ name: "Task" }] })).toHaveLength(1);
  });

  test("leave out what generators escape without harm", () => {
    expect(problemsOf({ field: [field("type"), field("namespace"), field("user_id")] })).toEqual(
      [],
    );
  });
});

describe("accessors", () => {
  test.each([
    [field("x", Type.STRING, Label.REPEATED), "x_count"],
    [field("x", Type.MESSAGE, Label.REPEATED), "x_list"],
    [field("x", Type.ENUM), "x_value"],
    [field("x", Type.STRING), "x_bytes"],
    [field("x", Type.MESSAGE), "x_builder"],
  ])("of two fields are not the same in Java", (first, second) => {
    expect(problemsOf({ field: [first, field(second)] })).toEqual([
      `${P}.M.${second}: has an accessor of x, in Java`,
    ]);
    expect(problemsOf({ field: [field("x"), field(second)] })).toEqual([]);
  });

  test("of a map are more", () => {
    const entry = { name: "XEntry", options: { mapEntry: true }, field: [field("key")] };
    const map = { ...field("x", Type.MESSAGE, Label.REPEATED), typeName: `.${P}.M.XEntry` };
    const message = { nestedType: [entry], field: [map, field("x_map"), field("x_count")] };
    expect(problemsOf(message)).toHaveLength(2);
  });

  test("have another name than their class", () => {
    expect(problemsOf({ name: "LastSeen", field: [field("last_seen")] })).toEqual([
      `${P}.LastSeen.last_seen: the name of its message, in C#`,
    ]);
  });
});

describe("exceptions", () => {
  const exception = { name: `${P}.M.from`, reason: "a test" };

  test("let a name stay", () => {
    const file = fileOf({ messageType: [{ name: "M", field: [field("from")] }] });
    expect(nameProblems([file], [exception])).toEqual([]);
  });

  test("end with the name that they are for", () => {
    const file = fileOf({ messageType: [{ name: "M", field: [field("min")] }] });
    expect(nameProblems([file], [exception])).toEqual([
      `${P}.M.from: an exception that nothing needs`,
    ]);
  });
});

describe("options", () => {
  test("are there for every language", () => {
    expect(optionProblems([fileOf({})])).toEqual([]);
  });

  test.each(Object.keys(OPTIONS))("are not whole without %s", (name) => {
    const rest = Object.entries(OPTIONS).filter(([key]) => key !== name);
    const options = create(FileOptionsSchema, Object.fromEntries(rest));
    const problems = optionProblems([fileOf({ options })]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
  });

  test.each([
    { messageType: [{ name: "FileProto" } satisfies Partial<DescriptorProto>] },
    { enumType: [{ name: "FILEPROTO" }] },
    { service: [{ name: "FileProto" }] },
    {},
  ])("name an outer class that nothing else in the package is called", (rest) => {
    const other = { ...OPTIONS, javaOuterClassname: "OtherProto" };
    const taken = create(FileOptionsSchema, Object.keys(rest).length === 0 ? OPTIONS : other);
    const second = fileOf({ name: "p/other.proto", options: taken, ...rest });
    expect(optionProblems([fileOf({}), second])[0]).toMatch(/^p\/file.proto: its outer class is/);
    const elsewhere = fileOf({ ...rest, options: { ...taken, javaPackage: "q" } });
    expect(optionProblems([fileOf({}), elsewhere])).toEqual([]);
  });
});

describe("the public files", () => {
  test("are ours without the records on disk", () => {
    const packages = ["memorysidecar.v1", "memorysidecar.hook.v1", "memorysidecar.storage.v1", "x"];
    const files = packages.map((name) => fileOf({ package: name }));
    expect(publicFiles(files)).toEqual(files.slice(0, 2));
  });
});
