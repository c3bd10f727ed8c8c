"""A hook of the kind `grpc`: the sidecar calls it to have messages summarized.

python3 grpc_hook.py PORT
"""

import sys
from concurrent import futures

import grpc
from memorysidecar import v1
from memorysidecar.hook import v1 as hook
from memorysidecar.hook.v1.hook_service_pb2_grpc import (
    HookServiceServicer,
    add_HookServiceServicer_to_server,
)


def summarize(task: v1.SummarizeInput) -> str:
    """Stands where your model would: the first sentence of each message."""
    said = [message.text.split(". ")[0] for message in task.messages if message.text]
    # Earlier summaries are repeated only when the new text replaces them.
    known = task.prior_texts if task.replaces_prior else []
    return "; ".join([*known, *said])[: task.max_tokens * 4]


class Handler(HookServiceServicer):
    def Summarize(
        self, request: hook.SummarizeRequest, context: grpc.ServicerContext
    ) -> hook.SummarizeResponse:
        text = summarize(request.input)
        if not text:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "nothing to summarize")
        output = v1.SummarizeOutput(text=text, model="first-sentences")
        return hook.SummarizeResponse(output=output)


server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
add_HookServiceServicer_to_server(Handler(), server)
server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
server.start()
server.wait_for_termination()
