// Makes everything that is generated from proto/: the descriptor image, the code of the server and
// the code of the TypeScript and Python clients.
//
//   npm run gen                     refuses a breaking change of the contract
//   npm run gen -- --accept-breaking
//
// The server's code is made from a changed image in which every `google.protobuf.Struct` field is
// `bytes`. Both have the same wire form. The server so keeps free-form data byte for byte, never
// builds objects from it (a key such as `__proto__` would be lost), and cannot be made to recurse.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  FieldDescriptorProto_Type,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { generatePython } from "./gen-python.ts";

const IMAGE = "proto/image.binpb";
const root = join(import.meta.dirname, "..");
const options = new Set(process.argv.slice(2));

function buf(...args: string[]): void {
  execFileSync(join(root, "node_modules/.bin/buf"), args, { cwd: root, stdio: "inherit" });
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

const scratch = mkdtempSync(join(tmpdir(), "memory-sidecar-gen-"));
try {
  const full = join(scratch, "full.binpb");
  const server = join(scratch, "server.binpb");
  buf("build", "-o", full);
  if (existsSync(join(root, IMAGE)) && !options.has("--accept-breaking")) {
    buf("breaking", full, "--against", IMAGE);
  }
  buf("build", "--exclude-source-info", "-o", IMAGE);
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(full));
  for (const file of set.file) {
    if (file.package.startsWith("memorysidecar.")) file.messageType.forEach(makeStructsOpaque);
  }
  writeFileSync(server, toBinary(FileDescriptorSetSchema, set));
  buf("generate", "--template", "buf.gen.yaml", server);
  buf("generate", "--template", "clients/typescript/buf.gen.yaml");
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
generatePython(root, { required: options.has("--python") || process.env["CI"] === "true" });
