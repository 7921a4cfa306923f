// A scripted provider of all three protocols that calls an offered tool once in each of several turns, and then repeats the results.
import { type Json, type JsonObject, objectIn, objectsIn } from '../../../src/protocols/wire/json.ts'
import {
  type Answer,
  events,
  type Script,
  stream,
  type UpstreamRequest,
  whole,
} from '../../support/upstream.ts'

/** The parts of a request that the script needs. */
interface ScriptRequest {
  readonly streams: boolean
  readonly tools: readonly { name: string; schema: JsonObject }[]
  /** Results of tools since the user's last message. */
  readonly results: readonly string[]
}

interface Turn {
  readonly text: string
  readonly call?: { readonly name: string; readonly args: JsonObject; readonly id: string }
}

/** Usage of every turn, the same in all protocols: 100 input tokens, 20 output tokens. */
export const INPUT_TOKENS = 100
export const OUTPUT_TOKENS = 20

const CITIES = ['Bergen', 'Oslo', 'Turku']
const SHELLS = /^(bash|shell|shell_command|exec_command|run_shell_command|run_commands?)$/i

/** @param tool_calls the number of tool calls before the answer */
export const toolScript =
  (tool_calls: number): Script =>
  (seen) => {
    const wire = wireOf(seen)
    const request = wire.read(JSON.parse(seen.body.toString()), seen)
    const turn = turnOf(request, tool_calls)
    return request.streams ? wire.stream(turn) : whole(wire.whole(turn))
  }

function turnOf({ tools, results }: ScriptRequest, tool_calls: number): Turn {
  const step = results.length
  const tool = tools.find(({ name }) => SHELLS.test(name)) ?? tools.find(({ name }) => name === 'get_weather')
  if (!tool || step >= tool_calls)
    return { text: step === 0 ? 'A plain answer.' : `It is so: ${results.join('; ')}` }
  const id = `call_${step + 1}_${crypto.randomUUID().slice(0, 8)}`
  return { text: '', call: { id, name: tool.name, args: argumentsFor(tool.schema, step) } }
}

/** Arguments that a schema allows: a city, or a shell's command that leaves a trace, and all other required arguments. */
function argumentsFor(schema: JsonObject, step: number): JsonObject {
  const properties = objectIn(schema.properties)
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const wanted = Object.keys(properties).filter(
    (name) => required.includes(name) || ['command', 'commands', 'cmd', 'city'].includes(name),
  )
  return Object.fromEntries(wanted.map((name) => [name, argumentOf(name, objectIn(properties[name]), step)]))
}

function argumentOf(name: string, { type }: JsonObject, step: number): Json {
  const command = `echo step-${step + 1} >> steps.txt && echo twelve degrees`
  if (name === 'city') return CITIES[step % CITIES.length] ?? 'Bergen'
  if (name === 'commands') return [command]
  if (name === 'command' || name === 'cmd') return type === 'array' ? ['bash', '-c', command] : command
  if (type === 'boolean' || type === 'BOOLEAN') return false
  if (type === 'number' || type === 'integer') return 60_000
  return type === 'array' ? [] : 'a step'
}

interface Wire {
  read(body: JsonObject, seen: UpstreamRequest): ScriptRequest
  whole(turn: Turn): JsonObject
  stream(turn: Turn): Answer
}

/** Selects the protocol by the path: providers of the catalogue have base addresses of their own. */
const wireOf = ({ path }: UpstreamRequest): Wire =>
  path.startsWith('/gemini') ? gemini : path.startsWith('/anthropic') ? anthropic : openai

/** A text in two pieces, for a stream of several events. */
const pieces = (text: string): string[] => [text.slice(0, 5), text.slice(5)]

const textOf = (value: Json | undefined): string =>
  typeof value === 'string'
    ? value
    : objectsIn(value)
        .map(({ text }) => String(text ?? ''))
        .join('')

const openai: Wire = {
  read({ stream, tools, messages }) {
    const turns = objectsIn(messages)
    const last = turns.findLastIndex(({ role }) => role === 'user')
    return {
      streams: stream === true,
      tools: objectsIn(tools).map((tool) => {
        const { name, parameters } = objectIn(tool.function)
        return { name: String(name), schema: objectIn(parameters) }
      }),
      results: turns
        .slice(last + 1)
        .flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
    }
  },
  whole: ({ text, call }) => ({
    ...OPENAI,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: call ? null : text,
          refusal: null,
          ...(call ? { tool_calls: [openaiCall(call)] } : {}),
        },
        finish_reason: call ? 'tool_calls' : 'stop',
      },
    ],
    usage: OPENAI_USAGE,
  }),
  stream({ text, call }) {
    const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
      ...OPENAI,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    })
    const content = call
      ? [chunk({ role: 'assistant', content: null, tool_calls: [{ index: 0, ...openaiCall(call) }] })]
      : pieces(text).map((content) => chunk({ role: 'assistant', content }))
    return events([
      ...content,
      chunk({}, call ? 'tool_calls' : 'stop'),
      { ...OPENAI, object: 'chat.completion.chunk', choices: [], usage: OPENAI_USAGE },
      '[DONE]',
    ])
  },
}
const OPENAI = { id: 'chatcmpl-1', created: 1, model: 'loop' }
const OPENAI_USAGE = {
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: OUTPUT_TOKENS,
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
}
const openaiCall = ({ id, name, args }: NonNullable<Turn['call']>) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

