// Owns the reading of a chat completion request into the canonical form.
// https://platform.openai.com/docs/api-reference/chat/create
import {
  type ConversationRequest,
  type Effort,
  mergeTurns,
  type OutputFormat,
  type Thinking,
  type ToolChoice,
  type ToolDefinition,
} from '../canonical.ts'
import { refuseUncarried } from '../carried.ts'
import {
  eachOf,
  type Json,
  type JsonObject,
  maybe,
  oneOf,
  refusal,
  wantArray,
  wantBoolean,
  wantCount,
  wantNumber,
  wantObject,
  wantString,
} from '../wire/json.ts'
import { decodeMessages } from './decode-messages.ts'

const KNOWN = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'seed',
  'n',
  'reasoning_effort',
  'response_format',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'logprobs',
  'top_logprobs',
  'frequency_penalty',
  'presence_penalty',
  'modalities',
  'safety_identifier',
  'user',
])

const EFFORTS: Readonly<Record<string, Thinking>> = {
  none: { mode: 'off' },
  ...Object.fromEntries(
    (['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] satisfies Effort[]).map((effort) => [
      effort,
      { mode: 'effort', effort } as const,
    ]),
  ),
}

const CHOICES: Readonly<Record<string, ToolChoice>> = {
  none: { mode: 'none' },
  auto: { mode: 'auto' },
  required: { mode: 'any' },
}

/** A chat completion request as the canonical one. @throws GatewayError invalid_request for what is malformed or cannot be carried */
export function decodeRequest(body: JsonObject): ConversationRequest {
  refuseUncarried('openai', withoutEmptyBias(body), KNOWN)
  refuseSpeech(body)
  const { system, turns } = decodeMessages(body.messages)
  const options = maybe(wantObject, body.stream_options, 'stream_options')
  return {
    from: 'openai',
    streams: maybe(wantBoolean, body.stream, 'stream') ?? false,
    shows_usage: maybe(wantBoolean, options?.include_usage, 'stream_options.include_usage') ?? false,
    system,
    turns: mergeTurns(turns),
    tools: decodeTools(body),
    tool_choice: maybe(decodeToolChoice, body.tool_choice ?? body.function_call, 'tool_choice'),
    parallel_tool_calls: maybe(wantBoolean, body.parallel_tool_calls, 'parallel_tool_calls'),
    max_output_tokens:
      maybe(wantCount, body.max_completion_tokens, 'max_completion_tokens') ??
      maybe(wantCount, body.max_tokens, 'max_tokens'),
    temperature: maybe(wantNumber, body.temperature, 'temperature'),
    top_p: maybe(wantNumber, body.top_p, 'top_p'),
    top_k: maybe(wantCount, body.top_k, 'top_k'),
    stop: maybe(decodeStop, body.stop, 'stop') ?? [],
    seed: maybe(wantNumber, body.seed, 'seed'),
    answers: maybe(wantCount, body.n, 'n'),
    thinking: maybe((value, path) => oneOf(EFFORTS, value, path), body.reasoning_effort, 'reasoning_effort'),
    shows_thinking: undefined,
    output: maybe(decodeOutput, body.response_format, 'response_format'),
    logprobs:
      maybe(wantBoolean, body.logprobs, 'logprobs') === true
        ? (maybe(wantCount, body.top_logprobs, 'top_logprobs') ?? 0)
        : undefined,
    frequency_penalty: maybe(wantNumber, body.frequency_penalty, 'frequency_penalty'),
    presence_penalty: maybe(wantNumber, body.presence_penalty, 'presence_penalty'),
    user:
      maybe(wantString, body.safety_identifier, 'safety_identifier') ?? maybe(wantString, body.user, 'user'),
  }
}

/** An empty bias asks for nothing, and some clients always send it. */
function withoutEmptyBias(body: JsonObject): JsonObject {
  const bias = maybe(wantObject, body.logit_bias, 'logit_bias')
  if (!bias || Object.keys(bias).length > 0) return body
  const { logit_bias: _, ...rest } = body
  return rest
}

function refuseSpeech(body: JsonObject): void {
  const modalities = maybe(wantArray, body.modalities, 'modalities')
  if (modalities?.some((modality) => modality !== 'text'))
    throw refusal('modalities', 'only text is answered; ask for ["text"], or leave it out.')
}

const decodeStop = (value: Json | undefined, path: string): string[] =>
  typeof value === 'string' ? [value] : eachOf(value, path, wantString)

function decodeTools(body: JsonObject): ToolDefinition[] {
  const tools = maybe(wantArray, body.tools, 'tools') ?? []
  const functions = maybe(wantArray, body.functions, 'functions') ?? []
  return [
    ...tools.map((item, index) => {
      const path = `tools[${index}]`
      const tool = wantObject(item, path)
      oneOf({ function: true }, tool.type, `${path}.type`)
      return decodeFunction(tool.function, `${path}.function`)
    }),
    ...functions.map((item, index) => decodeFunction(item, `functions[${index}]`)),
  ]
}

function decodeFunction(value: Json | undefined, path: string): ToolDefinition {
  const definition = wantObject(value, path)
  return {
    name: wantString(definition.name, `${path}.name`),
    description: maybe(wantString, definition.description, `${path}.description`),
    parameters: maybe(wantObject, definition.parameters, `${path}.parameters`),
    strict: maybe(wantBoolean, definition.strict, `${path}.strict`),
    at: path,
  }
}

function decodeToolChoice(value: Json | undefined, path: string): ToolChoice {
  if (typeof value === 'string') return oneOf(CHOICES, value, path)
  const choice = wantObject(value, path)
  if (choice.type === 'allowed_tools') return decodeAllowed(choice.allowed_tools, `${path}.allowed_tools`)
  // The deprecated `function_call` names its function without a `type`.
  const named = choice.type === undefined ? choice : wantObject(choice.function, `${path}.function`)
  return { mode: 'named', names: [wantString(named.name, `${path}.function.name`)], required: true }
}

function decodeAllowed(value: Json | undefined, path: string): ToolChoice {
  const allowed = wantObject(value, path)
  const names = eachOf(allowed.tools, `${path}.tools`, (item, at) => {
    const named = wantObject(wantObject(item, at).function, `${at}.function`)
    return wantString(named.name, `${at}.function.name`)
  })
  return {
    mode: 'named',
    names,
    required: oneOf({ auto: false, required: true }, allowed.mode, `${path}.mode`),
  }
}

function decodeOutput(value: Json | undefined, path: string): OutputFormat | undefined {
  const format = wantObject(value, path)
  const kind = oneOf(
    { text: 'text', json_object: 'json', json_schema: 'json_schema' },
    format.type,
    `${path}.type`,
  )
  if (kind === 'text') return undefined
  if (kind === 'json') return { kind: 'json' }
  const schema = wantObject(format.json_schema, `${path}.json_schema`)
  return {
    kind: 'json_schema',
    name: wantString(schema.name, `${path}.json_schema.name`),
    schema: maybe(wantObject, schema.schema, `${path}.json_schema.schema`) ?? {},
    strict: maybe(wantBoolean, schema.strict, `${path}.json_schema.strict`),
  }
}
