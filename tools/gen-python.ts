// The Python half of `npm run gen`: protoc from the pinned grpcio-tools package.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { IMAGE } from "./generate.ts";

/** Where the project's Python environment lives; made by clients/python/setup.sh. */
export const PYTHON = "clients/python/.venv/bin/python";

/** Where the generated Python code lies. */
export const PYTHON_CODE = "clients/python/src/memorysidecar/v1";

/**
 * Makes clients/python/src/memorysidecar/v1 below `out`, which must hold the descriptor image
 * already. Without the Python environment it does nothing and gives the reason.
 */
export function generatePython(root: string, out: string): string | undefined {
  if (!existsSync(join(root, PYTHON))) return `${PYTHON} is missing: run clients/python/setup.sh`;
  const folder = join(out, PYTHON_CODE);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const protos = readdirSync(join(root, "proto/memorysidecar/v1")).sort();
  const sources = join(out, "clients/python/src");
  execFileSync(
    join(root, PYTHON),
    [
      ...["-m", "grpc_tools.protoc", "-Iproto", "-Ithird_party"],
      ...["python", "pyi", "grpc_python"].map((kind) => `--${kind}_out=${sources}`),
      ...protos.map((name) => `proto/memorysidecar/v1/${name}`),
    ],
    { cwd: root, stdio: "inherit" },
  );
  for (const name of readdirSync(folder)) {
    // A file without a service gets an empty gRPC module: leave it out.
    if (name.endsWith("_pb2_grpc.py") && !name.includes("_service_")) rmSync(join(folder, name));
  }
  writeFileSync(join(folder, "__init__.py"), packageModule(out));
  return undefined;
}

/** The module of the package: every message, enum and enum value by its own name. */
function packageModule(out: string): string {
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(join(out, IMAGE)));
  const files = set.file.filter(
    (file) => file.package === "memorysidecar.v1" && namesOf(file).length > 0,
  );
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = [
    '"""The messages and enums of the contract. Generated from proto/memorysidecar/v1."""',
    "",
  ];
  for (const file of files) {
    const names = namesOf(file).map((name) => `    ${name} as ${name},`);
    lines.push(`from .${basename(file.name, ".proto")}_pb2 import (`, ...names, ")");
  }
  return `${lines.join("\n")}\n`;
}

function namesOf(file: FileDescriptorProto): string[] {
  const enums = file.enumType.flatMap((type) => [type.name, ...type.value.map(({ name }) => name)]);
  return [...file.messageType.map(({ name }) => name), ...enums];
}
