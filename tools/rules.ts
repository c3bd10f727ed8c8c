// The rules of fields, read from the options of the contract's descriptors (rules.proto).

import {
  type DescEnumValue,
  type DescExtension,
  type DescField,
  type DescMethod,
  type DescOneof,
  type FileRegistry,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";

/** `FieldRules`, decoded. */
export interface FieldRules {
  readonly required: boolean;
  readonly outputOnly: boolean;
  readonly maxBytes: number;
  readonly maxItems: number;
  readonly requiredEntries: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
  readonly form: number;
  readonly keyForm: number;
  readonly maxKeyBytes: number;
  readonly maxDepth: number;
  readonly checkedByRpc: boolean;
  readonly notEmpty: boolean;
  readonly destructive: boolean;
}

/** `TextPattern` with the name of its form, such as `ID`. */
export interface TextForm {
  readonly name: string;
  readonly pattern: string;
  readonly meaning: string;
  readonly maxChars: number;
}

const NO_RULES: FieldRules = {
  required: false,
  outputOnly: false,
  maxBytes: 0,
  maxItems: 0,
  requiredEntries: false,
  form: 0,
  keyForm: 0,
  maxKeyBytes: 0,
  maxDepth: 0,
  checkedByRpc: false,
  notEmpty: false,
  destructive: false,
};

/** Reads the rules of one set of descriptors. */
export class RuleReader {
  readonly #registry: FileRegistry;
  readonly #fieldRules: DescExtension;
  readonly #requiredOneof: DescExtension;
  readonly #destructive: DescExtension;
  readonly #textPattern: DescExtension;

  constructor(registry: FileRegistry) {
    const extension = (name: string): DescExtension => {
      const found = registry.getExtension(`memorysidecar.v1.${name}`);
      if (found === undefined) throw new Error(`the contract has no option ${name}`);
      return found;
    };
    this.#registry = registry;
    this.#fieldRules = extension("field_rules");
    this.#requiredOneof = extension("required_oneof");
    this.#destructive = extension("destructive");
    this.#textPattern = extension("text_pattern");
  }

  /** Whether a field has any rule of its own. */
  hasRules(field: DescField): boolean {
    return hasOption(field, this.#fieldRules);
  }

  /** The rules of a field; without limits for a field without rules. */
  of(field: DescField): FieldRules {
    if (!this.hasRules(field)) return NO_RULES;
    return getOption(field, this.#fieldRules) as unknown as FieldRules;
  }

  /** Whether one of the fields of a oneof must be set. */
  isRequired(oneof: DescOneof): boolean {
    return getOption(oneof, this.#requiredOneof) === true;
  }

  /** Whether an rpc deletes stored data. */
  isDestructive(method: DescMethod): boolean {
    return getOption(method, this.#destructive) === true;
  }

  /** The text forms by number. */
  forms(): ReadonlyMap<number, TextForm> {
    const forms = this.#registry.getEnum("memorysidecar.v1.TextForm");
    const entries = (forms?.values ?? [])
      .filter((value) => hasOption(value, this.#textPattern))
      .map((value) => [value.number, this.#formOf(value)] as const);
    return new Map(entries);
  }

  #formOf(value: DescEnumValue): TextForm {
    const pattern = getOption(value, this.#textPattern) as unknown as Omit<TextForm, "name">;
    return { ...pattern, name: value.name.replace("TEXT_FORM_", "") };
  }
}
