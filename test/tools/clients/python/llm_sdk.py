"""The llm command's library, with a model of extra-openai-models.yaml, as in its manual."""

import base64
import json
import os
import pathlib
import tempfile

from checks import *

folder = pathlib.Path(tempfile.mkdtemp())
os.environ["LLM_USER_PATH"] = str(folder)
(folder / "extra-openai-models.yaml").write_text(
    "".join(
        f"- model_id: {name}\n  model_name: {name}\n  api_base: {URL}/v1\n  api_key_name: tollgate\n"
        "  supports_tools: true\n  supports_schema: true\n  vision: true\n"
        for name in (MODEL, UNKNOWN_MODEL)
    )
)

import llm  # noqa: E402: it reads its folder when it is imported


def ask(prompt=PROMPT, key=KEY, name=MODEL, **options):
    return llm.get_model(name).prompt(prompt, key=key, stream=False, **options)


def tools():
    chain = llm.get_model(MODEL).chain(TOOL_PROMPT, tools=[get_weather], key=KEY, stream=False)
    return looped(chain.text())


def image():
    picture = llm.Attachment(type="image/png", content=base64.b64decode(PNG_BASE64))
    return {"text": ask(IMAGE_PROMPT, attachments=[picture]).text()}


main(
    {
        "text": lambda: {"text": ask().text()},
        "stream": lambda: streamed(list(llm.get_model(MODEL).prompt(PROMPT, key=KEY, stream=True))),
        "tools": tools,
        "image": image,
        "schema": lambda: {"json": json.loads(ask(SCHEMA_PROMPT, schema=SCHEMA).text())},
        "errors": lambda: refusals(lambda key, name: ask(key=key, name=name).text()),
    }
)
