"""Turns whose facts a hook finds and scores, and a contradiction that one settles.

python3 learn.py ADDRESS EXTRACTOR SCORER
"""

import sys
import time

from memorysidecar import Aborted, Client, policy

END = time.monotonic() + 30
DOG = {"user_id": "ana", "key": "dog"}

with Client(sys.argv[1]) as memory:

    def wait_for(what: str, **filter: str) -> None:
        while not list(memory.list_memories(filter={"user_id": "ana", **filter})):
            if time.monotonic() > END:
                sys.exit(f"nobody made {what}")
            time.sleep(0.2)

    # As long as no worker polls, the rules of the server find facts instead.
    while True:
        try:
            memory.extract_memories(text="My dog is Rex.", extraction=sys.argv[2], preview=True)
            break
        except Aborted:
            if time.monotonic() > END:
                sys.exit("no worker answered")
            time.sleep(0.2)
    memory.create_session(
        session_id="pets",
        user_id="ana",
        policy=policy.sliding_window(max_messages=2),
        memory_policy={"extraction": sys.argv[2], "promotion": {"score_hook": sys.argv[3]}},
    )
    memory.record_turn("pets", "My dog is Rex.", "Hello, Rex!")
    wait_for("facts", text_contains="Rex", origin="extraction")
    memory.record_turn("pets", "No, my dog is Max.", "Hello, Max!")
    wait_for("facts", text_contains="Max", origin="extraction")
    # The first turn has left the window, and mattered.
    wait_for("promotions", origin="promotion")
    # Findings stand beside the memories of callers until a caller trusts them.
    [found] = memory.list_memories(filter=DOG)
    memory.update_memory(found.memory_id, trust="medium")
    memory.remember({**DOG, "text": "Max also answers to Maxi."}, conflict="ask_hook")
    for fact in memory.list_memories(filter={**DOG, "states": ["active", "superseded"]}):
        print(fact.source.hook or "a call", fact.importance, fact.text)
    [dog] = memory.list_memories(filter=DOG)
    if dog.text != "The user's dog is Max. Max also answers to Maxi.":
        sys.exit("the contradiction was not settled")
