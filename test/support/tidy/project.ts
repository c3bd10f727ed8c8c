// The text of the repository as the tidy rules see it. Rules take a map, so that their own tests
// can give them a project of two lines.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Every text file by its path from the root, with forward slashes. */
export type Project = ReadonlyMap<string, string>;

const BINARY = /\.(bin|binpb|png|ico|mdb)$/;

/** Reads the files that git tracks or would track. */
export function readProject(root: string): Project {
  const list = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
  });
  const project = new Map<string, string>();
  for (const path of new Set(list.split("\0"))) {
    const file = join(root, path);
    if (path === "" || BINARY.test(path) || !existsSync(file) || !statSync(file).isFile()) continue;
    project.set(path, readFileSync(file, "utf8"));
  }
  return project;
}

/** Whether a file was made by a tool. */
export function isGenerated(path: string): boolean {
  return (
    path.includes("/gen/") || /^clients\/python\/src\/memorysidecar\/(v1|hook|_sync)\//.test(path)
  );
}

/** Whether a file only runs in tests. */
export function isTest(path: string): boolean {
  return path.endsWith(".test.ts") || path.startsWith("test/") || path.includes("/test/");
}

/** The TypeScript files that people write. */
export function sourcesOf(project: Project): [path: string, text: string][] {
  return [...project].filter(([path]) => path.endsWith(".ts") && !isGenerated(path));
}
