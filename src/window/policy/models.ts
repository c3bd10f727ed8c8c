// Models by name: their token rules and context windows.
//
// The sizes are those that the vendors publish in their model documentation (OpenAI, Anthropic,
// Google, Meta, Mistral, DeepSeek, Alibaba, Cohere, xAI and Amazon) as of the middle of 2025. Where
// a model has several, it is the one that every caller gets without asking. They may be outdated: a
// policy that sets `context_window` does not look here.

/** The token rules that models can have. */
export type ModelTokenRule = "o200k" | "cl100k" | "bytes-div-4";

/** Values by prefix of a name; the longest matching prefix counts. */
type Table<T> = readonly (readonly [prefix: string, value: T])[];

/** OpenAI publishes its tokenizers with the library tiktoken; the server has no others. */
const TOKEN_RULES: Table<ModelTokenRule> = [
  ["gpt-5", "o200k"],
  ["gpt-4.1", "o200k"],
  ["gpt-4.5", "o200k"],
  ["gpt-4o", "o200k"],
  ["chatgpt-4o", "o200k"],
  ["gpt-oss", "o200k"],
  ["codex-mini", "o200k"],
  ["o1", "o200k"],
  ["o3", "o200k"],
  ["o4", "o200k"],
  ["gpt-4", "cl100k"],
  ["gpt-3.5", "cl100k"],
  ["gpt-35", "cl100k"],
];

const CONTEXT_WINDOWS: Table<number> = [
  ["gpt-5", 400_000],
  ["gpt-5-chat", 128_000],
  ["gpt-4.1", 1_047_576],
  ["gpt-4.5", 128_000],
  ["gpt-4o", 128_000],
  ["chatgpt-4o", 128_000],
  ["gpt-oss", 131_072],
  ["codex-mini", 200_000],
  ["o1", 200_000],
  ["o1-preview", 128_000],
  ["o1-mini", 128_000],
  ["o3", 200_000],
  ["o4-mini", 200_000],
  ["gpt-4-turbo", 128_000],
  ["gpt-4-1106", 128_000],
  ["gpt-4-0125", 128_000],
  ["gpt-4-vision", 128_000],
  ["gpt-4-32k", 32_768],
  ["gpt-4", 8_192],
  ["gpt-3.5-turbo", 16_385],
  ["gpt-3.5-turbo-instruct", 4_096],
  ["gpt-35-turbo", 16_385],
  ["claude-2.1", 200_000],
  ["claude-2", 100_000],
  ["claude-instant", 100_000],
  ["claude-3", 200_000],
  ["claude-opus-4", 200_000],
  ["claude-sonnet-4", 200_000],
  ["claude-haiku-4", 200_000],
  ["gemini-2.5", 1_048_576],
  ["gemini-2.0", 1_048_576],
  ["gemini-1.5-pro", 2_097_152],
  ["gemini-1.5-flash", 1_048_576],
  ["gemma-3", 131_072],
  ["gemma-3-1b", 32_768],
  ["gemma-2", 8_192],
  ["llama-4-scout", 10_485_760],
  ["llama-4-maverick", 1_048_576],
  ["llama-3.3", 131_072],
  ["llama-3.2", 131_072],
  ["llama-3.1", 131_072],
  ["llama-3", 8_192],
  ["llama-2", 4_096],
  ["mistral-large", 131_072],
  ["mistral-medium", 131_072],
  ["mistral-small", 131_072],
  ["mistral-nemo", 131_072],
  ["magistral", 40_960],
  ["ministral", 131_072],
  ["codestral", 262_144],
  ["devstral", 131_072],
  ["pixtral", 131_072],
  ["mixtral-8x22b", 65_536],
  ["mixtral-8x7b", 32_768],
  ["mistral-7b", 32_768],
  ["deepseek-chat", 131_072],
  ["deepseek-reasoner", 131_072],
  ["deepseek-v3", 131_072],
  ["deepseek-r1", 131_072],
  ["qwen2.5", 32_768],
  ["qwen3", 32_768],
  ["command-r", 128_000],
  ["command-a", 256_000],
  ["grok-4", 256_000],
  ["grok-3", 131_072],
  ["nova-pro", 300_000],
  ["nova-lite", 300_000],
  ["nova-micro", 128_000],
];

/**
 * Gives the token rule of a model: the tokenizer that its vendor publishes, else `bytes-div-4`,
 * also for unknown names. Takes the name as the provider writes it, with or without the provider
 * before it, as in `openai/gpt-4o-mini`.
 */
export function modelTokenRule(model: string): ModelTokenRule {
  return find(TOKEN_RULES, nameOf(model)) ?? "bytes-div-4";
}

/** Gives the size of a model's context window in tokens, as its vendor says; 0 if unknown. */
export function modelContextWindow(model: string): number {
  return find(CONTEXT_WINDOWS, nameOf(model)) ?? 0;
}

/** Providers that are written before a name with a dot, as in `us.anthropic.claude-3-haiku`. */
const DOTTED_PROVIDER = /^(?:(?:us|eu|apac|global)\.)?(?:anthropic|amazon|meta|mistral|cohere)\./;
/** Families whose names are written with and without a hyphen before the number. */
const UNHYPHENATED = /^(llama|gemma)(?=\d)/;

/** The name without providers, folders and the mark of a fine-tuned model before it. */
function nameOf(model: string): string {
  const base = model.trim().toLowerCase().replace(/^ft:/, "");
  const name = base.slice(base.lastIndexOf("/") + 1);
  return name
    .replace(DOTTED_PROVIDER, "")
    .replace(/^meta-(?=llama)/, "")
    .replace(UNHYPHENATED, "$1-")
    .replaceAll(":", "-");
}

function find<T>(table: Table<T>, name: string): T | undefined {
  let best: readonly [prefix: string, value: T] | undefined;
  for (const row of table) {
    const [prefix] = row;
    if (begins(name, prefix) && prefix.length > (best?.[0].length ?? 0)) best = row;
  }
  return best?.[1];
}

/** Whether a name begins so and goes on with another word, as `o1-mini` does and `o10` does not. */
function begins(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && !/^[a-z0-9]/.test(name.slice(prefix.length));
}
