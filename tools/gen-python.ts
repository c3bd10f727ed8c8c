// The Python half of `npm run gen`: protoc from the pinned grpcio-tools package.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { IMAGE } from "./generate.ts";

/** Where the project's Python environment lives; made by clients/python/setup.sh. */
export const PYTHON = "clients/python/.venv/bin/python";

const SOURCES = "clients/python/src";

/** The packages of the contract, as folders below `proto` and below the client's sources. */
const PACKAGES = ["memorysidecar/v1", "memorysidecar/hook/v1"] as const;

/** Where the generated Python code lies. */
export const PYTHON_CODE = [
  `${SOURCES}/memorysidecar/v1`,
  `${SOURCES}/memorysidecar/hook`,
] as const;

/**
 * Makes the Python code of every package below `out`, which must hold the descriptor image already.
 * Without the Python environment it does nothing and gives the reason.
 */
export function generatePython(root: string, out: string): string | undefined {
  if (!existsSync(join(root, PYTHON))) return `${PYTHON} is missing: run clients/python/setup.sh`;
  for (const folder of PYTHON_CODE) rmSync(join(out, folder), { recursive: true, force: true });
  const sources = join(out, SOURCES);
  mkdirSync(sources, { recursive: true });
  const protos = PACKAGES.flatMap((path) =>
    readdirSync(join(root, "proto", path))
      .sort()
      .map((name) => `proto/${path}/${name}`),
  );
  execFileSync(
    join(root, PYTHON),
    [
      ...["-m", "grpc_tools.protoc", "-Iproto", "-Ithird_party"],
      ...["python", "pyi", "grpc_python"].map((kind) => `--${kind}_out=${sources}`),
      ...protos,
    ],
    { cwd: root, stdio: "inherit" },
  );
  for (const path of PACKAGES) {
    const folder = join(sources, path);
    for (const name of readdirSync(folder)) {
      // A file without a service gets an empty gRPC module: leave it out.
      if (name.endsWith("_pb2_grpc.py") && !name.includes("_service_")) rmSync(join(folder, name));
    }
    writeFileSync(join(folder, "__init__.py"), packageModule(out, path));
  }
  writeFileSync(
    join(sources, "memorysidecar/hook/__init__.py"),
    '"""What an operator\'s own hook server implements."""\n',
  );
  return undefined;
}

/** The module of a package: every message, enum and enum value by its own name. */
function packageModule(out: string, path: string): string {
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(join(out, IMAGE)));
  const files = set.file.filter(
    (file) => file.package === path.replaceAll("/", ".") && namesOf(file).length > 0,
  );
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = [`"""The messages and enums of the contract. Generated from proto/${path}."""`, ""];
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
