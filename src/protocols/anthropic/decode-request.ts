// A messages request, read into the canonical form.
// https://platform.claude.com/docs/en/api/messages
import type { Effort, OutputFormat, Thinking, ToolChoice, ToolDefinition } from '../canonical/fields.ts'
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
import { type Json, type JsonObject, refusal, wantString } from '../wire/json.ts'
import { carries } from './carries.ts'
import { decodeMessages, Message, readSystem } from './decode-messages.ts'

const EFFORTS = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
} as const satisfies Readonly<Record<string, Effort>>

const THINKING_TYPES = {
  enabled: 'budget',
  disabled: 'off',
  adaptive: 'auto',
  between_tools: 'auto',
} as const satisfies Readonly<Record<string, Thinking['mode']>>

const CHOICES = { auto: 'auto', any: 'any', none: 'none', tool: 'named' } as const

export const ThinkingSettings = Fields({ type: Choice(THINKING_TYPES), display: optional(Anything) })
export const ThinkingBudget = Fields({ budget_tokens: Count })
export const SchemaFormat = Fields({ type: Choice({ json_schema: true }), schema: OpenObject })
export const OutputConfig = Fields({
  effort: optional(Choice(EFFORTS)),
  format: optional(SchemaFormat),
})
export const Tool = Fields({
  type: optional(Anything),
  name: Text,
  description: optional(Text),
  input_schema: OpenObject,
  strict: optional(Flag),
})
export const ToolChoiceSettings = Fields({
  type: Choice(CHOICES),
  disable_parallel_tool_use: optional(Flag),
})
export const NamedTool = Fields({ name: Text })

export const MessagesRequest = Fields({
  model: optional(Anything),
  messages: List(Message),
  /** One text, or blocks of text. */
  system: optional(Anything),
  max_tokens: Count,
  stream: optional(Flag),
  temperature: optional(Quantity),
  top_p: optional(Quantity),
  top_k: optional(Count),
  stop_sequences: optional(List(Text)),
  thinking: optional(ThinkingSettings),
  output_config: optional(OutputConfig),
  /** The older name of output_config.format. */
  output_format: optional(SchemaFormat),
  tools: optional(List(Tool)),
  tool_choice: optional(ToolChoiceSettings),
  metadata: optional(Fields({ user_id: optional(Text) })),
})

type Asked = FieldReader<typeof MessagesRequest>

const KNOWN = namesOf(MessagesRequest)

/**
 * A messages request as a canonical one.
 * @throws GatewayError invalid_request for what is malformed or cannot be carried
 */
export function decodeRequest(body: JsonObject): ConversationRequest {
  rejectUncarried(carries, body, KNOWN)
  const asked = new FieldReader(MessagesRequest, body, '')
  const { system, turns } = decodeMessages(body.messages)
  const choice = asked.within('tool_choice')
  const thinking = asked.within('thinking')
  return {
    from: carries,
    streams: asked.get('stream') ?? false,
    shows_usage: true,
    system: [...readTopSystem(asked), ...system],
    turns: mergeTurns(turns),
    tools: asked.each('tools', decodeTool),
    tool_choice: choice && decodeChoice(choice),
    parallel_tool_calls: parallel(choice),
    max_output_tokens: asked.get('max_tokens'),
    temperature: asked.get('temperature'),
    top_p: asked.get('top_p'),
    top_k: asked.get('top_k'),
    stop: asked.each('stop_sequences', wantString),
    seed: undefined,
    candidates: undefined,
    thinking: decodeThinking(thinking, asked.within('output_config')),
    shows_thinking: showsThinking(thinking),
    output: decodeOutput(asked),
    logprobs: undefined,
    frequency_penalty: undefined,
    presence_penalty: undefined,
    user: asked.within('metadata')?.get('user_id'),
  }
}

function readTopSystem(asked: Asked): string[] {
  const system = asked.get('system')
  return system === undefined ? [] : readSystem(system, asked.at('system'))
}

/** A budget is exact and precedes an effort; an effort says more than `adaptive` alone. */
function decodeThinking(
  thinking: FieldReader<typeof ThinkingSettings> | undefined,
  config: FieldReader<typeof OutputConfig> | undefined,
): Thinking | undefined {
  const mode = thinking && THINKING_TYPES[thinking.get('type')]
  if (mode === 'off') return { mode }
  if (thinking && mode === 'budget')
    return { mode, budget_tokens: thinking.as(ThinkingBudget).get('budget_tokens') }
  const effort = config?.get('effort')
  if (effort) return { mode: 'effort', effort: EFFORTS[effort] }
  return mode && { mode: 'auto' }
}

/** Claude shows its thinking wherever it was asked to think, unless told not to. */
function showsThinking(thinking: FieldReader<typeof ThinkingSettings> | undefined): boolean | undefined {
  return thinking && thinking.get('type') !== 'disabled' && thinking.get('display') !== 'omitted'
}

function decodeOutput(asked: Asked): OutputFormat | undefined {
  const format = asked.within('output_config')?.within('format') ?? asked.within('output_format')
  if (!format) return undefined
  format.get('type')
  return { kind: 'json_schema', name: '', schema: format.get('schema'), strict: true }
}

function decodeTool(value: Json | undefined, path: string): ToolDefinition {
  const tool = readObject(Tool, value, path)
  const type = tool.get('type')
  if (type !== undefined && type !== 'custom')
    throw refusal(tool.at('type'), 'names a tool that only Claude models have; describe it as a custom tool.')
  return {
    name: tool.get('name'),
    description: tool.get('description'),
    parameters: tool.get('input_schema'),
    strict: tool.get('strict'),
    at: path,
  }
}

function decodeChoice(choice: FieldReader<typeof ToolChoiceSettings>): ToolChoice {
  const mode = CHOICES[choice.get('type')]
  return mode === 'named' ? { mode, names: [choice.as(NamedTool).get('name')], required: true } : { mode }
}

function parallel(choice: FieldReader<typeof ToolChoiceSettings> | undefined): boolean | undefined {
  const disabled = choice?.get('disable_parallel_tool_use')
  return disabled === undefined ? undefined : !disabled
}
