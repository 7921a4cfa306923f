// A conversation as code: for curl, Python and JavaScript, with the SDK of each of three providers.
import { anthropicContent, googleParts, openaiContent } from './code-contents.ts'
import type { Message } from './draft.ts'
import { type Value, type Writing, written } from './written.ts'

export const SDKS = ['OpenAI', 'Anthropic', 'Google'] as const
export type Sdk = (typeof SDKS)[number]
export const LANGUAGES = ['curl', 'Python', 'JavaScript'] as const
export type Language = (typeof LANGUAGES)[number]

export interface CodeOf {
  /** How callers reach the gateway, without a slash at the end. */
  url: string
  model: string
  messages: readonly Message[]
  /** By the names of chat completions. */
  fields: Readonly<Record<string, unknown>>
}

/** Anthropic's API wants a limit in every request. */
const DEFAULT_MAX_TOKENS = 1_024

/** What to paste. The key is read from the environment variable TOLLGATE_KEY: it is not known here. */
export const codeOf = (sdk: Sdk, language: Language, call: CodeOf): string => WRITERS[sdk][language](call)

interface Parts {
  system: string | undefined
  turns: readonly Message[]
  number: (name: string) => number | undefined
  stop: readonly string[] | undefined
}

function partsOf({ messages, fields }: CodeOf): Parts {
  const stop = fields.stop
  return {
    system: messages.find(({ role }) => role === 'system')?.content,
    turns: messages.filter(({ role }) => role !== 'system'),
    number: (name) => (typeof fields[name] === 'number' ? fields[name] : undefined),
    stop: Array.isArray(stop) ? stop.map(String) : undefined,
  }
}

type Fields = Readonly<Record<string, Value | undefined>>

const openaiFields = ({ model, messages, fields }: CodeOf): Fields => ({
  model,
  messages: messages.map((message) => ({ role: message.role, content: openaiContent(message) })),
  ...(fields as Fields),
})

function anthropicFields(call: CodeOf): Fields {
  const { system, turns, number, stop } = partsOf(call)
  return {
    model: call.model,
    max_tokens: number('max_completion_tokens') ?? DEFAULT_MAX_TOKENS,
    system,
    messages: turns.map((turn) => ({ role: turn.role, content: anthropicContent(turn) })),
    temperature: number('temperature'),
    top_p: number('top_p'),
    stop_sequences: stop,
  }
}

/** @param snake in Python's spelling */
const contentsOf = (call: CodeOf, snake = false): Value =>
  partsOf(call).turns.map((turn) => ({
    role: turn.role === 'assistant' ? 'model' : 'user',
    parts: googleParts(turn, snake),
  }))

/** @param snake in Python's spelling */
function googleConfig(call: CodeOf, snake: boolean): Fields {
  const { number, stop } = partsOf(call)
  const config: Record<string, Value | undefined> = {
    temperature: number('temperature'),
    topP: number('top_p'),
    maxOutputTokens: number('max_completion_tokens'),
    stopSequences: stop,
    seed: number('seed'),
    frequencyPenalty: number('frequency_penalty'),
    presencePenalty: number('presence_penalty'),
  }
  const set = Object.entries(config).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set.map(([name, value]) => [snake ? snakeCase(name) : name, value]))
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const isEmpty = (fields: Fields): boolean => Object.keys(fields).length === 0

/** In a shell an apostrophe ends the text that it stands in. */
const curl = (url: string, header: string, body: Fields): string =>
  `curl ${url} \\
  -H "${header}" \\
  -H 'content-type: application/json' \\
  -d '${written(body, 'json', 2).replaceAll("'", "'\\''")}'`

/** The arguments of a call in Python, a line each. */
const keywords = (fields: Fields): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `    ${name}=${written(value, 'python', 4)},\n`)
    .join('')

const argument = (fields: Fields, as: Writing = 'javascript'): string => {
  const text = written(fields, as)
  return text.includes('\n') ? text : `{\n  ${text.slice(2, -2)},\n}`
}

const WRITERS: Readonly<Record<Sdk, Readonly<Record<Language, (call: CodeOf) => string>>>> = {
  OpenAI: {
    curl: (call) =>
      curl(`${call.url}/v1/chat/completions`, 'authorization: Bearer $TOLLGATE_KEY', openaiFields(call)),
    Python: (call) => `import os
from openai import OpenAI

client = OpenAI(api_key=os.environ["TOLLGATE_KEY"], base_url="${call.url}/v1")
answer = client.chat.completions.create(
${keywords(openaiFields(call))})
print(answer.choices[0].message.content)`,
    JavaScript: (call) => `import OpenAI from 'openai'

const client = new OpenAI({ apiKey: process.env.TOLLGATE_KEY, baseURL: '${call.url}/v1' })
const answer = await client.chat.completions.create(${argument(openaiFields(call))})
console.log(answer.choices[0].message.content)`,
  },
  Anthropic: {
    curl: (call) => curl(`${call.url}/v1/messages`, 'x-api-key: $TOLLGATE_KEY', anthropicFields(call)),
    Python: (call) => `import os
from anthropic import Anthropic

client = Anthropic(api_key=os.environ["TOLLGATE_KEY"], base_url="${call.url}")
answer = client.messages.create(
${keywords(anthropicFields(call))})
print(answer.content[-1].text)`,
    JavaScript: (call) => `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ apiKey: process.env.TOLLGATE_KEY, baseURL: '${call.url}' })
const answer = await client.messages.create(${argument(anthropicFields(call))})
console.log(answer.content.at(-1).text)`,
  },
  Google: {
    curl(call) {
      const { system } = partsOf(call)
      const config = googleConfig(call, false)
      return curl(
        `${call.url}/v1beta/models/${call.model}:generateContent`,
        'x-goog-api-key: $TOLLGATE_KEY',
        {
          systemInstruction: system === undefined ? undefined : { parts: [{ text: system }] },
          contents: contentsOf(call),
          generationConfig: isEmpty(config) ? undefined : config,
        },
      )
    },
    Python(call) {
      const { system: system_instruction } = partsOf(call)
      const config = {
        ...(system_instruction === undefined ? {} : { system_instruction }),
        ...googleConfig(call, true),
      }
      return `import os
from google import genai

client = genai.Client(
    api_key=os.environ["TOLLGATE_KEY"], http_options={"base_url": "${call.url}"}
)
answer = client.models.generate_content(
${keywords({ model: call.model, contents: contentsOf(call, true), config: isEmpty(config) ? undefined : config })})
print(answer.text)`
    },
    JavaScript(call) {
      const { system: systemInstruction } = partsOf(call)
      const config = {
        ...(systemInstruction === undefined ? {} : { systemInstruction }),
        ...googleConfig(call, false),
      }
      return `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({
  apiKey: process.env.TOLLGATE_KEY,
  httpOptions: { baseUrl: '${call.url}' },
})
const answer = await client.models.generateContent(${argument({
        model: call.model,
        contents: contentsOf(call),
        config: isEmpty(config) ? undefined : config,
      })})
console.log(answer.text)`
    },
  },
}
