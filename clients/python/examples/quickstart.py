"""Keeps a short conversation and reads what goes to the model."""

import sys

from memorysidecar import Client, v1

address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50151"
with Client(address) as client:
    session = client.create_session(user_id="ada", labels={"app": "quickstart"})
    client.append(session.session_id, {"role": "system", "text": "You answer in one sentence."})
    client.append(session.session_id, "What is a window?")
    client.append(session.session_id, {"role": "assistant", "text": "What the model sees."})

    window = client.window(session.session_id)
    for message in window.messages:
        print(f"{message.seq} {v1.Role.Name(message.role)}: {message.text}")
    tokens = window.window_totals.token_count
    print(f"{tokens} tokens, {window.outside_totals.message_count} messages left out")
