"""Walks once through the client: turns with tools, the window, what leaves it, memory, context,
records, errors, erasure. The tours of all languages print the same lines.

    python clients/python/examples/tour.py [ADDRESS [TOKEN]]

It asks for a kill of the server, and then of itself; "resume" as a third argument goes on.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from memorysidecar import Aborted, Client, Invalid, NotFound, RetryPolicy, Watch, policy, v1


def say(text: str) -> None:
    """Prints a line at once, also into a pipe."""
    print(text, flush=True)


def ask(text: str) -> None:
    """Waits for Enter."""
    say(text)
    sys.stdin.readline()


def start(client: Client) -> None:
    """Has turns while the server is killed, until the program is."""
    say("== Turns")
    client.ensure_session("trip", user_id="ada", policy=policy.turns(max_turns=1))
    client.ensure_consumer("tour", position="oldest")
    with watch_trims(client) as trims:
        turn(client, 1, "Lisbon")
        show(client)
        turn(client, 2, "Oslo")
        show_trim(client, trims)
        ask("Kill the server, press Enter, and start it again.")
        turn(client, 3, "Rome")
        show_trim(client, trims)
        turn(client, 4, "Paris")
        ask("Kill this program, and start it again with resume.")


def watch_trims(client: Client) -> Watch:
    """Watches what leaves the window, after what was acknowledged."""
    types = [v1.EVENT_TYPE_MESSAGES_TRIMMED]
    return client.watch(consumer_id="tour", filter={"session_id": "trip", "event_types": types})


def turn(client: Client, number: int, city: str) -> None:
    """Asks, runs the tools of the answer side by side, and appends what they found."""
    arguments = json.dumps({"city": city}, separators=(",", ":"))
    calls = [
        {"tool_call_id": f"table-{number}", "name": "find_table", "arguments": arguments},
        {"tool_call_id": f"weather-{number}", "name": "get_weather", "arguments": arguments},
    ]
    question = {"role": "user", "text": f"Where do I eat in {city}?"}
    asked = client.append("trip", [question, {"role": "assistant", "tool_calls": calls}])
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda call: run_tool(call, city), calls))
    answer = " ".join(result["text"] for result in results)
    done = client.append("trip", [*results, {"role": "assistant", "text": answer}])
    say(f"turn {number} has the seqs {asked.messages[0].seq} to {done.last_seq}")


def run_tool(call: dict[str, str], city: str) -> dict[str, str]:
    """Runs a tool and gives its result as a message."""
    table, weather = f"The Anchor in {city} has a table.", f"It is sunny in {city}."
    text = table if call["name"] == "find_table" else weather
    return {"role": "tool", "tool_call_id": call["tool_call_id"], "text": text}


def show(client: Client) -> None:
    """Shows what goes to the model."""
    for message in client.window("trip").messages:
        role = v1.Role.Name(message.role).removeprefix("ROLE_").lower()
        calls = "".join(f" {call.name}({call.arguments})" for call in message.tool_calls)
        text = f" {message.text}" if message.text else ""
        say(f"{message.seq} {role}:{calls}{text}")


def show_trim(client: Client, trims: Watch) -> None:
    """Waits for the next trim, shows it, and tells the server that it is done."""
    trim = next(trims).messages_trimmed.trim
    seqs = trim.seq_ranges[0]
    say(f"left the window: {seqs.first_seq} to {seqs.last_seq}, by {trim.stage}")
    client.ack_events("tour", trims.resume_token)


def resume(client: Client) -> None:
    """Goes on after the last trim that was acknowledged."""
    say("== Resumed")
    with watch_trims(client) as trims:
        show_trim(client, trims)
        turn(client, 5, "Porto")
        show_trim(client, trims)
    count = sum(1 for _ in client.list_messages("trip", page_size=4))
    say(f"the log has {count} messages")


def remember(client: Client) -> None:
    """Remembers facts, the second in the place of the first, and finds them again."""
    say("== Memory")
    for text in ("Ada lives in Porto.", "Ada lives in Berlin."):
        fact = {"user_id": "ada", "key": "home_city", "text": text}
        client.remember(fact, conflict="supersede")
    client.remember({"user_id": "ada", "text": "Ada is allergic to peanuts."})
    question = "which city is home"
    found = client.recall(question, user_id="ada", filter={"kinds": ["memory"]}, page_size=1)
    for hit in found.hits:
        say(f"recalled: {hit.memory.text}")
    prompt = client.assemble_context(
        "trip",
        query="a dinner without peanuts",
        max_tokens=500,
        exclude_conversation=True,
        sections=["long_term"],
    )
    say(prompt.text)


def records(client: Client) -> None:
    """Keeps values and lists them."""
    say("== Records")
    path = ("checkpoints", "trip")
    for step in ("one", "two", "three"):
        client.put_record(path, step, f"step {step}", user_id="ada")
    for record in client.list_records(path, include_values=True, page_size=2):
        say(f"{record.key}: {record.value.decode()}")


def refusals(client: Client) -> None:
    """Shows what errors tell, and that a request id stores once."""
    say("== Errors")
    try:
        client.append("trip", "Too late", expected_last_seq=1)
    except Aborted as error:
        say(f"{error.reason}: the newest seq is {error.metadata['last_seq']}")
    try:
        client.append("trip", v1.Message(text="Whose?"))
    except Invalid as error:
        say(f"{error.reason}: {error.violations[0].field}")
    first = client.append("trip", "Thank you.", request_id="thanks")
    again = client.append("trip", "Thank you.", request_id="thanks")
    say(f"sent twice, stored once: seq {first.last_seq} and seq {again.last_seq}")


def erase(client: Client) -> None:
    """Erases the user with everything that is theirs."""
    say("== Erasure")
    receipt = client.erase_subject(user_id="ada")
    while receipt.state == v1.ERASURE_STATE_RUNNING:
        time.sleep(0.02)
        receipt = client.get_erasure(receipt.erasure_id)
    for erased in receipt.erased:
        kind = v1.ErasedKind.Name(erased.kind).removeprefix("ERASED_KIND_").lower()
        say(f"erased {kind}: {erased.count}")
    try:
        client.window("trip")
    except NotFound:
        say("nothing is left of the session")


def main() -> None:
    """Takes the first part of the tour, or the second."""
    address, token, part = [*sys.argv[1:], *["127.0.0.1:50151", "", ""][len(sys.argv) - 1 :]]
    # More attempts than usual: a person who kills the server is slow to start it again.
    retry = RetryPolicy(max_attempts=30, max_delay=2.0)
    with Client(address, token=token or None, retry=retry) as client:
        if part != "resume":
            start(client)
            return
        for step in (resume, remember, records, refusals, erase):
            step(client)


main()
