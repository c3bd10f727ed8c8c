// Attributes of made-up people and the chats with their assistant. `personas.ts` fills in `$value`
// and the like; `$I`, `$my`, `$do` and the like stand for the person, by name or in the first
// person.

/** A fact that may be known about a person. */
export interface Attribute {
  readonly key: string;
  readonly fact: string;
  readonly values: readonly string[];
  /** Phrasings of the question; the second and third share few words with the fact. */
  readonly questions: readonly [string, string, string];
  /** A sentence for chats that shares words with the question and does not answer it. */
  readonly near: string;
}

const ATTRIBUTES_OF_LIFE: readonly Attribute[] = [
  {
    key: "home",
    fact: "$name lives in $value, in a flat on the third floor above a tailor.",
    values: ["Porto", "Graz", "Tampere", "Leeds", "Utrecht", "Valencia", "Gdansk", "Bergen"],
    questions: ["Where $do $I live?", "Which city is $my home?", "In what town is $my flat?"],
    near: "People who live in big cities pay half of what they earn for a roof over their heads.",
  },
  {
    key: "job",
    fact: "$name works as a $value for the county, four days a week.",
    values: ["surveyor", "paramedic", "librarian", "welder", "translator", "pharmacist", "mason"],
    questions: ["What $do $I work as?", "What is $my profession?", "How $do $I earn a living?"],
    near: "The profession of lamplighter came back into fashion for the old town festival.",
  },
  {
    key: "allergy",
    fact: "$name is allergic to $value and carries an adrenaline pen.",
    values: ["peanuts", "shellfish", "sesame", "kiwi fruit", "celery", "mustard", "lupin"],
    questions: [
      "What $am $I allergic to?",
      "Which food is dangerous for $me?",
      "What must be left out of a dish for $me?",
    ],
    near: "The canteen prints what somebody may be allergic to on little coloured cards now.",
  },
  {
    key: "pet",
    fact: "$name has a greyhound that is called $value.",
    values: ["Biscuit", "Comet", "Juno", "Pepper", "Waffle", "Ziggy", "Otis", "Nala"],
    questions: [
      "What is $my greyhound called?",
      "What is the name of $my dog?",
      "What is $my pet called?",
    ],
    near: "A dog without a name tag ran across the platform and everybody laughed.",
  },
  {
    key: "spouse",
    fact: "$name is married to $value, a friend from the chess club.",
    values: ["Tomasz", "Ingrid", "Rafael", "Noor", "Callum", "Beatriz", "Henrik", "Mei"],
    questions: ["Who $am $I married to?", "What is the name of $my spouse?", "Who is $my partner?"],
    near: "Two colleagues got married on a ferry, with the captain as the only guest.",
  },
  {
    key: "car",
    fact: "$name drives a second-hand $value with a dent in the left door.",
    values: ["Skoda Octavia", "Fiat Panda", "Volvo estate", "Honda Jazz", "Renault Kangoo"],
    questions: ["What $do $I drive?", "Which car is $mine?", "What model is $my vehicle?"],
    near: "Someone left a car with the lights on in the yard for the whole weekend.",
  },
  {
    key: "instrument",
    fact: "$name plays the $value in an amateur orchestra.",
    values: ["oboe", "viola", "bassoon", "French horn", "cello", "clarinet", "trombone"],
    questions: [
      "What $do $I play in the orchestra?",
      "Which instrument $do $I play?",
      "What music $do $I make?",
    ],
    near: "Which instrument was out of tune nobody could say, but the school band kept going.",
  },
  {
    key: "doctor",
    fact: "The general practitioner of $name is Dr. $value.",
    values: ["Okafor", "Lindqvist", "Pereira", "Novak", "Castellano", "Haddad", "Brandt"],
    questions: [
      "Who is $my general practitioner?",
      "What is the name of $my doctor?",
      "Which physician $do $I see?",
    ],
    near: "The doctor in that series always solves the case in the last four minutes.",
  },
  {
    key: "coffee",
    fact: "$name drinks coffee as $value.",
    values: ["a flat white with oat milk", "a double ristretto", "a cortado", "filter, black"],
    questions: [
      "How $do $I drink coffee?",
      "What coffee should be ordered for $me?",
      "What $do $I take at the cafe?",
    ],
    near: "The coffee in the waiting room tasted as if somebody had boiled a belt in it.",
  },
  {
    key: "birthday",
    fact: "$name was born on $value.",
    values: ["4 March 1984", "19 July 1991", "2 November 1978", "27 January 1996", "30 May 1988"],
    questions: ["When $was $I born?", "What is $my date of birth?", "When is $my birthday?"],
    near: "Three birthday cards came back because the postcode had a digit too many.",
  },
  {
    key: "school",
    fact: "The daughter of $name goes to the $value primary school.",
    values: ["Kastanienhof", "Saint Brendan", "Rosa Parks", "Lindenweg", "Miramar", "Elm Row"],
    questions: [
      "Which primary school does $my daughter go to?",
      "Where does $my child learn to read?",
      "What is the name of $my daughter's school?",
    ],
    near: "The school bus was late and a fox sat at the stop as if it waited, too.",
  },
  {
    key: "diet",
    fact: "$name eats $value since a stay in hospital.",
    values: ["no meat", "no gluten", "no dairy", "hardly any salt", "no added sugar"],
    questions: [
      "What $do $I not eat?",
      "What diet $do $I keep to?",
      "Which restriction applies to $my meals?",
    ],
    near: "Some diet from a magazine promised wonders and consisted of cabbage.",
  },
  {
    key: "blood",
    fact: "The blood group of $name is $value.",
    values: ["A negative", "0 positive", "AB positive", "B negative", "A positive"],
    questions: [
      "What is $my blood group?",
      "Which blood type $do $I have?",
      "What should the hospital know for a transfusion for $me?",
    ],
    near: "The queue at the blood drive went once around the town hall.",
  },
  {
    key: "landlord",
    fact: "$name rents from $value, who lives abroad.",
    values: ["Mrs. Achterberg", "Mr. Delacroix", "the Fontana family", "Mr. Kowalczyk"],
    questions: ["Who $do $I rent from?", "Who is $my landlord?", "Whom $do $I pay for the flat?"],
    near: "A landlord in the paper wanted a deposit for the doormat.",
  },
  {
    key: "airport",
    fact: "$name prefers to fly from $value because the train goes there at night.",
    values: ["Eindhoven", "Memmingen", "Girona", "Turku", "Charleroi", "Treviso"],
    questions: [
      "Where $do $I prefer to fly from?",
      "Which airport should a trip of $mine start at?",
      "What is $my favourite place of departure?",
    ],
    near: "At the airport a choir practised in the hall with the lost suitcases.",
  },
];

