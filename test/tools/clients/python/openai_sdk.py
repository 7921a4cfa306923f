"""The openai package: chat completions, at Azure's addresses too, or responses."""

import json
import sys

from checks import *
from openai import AzureOpenAI, OpenAI
from pydantic import BaseModel


class Stay(BaseModel):
    city: str
    days: int


def client(key=KEY):
    if sys.argv[1] == "azure":
        return AzureOpenAI(azure_endpoint=URL, api_key=key, api_version="2024-10-21", max_retries=0)
    return OpenAI(base_url=URL + "/v1", api_key=key, max_retries=0)


def user(content):
    return [{"role": "user", "content": content}]


def chat(content=PROMPT, key=KEY, model=MODEL):
    answer = client(key).chat.completions.create(model=model, messages=user(content))
    return {"text": answer.choices[0].message.content}


def chat_stream():
    chunks = client().chat.completions.create(model=MODEL, messages=user(PROMPT), stream=True)
    return streamed(chunk.choices[0].delta.content for chunk in chunks if chunk.choices)


def chat_tools():
    messages = user(TOOL_PROMPT)
    function = {"name": "get_weather", "parameters": TOOL_SCHEMA, "strict": True}
    while True:
        answer = client().chat.completions.create(
            model=MODEL, messages=messages, tools=[{"type": "function", "function": function}]
        )
        message = answer.choices[0].message
        if not message.tool_calls:
            return looped(message.content)
        messages.append(message)
        for call in message.tool_calls:
            result = get_weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def chat_image():
    return chat(
        [{"type": "text", "text": IMAGE_PROMPT}, {"type": "image_url", "image_url": {"url": PNG_URI}}]
    )


def chat_schema():
    answer = client().chat.completions.parse(
        model=MODEL, messages=user(SCHEMA_PROMPT), response_format=Stay
    )
    return {"json": answer.choices[0].message.parsed.model_dump()}


CHAT = {
    "text": chat,
    "stream": chat_stream,
    "tools": chat_tools,
    "image": chat_image,
    "schema": chat_schema,
    "errors": lambda: refusals(lambda key, model: chat(key=key, model=model)),
}


def respond(content=PROMPT, key=KEY, model=MODEL):
    return {"text": client(key).responses.create(model=model, input=content).output_text}


def respond_stream():
    with client().responses.stream(model=MODEL, input=PROMPT) as events:
        return streamed(event.delta for event in events if event.type == "response.output_text.delta")


def respond_tools():
    tool = {"type": "function", "name": "get_weather", "parameters": TOOL_SCHEMA, "strict": True}
    answer = client().responses.create(model=MODEL, input=TOOL_PROMPT, tools=[tool])
    while calls := [item for item in answer.output if item.type == "function_call"]:
        outputs = [
            {
                "type": "function_call_output",
                "call_id": call.call_id,
                "output": get_weather(**json.loads(call.arguments)),
            }
            for call in calls
        ]
        answer = client().responses.create(
            model=MODEL, input=outputs, tools=[tool], previous_response_id=answer.id
        )
    return looped(answer.output_text)


def respond_image():
    return respond(
        user([{"type": "input_text", "text": IMAGE_PROMPT}, {"type": "input_image", "image_url": PNG_URI}])
    )


def respond_schema():
    answer = client().responses.parse(model=MODEL, input=SCHEMA_PROMPT, text_format=Stay)
    return {"json": answer.output_parsed.model_dump()}


RESPONSES = {
    "text": respond,
    "stream": respond_stream,
    "tools": respond_tools,
    "image": respond_image,
    "schema": respond_schema,
    "errors": lambda: refusals(lambda key, model: respond(key=key, model=model)),
}

main({"chat": CHAT, "azure": CHAT, "responses": RESPONSES}[sys.argv[1]])
