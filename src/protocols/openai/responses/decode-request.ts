// Decoding of a responses request into the canonical form.
// https://platform.openai.com/docs/api-reference/responses/create
import type { Static } from '@sinclair/typebox'
import { cachingIn } from '../../caching.ts'
import type { OutputFormat, ToolChoice, ToolDefinition } from '../../canonical/fields.ts'
import { lateSystemPositions, mergeTurns, unansweredCutCallsAsText } from '../../canonical/parts.ts'
import type { ConversationRequest } from '../../canonical/request.ts'
import { rejectUncarried } from '../../carries.ts'
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
  Quantity,
  readObject,
  readPresent,
  Text,
} from '../../forms.ts'
import {
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  oneOf,
  refusal,
  wantObject,
} from '../../wire/json.ts'
import { ALLOWED_MODES, CHOICES, FORMATS, FunctionDefinition } from '../decode-request.ts'
import { EFFORTS } from '../thinking-fields.ts'
import { carries } from './carries.ts'
import { CLIENT_TOOLS, type ClientTool, clientToolType } from './client-tools.ts'
import { decodeItems } from './decode-items.ts'
import { allItems, allTools, RECALLED } from './recalled.ts'
import { flatName, HOSTED_TOOLS, type NamedTool, namedTools } from './tools.ts'

const Reasoning = Fields({
  effort: optional(Choice(EFFORTS)),
  summary: optional(Text),
  /** The former name of summary. */
  generate_summary: optional(Text),
})
const TextFormat = Fields({ type: Choice(FORMATS) })
/** Required for the type json_schema. */
const SchemaFormat = Fields({
  name: optional(Text),
  schema: optional(OpenObject),
  strict: optional(Flag),
})
const TextConfig = Fields({ format: optional(TextFormat), verbosity: optional(Text) })
const CustomTool = Fields({ name: Text, description: optional(Text), format: optional(OpenObject) })
const ToolName = Fields({ name: Text, namespace: optional(Text) })
const AllowedTools = Fields({ mode: Choice(ALLOWED_MODES), tools: List(OpenObject) })

export const ResponsesRequest = Fields({
  model: Anything,
  /** One text, or a list of items. */
  input: Anything,
  instructions: optional(Text),
  stream: optional(Flag),
  max_output_tokens: optional(Count),
  temperature: optional(Quantity),
  top_p: optional(Quantity),
  top_k: optional(Count),
  top_logprobs: optional(Count),
  reasoning: optional(Reasoning),
  text: optional(TextConfig),
  tools: optional(List(OpenObject)),
  /** One of a few words, or an object. */
  tool_choice: Anything,
  parallel_tool_calls: optional(Flag),
  include: optional(List(Text)),
  prompt_cache_key: optional(Text),
  prompt_cache_options: Anything,
  prompt_cache_retention: Anything,
  safety_identifier: optional(Text),
  /** The former name of safety_identifier. */
  user: optional(Text),
})

const KNOWN = new Set([...namesOf(ResponsesRequest), RECALLED])
/** The value of `include` that requests log probabilities. */
export const LOGPROBS = 'message.output_text.logprobs'

/** Decodes a responses request. @throws GatewayError invalid_request for a malformed request, or one that cannot be translated */
export function decodeRequest(body: JsonObject): ConversationRequest {
  rejectUncarried(carries, body, KNOWN)
  const fields = readPresent(ResponsesRequest, body, '')
  const { system, system_after, turns } = decodeItems(allItems(body))
  const { effort, summary, generate_summary } = readPresent(Reasoning, fields.reasoning ?? {}, 'reasoning')
  const { format, verbosity } = readPresent(TextConfig, fields.text ?? {}, 'text')
  return {
    from: carries,
    streams: fields.stream ?? false,
    shows_usage: true,
    system: [...(fields.instructions ? [fields.instructions] : []), ...system],
    system_after: lateSystemPositions([...(fields.instructions ? [0] : []), ...system_after]),
    turns: mergeTurns(unansweredCutCallsAsText(turns)),
    caching: cachingIn(body),
    tools: decodeTools(allTools(body)),
    tool_choice: decodeToolChoice(fields.tool_choice),
    parallel_tool_calls: fields.parallel_tool_calls,
    max_output_tokens: fields.max_output_tokens,
    temperature: fields.temperature,
    top_p: fields.top_p,
    top_k: fields.top_k,
    stop: [],
    seed: undefined,
    candidates: undefined,
    thinking: effort && EFFORTS[effort],
    shows_thinking: fields.reasoning && (summary ?? generate_summary) !== undefined,
    output: decodeFormat(format),
    images: undefined,
    logprobs: fields.include?.includes(LOGPROBS) ? (fields.top_logprobs ?? 0) : undefined,
    frequency_penalty: undefined,
    presence_penalty: undefined,
    verbosity,
    user: fields.safety_identifier ?? fields.user,
    cache_key: fields.prompt_cache_key,
  }
}