const ATTRIBUTES_OF_WORK: readonly Attribute[] = [
  {
    key: "editor",
    fact: "$name writes code in $value with a light theme.",
    values: ["Neovim", "Emacs", "Zed", "Helix", "Sublime Text", "IntelliJ"],
    questions: [
      "What $do $I write code in?",
      "Which editor $do $I use?",
      "What is $my development environment?",
    ],
    near: "The editor of the local paper retired and nobody got the crossword right since.",
  },
  {
    key: "boss",
    fact: "$name reports to $value, the head of planning.",
    values: ["Saoirse", "Mr. Takahashi", "Gudrun", "Ms. Abernathy", "Leonid", "Paloma"],
    questions: ["Who $do $I report to?", "What is the name of $my boss?", "Who is $my manager?"],
    near: "The boss of the hardware shop counts every screw by himself.",
  },
  {
    key: "deadline",
    fact: "The grant report of $name is due on $value.",
    values: ["14 September", "3 October", "28 February", "9 June", "21 August"],
    questions: [
      "When is $my grant report due?",
      "What is the deadline of $my report?",
      "Until when must $I hand in the paper for the grant?",
    ],
    near: "The weather report said sun, which was an opinion at best.",
  },
  {
    key: "laptop",
    fact: "The laptop of $name is a $value with a cracked hinge.",
    values: ["ThinkPad X13", "Framework 13", "Zenbook 14", "MacBook Air", "Latitude 7440"],
    questions: [
      "What laptop $do $I have?",
      "Which computer is $mine?",
      "What machine $do $I work on?",
    ],
    near: "A laptop fell off the fridge; why it was on the fridge is another story.",
  },
  {
    key: "meeting",
    fact: "$name takes no meetings on $value.",
    values: ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays"],
    questions: [
      "When $do $I take no meetings?",
      "On which day must nobody invite $me to a meeting?",
      "Which weekday is to be kept free for $me?",
    ],
    near: "The meeting about shorter meetings took two hours.",
  },
  {
    key: "language",
    fact: "$name learns $value with a tutor every week.",
    values: ["Basque", "Finnish", "Korean", "Swahili", "Hungarian", "Icelandic", "Tagalog"],
    questions: [
      "What $do $I learn with a tutor?",
      "Which language $am $I learning?",
      "What foreign tongue $do $I study?",
    ],
    near: "The subtitles were in a language that none of us could name.",
  },
  {
    key: "run",
    fact: "$name runs along the canal before breakfast for $value.",
    values: ["six kilometres", "ten kilometres", "forty minutes", "five miles", "an hour"],
    questions: [
      "How far or long $do $I run before breakfast?",
      "What exercise $do $I do in the morning?",
      "How much jogging is usual for $me?",
    ],
    near: "A duck held up the morning traffic and looked pleased about it.",
  },
  {
    key: "colour",
    fact: "The favourite colour of $name is $value.",
    values: ["teal", "burgundy", "ochre", "lavender", "moss green", "coral"],
    questions: [
      "What is $my favourite colour?",
      "Which colour $do $I like best?",
      "What shade would please $me most?",
    ],
    near: "The painters asked for a colour and got a photo of a lake.",
  },
  {
    key: "shoe",
    fact: "$name wears shoes in size $value.",
    values: ["38", "39 and a half", "41", "42", "43 and a half", "45"],
    questions: [
      "What size of shoes $do $I wear?",
      "What is $my shoe size?",
      "How big must boots for $me be?",
    ],
    near: "One shoe lay in the middle of the bridge all week.",
  },
  {
    key: "university",
    fact: "$name studied $value and never finished.",
    values: ["geology in Lund", "law in Coimbra", "physics in Jena", "history in Galway"],
    questions: [
      "What did $I study?",
      "What was $my subject at university?",
      "Which degree did $I begin?",
    ],
    near: "The university put solar panels on the roof of the old observatory.",
  },
  {
    key: "sister",
    fact: "The sister of $name, $value, keeps bees.",
    values: ["Agnieszka", "Odile", "Fiona", "Marisol", "Katrin", "Leila"],
    questions: [
      "What is the name of $my sister?",
      "Who in $my family keeps bees?",
      "What is $my sibling called?",
    ],
    near: "My colleague's sister won a ham in a raffle.",
  },
  {
    key: "passport",
    fact: "The passport of $name runs out in $value.",
    values: ["April 2027", "June 2028", "October 2026", "January 2029", "December 2027"],
    questions: [
      "When does $my passport run out?",
      "Until when is $my passport valid?",
      "When must $I renew $my travel document?",
    ],
    near: "He had put his passport into the washing machine, and it came out very clean.",
  },
  {
    key: "book",
    fact: "The book that $name reads again every winter is $value.",
    values: ["Middlemarch", "The Hobbit", "Moby-Dick", "Rebecca", "Solaris", "Emma"],
    questions: [
      "Which book $do $I read every winter?",
      "What is $my favourite novel?",
      "What $do $I reread year after year?",
    ],
    near: "The book was so heavy that it served as a doorstop before anyone read it.",
  },
  {
    key: "bank",
    fact: "$name banks with $value and wants no paper statements.",
    values: ["Triodos", "Nordea", "Handelsbanken", "the Cooperative", "ING", "Bunq"],
    questions: ["Who $do $I bank with?", "Which bank has $my account?", "Where is $my money kept?"],
    near: "The bank by the river was taken by three anglers and a thermos.",
  },
  {
    key: "garden",
    fact: "$name grows $value on an allotment by the railway.",
    values: ["leeks", "dahlias", "gooseberries", "artichokes", "hops", "pumpkins"],
    questions: [
      "What $do $I grow on the allotment?",
      "Which plants $do $I raise?",
      "What can be harvested in $my garden?",
    ],
    near: "A garden gnome stood on the crossing and caused a detour.",
  },
];

