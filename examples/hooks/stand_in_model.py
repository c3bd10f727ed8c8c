"""An OpenAI-compatible endpoint without a model: it answers with the first words of what it gets.

python3 stand_in_model.py PORT
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked = body["messages"][-1]["content"]
        words = [word for word in asked.split() if word.isalpha()]
        answer = {
            "model": body["model"],
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "content": "In short: " + " ".join(words[:30]),
                    },
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": len(asked) // 4, "completion_tokens": 40},
        }
        sent = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        """Says nothing: requests hold conversations."""


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Endpoint).serve_forever()
