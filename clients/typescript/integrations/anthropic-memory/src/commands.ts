// The commands of the memory tool, as the SDK of Anthropic and the AI SDK give them.

export interface ViewCommand {
  readonly command: "view";
  readonly path: string;
  /** The first line and the last one, -1 for the end of the file. */
  readonly view_range?: readonly number[];
}

export interface CreateCommand {
  readonly command: "create";
  readonly path: string;
  readonly file_text: string;
}

export interface StrReplaceCommand {
  readonly command: "str_replace";
  readonly path: string;
  readonly old_str: string;
  readonly new_str: string;
}

export interface InsertCommand {
  readonly command: "insert";
  readonly path: string;
  /** The line after which the text goes; 0 for the start of the file. */
  readonly insert_line: number;
  readonly insert_text: string;
}

export interface DeleteCommand {
  readonly command: "delete";
  readonly path: string;
}

export interface RenameCommand {
  readonly command: "rename";
  readonly old_path: string;
  readonly new_path: string;
}

/** A command of the model. */
export type MemoryCommand =
  | ViewCommand
  | CreateCommand
  | StrReplaceCommand
  | InsertCommand
  | DeleteCommand
  | RenameCommand;
