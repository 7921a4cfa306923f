"""Instructor, which asks for objects only: openai, anthropic or google."""

import sys

import instructor
from checks import *
from pydantic import BaseModel

KIND = sys.argv[1]


class Stay(BaseModel):
    city: str
    days: int


def client(key=KEY):
    if KIND == "anthropic":
        from anthropic import Anthropic

        return instructor.from_anthropic(Anthropic(api_key=key, base_url=URL, max_retries=0))
    if KIND == "google":
        from google import genai

        return instructor.from_genai(genai.Client(api_key=key, http_options={"base_url": URL}))
    from openai import OpenAI

    return instructor.from_openai(OpenAI(api_key=key, base_url=URL + "/v1", max_retries=0))


def ask(key=KEY, name=MODEL):
    options = {} if KIND == "google" else {"max_tokens": 2_000}
    stay = client(key).chat.completions.create(
        model=name,
        messages=[{"role": "user", "content": SCHEMA_PROMPT}],
        response_model=Stay,
        max_retries=1,
        **options,
    )
    return {"json": stay.model_dump()}


main(
    {
        "schema": ask,
        "errors": lambda: refusals(lambda key, name: ask(key=key, name=name)),
    }
)