const anthropic: Wire = {
  read({ stream, tools, messages }) {
    const turns = objectsIn(messages)
    const isResult = ({ type }: JsonObject) => type === 'tool_result'
    const last = turns.findLastIndex(
      ({ role, content }) => role === 'user' && !objectsIn(content).some(isResult),
    )
    return {
      streams: stream === true,
      tools: objectsIn(tools).map(({ name, input_schema }) => ({
        name: String(name),
        schema: objectIn(input_schema),
      })),
      results: turns
        .slice(last + 1)
        .flatMap(({ content }) => objectsIn(content).filter(isResult))
        .map(({ content }) => textOf(content)),
    }
  },
  whole: (turn) => ({ ...messageOf(turn), content: [blockOf(turn)], usage: ANTHROPIC_USAGE }),
  stream(turn) {
    const { call, text } = turn
    const deltas = call
      ? [{ type: 'input_json_delta', partial_json: JSON.stringify(call.args) }]
      : pieces(text).map((piece) => ({ type: 'text_delta', text: piece }))
    const block = call ? { ...blockOf(turn), input: {} } : { type: 'text', text: '' }
    const usage = { ...ANTHROPIC_USAGE, output_tokens: 1 }
    const { stop_reason, ...message } = messageOf(turn)
    const sent = [
      { type: 'message_start', message: { ...message, stop_reason: null, content: [], usage } },
      { type: 'content_block_start', index: 0, content_block: block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: ANTHROPIC_USAGE },
      { type: 'message_stop' },
    ]
    return stream(
      ...sent.map((event) => ({ send: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` })),
    )
  },
}
const ANTHROPIC_USAGE = { input_tokens: INPUT_TOKENS, output_tokens: OUTPUT_TOKENS }
const messageOf = ({ call }: Turn) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'loop',
  stop_reason: call ? 'tool_use' : 'end_turn',
  stop_sequence: null,
})
const blockOf = ({ text, call }: Turn): JsonObject =>
  call
    ? { type: 'tool_use', id: `toolu_${call.id}`, name: call.name, input: call.args }
    : { type: 'text', text }

const gemini: Wire = {
  read({ tools, contents }, { path }) {
    const turns = objectsIn(contents)
    const resultsOf = (turn: JsonObject | undefined) =>
      objectsIn(turn?.parts).flatMap(({ functionResponse, function_response }) => {
        const response = functionResponse ?? function_response
        return response === undefined ? [] : [objectIn(response)]
      })
    const last = turns.findLastIndex((turn) => turn.role !== 'model' && resultsOf(turn).length === 0)
    return {
      streams: path.includes(':streamGenerateContent'),
      tools: objectsIn(tools)
        .flatMap(({ functionDeclarations, function_declarations }) =>
          objectsIn(functionDeclarations ?? function_declarations),
        )
        .map(({ name, parameters, parametersJsonSchema, parameters_json_schema }) => ({
          name: String(name),
          schema: objectIn(parametersJsonSchema ?? parameters_json_schema ?? parameters),
        })),
      results: turns
        .slice(last + 1)
        .flatMap(resultsOf)
        .map(({ response }) => JSON.stringify(response)),
    }
  },
  whole: (turn) => candidateOf(turn, [partOf(turn)]),
  stream(turn) {
    const parts = turn.call ? [partOf(turn)] : pieces(turn.text).map((text) => ({ text }))
    return events(
      parts.map((part, index) => {
        const { candidates, ...rest } = candidateOf(turn, [part])
        const [{ finishReason, ...open }] = candidates
        return index === parts.length - 1 ? { candidates, ...rest } : { ...rest, candidates: [open] }
      }),
    )
  },
}
const partOf = ({ text, call }: Turn): JsonObject =>
  call
    ? {
        functionCall: { name: call.name, args: call.args },
        thoughtSignature: 'c2lnbmF0dXJlIG9mIHRoZSBzY3JpcHQ=',
      }
    : { text }
const candidateOf = (_: Turn, parts: JsonObject[]) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }] as [JsonObject],
  usageMetadata: {
    promptTokenCount: INPUT_TOKENS,
    candidatesTokenCount: OUTPUT_TOKENS,
    totalTokenCount: INPUT_TOKENS + OUTPUT_TOKENS,
  },
  modelVersion: 'loop',
})
