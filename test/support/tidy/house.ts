// The house that src is: its floors from the ground up, and the rooms of each floor in order. A
// file imports its own room, rooms before it on its floor, and every floor below.
// docs/architecture.md draws the same table.

/** A floor with its rooms. Rooms are folders below src, and import those before them. */
export interface Floor {
  readonly name: string;
  readonly rooms: readonly string[];
}

/** The floors from the ground up. */
export const HOUSE: readonly Floor[] = [
  { name: "kit", rooms: ["kit"] },
  {
    name: "rules",
    rooms: [
      ...["recall/text", "summary/builtin", "window/conditions", "window/policy"],
      ...["compat/alquimia", "window/rules", "summary/rules", "session/rules", "tasks/rules"],
      ...[
        "memory/rules",
        "erase/rules",
        "records/rules",
        "context/rules",
        "events/rules",
        "compat/common",
        "compat/definable",
      ],
      ...["compat/lauren", "compat/marsys", "compat/selectools", "compat", "forms"],
      ...["memory/extract", "recall/rules", "recall/lexical", "recall/rank", "recall/vector"],
    ],
  },
  {
    name: "store",
    rooms: [
      ...["store", "store/engine", "store/tables", "store/changes", "store/lmdb", "store/verify"],
      ...["store/backup"],
    ],
  },
  { name: "machines", rooms: ["grpc", "recall/embed", "hooks", "recall/saved", "recall/index"] },
  {
    name: "use cases",
    rooms: [
      ...[
        "core",
        "admin",
        "events",
        "records",
        "recall/feed",
        "recall",
        "memory",
        "context",
        "memory/learn",
      ],
      ...["recall/documents", "tasks", "summary", "session/log", "session", "session/snapshot"],
      ...["tasks/run", "window", "erase"],
    ],
  },
  { name: "edge", rooms: ["mcp", "edge"] },
  { name: "composition", rooms: ["app"] },
];

/** A file of a use-case room that turns messages of the contract into inputs and answers. */
const EDGE = /(^|[/-])(rpc|wire|checks)\.ts$/;
const EDGE_ROOMS = /^src\/(edge|session\/forms)\//;

/** The room of a file; `edge` for every file that knows the contract, `app` for src itself. */
export function roomOf(path: string): string {
  const folder = path.slice("src/".length, Math.max(path.lastIndexOf("/"), "src/".length));
  if (folder === "") return "app";
  const isUseCase = HOUSE.some(({ name, rooms }) => name === "use cases" && rooms.includes(folder));
  return EDGE_ROOMS.test(path) || (isUseCase && EDGE.test(path)) ? "edge" : folder;
}

/** Whether a file holds rules: pure functions without clock, randomness or input and output. */
export function isRule(path: string): boolean {
  return floorOf(roomOf(path))?.name === "rules";
}

/** The floor of a room; undefined for a room that has no place yet. */
export function floorOf(room: string): Floor | undefined {
  return HOUSE.find(({ rooms }) => rooms.includes(room));
}

/** Whether a file in one room may import one in another. */
export function mayImport(from: string, to: string): boolean {
  const [a, b] = [floorOf(from), floorOf(to)];
  if (a === undefined || b === undefined) return false;
  if (a !== b) return HOUSE.indexOf(a) > HOUSE.indexOf(b);
  return a.rooms.indexOf(from) >= a.rooms.indexOf(to);
}
