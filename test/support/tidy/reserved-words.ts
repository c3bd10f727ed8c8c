// Names that a language keeps for itself, in the form that its generated code would give a name of
// the contract. A word is here when whoever writes that language could not use the plain name: the
// generator renames the accessor, the language has no way to write it, or it hides a name that
// every file sees. A word that the generator escapes without harm is left out, and said so.

/** Kind of thing that a name of the contract denotes. */
export type NameKind = "field" | "type" | "enum value" | "rpc";

/** The words of one language for one kind of name. */
export interface ReservedWords {
  readonly language: string;
  readonly kind: NameKind;
  /** The name as the generated code has it, from the name in the contract. */
  readonly casing: (name: string) => string;
  readonly words: ReadonlySet<string>;
}

/** Makes `memory_id` to `MemoryId`, and `LAST_USER` to `LastUser`. */
export function pascalCase(name: string): string {
  return name.split("_").map(capitalized).join("");
}

function capitalized(word: string): string {
  const rest = word === word.toUpperCase() ? word.slice(1).toLowerCase() : word.slice(1);
  return word.charAt(0).toUpperCase() + rest;
}

function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

const asWritten = (name: string): string => name;
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Every list, language by language. */
export const RESERVED_WORDS: readonly ReservedWords[] = [
  {
    // Methods of every message; the generator adds an underscore to the field.
    language: "Go",
    kind: "field",
    casing: pascalCase,
    words: words(`
      Descriptor ExtensionMap ExtensionRangeArray Marshal ProtoMessage ProtoReflect Reset String
      Unmarshal`),
  },
  {
    // `getX` exists in every message, with another meaning.
    language: "Java",
    kind: "field",
    casing: camelCase,
    words: words(`
      allFields cachedSize class defaultInstanceForType descriptorForType
      initializationErrorString parserForType serializedSize unknownFields`),
  },
  {
    // Seen without an import, or imported by whoever uses gRPC.
    language: "Java",
    kind: "type",
    casing: asWritten,
    words: words(`
      Boolean Byte Channel Character Class Context Deprecated Double Enum Error Exception Float
      Integer Iterable Long Math Metadata Module Number Object Override Package Process Record
      Runnable Runtime Server Short Status String System Thread Throwable Void`),
  },
  {
    language: "Java",
    kind: "rpc",
    casing: camelCase,
    words: words(`
      abstract assert boolean break byte case catch char class const continue default do double
      else enum extends final finally float for goto if implements import instanceof int interface
      long native new package private protected public return short static strictfp super switch
      synchronized this throw throws transient try void volatile while`),
  },
  {
    // Hard keywords: they need backticks.
    language: "Kotlin",
    kind: "field",
    casing: camelCase,
    words: words(`
      as break class continue do else false for fun if in interface is null object package return
      super this throw true try typealias typeof val var when while`),
  },
  {
    // Types that nearly every file uses, at times without writing them.
    language: "Kotlin",
    kind: "type",
    casing: asWritten,
    words: words(`
      Any Array Boolean Byte Char Collection Comparable Double Enum Exception Float Int Iterable
      Iterator List Long Map Nothing Number Pair Result Sequence Set Short String Throwable Unit`),
  },
  {
    // Members of every message.
    language: "C#",
    kind: "field",
    casing: pascalCase,
    words: words(`
      CalculateSize Clone Descriptor Equals GetHashCode GetType MergeFrom OnConstruction Parser
      ToString Types WriteTo`),
  },
  {
    // Types that a new project imports everywhere: System and its Collections.Generic, IO, Linq,
    // Net.Http, Threading and Threading.Tasks. The compiler calls the name ambiguous.
    language: "C#",
    kind: "type",
    casing: asWritten,
    words: words(`
      Action Activator Array Attribute Barrier BitConverter Boolean Buffer Byte Char Comparer
      Console Convert DateTime Decimal Delegate Dictionary Directory Double Enum Environment
      Exception File Func Guid HashSet Index Interlocked Lazy List Lock Math Monitor Nullable
      Object Overlapped Parallel Path Predicate Progress Queue Random Range Single Stack Stream
      String Task Thread Timeout Timer Tuple Type Uri Version Volatile`),
  },
  {
    // Attributes that only getattr reaches, and arguments that cannot be named.
    language: "Python",
    kind: "field",
    casing: asWritten,
    words: words(`
      and as assert async await break class continue def del elif else except finally for from
      global if import in is lambda nonlocal not or pass raise return self try while with yield`),
  },
  {
    language: "Python",
    kind: "type",
    casing: asWritten,
    words: words("Exception False None True Warning"),
  },
  {
    // Properties may be keywords; these are what every object has.
    language: "TypeScript",
    kind: "field",
    casing: camelCase,
    words: words("constructor hasOwnProperty prototype toJSON toString valueOf"),
  },
  {
    // `Event` is left out: only browsers have it, and every system with events uses the name.
    language: "TypeScript",
    kind: "type",
    casing: asWritten,
    words: words(`
      Array BigInt Boolean Date Error Function Infinity Map Math NaN Number Object Promise Proxy
      Record Reflect RegExp Set String Symbol`),
  },
  {
    // Words that cannot be raw identifiers; `r#type` and the like are ordinary Rust.
    language: "Rust",
    kind: "field",
    casing: asWritten,
    words: words("crate self super"),
  },
  {
    language: "Rust",
    kind: "type",
    casing: asWritten,
    words: words(`
      Box Clone Copy Default Drop Err Fn From Into Iterator None Ok Option Result Self Send Some
      String Sync ToString Vec`),
  },
  {
    language: "Rust",
    kind: "enum value",
    casing: pascalCase,
    words: words("Self"),
  },
  {
    // The accessor gets an underscore. `namespace` is left out: it is the word for what it names,
    // as in Kubernetes.
    language: "C++",
    kind: "field",
    casing: asWritten,
    words: words(`
      alignas alignof and asm auto bool break case catch char class compl concept const constexpr
      continue decltype default delete do double else enum explicit export extern false float for
      friend goto if inline int long mutable new noexcept not nullptr operator or private
      protected public register requires return short signed sizeof static struct switch template
      this throw true try typedef typeid typename union unsigned using virtual void volatile while
      xor byte_size_long cached_size clear_all descriptor`),
  },
  {
    language: "Swift",
    kind: "field",
    casing: camelCase,
    words: words(`
      as associatedtype break case catch class continue default defer deinit do else enum
      extension fallthrough false fileprivate for func guard if import in init inout internal is
      let nil operator private protocol public repeat rethrows return self static struct subscript
      super switch throw throws true try typealias var where while`),
  },
  {
    // Types carry the package as a prefix; cases are used with a dot, where only these are taken.
    language: "Swift",
    kind: "enum value",
    casing: camelCase,
    words: words("init self type protocol"),
  },
  {
    // PHP ignores case; the generator puts PB before the class.
    language: "PHP",
    kind: "type",
    casing: (name) => name.toLowerCase(),
    words: words(`
      abstract and array as bool break callable case catch class clone const continue declare
      default die do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile
      eval exit extends false final finally float fn for foreach function global goto if
      implements include instanceof insteadof int interface isset iterable list match mixed
      namespace never new null object or parent print private protected public readonly require
      return self static string switch throw trait true try unset use var void while xor yield`),
  },
  {
    // Methods of every object hide the accessor.
    language: "Ruby",
    kind: "field",
    casing: asWritten,
    words: words(`
      class clone display dup enum_for extend freeze hash inspect instance_eval itself method
      methods object_id public_send send singleton_class tap then to_enum to_h to_json to_proto
      to_s`),
  },
];
