"""The shared part of the Python clients' programs: the gateway's address, the prompts, and the output of results."""

import json
import os
import sys

URL = os.environ["TOLLGATE_URL"]
KEY = os.environ["TOLLGATE_KEY"]
MODEL = os.environ["TOLLGATE_MODEL"]
WRONG_KEY = os.environ["TOLLGATE_WRONG_KEY"]
UNKNOWN_MODEL = os.environ["TOLLGATE_UNKNOWN_MODEL"]

MATERIAL = json.loads(os.environ["TOLLGATE_MATERIAL"])
PROMPT = MATERIAL["prompt"]
TOOL_PROMPT = MATERIAL["tool_prompt"]
SCHEMA_PROMPT = MATERIAL["schema_prompt"]
IMAGE_PROMPT = MATERIAL["image_prompt"]
SCHEMA = MATERIAL["schema"]
TOOL_SCHEMA = MATERIAL["tool_schema"]
PNG_BASE64 = MATERIAL["png_base64"]
PNG_URI = "data:image/png;base64," + PNG_BASE64

called = []


def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: The city's name.
    """
    called.append(city)
    return f"{city}: {MATERIAL['weather']}"


def streamed(pieces):
    """A text that came in pieces."""
    pieces = [piece for piece in pieces if piece]
    return {"text": "".join(pieces), "pieces": len(pieces)}


def looped(text):
    """The answer after the tool was called."""
    return {"text": text, "called": called}


def refusals(ask):
    """The errors that `ask(key, model)` raises with a wrong key, and for an unknown model."""

    def raised(key, model):
        try:
            ask(key, model)
        except BaseException as error:  # some clients exit the process
            return f"{type(error).__name__}: {error}"
        return "nothing was raised"

    return {"wrong_key": raised(WRONG_KEY, MODEL), "unknown_model": raised(KEY, UNKNOWN_MODEL)}


def main(features):
    """Runs the feature that the command line names, and prints its result as the last line."""
    result = features[sys.argv[-1]]()
    print("\n" + json.dumps(result))
