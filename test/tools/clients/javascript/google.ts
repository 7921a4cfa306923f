// `@google/genai`, with its own loop of function calls.
import { type CallableTool, type FunctionCall, GoogleGenAI, type PartListUnion } from '@google/genai'
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

const sdk = ({ url, key }: Connection): GoogleGenAI =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } })

const ask = (at: Connection, contents: PartListUnion = PROMPT) =>
  sdk(at).models.generateContent({ model: at.model, contents })

async function stream(at: Connection): Promise<Observation> {
  const pieces: string[] = []
  const chunks = await sdk(at).models.generateContentStream({ model: at.model, contents: PROMPT })
  for await (const { text } of chunks) if (text) pieces.push(text)
  return { text: pieces.join(''), pieces: pieces.length }
}

async function tools(at: Connection): Promise<Observation> {
  const called: string[] = []
  const weather: CallableTool = {
    tool: async () => ({
      functionDeclarations: [
        { name: TOOL.name, description: TOOL.description, parametersJsonSchema: TOOL.schema },
      ],
    }),
    callTool: async (calls: FunctionCall[]) =>
      calls.map(({ id, name, args }) => {
        const city = String(args?.city)
        called.push(city)
        return {
          functionResponse: {
            ...(id ? { id } : {}),
            ...(name ? { name } : {}),
            response: { output: weatherOf(city) },
          },
        }
      }),
  }
  const { text = '' } = await sdk(at).models.generateContent({
    model: at.model,
    contents: TOOL_PROMPT,
    config: { tools: [weather] },
  })
  return { text, called }
}

async function schema(at: Connection): Promise<Observation> {
  const { text = 'null' } = await sdk(at).models.generateContent({
    model: at.model,
    contents: SCHEMA_PROMPT,
    config: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
  })
  return { json: JSON.parse(text) }
}

export const google: JavascriptClient = {
  name: '@google/genai',
  package: '@google/genai',
  surface: 'native',
  protocol: 'gemini',
  features: {
    text: async (at) => ({ text: (await ask(at)).text ?? '' }),
    stream,
    tools,
    image: async (at) => ({
      text:
        (await ask(at, [{ inlineData: { mimeType: 'image/png', data: PNG_BASE64 } }, { text: IMAGE_PROMPT }]))
          .text ?? '',
    }),
    schema,
    errors: (at) => refusals(at, ask),
  },
}
