"""The google-genai package, with its automatic function calling."""

import base64

from checks import *
from google import genai
from google.genai import types
from pydantic import BaseModel


class Stay(BaseModel):
    city: str
    days: int


def client(key=KEY):
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=URL))


def ask(contents=PROMPT, key=KEY, model=MODEL, **config):
    # If the client is garbage-collected during its call, it closes its connection.
    opened = client(key)
    return opened.models.generate_content(model=model, contents=contents, config=config or None)


def stream():
    opened = client()
    chunks = opened.models.generate_content_stream(model=MODEL, contents=PROMPT)
    return streamed([chunk.text for chunk in chunks])


def image():
    part = types.Part.from_bytes(data=base64.b64decode(PNG_BASE64), mime_type="image/png")
    return {"text": ask([part, IMAGE_PROMPT]).text}


def schema():
    answer = ask(SCHEMA_PROMPT, response_mime_type="application/json", response_schema=Stay)
    return {"json": answer.parsed.model_dump()}


main(
    {
        "text": lambda: {"text": ask().text},
        "stream": stream,
        "tools": lambda: looped(ask(TOOL_PROMPT, tools=[get_weather]).text),
        "image": image,
        "schema": schema,
        "errors": lambda: refusals(lambda key, model: ask(key=key, model=model)),
    }
)
