// Faults for which the messages API refuses a request, in its own words.
import type { Refusal } from '../dialect.ts'
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json.ts'
import { type Message, messagesOf, ofType, withInner } from './blocks.ts'
import { isGenuine } from './signature.ts'

type Finder = (body: JsonObject, messages: readonly Message[]) => string | undefined

/** The first fault of a request; undefined without any. */
export function findFault(body: JsonObject): Refusal | undefined {
  const messages = messagesOf(body)
  for (const find of FINDERS) {
    const message = find(body, messages)
    if (message !== undefined) return { status: 400, message }
  }
  return undefined
}

/** The path of a block, as the API writes it. */
const placeOf = (message: number, block: number) => `messages.${message}.content.${block}`

function findLimit({ max_tokens }: JsonObject): string | undefined {
  if (max_tokens === undefined) return 'max_tokens: Field required'
  if (!Number.isSafeInteger(max_tokens)) return 'max_tokens: Input should be a valid integer'
  return Number(max_tokens) >= 1 ? undefined : 'max_tokens: Input should be greater than or equal to 1'
}

function findMessages({ messages: given }: JsonObject, messages: readonly Message[]): string | undefined {
  if (!Array.isArray(given)) return 'messages: Field required'
  if (messages.length === 0) return 'messages: at least one message is required'
  // System messages may come later in a conversation (beta mid-conversation-system).
  const other = messages.findIndex(
    ({ role }, at) => role !== 'user' && role !== 'assistant' && (role !== 'system' || at === 0),
  )
  if (other >= 0) return `messages.${other}.role: Input should be 'user' or 'assistant'`
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  const bare = messages.findIndex(({ blocks }, at) => blocks.length === 0 && at < messages.length - 1)
  if (bare >= 0 || messages.at(-1)?.blocks.length === 0)
    return 'messages: all messages must have non-empty content'
  return undefined
}

const findEmptyText: Finder = (_body, messages) => {
  const found = messages.findIndex(({ blocks }) =>
    ofType(blocks, 'text').some(({ text }) => textOf(text) === ''),
  )
  return found < 0 ? undefined : `messages.${found}: text content blocks must be non-empty`
}

const MIN_BUDGET = 1_024

function findThinking({ thinking: given, max_tokens, tool_choice }: JsonObject): string | undefined {
  const thinking = objectOf(given)
  if (thinking.type !== 'enabled') return undefined
  const budget = numberOf(thinking.budget_tokens)
  if (budget === undefined) return 'thinking.enabled.budget_tokens: Field required'
  if (budget < MIN_BUDGET)
    return `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET}`
  if (budget >= Number(max_tokens)) return '`max_tokens` must be greater than `thinking.budget_tokens`.'
  return ['any', 'tool'].includes(textOf(objectOf(tool_choice).type))
    ? 'Thinking may not be enabled when tool_choice forces tool use.'
    : undefined
}

/** A turn that used a tool while thinking must come back with its thinking. */
const findLostThinking: Finder = ({ thinking }, messages) => {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const blocks = messages[last]?.blocks ?? []
  const first = textOf(blocks[0]?.type)
  if (objectOf(thinking).type !== 'enabled' || ofType(blocks, 'tool_use').length === 0) return undefined
  if (first === 'thinking' || first === 'redacted_thinking') return undefined
  return `${placeOf(last, 0)}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`
}

const findForgery: Finder = (_body, messages) => {
  for (const [at, { blocks }] of messages.entries()) {
    const forged = blocks.findIndex((block) => block.type === 'thinking' && !isGenuine(block))
    if (forged >= 0) return `${placeOf(at, forged)}: Invalid \`signature\` in \`thinking\` block`
  }
  return undefined
}

/** Each tool use has its result in the next message, and no result comes without a use. */
const findUnpairedTools: Finder = (_body, messages) => {
  for (const [at, { blocks }] of messages.entries()) {
    const next = ofType(messages[at + 1]?.blocks ?? [], 'tool_result').map(({ tool_use_id }) => tool_use_id)
    const open = ofType(blocks, 'tool_use').filter(({ id }) => !next.includes(id))
    if (open.length > 0)
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map(({ id }) => textOf(id)).join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    const used = ofType(messages[at - 1]?.blocks ?? [], 'tool_use').map(({ id }) => id)
    const stray = blocks.findIndex(
      ({ type, tool_use_id }) => type === 'tool_result' && !used.includes(tool_use_id),
    )
    if (stray >= 0)
      return `${placeOf(at, stray)}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${textOf(blocks[stray]?.tool_use_id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
  }
  return undefined
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

const findImage: Finder = (_body, messages) => {
  for (const [at, { blocks }] of messages.entries()) {
    const wrong = ofType(withInner(blocks), 'image').find(({ source }) => !isImage(objectOf(source)))
    if (wrong)
      return `${placeOf(at, 0)}.image.source.base64.media_type: Input should be ${IMAGE_TYPES.map((type) => `'${type}'`).join(', ')}`
  }
  return undefined
}

function isImage({ type, media_type, data, url }: JsonObject): boolean {
  if (type === 'url') return textOf(url).startsWith('https://')
  return type === 'base64' && IMAGE_TYPES.includes(textOf(media_type)) && textOf(data) !== ''
}

function findTools({ tools }: JsonObject): string | undefined {
  const wrong = listOf(tools)
    .map(objectOf)
    .findIndex(({ type, name, input_schema }) =>
      type === undefined || type === 'custom'
        ? !/^[a-zA-Z0-9_-]{1,128}$/.test(textOf(name)) || !isObject(input_schema)
        : false,
    )
  return wrong < 0 ? undefined : `tools.${wrong}.custom: name and input_schema are required`
}

const MAX_BREAKPOINTS = 4

const findBreakpoints: Finder = (body, messages) => {
  const blocks = [body.tools, body.system].flatMap((part) => listOf(part).map(objectOf))
  const marked = [...blocks, ...messages.flatMap((message) => message.blocks)].filter(({ cache_control }) =>
    isObject(cache_control),
  )
  if (marked.length <= MAX_BREAKPOINTS) return undefined
  return `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${marked.length}.`
}

const FINDERS: readonly Finder[] = [
  findLimit,
  findMessages,
  findEmptyText,
  findTools,
  findImage,
  findThinking,
  findUnpairedTools,
  findLostThinking,
  findForgery,
  findBreakpoints,
]
