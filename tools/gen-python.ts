// The Python half of `npm run gen`: messages and stubs by protoc from the pinned grpcio-tools
// package, and the synchronous client from the asyncio one.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { IMAGE } from "./generate.ts";

/** Interpreter of the project's Python environment, which clients/python/setup.sh creates. */
export const PYTHON = "clients/python/.venv/bin/python";

const SOURCES = "clients/python/src";

/** Packages of the contract, as folders below `proto` and below the client's sources. */
const PACKAGES = ["memorysidecar/v1", "memorysidecar/hook/v1"] as const;

/** Paths of the generated Python code. */
export const PYTHON_CODE = [
  `${SOURCES}/memorysidecar/v1`,
  `${SOURCES}/memorysidecar/hook`,
  `${SOURCES}/memorysidecar/_sync`,
] as const;

/**
 * Generates the Python code of every package below `out`, which must contain the descriptor image
 * already. Without the Python environment it does nothing and returns the reason.
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
      const file = join(folder, name);
      // A file without a service gets an empty gRPC module, which is dropped.
      if (name.endsWith("_pb2_grpc.py") && !name.includes("_service_")) rmSync(file);
      else writeFileSync(file, withoutVersionChecks(readFileSync(file, "utf8")));
    }
    writeFileSync(join(folder, "__init__.py"), packageModule(out, path));
  }
  writeFileSync(
    join(sources, "memorysidecar/hook/__init__.py"),
    '"""What an operator\'s own hook server implements."""\n',
  );
  execFileSync(join(root, PYTHON), ["clients/python/make_sync.py", sources], {
    cwd: root,
    stdio: "inherit",
  });
  return undefined;
}

/**
 * Removes the checks that refuse a runtime older than the generator. They compare release numbers,
 * not formats, and would force the newest protobuf and grpcio on everyone who installs the client
 * beside another package. The lower bounds in pyproject.toml replace them, and the tests of the
 * client run with exactly these versions.
 */
export function withoutVersionChecks(code: string): string {
  return code
    .replace("from google.protobuf import runtime_version as _runtime_version\n", "")
    .replace(/^_runtime_version\.ValidateProtobufRuntimeVersion\([^)]*\)\n/m, "")
    .replace(/^import warnings\n/m, "")
    .replace(/^GRPC_GENERATED_VERSION = .*?^ {4}\)\n/ms, "");
}

/** The module of a package, which exports every message, enum and enum value by name. */
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
