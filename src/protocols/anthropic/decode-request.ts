// Decoding of a messages request into the canonical form.
// https://platform.claude.com/docs/en/api/messages
import type { Static } from '@sinclair/typebox'
import { cacheOf, type SystemText } from '../caching.ts'
import type { Effort, OutputFormat, Thinking, ToolChoice, ToolDefinition } from '../canonical/fields.ts'
import { mergeTurns } from '../canonical/parts.ts'
import type { ConversationRequest, PromptCaching } from '../canonical/request.ts'
import { rejectUncarried } from '../carries.ts'
import { sessionOfClaudeCode, withoutBillingLine } from '../claude-code.ts'
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
} from '../forms.ts'
import { type JsonObject, refusal } from '../wire/json.ts'
import { carries } from './carries.ts'
import { clientTool } from './client-tools.ts'
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

const ThinkingSettings = Fields({ type: Choice(THINKING_TYPES), display: Anything })
/** The budget field, required if thinking is enabled. */
const ThinkingBudget = Fields({ budget_tokens: Count })
const SchemaFormat = Fields({ type: Choice({ json_schema: true }), schema: OpenObject })
const OutputConfig = Fields({
  effort: optional(Choice(EFFORTS)),
  format: optional(SchemaFormat),
})
/** A custom tool: the only type of tool that other models have. */
const Tool = Fields({
  name: Text,
  description: optional(Text),
  input_schema: OpenObject,
  strict: optional(Flag),
})
const ToolChoiceSettings = Fields({
  type: Choice(CHOICES),
  disable_parallel_tool_use: optional(Flag),
})
/** The tool name, required in a choice of one tool. */
const NamedTool = Fields({ name: Text })

export const MessagesRequest = Fields({
  model: Anything,
  messages: List(Message),
  /** One text, or blocks of text. */
  system: Anything,
  max_tokens: Count,
  stream: optional(Flag),
  temperature: optional(Quantity),
  top_p: optional(Quantity),
  top_k: optional(Count),
  stop_sequences: optional(List(Text)),
  thinking: optional(ThinkingSettings),
  output_config: optional(OutputConfig),
  /** The former name of output_config.format. */
  output_format: optional(SchemaFormat),
  tools: optional(List(OpenObject)),
  tool_choice: optional(ToolChoiceSettings),
  metadata: optional(Fields({ user_id: optional(Text) })),
})

const KNOWN = namesOf(MessagesRequest)

/** Decodes a messages request. @throws GatewayError invalid_request for a malformed request, or one that cannot be translated */
export function decodeRequest(body: JsonObject): ConversationRequest {
  rejectUncarried(carries, body, KNOWN)
  const fields = readPresent(MessagesRequest, body, '')
  if (fields.max_tokens === 0)
    throw refusal(
      'max_tokens',
      'must be at least 1: a limit of 0, which fills the cache, is known to Claude models only.',
    )
  const { system: late, turns } = decodeMessages(body.messages)
  const early = fields.system === undefined ? [] : readSystem(fields.system, 'system')
  const system = [...withoutBilling(early), ...late]
  const { thinking, tool_choice, output_config } = fields
  return {
    from: carries,
    streams: fields.stream ?? false,
    shows_usage: true,
    system: system.map(({ text }) => text),
    system_cache: system.some(({ cache }) => cache) ? system.map(({ cache }) => cache) : undefined,
    caching: cachingOf(body),
    turns: mergeTurns(turns),
    tools: (fields.tools ?? []).map((tool, index) => decodeTool(tool, `tools[${index}]`)),
    tool_choice: tool_choice && decodeChoice(tool_choice),
    parallel_tool_calls: parallel(tool_choice),
    max_output_tokens: fields.max_tokens,
    temperature: fields.temperature,
    top_p: fields.top_p,
    top_k: fields.top_k,
    stop: fields.stop_sequences ?? [],
    seed: undefined,
    candidates: undefined,
    thinking: decodeThinking(thinking, output_config),
    // Claude shows its thinking unless the request omits it.
    shows_thinking: thinking && thinking.type !== 'disabled' && thinking.display !== 'omitted',
    images: undefined,
    output: decodeOutput(output_config?.format ?? fields.output_format),
    logprobs: undefined,
    frequency_penalty: undefined,
    presence_penalty: undefined,
    verbosity: undefined,
    user: fields.metadata?.user_id ?? undefined,
    cache_key: undefined,
  }
}

/** Removes Claude Code's billing line: it is for Anthropic alone, and its changes would defeat other providers' prompt caches. */
const withoutBilling = (system: readonly SystemText[]): SystemText[] =>
  system.flatMap(({ text, cache }) => {
    const rest = withoutBillingLine(text)
    return rest === '' && text !== '' ? [] : [{ text: rest, cache }]
  })

/** Claude has no cache key. Claude Code's session serves as one for OpenAI, since each of its requests repeats the previous one. */
function cachingOf({ metadata }: JsonObject): PromptCaching | undefined {
  const session = sessionOfClaudeCode(metadata)
  return session === undefined ? undefined : { session }
}

/** A budget is exact, so it precedes an effort; an effort is more precise than `adaptive` alone. */
function decodeThinking(
  thinking: Static<typeof ThinkingSettings> | undefined,
  config: Static<typeof OutputConfig> | undefined,
): Thinking | undefined {
  const mode = thinking && THINKING_TYPES[thinking.type]
  if (mode === 'off') return { mode }
  if (thinking && mode === 'budget') {
    const { budget_tokens } = readObject(ThinkingBudget, thinking, 'thinking')
    return { mode, budget_tokens }
  }
  const effort = config?.effort
  if (effort) return { mode: 'effort', effort: EFFORTS[effort] }
  return mode && { mode: 'auto' }
}

const decodeOutput = (format: Static<typeof SchemaFormat> | undefined): OutputFormat | undefined =>
  format && { kind: 'json_schema', name: '', schema: format.schema, strict: true }

function decodeTool(tool: JsonObject, path: string): ToolDefinition {
  const known = typeof tool.type === 'string' ? clientTool(tool.type) : undefined
  if (known) {
    const { name } = readObject(NamedTool, tool, path)
    const { description, parameters } = known
    return { name, description, parameters, strict: undefined, at: path }
  }
  if ((tool.type ?? 'custom') !== 'custom')
    throw refusal(`${path}.type`, 'names a tool that only Claude models have; describe it as a custom tool.')
  const { name, description, input_schema, strict } = readPresent(Tool, tool, path)
  return { name, description, parameters: input_schema, strict, at: path, cache: cacheOf(tool) }
}

function decodeChoice(choice: Static<typeof ToolChoiceSettings>): ToolChoice {
  const mode = CHOICES[choice.type]
  if (mode !== 'named') return { mode }
  return { mode, names: [readObject(NamedTool, choice, 'tool_choice').name], required: true }
}

function parallel(choice: Static<typeof ToolChoiceSettings> | undefined): boolean | undefined {
  const disabled = choice?.disable_parallel_tool_use
  return disabled === undefined || disabled === null ? undefined : !disabled
}
