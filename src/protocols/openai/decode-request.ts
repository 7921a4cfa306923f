// A chat completion request, read into the canonical form.
// https://platform.openai.com/docs/api-reference/chat/create
import type { OutputFormat, Thinking, ToolChoice, ToolDefinition } from '../canonical/fields.ts'
import { mergeTurns } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { rejectUncarried } from '../carries.ts'
import {
  Anything,
  Choice,
  Count,
  FieldReader,
  Fields,
  Flag,
  List,
  namesOf,
  OpenObject,
  optional,
  Quantity,
  readObject,
  Text,
} from '../forms.ts'
import { eachOf, type Json, type JsonObject, oneOf, refusal, wantObject, wantString } from '../wire/json.ts'
import { carries } from './carries.ts'
import { decodeMessages } from './decode-messages.ts'

const EFFORTS = {
  none: { mode: 'off' },
  minimal: { mode: 'effort', effort: 'minimal' },
  low: { mode: 'effort', effort: 'low' },
  medium: { mode: 'effort', effort: 'medium' },
  high: { mode: 'effort', effort: 'high' },
  xhigh: { mode: 'effort', effort: 'xhigh' },
  max: { mode: 'effort', effort: 'max' },
} as const satisfies Readonly<Record<string, Thinking>>

const CHOICES: Readonly<Record<string, ToolChoice>> = {
  none: { mode: 'none' },
  auto: { mode: 'auto' },
  required: { mode: 'any' },
}

const FORMATS = { text: 'text', json_object: 'json', json_schema: 'json_schema' } as const
const ALLOWED_MODES = { auto: false, required: true } as const

export const FunctionDefinition = Fields({
  name: Text,
  description: optional(Text),
  parameters: optional(OpenObject),
  strict: optional(Flag),
})
export const FunctionTool = Fields({ type: Choice({ function: true }), function: FunctionDefinition })
export const NamedFunction = Fields({ name: Text })
export const NamedTool = Fields({ function: NamedFunction })
export const AllowedTools = Fields({ mode: Choice(ALLOWED_MODES), tools: List(NamedTool) })
export const JsonSchemaFormat = Fields({
  name: Text,
  schema: optional(OpenObject),
  strict: optional(Flag),
})
export const ResponseFormat = Fields({ type: Choice(FORMATS) })
export const SchemaResponseFormat = Fields({ json_schema: JsonSchemaFormat })

export const ChatRequest = Fields({
  model: optional(Anything),
  messages: List(Anything),
  stream: optional(Flag),
  stream_options: optional(Fields({ include_usage: optional(Flag) })),
  max_completion_tokens: optional(Count),
  /** The older name of max_completion_tokens. */
  max_tokens: optional(Count),
  temperature: optional(Quantity),
  top_p: optional(Quantity),
  top_k: optional(Count),
  /** One text, or a list of texts. */
  stop: optional(Anything),
  seed: optional(Quantity),
  n: optional(Count),
  reasoning_effort: optional(Choice(EFFORTS)),
  response_format: optional(ResponseFormat),
  tools: optional(List(FunctionTool)),
  /** The deprecated form of tools. */
  functions: optional(List(FunctionDefinition)),
  /** One of a few words, or an object. */
  tool_choice: optional(Anything),
  /** The deprecated form of tool_choice. */
  function_call: optional(Anything),
  parallel_tool_calls: optional(Flag),
  logprobs: optional(Flag),
  top_logprobs: optional(Count),
  frequency_penalty: optional(Quantity),
  presence_penalty: optional(Quantity),
  modalities: optional(List(Anything)),
  safety_identifier: optional(Text),
  /** The older name of safety_identifier. */
  user: optional(Text),
})
export const BiasedRequest = Fields({ logit_bias: optional(OpenObject) })

type Asked = FieldReader<typeof ChatRequest>

const KNOWN = namesOf(ChatRequest)

/**
 * A chat completion request as a canonical one.
 * @throws GatewayError invalid_request for what is malformed or cannot be carried
 */
