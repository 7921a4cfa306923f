// Owns the reading of a messages request into the canonical form.
// https://platform.claude.com/docs/en/api/messages
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
  wantBoolean,
  wantCount,
  wantNumber,
  wantObject,
  wantString,
} from '../wire/json.ts'
import { decodeMessages, readSystem } from './decode-messages.ts'

const KNOWN = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'thinking',
  'output_config',
  'output_format',
  'tools',
  'tool_choice',
  'metadata',
])

/** A messages request as the canonical one. @throws GatewayError invalid_request for what is malformed or cannot be carried */
export function decodeRequest(body: JsonObject): ConversationRequest {
  refuseUncarried('anthropic', body, KNOWN)
  const { system, turns } = decodeMessages(body.messages)
  const config = maybe(wantObject, body.output_config, 'output_config')
  const choice = maybe(wantObject, body.tool_choice, 'tool_choice')
  const thinking = maybe(wantObject, body.thinking, 'thinking')
  const metadata = maybe(wantObject, body.metadata, 'metadata')
  return {
    from: 'anthropic',
    streams: maybe(wantBoolean, body.stream, 'stream') ?? false,
    shows_usage: true,
    system: [...(maybe(readSystem, body.system, 'system') ?? []), ...system],
    turns: mergeTurns(turns),
    tools: maybe((value, path) => eachOf(value, path, decodeTool), body.tools, 'tools') ?? [],
    tool_choice: choice && decodeChoice(choice),
    parallel_tool_calls: parallel(choice),
    max_output_tokens: wantCount(body.max_tokens, 'max_tokens'),
    temperature: maybe(wantNumber, body.temperature, 'temperature'),
    top_p: maybe(wantNumber, body.top_p, 'top_p'),
    top_k: maybe(wantCount, body.top_k, 'top_k'),
    stop:
      maybe((value, path) => eachOf(value, path, wantString), body.stop_sequences, 'stop_sequences') ?? [],
    seed: undefined,
    answers: undefined,
    thinking: decodeThinking(thinking, config),
    shows_thinking: showsThinking(thinking),
    output: decodeOutput(body, config),
    logprobs: undefined,
    frequency_penalty: undefined,
    presence_penalty: undefined,
    user: maybe(wantString, metadata?.user_id, 'metadata.user_id'),
  }
}

const EFFORTS: Readonly<Record<string, Effort>> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}

const THINKING_TYPES: Readonly<Record<string, Thinking['mode']>> = {
  enabled: 'budget',
  disabled: 'off',
  adaptive: 'auto',
  between_tools: 'auto',
}

/** A budget is exact and goes before an effort; an effort says more than `adaptive` alone. */
function decodeThinking(
  thinking: JsonObject | undefined,
  config: JsonObject | undefined,
): Thinking | undefined {
  const mode = thinking && oneOf(THINKING_TYPES, thinking.type, 'thinking.type')
  if (mode === 'off') return { mode }
  if (mode === 'budget')
    return { mode, budget_tokens: wantCount(thinking?.budget_tokens, 'thinking.budget_tokens') }
  const effort = maybe((value, path) => oneOf(EFFORTS, value, path), config?.effort, 'output_config.effort')
  if (effort) return { mode: 'effort', effort }
  return mode && { mode: 'auto' }
}

/** Claude shows its thinking wherever it was asked for, unless told not to. */
function showsThinking(thinking: JsonObject | undefined): boolean | undefined {
  if (thinking === undefined) return undefined
  return thinking.type !== 'disabled' && thinking.display !== 'omitted'
}

/** `output_format` is the field's older name. */
function decodeOutput(body: JsonObject, config: JsonObject | undefined): OutputFormat | undefined {
  const path = config?.format ? 'output_config.format' : 'output_format'
  const format = maybe(wantObject, config?.format ?? body.output_format, path)
  if (!format) return undefined
  oneOf({ json_schema: true }, format.type, `${path}.type`)
  return {
    kind: 'json_schema',
    name: '',
    schema: wantObject(format.schema, `${path}.schema`),
    strict: true,
  }
}

function decodeTool(value: Json | undefined, path: string): ToolDefinition {
  const tool = wantObject(value, path)
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom')
    throw refusal(`${path}.type`, 'names a tool that only Claude models have; describe it as a custom tool.')
  return {
    name: wantString(tool.name, `${path}.name`),
    description: maybe(wantString, tool.description, `${path}.description`),
    parameters: wantObject(tool.input_schema, `${path}.input_schema`),
    strict: maybe(wantBoolean, tool.strict, `${path}.strict`),
    at: path,
  }
}

function decodeChoice(choice: JsonObject): ToolChoice {
  const mode = oneOf(
    { auto: 'auto', any: 'any', none: 'none', tool: 'named' } as const,
    choice.type,
    'tool_choice.type',
  )
  return mode === 'named'
    ? { mode, names: [wantString(choice.name, 'tool_choice.name')], required: true }
    : { mode }
}

function parallel(choice: JsonObject | undefined): boolean | undefined {
  const disabled = maybe(
    wantBoolean,
    choice?.disable_parallel_tool_use,
    'tool_choice.disable_parallel_tool_use',
  )
  return disabled === undefined ? undefined : !disabled
}