/** All attributes that a person may have. */
export const ATTRIBUTES = [...ATTRIBUTES_OF_LIFE, ...ATTRIBUTES_OF_WORK];

/** Chats: the person's message and the assistant's answer. */
export const CHATS: readonly (readonly [string, string])[] = [
  [
    "It was $number degrees in $town today and I forgot my umbrella again.",
    "Rain from the $side is usual for $town in $month.",
  ],
  [
    "How long do I boil $food for a salad?",
    "About $number minutes, then rinse the $food in cold water.",
  ],
  [
    "The $thing in the kitchen makes a noise like a kettle.",
    "Check the seal of the $thing first, then the filter.",
  ],
  [
    "Can you explain why my loop prints $number twice?",
    "The bound is inclusive, so the body runs once more with $number.",
  ],
  [
    "We watched a film about $food last night, it was too long.",
    "Films about $food rarely need more than $number minutes.",
  ],
  [
    "Is there a train from $town to $other after nine?",
    "The last one from $town to $other leaves at half past nine.",
  ],
  [
    "The match ended $number to nothing and half the stadium left early.",
    "That was the clearest result since $month.",
  ],
  [
    "Write a short note to the neighbours about the $thing.",
    "Dear neighbours, the $thing will be repaired on the $number th of $month.",
  ],
  ["What rhymes with $town?", "Hardly anything rhymes with $town, but $other comes close."],
  [
    "I bought $number kilos of $food because they were cheap.",
    "You could freeze half of the $food or make chutney.",
  ],
  [
    "Summarize the article about the bridge in $town.",
    "The bridge in $town is closed until $month and costs $number million.",
  ],
  [
    "Convert $number inches to centimetres.",
    "$number inches are about two and a half times as many centimetres.",
  ],
  [
    "My query is slow when the table has $number thousand rows.",
    "Add an index on the column in the filter and compare the plans.",
  ],
  [
    "The $thing arrived with a scratch on the $side side.",
    "Send a photo of the $thing to the shop before $month.",
  ],
  [
    "Plan a weekend in $town for $number people.",
    "Saturday: the old harbour of $town. Sunday: a walk to $other.",
  ],
  [
    "Why is the sky over $town so orange?",
    "Dust from the $side turns the light over $town orange in $month.",
  ],
  [
    "Give me a recipe with $food and rice.",
    "Fry the $food for $number minutes, add the rice and cover it.",
  ],
  [
    "The printer says error $number and blinks.",
    "Error $number means that the tray is open on the $side side.",
  ],
  [
    "Which museum in $town is open on a holiday?",
    "The maritime museum in $town opens at ten all through $month.",
  ],
  [
    "I slept badly, the wind from the $side rattled the $thing.",
    "A strip of felt under the $thing helps against rattling.",
  ],
];

/** Values that fill the placeholders of chats. */
export const FILLINGS: Readonly<Record<string, readonly string[]>> = {
  town: ["Oslo", "Ghent", "Split", "Bath", "Cork", "Faro", "Kassel", "Nantes", "Turin", "Vilnius"],
  other: ["Lille", "York", "Aarhus", "Pisa", "Brno", "Cadiz", "Trier", "Umea", "Zadar", "Ulm"],
  food: ["lentils", "beetroot", "plums", "cod", "barley", "chestnuts", "fennel", "aubergines"],
  thing: ["kettle", "dishwasher", "bookshelf", "radiator", "tap", "lamp", "shutter", "toaster"],
  side: ["north", "south", "east", "west"],
  month: ["January", "March", "April", "June", "July", "September", "October", "November"],
};
