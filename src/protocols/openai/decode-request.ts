// Decoding of a chat completion request into the canonical form.
// https://platform.openai.com/docs/api-reference/chat/create
import type { Static } from '@sinclair/typebox'
import { cacheOf, cachingIn } from '../caching.ts'
import type { ImageOutput, OutputFormat, ToolChoice, ToolDefinition } from '../canonical/fields.ts'
import { lateSystemPositions, mergeTurns, unansweredCutCallsAsText } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { rejectUncarried } from '../carries.ts'
import {
  Anything,
  Choice,
  Count,
  Fields,
  Flag,
  List,
  namesOf,
  OpenObject,
  optional,
  type Present,
  Quantity,
  readObject,
  readPresent,
  Text,
} from '../forms.ts'
import { eachOf, type Json, type JsonObject, oneOf, refusal, wantObject, wantString } from '../wire/json.ts'
import { carries } from './carries.ts'
import { decodeMessages } from './decode-messages.ts'
import { EFFORTS, readThinking, THINKING_FORMS } from './thinking-fields.ts'

export const CHOICES: Readonly<Record<string, ToolChoice>> = {
  none: { mode: 'none' },
  auto: { mode: 'auto' },
  required: { mode: 'any' },
}

export const FORMATS = { text: 'text', json_object: 'json', json_schema: 'json_schema' } as const
export const ALLOWED_MODES = { auto: false, required: true } as const

export const FunctionDefinition = Fields({
  name: Text,
  description: optional(Text),
  parameters: optional(OpenObject),
  strict: optional(Flag),
})
const FunctionTool = Fields({ type: Choice({ function: true }), function: FunctionDefinition })
const NamedFunction = Fields({ name: Text })
const NamedTool = Fields({ function: NamedFunction })
const AllowedTools = Fields({ tools: List(NamedTool), mode: Choice(ALLOWED_MODES) })
const JsonSchemaFormat = Fields({
  name: Text,
  schema: optional(OpenObject),
  strict: optional(Flag),
})
const ResponseFormat = Fields({ type: Choice(FORMATS) })
/** Required for the type json_schema. */
const SchemaResponseFormat = Fields({ json_schema: JsonSchemaFormat })

const ImageConfig = Fields({ aspect_ratio: optional(Text), image_size: optional(Text) })

export const ChatRequest = Fields({
  model: Anything,
  messages: List(OpenObject),
  stream: optional(Flag),
  stream_options: optional(Fields({ include_usage: optional(Flag) })),
  max_completion_tokens: optional(Count),
  /** The former name of max_completion_tokens. */
  max_tokens: optional(Count),
  temperature: optional(Quantity),
  top_p: optional(Quantity),
  top_k: optional(Count),
  /** One text, or a list of texts. */
  stop: Anything,
  seed: optional(Quantity),
  n: optional(Count),
  reasoning_effort: optional(Choice(EFFORTS)),
  ...THINKING_FORMS,
  response_format: optional(ResponseFormat),
  tools: optional(List(FunctionTool)),
  /** The deprecated form of tools. */
  functions: optional(List(FunctionDefinition)),
  /** One of a few words, or an object. */
  tool_choice: Anything,
  /** The deprecated form of tool_choice. */
  function_call: Anything,
  parallel_tool_calls: optional(Flag),
  logprobs: optional(Flag),
  top_logprobs: optional(Count),
  frequency_penalty: optional(Quantity),
  presence_penalty: optional(Quantity),
  modalities: optional(List(Text)),
  verbosity: optional(Text),
  prompt_cache_key: optional(Text),
  /** A field of OpenRouter's. */
  image_config: optional(ImageConfig),
  prompt_cache_options: Anything,
  prompt_cache_retention: Anything,
  safety_identifier: optional(Text),
  /** The former name of safety_identifier. */
  user: optional(Text),
})
export const BiasedRequest = Fields({ logit_bias: optional(OpenObject) })

const KNOWN = namesOf(ChatRequest)

