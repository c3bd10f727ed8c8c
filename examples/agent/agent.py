"""An agent with tools, a window, long-term facts, and a consumer of what leaves the window."""

import json, os, sys, threading
from urllib.request import Request, urlopen

from memorysidecar import Client, MemoryTools, policy, rendered_in

memory = Client(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50151")
memory.ensure_session("chat", user_id="ana", policy=policy.token_budget(max_tokens=300))
memory.ensure_consumer("trims")
tools = MemoryTools(memory, user_id="ana")  # remember, recall, forget: long-term facts
context = {"form": "openai_chat", "max_tokens": 4000}
url = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"
token = f"Bearer {os.environ['OPENAI_API_KEY']}"


def ask(said):  # one call stores, trims, and gives what goes to the model
    prompt = rendered_in(memory.append("chat", said, form="openai_chat", context=context))
    given = {"messages": prompt.messages, "tools": tools.definitions("openai")}
    body = json.dumps({"model": "gpt-5-mini", **given}).encode()
    headers = {"authorization": token, "content-type": "application/json"}
    return json.load(urlopen(Request(url, body, headers)))["choices"][0]["message"]


def result_of(call):
    return {"role": "tool", "tool_call_id": call["id"], "content": tools.call(**call["function"])}


def hear_trims():  # goes on where it was after a restart of the server or the agent
    trims = {"event_types": ["EVENT_TYPE_MESSAGES_TRIMMED"]}
    for event in (events := memory.watch(consumer_id="trims", filter=trims)):
        print("left:", *event.messages_trimmed.trim.message_ids, file=sys.stderr, flush=True)
        memory.ack_events("trims", events.resume_token)


threading.Thread(target=hear_trims, daemon=True).start()
for line in sys.stdin:
    answer = ask({"role": "user", "content": line.strip()})
    while calls := answer.get("tool_calls"):
        answer = ask([answer, *map(result_of, calls)])
    memory.append("chat", answer, form="openai_chat", turn_end=True)
    print(answer["content"], flush=True)
