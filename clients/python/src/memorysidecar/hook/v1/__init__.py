"""The messages and enums of the contract. Generated from proto/memorysidecar/hook/v1."""

from .hook_service_pb2 import (
    SummarizeRequest as SummarizeRequest,
    SummarizeResponse as SummarizeResponse,
    EmbedTextsRequest as EmbedTextsRequest,
    EmbedTextsResponse as EmbedTextsResponse,
    RerankTextsRequest as RerankTextsRequest,
    RerankTextsResponse as RerankTextsResponse,
    ExtractFactsRequest as ExtractFactsRequest,
    ExtractFactsResponse as ExtractFactsResponse,
    ScoreTextsRequest as ScoreTextsRequest,
    ScoreTextsResponse as ScoreTextsResponse,
    ResolveConflictRequest as ResolveConflictRequest,
    ResolveConflictResponse as ResolveConflictResponse,
)
