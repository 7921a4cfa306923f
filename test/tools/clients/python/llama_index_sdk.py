"""LlamaIndex's models and its function agent: openai, google or anthropic."""

import asyncio
import base64
import sys

from checks import *
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from pydantic import BaseModel

KIND = sys.argv[1]


class Stay(BaseModel):
    city: str
    days: int


def model(key=KEY, name=MODEL):
    if KIND == "google":
        from llama_index.llms.google_genai import GoogleGenAI

        # Without both sizes, LlamaIndex requests the model's sizes: a 501 unless the operator allows the extra methods.
        return GoogleGenAI(
            model=name,
            api_key=key,
            http_options={"base_url": URL},
            context_window=100_000,
            max_tokens=2_000,
            max_retries=0,
        )
    if KIND == "anthropic":
        from llama_index.llms.anthropic import Anthropic

        # LlamaIndex itself refuses a name that it does not know, so this one is known to it, and not to the gateway.
        if name == UNKNOWN_MODEL:
            name = "claude-opus-4-1"
        return Anthropic(model=name, api_key=key, base_url=URL, max_tokens=2_000, max_retries=0)
    from llama_index.llms.openai_like import OpenAILike

    return OpenAILike(
        model=name,
        api_key=key,
        api_base=URL + "/v1",
        is_chat_model=True,
        is_function_calling_model=True,
        context_window=100_000,
        max_retries=0,
    )


def ask(key=KEY, name=MODEL):
    return {"text": model(key, name).chat([ChatMessage(role="user", content=PROMPT)]).message.content}


def tools():
    async def run():
        agent = FunctionAgent(tools=[get_weather], llm=model(), streaming=False)
        return str(await agent.run(TOOL_PROMPT))

    return looped(asyncio.run(run()))


def image():
    picture = ImageBlock(image=base64.b64decode(PNG_BASE64), image_mimetype="image/png")
    message = ChatMessage(role="user", blocks=[TextBlock(text=IMAGE_PROMPT), picture])
    return {"text": model().chat([message]).message.content}


def schema():
    answer = model().as_structured_llm(Stay).complete(SCHEMA_PROMPT)
    return {"json": answer.raw.model_dump()}


main(
    {
        "text": ask,
        "stream": lambda: streamed(chunk.delta for chunk in model().stream_complete(PROMPT)),
        "tools": tools,
        "image": image,
        "schema": schema,
        "errors": lambda: refusals(lambda key, name: ask(key=key, name=name)),
    }
)
