"""openai, anthropic and google-genai: reads answers as lines of JSON, and prints which of them their types refuse, and why."""

import json
import sys

from anthropic.types import Message, MessageTokensCount, RawMessageStreamEvent
from google.genai.types import GenerateContentResponse
from openai.types import Completion, CreateEmbeddingResponse, ImagesResponse, Model
from openai.types import ImageEditStreamEvent, ImageGenStreamEvent, ModerationCreateResponse
from openai.types.audio import Transcription, TranscriptionStreamEvent, TranscriptionVerbose, Translation
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import CompactedResponse, Response, ResponseItem, ResponseStreamEvent
from pydantic import TypeAdapter

TYPES = {
    "chat": ChatCompletion,
    "chat_chunk": ChatCompletionChunk,
    "completion": Completion,
    "response": Response,
    "response_compacted": CompactedResponse,
    "response_event": ResponseStreamEvent,
    "response_items": ResponseItem,
    "embeddings": CreateEmbeddingResponse,
    "images": ImagesResponse,
    "image_event": ImageGenStreamEvent,
    "image_edit_event": ImageEditStreamEvent,
    "transcription": Transcription,
    "transcription_verbose": TranscriptionVerbose,
    "transcription_event": TranscriptionStreamEvent,
    "translation": Translation,
    "moderation": ModerationCreateResponse,
    "models": Model,
    "model": Model,
    "anthropic_message": Message,
    "anthropic_event": RawMessageStreamEvent,
    "count_tokens": MessageTokensCount,
    "gemini": GenerateContentResponse,
}
ADAPTERS = {name: TypeAdapter(type) for name, type in TYPES.items()}
LISTS = {"models", "response_items"}

for index, line in enumerate(sys.stdin):
    answer = json.loads(line)
    kind, value = answer["type"], answer["json"]
    # Anthropic's own decoder leaves pings out before it applies its types.
    if kind not in ADAPTERS or value.get("type") == "ping":
        continue
    try:
        for each in value["data"] if kind in LISTS else [value]:
            ADAPTERS[kind].validate_json(json.dumps(each), strict=True)
    except Exception as error:
        print(json.dumps({"line": index, "problem": " ".join(str(error).split())[:600]}))
