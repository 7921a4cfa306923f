// The AI SDK (`ai`) with its providers for OpenAI, Anthropic and Google.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai'
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

// Without this, it warns of every unknown model.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

type ModelOf = (at: Connection) => LanguageModel

const COMMON = { maxRetries: 0 }

async function stream(model: LanguageModel): Promise<Observation> {
  const pieces: string[] = []
  const failures: unknown[] = []
  // Without this, it prints the failure and ends the stream as usual.
  const onError = ({ error }: { error: unknown }) => void failures.push(error)
  const { textStream } = streamText({ ...COMMON, model, prompt: PROMPT, onError })
  for await (const piece of textStream) pieces.push(piece)
  if (failures.length > 0) throw failures[0]
  return { text: pieces.join(''), pieces: pieces.length }
}

async function tools(model: LanguageModel): Promise<Observation> {
  const called: string[] = []
  const get_weather = tool({
    description: TOOL.description,
    inputSchema: jsonSchema<{ city: string }>(TOOL.schema),
    execute({ city }) {
      called.push(city)
      return weatherOf(city)
    },
  })
  const { text } = await generateText({
    ...COMMON,
    model,
    prompt: TOOL_PROMPT,
    tools: { get_weather },
    stopWhen: stepCountIs(10),
  })
  return { text, called }
}

async function image(model: LanguageModel): Promise<Observation> {
  const { text } = await generateText({
    ...COMMON,
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: IMAGE_PROMPT },
          { type: 'file', data: PNG_BASE64, mediaType: 'image/png' },
        ],
      },
    ],
  })
  return { text }
}

async function schema(model: LanguageModel): Promise<Observation> {
  const { output } = await generateText({
    ...COMMON,
    model,
    prompt: SCHEMA_PROMPT,
    output: Output.object({ schema: jsonSchema(SCHEMA) }),
  })
  return { json: output }
}

const featuresOf = (modelOf: ModelOf): JavascriptClient['features'] => ({
  text: async (at) => ({
    text: (await generateText({ ...COMMON, model: modelOf(at), prompt: PROMPT })).text,
  }),
  stream: (at) => stream(modelOf(at)),
  tools: (at) => tools(modelOf(at)),
  image: (at) => image(modelOf(at)),
  schema: (at) => schema(modelOf(at)),
  errors: (at) => refusals(at, (other) => generateText({ ...COMMON, model: modelOf(other), prompt: PROMPT })),
})

const openai = ({ url, key }: Connection) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key })

export const aiSdk: readonly JavascriptClient[] = [
  {
    name: 'ai with @ai-sdk/openai, chat completions',
    package: '@ai-sdk/openai',
    surface: 'chat',
    protocol: 'openai',
    features: featuresOf((at) => openai(at).chat(at.model)),
  },
  {
    name: 'ai with @ai-sdk/openai, as it is (responses)',
    package: '@ai-sdk/openai',
    surface: 'responses',
    protocol: 'openai',
    features: featuresOf((at) => openai(at)(at.model)),
  },
  {
    name: 'ai with @ai-sdk/anthropic',
    package: '@ai-sdk/anthropic',
    surface: 'messages',
    protocol: 'anthropic',
    features: featuresOf(({ url, key, model }) =>
      createAnthropic({ baseURL: `${url}/v1`, apiKey: key })(model),
    ),
  },
  {
    name: 'ai with @ai-sdk/google',
    package: '@ai-sdk/google',
    surface: 'native',
    protocol: 'gemini',
    features: featuresOf(({ url, key, model }) =>
      createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key })(model),
    ),
  },
]
