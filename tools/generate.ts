// Makes everything that is generated from proto/: the descriptor image, the code of the server and
// the code of the clients.
//
// The server's code is made from a changed image in which every `google.protobuf.Struct` field is
// `bytes`. Both have the same wire form. The server so keeps free-form data byte for byte, never
// builds objects from it (a key such as `__proto__` would be lost), and cannot be made to recurse.
//
// Neither the server's code nor the TypeScript client's sees the rules of fields: ts-proto writes a
// repeated number that has any option without packing it. The image keeps them, for reflection, and
// the checks of requests are made from them.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { checksModule } from "./gen-checks.ts";

/** Where the committed descriptor image lies. */
export const IMAGE = "proto/image.binpb";
/** The contract as it was when it was frozen. Never made anew. */
export const FROZEN = "proto/v1.binpb";

/** The checks of requests, among the server's generated code. */
const CHECKS = "src/gen/checks.ts";

/** What defines the rules of fields. */
const RULE_FILES = ["memorysidecar/v1/rules.proto", "google/protobuf/descriptor.proto"];

/** The packages that clients use, in the image. */
const CLIENT_PATHS = ["memorysidecar/v1", "memorysidecar/hook", "google/rpc"];

/** What `buf breaking` compares: the packages of clients by the rules of buf.yaml. */
const PUBLIC = ["--path", "memorysidecar/v1", "--path", "memorysidecar/hook"];
/** Records may change their names, as stores hold only their bytes. */
const RECORDS = [
  ...["--path", "memorysidecar/storage"],
  ...["--config", '{"version": "v2", "breaking": {"use": ["WIRE"]}}'],
];

/** Runs buf in a folder; its findings go to this process's output. Throws when there are any. */
export function buf(root: string, ...args: string[]): void {
  execFileSync(join(root, "node_modules/.bin/buf"), args, { cwd: root, stdio: "inherit" });
}

/**
 * Throws when clients of an image would break, or when records that its store wrote could not be
 * read. The message says what breaks. Images are compared, as buf.yaml has two modules.
 */
export function checkBreaking(root: string, against: string): void {
  withScratch((scratch) => {
    const now = join(scratch, "now.binpb");
    buf(root, "build", "-o", now);
    for (const scope of [PUBLIC, RECORDS]) {
      const args = ["breaking", now, "--against", against, ...scope];
      const { status, stdout, stderr } = spawnSync(join(root, "node_modules/.bin/buf"), args, {
        cwd: root,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`The contract breaks ${against}:\n${stdout}${stderr}`);
    }
  });
}

/** Writes the image and the TypeScript code below `out`; the repository itself by default. */
export function generateTypeScript(root: string, out: string = root): void {
  withScratch((scratch) => {
    const full = join(scratch, "full.binpb");
    const server = join(scratch, "server.binpb");
    mkdirSync(join(out, "proto"), { recursive: true });
    const client = join(scratch, "client.binpb");
    buf(root, "build", "--exclude-source-info", "-o", join(out, IMAGE));
    buf(root, "build", "-o", full);
    const set = fromBinary(FileDescriptorSetSchema, readFileSync(full));
    const checks = checksModule(set);
    withoutRules(set);
    writeFileSync(client, toBinary(FileDescriptorSetSchema, set));
    for (const file of set.file) {
      if (file.package.startsWith("memorysidecar.")) file.messageType.forEach(makeStructsOpaque);
    }
    writeFileSync(server, toBinary(FileDescriptorSetSchema, set));
    buf(root, "generate", "--template", "buf.gen.yaml", "-o", out, server);
    writeFileSync(join(out, CHECKS), checks);
    const paths = CLIENT_PATHS.flatMap((path) => ["--path", path]);
    buf(
      root,
      "generate",
      "--template",
      "clients/typescript/buf.gen.yaml",
      "-o",
      out,
      client,
      ...paths,
    );
  });
}

/** Removes what the rules of fields add to the descriptors. */
function withoutRules(set: FileDescriptorSet): void {
  set.file = set.file.filter(({ name }) => !RULE_FILES.includes(name));
  for (const file of set.file) {
    const kept = file.dependency.filter((name) => !RULE_FILES.includes(name));
    if (kept.length < file.dependency.length && hasWeakImports(file)) {
      throw new Error(`${file.name}: public and weak imports are not handled`);
    }
    file.dependency = kept;
    file.messageType.forEach(withoutOptions);
  }
}

function hasWeakImports({ publicDependency, weakDependency }: FileDescriptorProto): boolean {
  return publicDependency.length > 0 || weakDependency.length > 0;
}

function withoutOptions(message: DescriptorProto): void {
  for (const field of message.field) delete field.options;
  for (const oneof of message.oneofDecl) delete oneof.options;
  message.nestedType.forEach(withoutOptions);
}

/** Turns the Struct fields of a message and of the messages inside it into bytes fields. */
function makeStructsOpaque(message: DescriptorProto): void {
  for (const field of message.field) {
    if (field.typeName === ".google.protobuf.Struct") {
      field.type = FieldDescriptorProto_Type.BYTES;
      field.typeName = "";
    }
  }
  for (const nested of message.nestedType) makeStructsOpaque(nested);
}

function withScratch(work: (scratch: string) => void): void {
  const scratch = mkdtempSync(join(tmpdir(), "memory-sidecar-gen-"));
  try {
    work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
