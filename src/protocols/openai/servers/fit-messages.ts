// Adaptation of messages to the server: roles, thinking, call ids and their order.
import { safeName } from '../../tool-names.ts'
import { compact, isObject, type Json, type JsonObject, objectsIn, stringIn } from '../../wire/json.ts'
import { readReasoning, reasoningDetail } from '../reasoning.ts'
import type { Fitting } from './fitting.ts'
import type { CallIdRule } from './rules.ts'

export function fitMessages(fitting: Fitting): JsonObject {
  const { body, rules } = fitting
  if (!Array.isArray(body.messages)) return body
  let is_changed = false
  const messages = body.messages.map((message) => {
    if (!isObject(message)) return message
    const fitted = fitMessage(message, fitting)
    is_changed ||= fitted !== message
    return fitted
  })
  const ordered = rules.demands_order ? inOrder(messages) : messages
  return is_changed || ordered !== messages ? { ...body, messages: ordered } : body
}

function fitMessage(message: JsonObject, fitting: Fitting): JsonObject {
  const { rules, dropped } = fitting
  const relabelled =
    message.role === 'developer' && !rules.takes_developer_role ? { ...message, role: 'system' } : message
  const thought = message.role === 'assistant' ? fitThinking(relabelled, fitting) : relabelled
  const unsigned = rules.takes_signatures ? thought : withoutSignatures(thought)
  const named = rules.call_ids ? fitIds(unsigned, rules.call_ids) : unsigned
  const { message_fields } = rules
  const refused = message_fields && Object.keys(named).filter((name) => !message_fields.has(name))
  if (!refused || refused.length === 0) return named
  for (const name of refused) if (!isEmpty(named[name])) dropped.add(`messages[].${name}`)
  return Object.fromEntries(Object.entries(named).filter(([name]) => !refused.includes(name)))
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const THINKING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'] as const

/** Moves an assistant's thinking into the field that the server reads, or removes it. */
function fitThinking(message: JsonObject, { body, model, rules, dropped }: Fitting): JsonObject {
  const { thinking, thinking_models, missing_thinking } = rules
  const field = thinking_models?.test(model) === false ? undefined : thinking
  const present = THINKING_FIELDS.filter((name) => Object.hasOwn(message, name))
  const lacks = missing_thinking !== undefined && objectsIn(message.tool_calls).length > 0 && thinks(body)
  if (present.length === 0 && !lacks) return message
  if (field !== undefined && present.length === 1 && present[0] === field && !lacks) return message
  const rest = Object.fromEntries(
    Object.entries(message).filter(([name]) => !THINKING_FIELDS.some((each) => each === name)),
  )
  const parts = present.length > 0 ? readReasoning(message) : []
  if (field === undefined) {
    if (parts.length > 0) dropped.add('thinking')
    return present.length > 0 ? rest : message
  }
  if (field === 'reasoning_details') {
    const usable = parts.filter(({ signature }) => !signature || isIssuerOf(signature.format, model))
    if (usable.length < parts.length) dropped.add('thinking')
    return usable.length === 0 ? rest : { ...rest, reasoning_details: usable.map(reasoningDetail) }
  }
  // Signed thinking is only useful to its issuer.
  const own = parts.flatMap((part) => (part.kind === 'thinking' && !part.signature ? part.text : []))
  if (own.length < parts.length) dropped.add('thinking')
  const text = own.join('') || (lacks ? missing_thinking : undefined)
  return compact({ ...rest, [field]: text })
}

/** Whether the model thinks: it does unless the request switches thinking off. */
const thinks = ({ thinking }: JsonObject): boolean => !(isObject(thinking) && thinking.type === 'disabled')

/** The models that issue a format of signatures: https://openrouter.ai/docs/use-cases/reasoning-tokens#reasoning_details-array-structure */
const ISSUERS: readonly (readonly [format: RegExp, models: RegExp])[] = [
  [/^anthropic-claude/, /claude/],
  [/^google-gemini/, /gemini/],
  [/^openai-responses/, /openai\/|gpt|(?:^|\/)o\d/],
  [/^azure-openai-responses/, /openai\/|gpt|(?:^|\/)o\d/],
  [/^xai-responses/, /grok/],
]

const isIssuerOf = (format: string, model: string): boolean =>
  ISSUERS.some(([formats, models]) => formats.test(format) && models.test(model))

/** Removes Gemini's signatures. */
function withoutSignatures(message: JsonObject): JsonObject {
  const calls = objectsIn(message.tool_calls)
  if (!Object.hasOwn(message, EXTRA) && !calls.some((call) => Object.hasOwn(call, EXTRA))) return message
  const { [EXTRA]: _, ...rest } = message
  return calls.length === 0 ? rest : { ...rest, tool_calls: calls.map(({ [EXTRA]: __, ...call }) => call) }
}

const EXTRA = 'extra_content'

/** Replaces ids that the server refuses, the same for a call and its result. */
function fitIds(message: JsonObject, ids: CallIdRule): JsonObject {
  const isAccepted = (id: Json | undefined): boolean =>
    stringIn(id) === undefined || ids.pattern.test(String(id))
  const calls = objectsIn(message.tool_calls)
  if (isAccepted(message.tool_call_id) && calls.every(({ id }) => isAccepted(id))) return message
  const idOf = (id: Json): Json => (isAccepted(id) ? id : safeName(String(id), ids.chars))
  return {
    ...message,
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: idOf(message.tool_call_id) }),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map((call) => ({
            ...call,
            ...(call.id === undefined ? {} : { id: idOf(call.id) }),
          })),
        }
      : {}),
  }
}

/**
 * Merges a user's text after tool results into the last result, and marks a final assistant message as the beginning of an answer.
 */
function inOrder(messages: Json[]): Json[] {
  const ordered: Json[] = []
  for (const message of messages) {
    const before = ordered.at(-1)
    const follows_tools = isObject(before) && before.role === 'tool'
    if (follows_tools && isObject(message) && (message.role === 'user' || message.role === 'system'))
      ordered[ordered.length - 1] = { ...before, content: joined(before.content, message.content) }
    else ordered.push(message)
  }
  const last = ordered.at(-1)
  if (
    isObject(last) &&
    last.role === 'assistant' &&
    last.prefix !== true &&
    objectsIn(last.tool_calls).length === 0
  )
    ordered[ordered.length - 1] = { ...last, prefix: true }
  else if (ordered.length === messages.length) return messages
  return ordered
}

function joined(one: Json | undefined, other: Json | undefined): Json {
  if (typeof one === 'string' && typeof other === 'string') return `${one}\n\n${other}`
  return [...partsOf(one), ...partsOf(other)]
}

const partsOf = (content: Json | undefined): Json[] =>
  Array.isArray(content) ? content : [{ type: 'text', text: stringIn(content) ?? '' }]