/** Decodes a chat completion request. @throws GatewayError invalid_request for a malformed request, or one that cannot be translated */
export function decodeRequest(body: JsonObject): ConversationRequest {
  rejectUncarried(carries, withoutEmptyBias(body), KNOWN)
  const fields = readPresent(ChatRequest, body, '')
  if (fields.modalities?.some((modality) => !MODALITIES.has(modality)))
    throw refusal('modalities', 'must be "text", "image" or both. Change it, or leave it out.')
  const { system, turns } = decodeMessages(body.messages)
  return {
    from: carries,
    streams: fields.stream ?? false,
    shows_usage: fields.stream_options?.include_usage ?? false,
    system: system.map(({ text }) => text),
    system_cache: system.some(({ cache }) => cache) ? system.map(({ cache }) => cache) : undefined,
    system_after: lateSystemPositions(system.map(({ after }) => after)),
    caching: cachingIn(body),
    turns: mergeTurns(unansweredCutCallsAsText(turns)),
    tools: decodeTools(fields),
    tool_choice: decodeToolChoice(fields.tool_choice ?? fields.function_call),
    parallel_tool_calls: fields.parallel_tool_calls,
    max_output_tokens: fields.max_completion_tokens ?? fields.max_tokens,
    temperature: fields.temperature,
    top_p: fields.top_p,
    top_k: fields.top_k,
    stop: decodeStop(fields.stop),
    seed: fields.seed,
    candidates: fields.n,
    ...readThinking(body),
    output: decodeOutput(fields.response_format),
    images: decodeImages(fields),
    logprobs: fields.logprobs ? (fields.top_logprobs ?? 0) : undefined,
    frequency_penalty: fields.frequency_penalty,
    presence_penalty: fields.presence_penalty,
    verbosity: fields.verbosity,
    user: fields.safety_identifier ?? fields.user,
    cache_key: fields.prompt_cache_key,
  }
}

const MODALITIES: ReadonlySet<string> = new Set(['text', 'image'])

/** Reads the image settings. An empty list of modalities counts as absent. */
function decodeImages({
  modalities = [],
  image_config,
}: Present<Static<typeof ChatRequest>>): ImageOutput | false | undefined {
  if (modalities.length > 0 && !modalities.includes('image')) return false
  if (modalities.length === 0 && !image_config) return undefined
  return {
    aspect_ratio: image_config?.aspect_ratio ?? undefined,
    size: image_config?.image_size ?? undefined,
    with_text: modalities.length === 0 || modalities.includes('text'),
    size_at: 'image_config.image_size',
  }
}

/** Removes an empty bias: it has no effect, and some clients always send it. */
function withoutEmptyBias(body: JsonObject): JsonObject {
  const { logit_bias } = readObject(BiasedRequest, body, '')
  if (!logit_bias || Object.keys(logit_bias).length > 0) return body
  const { logit_bias: _, ...rest } = body
  return rest
}

export function decodeStop(value: Json | undefined): string[] {
  if (value === undefined) return []
  return typeof value === 'string' ? [value] : eachOf(value, 'stop', wantString)
}

const decodeTools = ({
  tools = [],
  functions = [],
}: Present<Static<typeof ChatRequest>>): ToolDefinition[] => [
  ...tools.map((tool, index) => ({
    ...decodeFunction(tool.function, `tools[${index}].function`),
    cache: cacheOf(tool) ?? cacheOf(tool.function),
  })),
  ...functions.map((definition, index) => decodeFunction(definition, `functions[${index}]`)),
]

const decodeFunction = (definition: Static<typeof FunctionDefinition>, at: string): ToolDefinition => ({
  name: definition.name,
  description: definition.description ?? undefined,
  parameters: definition.parameters ?? undefined,
  strict: definition.strict ?? undefined,
  at,
})

function decodeToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === undefined) return undefined
  const path = 'tool_choice'
  if (typeof value === 'string') return oneOf(CHOICES, value, path)
  const choice = wantObject(value, path)
  if (choice.type === 'allowed_tools') return decodeAllowed(choice.allowed_tools, `${path}.allowed_tools`)
  // The deprecated `function_call` names its function without a `type`.
  const { name } =
    choice.type === undefined
      ? readObject(NamedFunction, choice, `${path}.function`)
      : readObject(NamedTool, choice, path).function
  return { mode: 'named', names: [name], required: true }
}

function decodeAllowed(value: Json | undefined, path: string): ToolChoice {
  const { mode, tools } = readObject(AllowedTools, value, path)
  const names = tools.map((tool) => tool.function.name)
  return { mode: 'named', names, required: ALLOWED_MODES[mode] }
}

function decodeOutput(format: Static<typeof ResponseFormat> | undefined): OutputFormat | undefined {
  const kind = format && FORMATS[format.type]
  if (!format || kind === 'text') return undefined
  if (kind === 'json') return { kind }
  const { json_schema } = readObject(SchemaResponseFormat, format, 'response_format')
  return {
    kind: 'json_schema',
    name: json_schema.name,
    schema: json_schema.schema ?? {},
    strict: json_schema.strict ?? undefined,
  }
}
