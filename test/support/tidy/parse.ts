// A syntax tree of one TypeScript file, as far as the tidy rules need one.

import { parseAst } from "rolldown/parseAst";

/** A node of the tree. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

/** A file's tree with what is asked of it most. */
export interface Module {
  readonly program: Node;
  /** The line of an offset, counted from 1. */
  lineOf(offset: number): number;
}

const parsed = new Map<string, Module>();

/** Gives the tree of a file; a text is parsed once. */
export function parseModule(path: string, text: string): Module {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const program: unknown = parseAst(text, { lang: "ts", astType: "ts" }, path);
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const module: Module = {
    program: program as Node,
    lineOf: (offset) => {
      const after = starts.findIndex((start) => start > offset);
      return after < 0 ? starts.length : after;
    },
  };
  parsed.set(text, module);
  return module;
}

/** Calls `visit` with every node and the node around it. */
export function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void): void {
  const step = (current: Node, parent: Node | undefined): void => {
    visit(current, parent);
    for (const child of Object.values(current)) {
      if (Array.isArray(child)) for (const item of child) if (isNode(item)) step(item, current);
      if (isNode(child)) step(child, current);
    }
  };
  step(node, undefined);
}

/** Whether a property of a node is a node itself. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The name of an identifier, or undefined for any other node. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node) || node.type !== "Identifier") return undefined;
  return typeof node["name"] === "string" ? node["name"] : undefined;
}

/** The text of a string literal, or undefined for any other node. */
export function stringOf(node: unknown): string | undefined {
  if (!isNode(node) || node.type !== "Literal") return undefined;
  return typeof node["value"] === "string" ? node["value"] : undefined;
}
