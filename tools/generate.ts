// Makes everything that is generated from proto/: the descriptor image, the code of the server and
// the code of the clients.
//
// The server's code is made from a changed image in which every `google.protobuf.Struct` field is
// `bytes`. Both have the same wire form. The server so keeps free-form data byte for byte, never
// builds objects from it (a key such as `__proto__` would be lost), and cannot be made to recurse.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  FieldDescriptorProto_Type,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";

/** Where the committed descriptor image lies. */
export const IMAGE = "proto/image.binpb";

/** Runs buf in a folder; its findings go to this process's output. Throws when there are any. */
export function buf(root: string, ...args: string[]): void {
  execFileSync(join(root, "node_modules/.bin/buf"), args, { cwd: root, stdio: "inherit" });
}

/** Refuses a contract that breaks the one of an image. buf.yaml has two modules: image to image. */
export function checkBreaking(root: string, against: string): void {
  withScratch((scratch) => {
    const full = join(scratch, "full.binpb");
    buf(root, "build", "-o", full);
    buf(root, "breaking", full, "--against", against);
  });
}

/** Writes the image and the TypeScript code below `out`; the repository itself by default. */
export function generateTypeScript(root: string, out: string = root): void {
  withScratch((scratch) => {
    const full = join(scratch, "full.binpb");
    const server = join(scratch, "server.binpb");
    mkdirSync(join(out, "proto"), { recursive: true });
    buf(root, "build", "--exclude-source-info", "-o", join(out, IMAGE));
    buf(root, "build", "-o", full);
    const set = fromBinary(FileDescriptorSetSchema, readFileSync(full));
    for (const file of set.file) {
      if (file.package.startsWith("memorysidecar.")) file.messageType.forEach(makeStructsOpaque);
    }
    writeFileSync(server, toBinary(FileDescriptorSetSchema, set));
    buf(root, "generate", "--template", "buf.gen.yaml", "-o", out, server);
    buf(root, "generate", "--template", "clients/typescript/buf.gen.yaml", "-o", out);
  });
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