/** Decodes tools that callers run. A provider's tool only gets here if it is priced, and is then refused: translation cannot express it. */
function decodeTools(tools: JsonObject[]): ToolDefinition[] {
  for (const [index, { type }] of tools.entries())
    if (lookUp(HOSTED_TOOLS, type))
      throw refusal(`tools[${index}].type`, 'is a tool that only a provider of responses has. Leave it out.')
  return namedTools(tools).map((tool) => {
    if (tool.kind === 'function') return decodeFunction(tool)
    return tool.kind === 'custom' ? decodeCustom(tool) : decodeClientTool(tool, CLIENT_TOOLS[tool.kind])
  })
}

const decodeClientTool = (
  { name, namespace, at }: NamedTool,
  { description, parameters }: ClientTool,
): ToolDefinition => ({ name: flatName(name, namespace), description, parameters, strict: undefined, at })

function decodeFunction({ definition, namespace, at }: NamedTool): ToolDefinition {
  const { name, ...fields } = readPresent(FunctionDefinition, definition, at)
  return {
    name: flatName(name, namespace),
    description: fields.description,
    parameters: fields.parameters,
    strict: fields.strict,
    at,
  }
}

/** Decodes a custom tool as a function with one text argument; its grammar, if any, becomes part of the description. */
function decodeCustom({ definition, namespace, at }: NamedTool): ToolDefinition {
  const { name, description = '', format } = readPresent(CustomTool, definition, at)
  const { syntax, definition: grammar } = objectIn(format)
  const rule =
    grammar === undefined ? '' : `\n\nThe input must follow this ${syntax ?? ''} grammar:\n${grammar}`
  return {
    name: flatName(name, namespace),
    description: `${description}${rule}` || undefined,
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool.' } },
      required: ['input'],
      additionalProperties: false,
    },
    strict: undefined,
    at,
  }
}

function decodeToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  const path = 'tool_choice'
  if (typeof value === 'string') return oneOf(CHOICES, value, path)
  const choice = wantObject(value, path)
  if (choice.type === 'allowed_tools') {
    const { mode, tools } = readObject(AllowedTools, choice, path)
    const names = objectsIn(tools).flatMap((tool) => namesIn(tool))
    return { mode: 'named', names, required: ALLOWED_MODES[mode] }
  }
  const client_type = clientToolType(choice)
  if (client_type) return { mode: 'named', names: [client_type], required: true }
  const { name, namespace } = readPresent(ToolName, choice, path)
  return { mode: 'named', names: [flatName(name, namespace)], required: true }
}

const namesIn = (tool: JsonObject): string[] => {
  const client_type = clientToolType(tool)
  if (client_type) return [client_type]
  return typeof tool.name === 'string' && tool.type !== 'namespace'
    ? [flatName(tool.name, typeof tool.namespace === 'string' ? tool.namespace : undefined)]
    : []
}

function decodeFormat(format: Static<typeof TextFormat> | null | undefined): OutputFormat | undefined {
  const kind = format ? FORMATS[format.type] : undefined
  if (!format || kind === undefined || kind === 'text') return undefined
  if (kind === 'json') return { kind }
  const { name = '', schema = {}, strict } = readPresent(SchemaFormat, format, 'text.format')
  return { kind: 'json_schema', name, schema, strict }
}
