// Words that say nothing by themselves.

/** English words of grammar and of small talk, in lower case and without apostrophes. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about above actually after again against ah all almost already also although always am an " +
    "and another any anyone anything are arent around as at away awesome be because been before " +
    "being below between both bit but by bye can cannot cant certainly come could couldnt cool did " +
    "didnt do does doesnt doing done dont down during each either else enough especially etc even " +
    "ever every everyone everything few for from further gave get gets getting give gives go goes " +
    "going gonna gone good got great ha had hadnt haha hardly has hasnt have havent having he hed " +
    "hello her here hers herself hes hey hi him himself his hmm how hows however i id if ill im in " +
    "indeed into is isnt it itd itll its itself ive just keep kind know knows lately least less let " +
    "lets like ll lot lots made make makes making many may maybe me mean might mine more most much " +
    "must my myself need never nice no none nor not nothing now of off oh ok okay often on once " +
    "one only onto or other others our ours ourselves out over own perhaps please pretty put quite " +
    "rather re really right said same say says see seem seems she shed shes should shouldnt since " +
    "so some someone something soon sorry sort sounds still such sure take than thank thanks that " +
    "thatd thatll thats the their theirs them themselves then there theres these they theyd theyll " +
    "theyre theyve thing things think this those though through thus to together too totally " +
    "toward try um under until up upon us use used using ve very via want wanna was wasnt way we " +
    "wed well were werent weve what whatever whats when where whether which while who whole whom " +
    "whose why will with within without wont wow would wouldnt yeah yep yes yet you youd youll " +
    "your youre yours yourself yourselves youve"
  ).split(" "),
);
