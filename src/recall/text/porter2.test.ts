import { describe, expect, test } from "vitest";
import { porter2 } from "./porter2.ts";

// Words and their stems as the published algorithm gives them.
const PAIRS = `
caresses caress|ponies poni|ties tie|cries cri|gas gas|this this|gaps gap|kiwis kiwi|cats cat
agreed agre|feed feed|plastered plaster|bled bled|motoring motor|sing sing|conflated conflat
troubled troubl|sized size|hopping hop|tanned tan|falling fall|hissing hiss|fizzed fizz|failing fail
filing file|happy happi|by by|say say|cry cri|relational relat|conditional condit|rational ration
valency valenc|hesitancy hesit|digitizer digit|conformably conform|radically radic
differently differ|vilely vile|analogously analog|vietnamization vietnam|predication predic
operator oper|feudalism feudal|decisiveness decis|hopefulness hope|callousness callous
formality formal|sensitivity sensit|sensibility sensibl|triplicate triplic|formative format
formalize formal|electricity electr|electrical electr|hopeful hope|goodness good|revival reviv
allowance allow|inference infer|airliner airlin|gyroscopic gyroscop|adjustable adjust
defensible defens|irritant irrit|replacement replac|adjustment adjust|dependent depend
adoption adopt|communism communism|activate activ|homologous homolog|effective effect
bowdlerize bowdler
probate probat|rate rate|cease ceas|controlling control|rolling roll|generous generous
generate generat|generally general|communities communiti|arsenal arsenal|skis ski|skies sky
dying die|lying lie|tying tie|idly idl|gently gentl|ugly ugli|early earli|only onli|singly singl
sky sky|news news|howe howe|atlas atlas|cosmos cosmos|bias bias|andes andes|inning inning
innings inning|outing outing|canning canning|herring herring|earring earring|proceed proceed
exceeds exceed|succeeding succeed|consign consign|consigned consign|consistency consist
consolation consol|knack knack|knightly knight|knocked knock|knives knive|youth youth|boyish boyish
enjoyed enjoy|enjoyment enjoy|luxuriated luxuri|hoped hope|hoping hope|bedded bed|beading bead
apology apolog|geologies geolog|running run|ran ran|runner runner|quickly quick|played play
plays play|dies die|died die|flies fli|hiking hike|paintings paint|sunrise sunris|birthday birthday
traveling travel|travelled travel|studies studi|studying studi|meeting meet|meetings meet
`;

describe("porter2", () => {
  const pairs = PAIRS.trim()
    .split(/[|\n]/)
    .map((pair) => pair.split(" ") as [string, string]);

  test("has enough pairs to mean something", () => {
    expect(pairs.length).toBeGreaterThan(130);
  });

  test.each(pairs)("%s -> %s", (word, stem) => {
    expect(porter2(word)).toBe(stem);
  });

  test.each(["a", "is", "", "naïve", "x1", "東京", "Upper"])("leaves %j as it is", (word) => {
    expect(porter2(word)).toBe(word);
  });
});