export function decodeRequest(body: JsonObject): ConversationRequest {
  rejectUncarried(carries, withoutEmptyBias(body), KNOWN)
  const asked = new FieldReader(ChatRequest, body, '')
  rejectSpeech(asked)
  const { system, turns } = decodeMessages(body.messages)
  return {
    from: carries,
    streams: asked.get('stream') ?? false,
    shows_usage: asked.within('stream_options')?.get('include_usage') ?? false,
    system,
    turns: mergeTurns(turns),
    tools: [...asked.each('tools', decodeTool), ...asked.each('functions', decodeFunction)],
    tool_choice: decodeToolChoice(asked.get('tool_choice') ?? asked.get('function_call')),
    parallel_tool_calls: asked.get('parallel_tool_calls'),
    max_output_tokens: asked.get('max_completion_tokens') ?? asked.get('max_tokens'),
    temperature: asked.get('temperature'),
    top_p: asked.get('top_p'),
    top_k: asked.get('top_k'),
    stop: decodeStop(asked.get('stop')),
    seed: asked.get('seed'),
    candidates: asked.get('n'),
    thinking: decodeThinking(asked),
    shows_thinking: undefined,
    output: decodeOutput(asked.within('response_format')),
    logprobs: asked.get('logprobs') ? (asked.get('top_logprobs') ?? 0) : undefined,
    frequency_penalty: asked.get('frequency_penalty'),
    presence_penalty: asked.get('presence_penalty'),
    user: asked.get('safety_identifier') ?? asked.get('user'),
  }
}

/** An empty bias asks for nothing, and some clients always send it. */
function withoutEmptyBias(body: JsonObject): JsonObject {
  const bias = new FieldReader(BiasedRequest, body, '').get('logit_bias')
  if (!bias || Object.keys(bias).length > 0) return body
  const { logit_bias: _, ...rest } = body
  return rest
}

function rejectSpeech(asked: Asked): void {
  if (asked.get('modalities')?.some((modality) => modality !== 'text'))
    throw refusal('modalities', 'the model answers with text only; ask for ["text"], or leave it out.')
}

function decodeStop(value: Json | undefined): string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : eachOf(value, 'stop', wantString)
}

function decodeThinking(asked: Asked): Thinking | undefined {
  const effort = asked.get('reasoning_effort')
  return effort && EFFORTS[effort]
}

function decodeTool(value: Json | undefined, path: string): ToolDefinition {
  const tool = readObject(FunctionTool, value, path)
  // There are tools of other types, but no other provider has them.
  tool.get('type')
  return decodeFunction(tool.get('function'), tool.at('function'))
}

function decodeFunction(value: Json | undefined, path: string): ToolDefinition {
  const definition = readObject(FunctionDefinition, value, path)
  return {
    name: definition.get('name'),
    description: definition.get('description'),
    parameters: definition.get('parameters'),
    strict: definition.get('strict'),
    at: path,
  }
}

function decodeToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === undefined) return undefined
  const path = 'tool_choice'
  if (typeof value === 'string') return oneOf(CHOICES, value, path)
  const choice = wantObject(value, path)
  if (choice.type === 'allowed_tools') return decodeAllowed(choice.allowed_tools, `${path}.allowed_tools`)
  // The deprecated `function_call` names its function without a `type`.
  const named =
    choice.type === undefined
      ? readObject(NamedFunction, choice, `${path}.function`)
      : readObject(NamedTool, choice, path).within('function')
  return { mode: 'named', names: [named.get('name')], required: true }
}

function decodeAllowed(value: Json | undefined, path: string): ToolChoice {
  const allowed = readObject(AllowedTools, value, path)
  const names = allowed.each('tools', (item, at) =>
    readObject(NamedTool, item, at).within('function').get('name'),
  )
  return { mode: 'named', names, required: ALLOWED_MODES[allowed.get('mode')] }
}

function decodeOutput(format: FieldReader<typeof ResponseFormat> | undefined): OutputFormat | undefined {
  const kind = format && FORMATS[format.get('type')]
  if (!format || kind === 'text') return undefined
  if (kind === 'json') return { kind }
  const schema = format.as(SchemaResponseFormat).within('json_schema')
  return {
    kind: 'json_schema',
    name: schema.get('name'),
    schema: schema.get('schema') ?? {},
    strict: schema.get('strict'),
  }
}
