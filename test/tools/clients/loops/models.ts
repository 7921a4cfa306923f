// Models of current generations: their simulation, and the form in which their providers get calls, results and thinking back.
import type { BuiltInProtocol } from '../../../../src/protocols/registry.ts'
import { type Json, type JsonObject, objectIn, objectsIn } from '../../../../src/protocols/wire/json.ts'

/** A tool's call or its result, as a provider gets it back. */
interface ToolTurn {
  /** Empty if the protocol has none. */
  readonly id: string
  readonly name: string
  /** The text of a result. */
  readonly text: string
}

export interface CurrentModel {
  /** The name of its maker or family in the table. */
  readonly title: string
  /** Its provider's name for it, by which clients and the simulator know its generation. */
  readonly id: string
  readonly protocol: BuiltInProtocol
  /** The path of its provider at the simulator, after the address. */
  readonly path: string
  /** Lines of its provider in the catalogue. */
  readonly settings: string
  /** Whether each answer has thinking to send back, signed or visible. */
  readonly always_thinks: boolean
  /** Whether thinking is signed. Without its signature GPT thinks anew, and Gemini takes a documented placeholder. */
  readonly signs: boolean
  /** Whether writes to the prompt cache have a price of their own. */
  readonly bills_writes: boolean
  callsIn(body: JsonObject): ToolTurn[]
  resultsIn(body: JsonObject): ToolTurn[]
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value))
const id = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const CHAT: Pick<CurrentModel, 'callsIn' | 'resultsIn'> = {
  callsIn: ({ messages }) =>
    objectsIn(messages)
      .flatMap(({ tool_calls }) => objectsIn(tool_calls))
      .map((call) => ({ id: id(call.id), name: id(objectIn(call.function).name), text: '' })),
  resultsIn: ({ messages }) =>
    objectsIn(messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => ({ id: id(tool_call_id), name: '', text: text(content) })),
}

const RESPONSES: Pick<CurrentModel, 'callsIn' | 'resultsIn'> = {
  callsIn: ({ input }) =>
    objectsIn(input)
      .filter(({ type }) => /_call$/.test(id(type)))
      .map(({ call_id, name }) => ({ id: id(call_id), name: id(name), text: '' })),
  resultsIn: ({ input }) =>
    objectsIn(input)
      .filter(({ type }) => /_call_output$/.test(id(type)))
      .map(({ call_id, output }) => ({ id: id(call_id), name: '', text: text(output) })),
}

const blocksIn = ({ messages }: JsonObject): JsonObject[] =>
  objectsIn(messages).flatMap(({ content }) => objectsIn(content))
const MESSAGES: Pick<CurrentModel, 'callsIn' | 'resultsIn'> = {
  callsIn: (body) =>
    blocksIn(body)
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({ id: id(block.id), name: id(block.name), text: '' })),
  resultsIn: (body) =>
    blocksIn(body)
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id, content }) => ({ id: id(tool_use_id), name: '', text: text(content) })),
}

const partsIn = ({ contents }: JsonObject): JsonObject[] =>
  objectsIn(contents).flatMap(({ parts }) => objectsIn(parts))
const CONTENTS: Pick<CurrentModel, 'callsIn' | 'resultsIn'> = {
  callsIn: (body) =>
    partsIn(body)
      .filter(({ functionCall }) => functionCall !== undefined)
      .map(({ functionCall }) => objectIn(functionCall))
      .map((call) => ({ id: id(call.id), name: id(call.name), text: '' })),
  resultsIn: (body) =>
    partsIn(body)
      .filter(({ functionResponse }) => functionResponse !== undefined)
      .map(({ functionResponse }) => objectIn(functionResponse))
      .map((result) => ({ id: id(result.id), name: id(result.name), text: text(result.response) })),
}

export const CURRENT_MODELS: readonly CurrentModel[] = [
  {
    title: 'GPT',
    id: 'gpt-5.6-terra',
    protocol: 'openai',
    path: '/v1',
    settings: 'server = "openai"\nresponses = true',
    always_thinks: true,
    signs: true,
    bills_writes: false,
    ...RESPONSES,
  },
  {
    title: 'Claude',
    id: 'claude-sonnet-5',
    protocol: 'anthropic',
    path: '',
    settings: '',
    always_thinks: false,
    signs: true,
    bills_writes: true,
    ...MESSAGES,
  },
  {
    title: 'Gemini',
    id: 'gemini-3.1-pro-preview',
    protocol: 'gemini',
    path: '',
    settings: '',
    always_thinks: true,
    signs: true,
    bills_writes: false,
    ...CONTENTS,
  },
  {
    title: 'DeepSeek',
    id: 'deepseek-v4-pro',
    protocol: 'openai',
    path: '/deepseek/v1',
    settings: 'server = "deepseek"',
    always_thinks: true,
    signs: false,
    bills_writes: false,
    ...CHAT,
  },
  {
    title: 'Mistral',
    id: 'mistral-large-latest',
    protocol: 'openai',
    path: '/mistral/v1',
    settings: 'server = "mistral"',
    always_thinks: false,
    signs: false,
    bills_writes: false,
    ...CHAT,
  },
]

/** In USD per million tokens, which is micro-dollars per token. */
export const PRICE = { input: 1, output: 4, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 }

/**
 * The catalogue's sections for a model and its provider.
 *
 * @param url the simulator's address @param behaviour the model's behaviour, in the words of the simulator's names
 */
export const sectionOf = (
  { id: model, protocol, path, settings }: CurrentModel,
  url: string,
  behaviour: string,
): string => `
[[providers]]
name = "${model.replaceAll('.', '-')}"
protocol = "${protocol}"
base_url = "${url}${path}"
api_keys = ["provider-secret"]
${settings}

[[models]]
id = "${model}"
kind = "text"
max_output_tokens = 128_000
routes = [{ provider = "${model.replaceAll('.', '-')}", model = "${model}-${behaviour}" }]
price = { ${Object.entries(PRICE)
  .map(([name, usd]) => `${name} = ${usd}`)
  .join(', ')} }
`

/** @param url the simulator's address @param calls the number of tool calls before each model answers */
export const loopsCatalogue = (url: string, calls: number): string =>
  CURRENT_MODELS.map((model) => sectionOf(model, url, `calls-${calls}`)).join('\n')
