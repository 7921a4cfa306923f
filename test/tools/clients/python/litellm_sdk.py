"""The litellm package, by the prefix that says which protocol it speaks: openai, anthropic or gemini."""

import json
import sys

import litellm
from checks import *

PREFIX = sys.argv[1]
BASES = {"openai": URL + "/v1", "anthropic": URL, "gemini": URL + "/v1beta"}


def ask(content=PROMPT, key=KEY, model=MODEL, messages=None, **options):
    return litellm.completion(
        model=f"{PREFIX}/{model}",
        api_base=BASES[PREFIX],
        api_key=key,
        messages=messages or [{"role": "user", "content": content}],
        num_retries=0,
        **options,
    )


def text(content=PROMPT, key=KEY, model=MODEL):
    return {"text": ask(content, key, model).choices[0].message.content}


def stream():
    return streamed(chunk.choices[0].delta.content for chunk in ask(stream=True) if chunk.choices)


def tools():
    messages = [{"role": "user", "content": TOOL_PROMPT}]
    function = {"name": "get_weather", "description": "The weather of a city.", "parameters": TOOL_SCHEMA}
    while True:
        answer = ask(messages=messages, tools=[{"type": "function", "function": function}])
        message = answer.choices[0].message
        if not message.tool_calls:
            return looped(message.content)
        messages.append(message)
        for call in message.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def image():
    return text(
        [{"type": "text", "text": IMAGE_PROMPT}, {"type": "image_url", "image_url": {"url": PNG_URI}}]
    )


def schema():
    wanted = {"type": "json_schema", "json_schema": {"name": "stay", "strict": True, "schema": SCHEMA}}
    return {"json": json.loads(ask(SCHEMA_PROMPT, response_format=wanted).choices[0].message.content)}


main(
    {
        "text": text,
        "stream": stream,
        "tools": tools,
        "image": image,
        "schema": schema,
        "errors": lambda: refusals(lambda key, model: text(key=key, model=model)),
    }
)
