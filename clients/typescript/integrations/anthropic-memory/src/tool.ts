// The memory tool.

import type { MemorySidecar } from "@memory-sidecar/client";
import { deleteBelow } from "@memory-sidecar/client/adapters";
import type {
  CreateCommand,
  DeleteCommand,
  InsertCommand,
  MemoryCommand,
  RenameCommand,
  StrReplaceCommand,
  ViewCommand,
} from "./commands.ts";
import { MemoryToolError } from "./errors.ts";
import { Files } from "./files.ts";
import { rootOf } from "./paths.ts";
import { inserted, replaced } from "./texts.ts";

const ROOT = "claude-memory";

/** Whose files a tool reaches, and how. */
export interface SidecarMemoryToolOptions {
  /** The user whose files these are. No other user reaches them; they are erased with the user. */
  readonly userId?: string | undefined;
  /** Likewise, the agent. */
  readonly agentId?: string | undefined;
  /**
   * First segment of the paths of the records, and the collection of the documents by which
   * searches find them: letters, digits, `.`, `_` and `-`, at most 63. Default `claude-memory`.
   */
  readonly root?: string | undefined;
  /** Whether searches find the files. Default true. */
  readonly search?: boolean | undefined;
}

/**
 * The memory tool of Claude, its files kept by Memory Sidecar: the handlers for `betaMemoryTool` of
 * the SDK of Anthropic, and `execute` for `anthropic.tools.memory_20250818` of the AI SDK.
 *
 * A command is one transaction, acknowledged once it is on disk; one that fails changes nothing.
 * Searches find files by their texts: `client.recall(query, { userId, includeRecords: true })`. The
 * client stays the caller's: the tool never closes it.
 */
export class SidecarMemoryTool {
  readonly client: MemorySidecar;
  readonly #files: Files;
  readonly #root: readonly string[];

  constructor(client: MemorySidecar, options: SidecarMemoryToolOptions = {}) {
    const { agentId, root = ROOT, search = true, userId } = options;
    this.client = client;
    this.#root = rootOf(root, { userId, agentId });
    const collectionId = search ? root : undefined;
    this.#files = new Files(client, { root: this.#root, owner: { userId, agentId }, collectionId });
  }

  /** Does a command of the model and gives the answer, in the form that the AI SDK asks for. */
  readonly execute = (command: MemoryCommand): Promise<string> => {
    switch (command.command) {
      case "view":
        return this.view(command);
      case "create":
        return this.create(command);
      case "str_replace":
        return this.str_replace(command);
      case "insert":
        return this.insert(command);
      case "delete":
        return this.delete(command);
      case "rename":
        return this.rename(command);
      default: {
        const { command: name } = command as { readonly command: unknown };
        return Promise.reject(new MemoryToolError(`${name} not implemented`));
      }
    }
  };

  view({ path, view_range }: ViewCommand): Promise<string> {
    return this.#files.view(path, view_range);
  }

  create({ path, file_text }: CreateCommand): Promise<string> {
    return this.#files.create(path, file_text);
  }

  str_replace({ path, old_str, new_str }: StrReplaceCommand): Promise<string> {
    return this.#files.edit(path, (text) => replaced(path, text, old_str, new_str));
  }

  insert({ path, insert_line, insert_text }: InsertCommand): Promise<string> {
    return this.#files.edit(path, (text) => inserted(path, text, insert_line, insert_text));
  }

  delete({ path }: DeleteCommand): Promise<string> {
    return this.#files.delete(path);
  }

  rename({ old_path, new_path }: RenameCommand): Promise<string> {
    return this.#files.rename(old_path, new_path);
  }

  /** Deletes all files, for good. */
  async clearAllMemory(): Promise<string> {
    await deleteBelow(this.client, this.#root);
    return "All memory cleared";
  }
}
