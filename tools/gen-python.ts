// The Python half of `npm run gen`: protoc from the pinned grpcio-tools package.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the project's Python environment lives; made by clients/python/setup.sh. */
export const PYTHON = "clients/python/.venv/bin/python";

/** Makes clients/python/src/memorysidecar/v1. Without Python it says so and leaves it as it is. */
export function generatePython(root: string, options: { required: boolean }): void {
  if (!existsSync(join(root, PYTHON))) {
    const text = `${PYTHON} is missing: run clients/python/setup.sh`;
    if (options.required) throw new Error(text);
    console.warn(`SKIPPED the Python client's code: ${text}`);
    return;
  }
  const out = "clients/python/src/memorysidecar/v1";
  rmSync(join(root, out), { recursive: true, force: true });
  mkdirSync(join(root, out), { recursive: true });
  const protos = readdirSync(join(root, "proto/memorysidecar/v1")).sort();
  execFileSync(
    join(root, PYTHON),
    [
      ...["-m", "grpc_tools.protoc", "-Iproto", "-Ithird_party"],
      ...["python", "pyi", "grpc_python"].map((kind) => `--${kind}_out=clients/python/src`),
      ...protos.map((name) => `proto/memorysidecar/v1/${name}`),
    ],
    { cwd: root, stdio: "inherit" },
  );
  for (const name of readdirSync(join(root, out))) {
    // A file without a service gets an empty gRPC module: leave it out.
    if (name.endsWith("_pb2_grpc.py") && !name.includes("_service_")) rmSync(join(root, out, name));
  }
  writeFileSync(join(root, out, "__init__.py"), '"""Generated from proto/memorysidecar/v1."""\n');
}
