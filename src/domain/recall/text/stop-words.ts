// Words that a search leaves out, since they are in every text.

const GRAMMAR =
  "a about above after again against all am an and any are as at be because been before " +
  "being below between both but by can could did do does doing down during each few for " +
  "from further had has have having he her here hers herself him himself his i if in into " +
  "is it its itself just me more most my myself no nor not now of off on once only or other " +
  "our ours ourselves out over own same she should so some such than that the their theirs " +
  "them themselves then there these they this those through to too under until up us very " +
  "was we were will with would you your yours yourself yourselves also";

const QUESTIONS = "how what when where which who whom whose why";

// Without apostrophes, as terms are; the ends are what is left where the apostrophe is a space.
// Those that are words themselves are not among them: id, ill, shed, wed.
const CONTRACTIONS =
  "arent cant couldnt didnt doesnt dont hadnt hasnt havent hed heres hes hows im " +
  "isnt itd itll ive lets mustnt shant shes shouldnt thatd thatll thats theres theyd " +
  "theyll theyre theyve wasnt weve werent whatll whatre whats whens wheres whod wholl " +
  "whos whys wont wouldnt youd youll youre youve ll re s t ve eg ie";

/** English words of grammar and question words, in lower case and without apostrophes. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [GRAMMAR, QUESTIONS, CONTRACTIONS].flatMap((list) => list.split(" ")),
);

/** Written in capitals these are names: a country and a trade. */
export const CAPITAL_NAMES: ReadonlySet<string> = new Set(["US", "IT"]);
