"""The anthropic package, with its tool runner."""

from anthropic import Anthropic, beta_tool
from checks import *
from pydantic import BaseModel


class Stay(BaseModel):
    city: str
    days: int


def client(key=KEY):
    return Anthropic(base_url=URL, api_key=key, max_retries=0)


def asked(content=PROMPT, model=MODEL):
    return {"model": model, "max_tokens": 2_000, "messages": [{"role": "user", "content": content}]}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def ask(content=PROMPT, key=KEY, model=MODEL):
    return {"text": text_of(client(key).messages.create(**asked(content, model)))}


def stream():
    with client().messages.stream(**asked()) as events:
        return streamed(list(events.text_stream))


def tools():
    runner = client().beta.messages.tool_runner(**asked(TOOL_PROMPT), tools=[beta_tool(get_weather)])
    return looped(text_of(runner.until_done()))


def image():
    source = {"type": "base64", "media_type": "image/png", "data": PNG_BASE64}
    return ask([{"type": "image", "source": source}, {"type": "text", "text": IMAGE_PROMPT}])


def schema():
    answer = client().messages.parse(**asked(SCHEMA_PROMPT), output_format=Stay)
    return {"json": answer.parsed_output.model_dump()}


main(
    {
        "text": ask,
        "stream": stream,
        "tools": tools,
        "image": image,
        "schema": schema,
        "errors": lambda: refusals(lambda key, model: ask(key=key, model=model)),
    }
)
