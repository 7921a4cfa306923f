// `@anthropic-ai/sdk`, with its own tool runner, message stream and parsing.
import Anthropic from '@anthropic-ai/sdk'
import { betaJSONSchemaOutputFormat, betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
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

const sdk = ({ url, key }: Connection): Anthropic =>
  new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })
const MAX_TOKENS = 2_000

const textOf = (content: readonly { type: string; text?: string }[]): string =>
  content.map(({ text = '' }) => text).join('')

const ask = (at: Connection, content: Anthropic.MessageParam['content'] = PROMPT) =>
  sdk(at).messages.create({ model: at.model, max_tokens: MAX_TOKENS, messages: [{ role: 'user', content }] })

async function stream(at: Connection): Promise<Observation> {
  const pieces: string[] = []
  const running = sdk(at).messages.stream({
    model: at.model,
    max_tokens: MAX_TOKENS,
    messages: [{ role: 'user', content: PROMPT }],
  })
  running.on('text', (piece) => pieces.push(piece))
  return { text: await running.finalText(), pieces: pieces.length }
}

async function tools(at: Connection): Promise<Observation> {
  const called: string[] = []
  const weather = betaTool({
    name: TOOL.name,
    description: TOOL.description,
    inputSchema: TOOL.schema,
    run(args) {
      const city = String(args.city)
      called.push(city)
      return weatherOf(city)
    },
  })
  const { content } = await sdk(at).beta.messages.toolRunner({
    model: at.model,
    max_tokens: MAX_TOKENS,
    messages: [{ role: 'user', content: TOOL_PROMPT }],
    tools: [weather],
  })
  return { text: textOf(content), called }
}

async function schema(at: Connection): Promise<Observation> {
  const { parsed_output } = await sdk(at).beta.messages.parse({
    model: at.model,
    max_tokens: MAX_TOKENS,
    messages: [{ role: 'user', content: SCHEMA_PROMPT }],
    output_config: { format: betaJSONSchemaOutputFormat(SCHEMA) },
  })
  return { json: parsed_output }
}

const PICTURE: Anthropic.ContentBlockParam[] = [
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG_BASE64 } },
  { type: 'text', text: IMAGE_PROMPT },
]

export const anthropic: JavascriptClient = {
  name: '@anthropic-ai/sdk',
  package: '@anthropic-ai/sdk',
  surface: 'messages',
  protocol: 'anthropic',
  features: {
    text: async (at) => ({ text: textOf((await ask(at)).content) }),
    stream,
    tools,
    image: async (at) => ({ text: textOf((await ask(at, PICTURE)).content) }),
    schema,
    errors: (at) => refusals(at, ask),
  },
}
