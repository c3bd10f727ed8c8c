// The npm packages: the server, which brings its own packages; a Node for each platform; and the
// TypeScript client.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../process.ts";
import { fetchPackage, pack } from "./registry-packages.ts";
import {
  type LockedPackage,
  lmdbBinary,
  PLATFORMS,
  rootManifest,
  runtimePackages,
  stageServer,
} from "./server-app.ts";

const NODE_PACKAGE = /^node-(linux)-(x64|arm64)$/;

/** The packages of the lock file with a Node for one platform. */
export function nodePackages(): LockedPackage[] {
  return runtimePackages().filter(({ name }) => NODE_PACKAGE.test(name));
}

/** The name of the server in registries of the Model Context Protocol. */
export function mcpName(): string {
  const text = readFileSync(join(ROOT, "packaging/mcp/server.json"), "utf8");
  return (JSON.parse(text) as { readonly name: string }).name;
}

/** The manifest of the published server. */
function serverManifest() {
  const { name, version, description, license, dependencies } = rootManifest();
  const binaries = PLATFORMS.map((platform) => lmdbBinary(platform));
  const nodes = nodePackages().map((node) => ({ ...node, name: `@${name}/${node.name}` }));
  return {
    ...{ name, mcpName: mcpName(), version, description, license },
    keywords: ["agent", "memory", "grpc", "llm", "mcp", "sidecar"],
    type: "module",
    os: ["linux", "darwin"],
    engines: { node: ">=20" },
    bin: { [name]: `bin/${name}.sh` },
    files: ["bin", "dist", "proto"],
    dependencies,
    // They travel in the package, in the versions of the lock file and without what nobody loads.
    bundleDependencies: Object.keys(dependencies),
    // Each machine installs what fits it.
    optionalDependencies: Object.fromEntries(
      [...binaries, ...nodes].map((optional) => [optional.name, optional.version]),
    ),
  };
}

/** Packs the server into a folder; gives the path of the archive. `scratch` is emptied. */
export async function packServer(target: string, scratch: string): Promise<string> {
  rmSync(scratch, { recursive: true, force: true });
  const manifest = serverManifest();
  stageServer(scratch);
  const bin = join(scratch, "bin");
  mkdirSync(bin);
  const launcher = `${manifest.name}.sh`;
  cpSync(join(ROOT, "packaging/npm", launcher), join(bin, launcher));
  cpSync(join(ROOT, "packaging/npm/README.md"), join(scratch, "README.md"));
  writeFileSync(join(scratch, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return await pack(scratch, target);
}

/**
 * Packs a Node under the scope of this project. The package of the registry has headers of 67 MB,
 * and a command `node` that would take the place of the user's own in every script of a project.
 */
export async function packNode(
  node: LockedPackage,
  target: string,
  scratch: string,
): Promise<string> {
  rmSync(scratch, { recursive: true, force: true });
  const source = await fetchPackage(node, join(scratch, "source"));
  const folder = join(scratch, "package");
  for (const file of ["LICENSE", "bin/node"]) cpSync(join(source, file), join(folder, file));
  const [, os = "", cpu = ""] = NODE_PACKAGE.exec(node.name) ?? [];
  const { name: scope } = rootManifest();
  const manifest = {
    ...{ name: `@${scope}/${node.name}`, version: node.version, license: node.license },
    description: `Node.js ${node.version} for the server of Memory Sidecar on ${os} ${cpu}.`,
    ...{ os: [os], cpu: [cpu], libc: ["glibc"], files: ["bin"] },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return await pack(folder, target);
}

/** Packs the TypeScript client, which its own script builds; gives the path of the archive. */
export async function packClient(target: string): Promise<string> {
  return await pack(join(ROOT, "clients/typescript"), target);
}
