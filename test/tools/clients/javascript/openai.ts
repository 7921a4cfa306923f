// `openai` on chat completions and on the Responses API, with its own loop, parsing and streams.
import OpenAI from 'openai'
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

const sdk = ({ url, key }: Connection): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
const IMAGE = `data:image/png;base64,${PNG_BASE64}`

const askChat = (at: Connection, content: OpenAI.ChatCompletionUserMessageParam['content'] = PROMPT) =>
  sdk(at).chat.completions.create({ model: at.model, messages: [{ role: 'user', content }] })

async function chatStream(at: Connection): Promise<Observation> {
  const stream = await sdk(at).chat.completions.create({
    model: at.model,
    messages: [{ role: 'user', content: PROMPT }],
    stream: true,
  })
  const pieces: string[] = []
  for await (const { choices } of stream) if (choices[0]?.delta.content) pieces.push(choices[0].delta.content)
  return { text: pieces.join(''), pieces: pieces.length }
}

async function chatTools(at: Connection): Promise<Observation> {
  const called: string[] = []
  const runner = sdk(at).chat.completions.runTools({
    model: at.model,
    messages: [{ role: 'user', content: TOOL_PROMPT }],
    tools: [
      {
        type: 'function',
        function: {
          name: TOOL.name,
          description: TOOL.description,
          parameters: TOOL.schema,
          parse: JSON.parse,
          function({ city }: { city: string }) {
            called.push(city)
            return weatherOf(city)
          },
        },
      },
    ],
  })
  return { text: (await runner.finalContent()) ?? '', called }
}

async function chatSchema(at: Connection): Promise<Observation> {
  const { choices } = await sdk(at).chat.completions.parse({
    model: at.model,
    messages: [{ role: 'user', content: SCHEMA_PROMPT }],
    response_format: { type: 'json_schema', json_schema: { name: 'stay', strict: true, schema: SCHEMA } },
  })
  return { json: JSON.parse(choices[0]?.message.content ?? 'null') }
}

const ask = (at: Connection, input: string | OpenAI.Responses.ResponseInput = PROMPT) =>
  sdk(at).responses.create({ model: at.model, input })

async function stream(at: Connection): Promise<Observation> {
  const pieces: string[] = []
  const running = sdk(at).responses.stream({ model: at.model, input: PROMPT })
  running.on('response.output_text.delta', ({ delta }) => pieces.push(delta))
  const { output_text } = await running.finalResponse()
  return { text: output_text, pieces: pieces.length }
}

async function tools(at: Connection): Promise<Observation> {
  const called: string[] = []
  let input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: TOOL_PROMPT }]
  const offered = { type: 'function', name: TOOL.name, parameters: TOOL.schema, strict: true } as const
  for (;;) {
    const answer = await sdk(at).responses.create({ model: at.model, input, tools: [offered] })
    const calls = answer.output.filter((item) => item.type === 'function_call')
    if (calls.length === 0) return { text: answer.output_text, called }
    const outputs = calls.map(({ call_id, arguments: json }) => {
      const { city } = JSON.parse(json)
      called.push(city)
      return { type: 'function_call_output' as const, call_id, output: weatherOf(city) }
    })
    input = [...input, ...(answer.output as OpenAI.Responses.ResponseInput), ...outputs]
  }
}

async function schema(at: Connection): Promise<Observation> {
  const answer = await sdk(at).responses.parse({
    model: at.model,
    input: SCHEMA_PROMPT,
    text: { format: { type: 'json_schema', name: 'stay', strict: true, schema: SCHEMA } },
  })
  return { json: JSON.parse(answer.output_text) }
}

export const openaiChat: JavascriptClient = {
  name: 'openai, chat completions',
  package: 'openai',
  surface: 'chat',
  protocol: 'openai',
  features: {
    text: async (at) => ({ text: (await askChat(at)).choices[0]?.message.content ?? '' }),
    stream: chatStream,
    tools: chatTools,
    image: async (at) => ({
      text:
        (
          await askChat(at, [
            { type: 'text', text: IMAGE_PROMPT },
            { type: 'image_url', image_url: { url: IMAGE } },
          ])
        ).choices[0]?.message.content ?? '',
    }),
    schema: chatSchema,
    errors: (at) => refusals(at, askChat),
  },
}

export const openaiResponses: JavascriptClient = {
  name: 'openai, responses',
  package: 'openai',
  surface: 'responses',
  protocol: 'openai',
  features: {
    text: async (at) => ({ text: (await ask(at)).output_text }),
    stream,
    tools,
    image: async (at) => ({
      text: (
        await ask(at, [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: IMAGE_PROMPT },
              { type: 'input_image', image_url: IMAGE, detail: 'auto' },
            ],
          },
        ])
      ).output_text,
    }),
    schema,
    errors: (at) => refusals(at, ask),
  },
}
