"""Pydantic AI's agents: openai, responses, anthropic or google."""

import asyncio
import base64
import sys

from checks import *
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput

KIND = sys.argv[1]


class Stay(BaseModel):
    city: str
    days: int


def model(key=KEY, name=MODEL):
    if KIND == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(name, provider=AnthropicProvider(api_key=key, base_url=URL))
    if KIND == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=URL))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    made = OpenAIResponsesModel if KIND == "responses" else OpenAIChatModel
    return made(name, provider=OpenAIProvider(api_key=key, base_url=URL + "/v1"))


def ask(prompt=PROMPT, key=KEY, name=MODEL):
    return {"text": Agent(model(key, name)).run_sync(prompt).output}


def stream():
    async def run():
        async with Agent(model()).run_stream(PROMPT) as answer:
            return [piece async for piece in answer.stream_text(delta=True, debounce_by=None)]

    return streamed(asyncio.run(run()))


def tools():
    return looped(Agent(model(), tools=[get_weather]).run_sync(TOOL_PROMPT).output)


def image():
    picture = BinaryContent(base64.b64decode(PNG_BASE64), media_type="image/png")
    return ask([IMAGE_PROMPT, picture])


def schema():
    output = Stay if KIND == "anthropic" else NativeOutput(Stay)
    return {"json": Agent(model(), output_type=output).run_sync(SCHEMA_PROMPT).output.model_dump()}


main(
    {
        "text": ask,
        "stream": stream,
        "tools": tools,
        "image": image,
        "schema": schema,
        "errors": lambda: refusals(lambda key, name: ask(key=key, name=name)),
    }
)
