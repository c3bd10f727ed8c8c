// Makes the descriptor image and the TypeScript code from proto/. The image is committed. The code
// is not: it is made when it is missing or was made from something else.
//
// The server and the client each have their own code, as they read the same bytes differently.
// The server's code is made from a changed image in which every `google.protobuf.Struct` field is
// `bytes`. Both have the same wire form. The server so keeps free-form data byte for byte, never
// builds objects from it (a key such as `__proto__` would be lost), and cannot be made to recurse.
//
// Neither the server's code nor the TypeScript client's sees the rules of fields: ts-proto writes a
// repeated number that has any option without packing it. The image keeps them, for reflection, and
// the checks of requests are made from them.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  type FileDescriptorSet,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { checksModule } from "./gen-checks.ts";
import { befriend } from "./gen-client.ts";

/** Path of the committed descriptor image. */
export const IMAGE = "proto/image.binpb";
/** The frozen contract. Never regenerated. */
export const FROZEN = "proto/v1.binpb";

/** Paths of the TypeScript code, the server's and the client's. Git ignores both. */
export const TYPESCRIPT = ["src/gen", "clients/typescript/src/gen"] as const;

/** Inputs of the generated TypeScript. */
const SOURCES = [
  ...["proto/**/*.proto", "third_party/**/*.proto"],
  ...["buf.yaml", "buf.gen.yaml", "clients/typescript/buf.gen.yaml"],
  ...["tools/generate.ts", "tools/rules.ts"],
  ...["tools/gen-checks.ts", "tools/gen-client.ts"],
  ...["node_modules/@bufbuild/buf/package.json", "node_modules/ts-proto/package.json"],
];

/** File in each code folder with the hash of the sources. */
export const STAMP = ".made-from";

/** Checks of requests, part of the server's generated code. */
const CHECKS = "src/gen/checks.ts";

/** Files that define the rules of fields. */
const RULE_FILES = ["memorysidecar/v1/rules.proto", "google/protobuf/descriptor.proto"];

/** Packages for clients, in the image. */
const CLIENT_PATHS = ["memorysidecar/v1", "memorysidecar/hook", "google/rpc"];

/** Arguments of `buf breaking`: the client packages under the rules of buf.yaml. */
const PUBLIC = ["--path", "memorysidecar/v1", "--path", "memorysidecar/hook"];
/** Records may rename fields, as stores hold only their bytes. */
const RECORDS = [
  ...["--path", "memorysidecar/storage"],
  ...["--config", '{"version": "v2", "breaking": {"use": ["WIRE"]}}'],
];

/** Runs buf in a folder and prints its findings. Throws when there are any. */
export function buf(root: string, ...args: string[]): void {
  const tools = join(root, "node_modules/.bin");
  // buf searches the path for its plugins.
  const env = { ...process.env, PATH: `${tools}${delimiter}${process.env["PATH"] ?? ""}` };
  execFileSync(join(tools, "buf"), args, { cwd: root, stdio: "inherit", env });
}

/**
 * Throws when a change breaks clients of an image, or makes records unreadable that its store
 * wrote. The message lists the breaking changes. Images are compared, as buf.yaml has two modules.
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

/** Writes the descriptor image below `out`. */
export function generateImage(root: string, out: string): void {
  mkdirSync(join(out, "proto"), { recursive: true });
  buf(root, "build", "--exclude-source-info", "-o", join(out, IMAGE));
}

/** A link to the sources of the TypeScript client, with which `src/mcp` calls a server. */
const CLIENT_LINK = { path: "src/gen/client", target: "../../clients/typescript/src" };

/** Links the sources of the client into those of the server, so that one build compiles both. */
function linkClient(root: string): void {
  const path = join(root, CLIENT_LINK.path);
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  symlinkSync(CLIENT_LINK.target, path);
}

/** Generates the TypeScript code of a repository unless it is up to date. */
export function refreshTypeScript(root: string): void {
  generateStale(root);
  linkClient(root);
}

function generateStale(root: string): void {
  const hash = hashOfSources(root);
  const stamps = TYPESCRIPT.map((folder) => join(root, folder, STAMP));
  if (stamps.every((path) => existsSync(path) && readFileSync(path, "utf8") === hash)) return;
  console.error("making the generated TypeScript");
  withScratch((scratch) => {
    generateTypeScript(root, scratch);
    for (const folder of TYPESCRIPT) {
      rmSync(join(root, folder), { recursive: true, force: true });
      cpSync(join(scratch, folder), join(root, folder), { recursive: true });
    }
  });
  // The stamp comes last, so an interrupted run is repeated.
  for (const path of stamps) writeFileSync(path, hash);
}

function hashOfSources(root: string): string {
  const hash = createHash("sha256");
  for (const path of globSync(SOURCES, { cwd: root }).sort()) {
    const content = readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/** Writes the TypeScript code below `out`. */
export function generateTypeScript(root: string, out: string): void {
  withScratch((scratch) => {
    const full = join(scratch, "full.binpb");
    const server = join(scratch, "server.binpb");
    buf(root, "build", "-o", full);
    const set = fromBinary(FileDescriptorSetSchema, readFileSync(full));
    const checks = checksModule(set);
    withoutRules(set);
    generateClient(root, out, set);
    befriend(join(out, TYPESCRIPT[1]));
    for (const file of set.file) {
      if (file.package.startsWith("memorysidecar.")) file.messageType.forEach(makeStructsOpaque);
    }
    writeFileSync(server, toBinary(FileDescriptorSetSchema, set));
    buf(root, "generate", "--template", "buf.gen.yaml", "-o", out, server);
    writeFileSync(join(out, CHECKS), checks);
  });
}

/** Writes the bare code of the TypeScript client below `out`, as ts-proto makes it. */
export function generateClient(root: string, out: string, set = contract(root)): void {
  withScratch((scratch) => {
    const image = join(scratch, "client.binpb");
    writeFileSync(image, toBinary(FileDescriptorSetSchema, set));
    const template = "clients/typescript/buf.gen.yaml";
    const paths = CLIENT_PATHS.flatMap((path) => ["--path", path]);
    buf(root, "generate", "--template", template, "-o", out, image, ...paths);
  });
}

/** Gives the contract of the last commit, without rules. */
function contract(root: string): FileDescriptorSet {
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(join(root, IMAGE)));
  withoutRules(set);
  return set;
}

/** Removes the rules of fields from the descriptors. */
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

/** Converts the Struct fields of a message and of its nested messages to bytes fields. */
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
