"""LangChain's agent and chat models: openai, responses, anthropic or google."""

import sys

from checks import *
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage

KIND = sys.argv[1]


def model(key=KEY, name=MODEL):
    if KIND == "anthropic":
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(model=name, api_key=key, base_url=URL, max_retries=0, max_tokens=2_000)
    if KIND == "google":
        from langchain_google_genai import ChatGoogleGenerativeAI

        return ChatGoogleGenerativeAI(model=name, google_api_key=key, base_url=URL, max_retries=1)
    if KIND == "azure":
        from langchain_openai import AzureChatOpenAI

        return AzureChatOpenAI(
            azure_deployment=name, api_key=key, azure_endpoint=URL, api_version="2024-10-21", max_retries=0
        )
    from langchain_openai import ChatOpenAI

    responses = KIND == "responses"
    return ChatOpenAI(
        model=name, api_key=key, base_url=URL + "/v1", max_retries=0, use_responses_api=responses
    )


def ask(content=PROMPT, key=KEY, name=MODEL):
    return {"text": model(key, name).invoke([HumanMessage(content)]).text}


def tools():
    agent = create_agent(model(), [get_weather])
    return looped(agent.invoke({"messages": [HumanMessage(TOOL_PROMPT)]})["messages"][-1].text)


def image():
    return ask([{"type": "text", "text": IMAGE_PROMPT}, {"type": "image_url", "image_url": {"url": PNG_URI}}])


def schema():
    wanted = {**SCHEMA, "title": "stay", "description": "A stay in a city."}
    structured = model().with_structured_output(wanted, method="json_schema")
    return {"json": structured.invoke(SCHEMA_PROMPT)}


main(
    {
        "text": ask,
        "stream": lambda: streamed(chunk.text for chunk in model().stream(PROMPT)),
        "tools": tools,
        "image": image,
        "schema": schema,
        "errors": lambda: refusals(lambda key, name: ask(key=key, name=name)),
    }
)
