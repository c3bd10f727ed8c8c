// The public methods of the Python and the TypeScript client with their parameters, by their
// sources.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { API, type Checker, SignatureKind, type Type } from "typescript/unstable/sync";
import { ROOT } from "../../tools/process.ts";

/** A parameter of the Python client: its default as code, and what the docstring says of it. */
export interface PythonParameter {
  readonly default: string;
  readonly doc: string;
}

/** Methods of the Python client by name, each with its parameters by name. */
export type PythonMethods = Readonly<Record<string, Readonly<Record<string, PythonParameter>>>>;

/** Parameters of a method by name, each with its fields by name and what is said of them. */
export type TypeScriptParameters = ReadonlyMap<string, ReadonlyMap<string, string>>;

const PYTHON = join(ROOT, "clients/python/src/memorysidecar");
const TYPESCRIPT = join(ROOT, "clients/typescript");

/** Reads the methods of the Python client. */
export function pythonMethods(): PythonMethods {
  const program = join(import.meta.dirname, "parameters.py");
  return JSON.parse(execFileSync("python3", [program, PYTHON], { encoding: "utf8" }));
}

/** Reads the methods of the TypeScript client, as the compiler knows them. */
export function typeScriptMethods(): ReadonlyMap<string, TypeScriptParameters> {
  const api = new API({ cwd: ROOT });
  try {
    const openProjects = [join(TYPESCRIPT, "tsconfig.json")];
    const [project] = api.updateSnapshot({ openProjects }).getProjects();
    const file = project?.program.getSourceFile(join(TYPESCRIPT, "src/client.ts"));
    const module = file && project?.checker.getSymbolAtLocation(file);
    if (project === undefined || module === undefined) throw new Error("the compiler has no file");
    const { checker } = project;
    const client = checker.getExportsOfModule(module).find(({ name }) => name === "MemorySidecar");
    if (client === undefined) throw new Error("client.ts exports no MemorySidecar");
    const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(client));
    return new Map(
      members.flatMap((member) => {
        if (member.name.startsWith("__#")) return [];
        const type = checker.getTypeOfSymbol(member);
        const signatures = type && checker.getSignaturesOfType(type, SignatureKind.Call);
        if (!signatures?.length) return [];
        const all = signatures.flatMap((signature) => signature.getParameters());
        const found = new Map<string, Map<string, string>>();
        for (const { name, type: one } of all.map((parameter) => ({
          name: parameter.name,
          type: checker.getTypeOfSymbol(parameter),
        }))) {
          const fields = one === undefined ? [] : fieldsOf(checker, one);
          found.set(name, new Map([...(found.get(name) ?? []), ...fields]));
        }
        return [[member.name, found] as const];
      }),
    );
  } finally {
    api.close();
  }
}

/** The fields of an object type, or of all members of a union; none for lists and plain values. */
function fieldsOf(checker: Checker, type: Type): [string, string][] {
  if (type.isUnionType()) return type.getTypes().flatMap((one) => fieldsOf(checker, one));
  const isPlain =
    checker.isArrayLikeType(type) || !(type.isObjectType() || type.isIntersectionType());
  if (isPlain || /^(Date|Uint8Array|AsyncIterable)\b/.test(checker.typeToString(type))) return [];
  const fields = checker.getPropertiesOfType(type);
  return fields.map((field) => [field.name, checker.getDocumentationCommentOfSymbol(field)]);
}
