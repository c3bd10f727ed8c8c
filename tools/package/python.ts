// The Python wheels: the client, its integrations, and the server for each platform.

import { cpSync, globSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, run } from "../process.ts";
import { fetchPackage } from "./registry-packages.ts";
import { lmdbBinary, type Platform, stageServer } from "./server-app.ts";

/** The tag of the wheel for each platform. The binaries of LMDB need these systems. */
const TAGS: Readonly<Record<Platform, string>> = {
  "linux-x64": "manylinux_2_28_x86_64",
  "linux-arm64": "manylinux_2_28_aarch64",
  "darwin-x64": "macosx_11_0_x86_64",
  "darwin-arm64": "macosx_11_0_arm64",
};

/** Builds the wheel of a project with setuptools of the client's environment; gives its path. */
async function buildWheel(project: string, target: string, tag?: string): Promise<string> {
  mkdirSync(target, { recursive: true });
  const before = new Set(readdirSync(target));
  const python = join(ROOT, "clients/python/.venv/bin/python");
  const platform = tag === undefined ? [] : [`--config-settings=--build-option=--plat-name=${tag}`];
  const args = [
    ...["-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation"],
    ...[...platform, "--wheel-dir", target, project],
  ];
  const { code, output } = await run(python, args, { quiet: true });
  if (code !== 0) throw new Error(`the wheel of ${project} was not built:\n${output}`);
  const wheel = readdirSync(target).find((name) => !before.has(name) && name.endsWith(".whl"));
  if (wheel === undefined) throw new Error(`pip built no new wheel of ${project}`);
  return join(target, wheel);
}

/** Builds the wheel of a folder. A copy is built, which leaves nothing in the checkout. */
async function packFolder(folder: string, target: string, scratch: string): Promise<string> {
  rmSync(scratch, { recursive: true, force: true });
  for (const name of ["README.md", "pyproject.toml", "src"]) {
    cpSync(join(ROOT, folder, name), join(scratch, name), {
      recursive: true,
      filter: (path) => !/\.egg-info$|__pycache__$/.test(path),
    });
  }
  cpSync(join(ROOT, "LICENSE"), join(scratch, "LICENSE"));
  return await buildWheel(scratch, target);
}

/** Builds the wheel of the Python client. */
export async function packPythonClient(target: string, scratch: string): Promise<string> {
  return await packFolder("clients/python", target, scratch);
}

/** Folders of the integrations of the Python client, from the root; others there are only tests. */
export const PYTHON_INTEGRATIONS: readonly string[] = globSync(
  "clients/python/integrations/*/src",
  { cwd: ROOT },
)
  .map(dirname)
  .sort();

/** Integrations that do not install beside all others; their own tests install them. */
export const APART: readonly string[] = [
  // It needs `openai` below 3, which the integration of OpenAI Agents does not work with.
  "clients/python/integrations/crewai",
];

/** Builds the wheel of an integration. */
export async function packPythonIntegration(
  folder: string,
  target: string,
  scratch: string,
): Promise<string> {
  return await packFolder(folder, target, scratch);
}

/** Builds the wheel of the server for one platform. */
export async function packPythonServer(
  platform: Platform,
  target: string,
  scratch: string,
): Promise<string> {
  rmSync(scratch, { recursive: true, force: true });
  const project = join(scratch, "project");
  cpSync(join(ROOT, "packaging/python"), project, { recursive: true });
  cpSync(join(ROOT, "LICENSE"), join(project, "LICENSE"));
  const app = join(project, "src/memory_sidecar_server/app");
  stageServer(app);
  const locked = lmdbBinary(platform);
  const binary = await fetchPackage(locked, join(scratch, "binary"));
  cpSync(binary, join(app, locked.folder), {
    recursive: true,
    // Builds for other versions of Node, and for musl, which the wheels are not for.
    filter: (path) => !/\.node$/.test(path) || /napi(\.glibc)?\.node$/.test(path),
  });
  return await buildWheel(project, target, TAGS[platform]);
}
