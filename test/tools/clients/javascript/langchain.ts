// LangChain's chat models for OpenAI, Anthropic and Google.
import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { AzureChatOpenAI, ChatOpenAI } from '@langchain/openai'
import type { Connection, Observation } from '../feature.ts'
import {
  IMAGE_PROMPT,
  PNG_BASE64,
  PROMPT,
  SCHEMA,
  SCHEMA_PROMPT,
  TOOL,
  TOOL_PROMPT,
  weatherOf,
} from '../material.ts'
import { type JavascriptClient, refusals } from './client.ts'

type ModelOf = (at: Connection) => BaseChatModel

async function stream(model: BaseChatModel): Promise<Observation> {
  const pieces: string[] = []
  for await (const { text } of await model.stream(PROMPT)) if (text) pieces.push(text)
  return { text: pieces.join(''), pieces: pieces.length }
}

async function tools(model: BaseChatModel): Promise<Observation> {
  const called: string[] = []
  const weather = tool(
    (input) => {
      const { city } = input as { city: string }
      called.push(city)
      return weatherOf(city)
    },
    { name: TOOL.name, description: TOOL.description, schema: TOOL.schema },
  )
  const bound = model.bindTools?.([weather])
  if (!bound) throw new Error('this model takes no tools')
  const messages: BaseMessage[] = [new HumanMessage(TOOL_PROMPT)]
  for (;;) {
    const answer = await bound.invoke(messages)
    messages.push(answer)
    const calls = answer.tool_calls ?? []
    if (calls.length === 0) return { text: answer.text, called }
    for (const call of calls) {
      const result = await weather.invoke(call.args)
      messages.push(
        new ToolMessage({ content: String(result), tool_call_id: call.id ?? '', name: call.name }),
      )
    }
  }
}

const PICTURE = new HumanMessage({
  content: [
    { type: 'text', text: IMAGE_PROMPT },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG_BASE64}` } },
  ],
})

const featuresOf = (modelOf: ModelOf): JavascriptClient['features'] => ({
  text: async (at) => ({ text: (await modelOf(at).invoke(PROMPT)).text }),
  stream: (at) => stream(modelOf(at)),
  tools: (at) => tools(modelOf(at)),
  image: async (at) => ({ text: (await modelOf(at).invoke([PICTURE])).text }),
  schema: async (at) => ({
    json: await modelOf(at)
      .withStructuredOutput({ ...SCHEMA, title: 'stay' }, { name: 'stay' })
      .invoke(SCHEMA_PROMPT),
  }),
  errors: (at) => refusals(at, (other) => modelOf(other).invoke(PROMPT)),
})

const COMMON = { maxRetries: 0 }
const openaiModel = (at: Connection, useResponsesApi: boolean): BaseChatModel =>
  new ChatOpenAI({
    ...COMMON,
    model: at.model,
    apiKey: at.key,
    configuration: { baseURL: `${at.url}/v1` },
    useResponsesApi,
  })

export const langchain: readonly JavascriptClient[] = [
  {
    name: '@langchain/openai, chat completions',
    package: '@langchain/openai',
    surface: 'chat',
    protocol: 'openai',
    features: featuresOf((at) => openaiModel(at, false)),
  },
  {
    name: '@langchain/openai, responses',
    package: '@langchain/openai',
    surface: 'responses',
    protocol: 'openai',
    features: featuresOf((at) => openaiModel(at, true)),
  },
  {
    name: '@langchain/openai, Azure',
    package: '@langchain/openai',
    surface: 'chat',
    protocol: 'openai',
    features: featuresOf(
      ({ url, key, model }) =>
        new AzureChatOpenAI({
          ...COMMON,
          model,
          azureOpenAIEndpoint: url,
          azureOpenAIApiKey: key,
          azureOpenAIApiDeploymentName: model,
          azureOpenAIApiVersion: '2024-10-21',
        }),
    ),
  },
  {
    name: '@langchain/anthropic',
    package: '@langchain/anthropic',
    surface: 'messages',
    protocol: 'anthropic',
    features: featuresOf(
      ({ url, key, model }) =>
        new ChatAnthropic({ ...COMMON, model, apiKey: key, anthropicApiUrl: url, maxTokens: 2_000 }),
    ),
  },
  {
    name: '@langchain/google-genai',
    package: '@langchain/google-genai',
    surface: 'native',
    protocol: 'gemini',
    features: featuresOf(
      ({ url, key, model }) => new ChatGoogleGenerativeAI({ ...COMMON, model, apiKey: key, baseUrl: url }),
    ),
  },
]
