// Words that the rules know. English only.

/** The entries of a list with commas between them. */
export function listOf(entries: string): readonly string[] {
  return entries.trim().split(/,\s+/);
}

/** A pattern that matches any of the entries of such a list. */
export function anyOf(entries: string): string {
  return listOf(entries).join("|");
}

/** Relations of a person to the speaker. */
const ONE_OF_A_KIND = listOf(`
  wife, husband, spouse, partner, girlfriend, boyfriend, fiancee, fiance, fiancée, fiancé, mother,
  mom, mum, father, dad, boss, manager
`);
const OTHERS = listOf(`
  sister, brother, son, daughter, grandmother, grandma, grandfather, grandpa, aunt, uncle, cousin,
  niece, nephew, friend, colleague, coworker, co-worker, roommate, flatmate, housemate, neighbor,
  neighbour, teacher, doctor, dentist, therapist, mentor, coach, kid, child, baby, grandson,
  granddaughter
`);
export const PETS: readonly string[] = listOf(
  "dog, cat, puppy, kitten, parrot, rabbit, hamster, horse, turtle",
);

/** Relations with one person at a time: a new one replaces the old one. */
export const SINGLE_RELATIONS: ReadonlySet<string> = new Set([...ONE_OF_A_KIND, "best friend"]);

/** Relations of married people. */
export const SPOUSES: ReadonlySet<string> = new Set(["wife", "husband", "spouse"]);

const MORE =
  "(?:(?:older|younger|elder|little|big|twin|best|oldest|youngest|eldest|close|ex|new) |ex-|step)?";

/** Matches the relation of a person to the speaker. */
export const RELATION = `${MORE}(?:${[...ONE_OF_A_KIND, ...OTHERS, ...PETS].join("|")})(?:-in-law)?`;

/** The last words of job titles. */
const JOBS = listOf(`
  accountant, actor, actress, administrator, advisor, adviser, analyst, animator, apprentice,
  archaeologist, architect, artist, assistant, astronomer, attorney, author, baker, banker,
  barber, barista, bartender, biologist, bookkeeper, broker, builder, butcher, buyer, captain,
  carpenter, cashier, ceo, cfo, chef, chemist, clerk, coach, composer, consultant, contractor,
  cook, coo, cto, curator, dancer, dentist, designer, developer, director, doctor, driver,
  economist, editor, electrician, engineer, entrepreneur, farmer, filmmaker, firefighter, florist,
  founder, freelancer, gardener, geologist, hairdresser, historian, illustrator, instructor,
  intern, interpreter, janitor, journalist, judge, lawyer, lecturer, librarian, manager, marketer,
  mathematician, mechanic, midwife, musician, nanny, nurse, nutritionist, officer, operator,
  optician, owner, painter, paralegal, paramedic, pastor, pharmacist, photographer, physician,
  physicist, physiotherapist, pilot, planner, plumber, poet, police officer, politician, postdoc,
  president, principal, producer, professor, programmer, psychiatrist, psychologist, publicist,
  realtor, receptionist, recruiter, reporter, researcher, retiree, sailor, salesperson, scientist,
  sculptor, secretary, singer, soldier, statistician, strategist, student, surgeon, tailor,
  teacher, technician, tester, therapist, trader, trainer, translator, tutor, vet, veterinarian,
  waiter, waitress, welder, worker, writer, yoga teacher, zoologist, lead, architect, maintainer
`);

/** Matches a job with the words before it, as in `senior software engineer`. */
export const JOB = `(?:[\\p{L}-]{2,20} ){0,3}(?:${[...new Set(JOBS)].join("|")})`;

/** Words with a capital that are no names. */
export const NO_NAMES: ReadonlySet<string> = new Set(
  listOf(`
  i, i'm, i'd, i'll, i've, the, a, an, this, that, these, those, it, it's, he, she, they, we, you,
  my, your, our, his, her, their, its, he's, she's, they're, we're, you're, that's, there's,
  let's, what's, here, there, what, when, where, why, how, who, which, yes, no, ok, okay, hi,
  hello, hey, thanks, thank, please, sorry, well, so, and, but, or, if, then, also, just, maybe,
  perhaps, actually, btw, fyi, lol, omg, good, great, nice, sure, today, tomorrow, yesterday,
  tonight, monday, tuesday, wednesday, thursday, friday, saturday, sunday, january, february,
  march, april, may, june, july, august, september, october, november, december, english, german,
  french, spanish, italian, portuguese, dutch, polish, russian, chinese, japanese, korean, indian,
  american, british, irish, scottish, welsh, canadian, australian, mexican, brazilian, swedish,
  norwegian, danish, finnish, austrian, swiss, belgian, greek, turkish, arabic, hebrew, hindi,
  ukrainian, czech, hungarian, romanian, european, asian, african, latino, hispanic, catholic,
  muslim, jewish, buddhist, hindu, protestant, atheist, vegan, vegetarian, everyone, everybody,
  someone, somebody, nobody, people, all, some, most, many, every, each, not, never, in, on, at,
  from, to, for, with, as, by, after, before, because, since, while, once, last, next, christmas,
  easter, internet, pdf, api, url, faq, asap, tv, pc, ceo, cto, cfo, hr, ai, mom, dad, mum, now,
  do, does, did, is, are, was, were, can, could, should, would, will, remember, note, tell, call,
  call me, mr, mrs, ms, dr, prof
`),
);

/** Technologies and products that are written in small letters, or like names. */
export const TECHNOLOGIES: ReadonlySet<string> = new Set(
  listOf(`
  python, javascript, typescript, java, kotlin, swift, rust, golang, ruby, php, scala, haskell,
  elixir, react, angular, vue, svelte, django, flask, rails, node.js, nodejs, postgres,
  postgresql, mysql, sqlite, mongodb, redis, kafka, docker, kubernetes, terraform, ansible, linux,
  ubuntu, debian, macos, windows, android, ios, github, gitlab, jira, slack, notion, figma, excel,
  photoshop, tensorflow, pytorch, aws, azure, gcp, vim, emacs, graphql, elasticsearch, snowflake,
  spark, airflow, grafana, prometheus, nginx, c++, c#, f#, .net, fastapi, spring, laravel,
  chatgpt, claude, openai
`),
);

/** Ends of the names of organizations. */
export const ORGANIZATION =
  /\b(?:Inc|Corp|Corporation|Ltd|LLC|GmbH|AG|SE|PLC|Company|Co|Group|Bank|University|College|Institute|School|Hospital|Clinic|Labs?|Foundation|Ministry|Museum|Airlines|Systems|Technologies|Partners|Studios?)\.?$/;

/** Titles before the names of people. */
export const TITLED = /^(?:Mr|Mrs|Ms|Dr|Prof|Professor|Doctor)\.? /;
