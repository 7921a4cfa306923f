// Rules on the structure of a messages request: limits, roles, blocks, tools and tool results, signatures, cache markers.
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../json.ts'
import { isCutOff, isStandardBase64, typeOfImage } from '../media.ts'
import type { Rule } from '../rule.ts'
import { type Message, messagesOf, ofType, withInner } from './blocks.ts'
import { isGenuine } from './signature.ts'

type Finder = (body: JsonObject, messages: readonly Message[]) => string | undefined

/** The API's reference of a request. */
const REFERENCE = 'https://platform.claude.com/docs/en/api/messages/create'

const rule = (name: string, find: Finder, source = REFERENCE): Rule => ({
  name: `anthropic: ${name}`,
  source,
  find({ body }) {
    const message = find(body, messagesOf(body))
    return message === undefined ? undefined : { status: 400, message }
  },
})

/** The path of a block, as the API writes it. */
export const placeOf = (message: number, block: number) => `messages.${message}.content.${block}`

function findLimit({ max_tokens }: JsonObject): string | undefined {
  if (max_tokens === undefined) return 'max_tokens: Field required'
  if (!Number.isSafeInteger(max_tokens)) return 'max_tokens: Input should be a valid integer'
  return Number(max_tokens) >= 1 ? undefined : 'max_tokens: Input should be greater than or equal to 1'
}

function findMessages({ messages: list }: JsonObject, messages: readonly Message[]): string | undefined {
  if (!Array.isArray(list)) return 'messages: Field required'
  if (messages.length === 0) return 'messages: at least one message is required'
  // System messages may come later in a conversation, by generation.
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

/** Blank text is accepted beside other text. */
const findBlankText: Finder = (_body, messages) =>
  messages.some(({ blocks }) => {
    const texts = ofType(blocks, 'text')
    return texts.length > 0 && texts.every(({ text }) => textOf(text).trim() === '')
  })
    ? 'messages: text content blocks must contain non-whitespace text'
    : undefined

const findTrailingSpace: Finder = (_body, messages) => {
  const last = messages.at(-1)
  const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined
  return block?.type === 'text' && /\s$/.test(textOf(block.text))
    ? 'messages: final assistant content cannot end with trailing whitespace'
    : undefined
}

const findForgery: Finder = (_body, messages) => {
  for (const [at, { blocks }] of messages.entries()) {
    const forged = blocks.findIndex((block) => block.type === 'thinking' && !isGenuine(block))
    if (forged < 0) continue
    return blocks[forged]?.signature === undefined
      ? `${placeOf(at, forged)}.thinking.signature: Field required`
      : `${placeOf(at, forged)}: Invalid \`signature\` in \`thinking\` block`
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

const findBrokenImage: Finder = (_body, messages) => {
  for (const [at, { blocks }] of messages.entries())
    for (const { source } of ofType(withInner(blocks), 'image')) {
      const { type, media_type, data } = objectOf(source)
      if (type !== 'base64') continue
      const place = `${placeOf(at, 0)}.image.source.base64`
      if (!isStandardBase64(textOf(data))) return `${place}: invalid base64 data`
      if ((typeOfImage(textOf(data)) ?? media_type) !== media_type)
        return `${place}.data: Image does not match the provided media type ${media_type}`
      if (isCutOff(textOf(data))) return 'Could not process image'
    }
  return undefined
}

function isImage({ type, media_type, data, url }: JsonObject): boolean {
  if (type === 'url') return textOf(url).startsWith('https://')
  return type === 'base64' && IMAGE_TYPES.includes(textOf(media_type)) && textOf(data) !== ''
}

const NAME = '^[a-zA-Z0-9_-]{1,128}$'

/** Tools that the caller runs. */
const customTools = (tools: unknown): (readonly [at: number, tool: JsonObject])[] =>
  [...listOf(tools).map(objectOf).entries()].filter(([, { type }]) => type === undefined || type === 'custom')

function findTools({ tools }: JsonObject): string | undefined {
  for (const [at, { name, input_schema }] of customTools(tools)) {
    if (!new RegExp(NAME).test(textOf(name)))
      return `tools.${at}.custom.name: String should match pattern '${NAME}'`
    if (!isObject(input_schema)) return `tools.${at}.custom.input_schema: Field required`
  }
  return undefined
}

const findRootChoice = ({ tools }: JsonObject): string | undefined => {
  const found = customTools(tools).find(([, { input_schema }]) =>
    ['oneOf', 'allOf', 'anyOf'].some((keyword) => objectOf(input_schema)[keyword] !== undefined),
  )
  return (
    found &&
    `tools.${found[0]}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
  )
}

function findSameNames({ tools }: JsonObject): string | undefined {
  const names = listOf(tools).map((tool) => objectOf(tool).name)
  return new Set(names).size < names.length ? 'tools: Tool names must be unique.' : undefined
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

/** The time to live never rises, in the order of the prompt. */
const findTtlOrder: Finder = (body, messages) => {
  const marks = [
    ...listOf(body.tools).map((tool, at) => [`tools.${at}`, tool] as const),
    ...listOf(body.system).map((block, at) => [`system.${at}`, block] as const),
    ...messages.flatMap(({ blocks }, at) => blocks.map((block, nth) => [placeOf(at, nth), block] as const)),
  ].flatMap(([place, block]) => {
    const { cache_control } = objectOf(block)
    return isObject(cache_control) ? [{ place, is_long: cache_control.ttl === '1h' }] : []
  })
  const short = marks.findIndex(({ is_long }) => !is_long)
  const late = short < 0 ? undefined : marks.slice(short).find(({ is_long }) => is_long)
  return (
    late &&
    `${late.place}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: tools, system, messages.`
  )
}

export const STRUCTURE_RULES: readonly Rule[] = [
  rule('output limit', findLimit),
  rule(
    'messages and their roles',
    findMessages,
    'https://platform.claude.com/docs/en/api/messages/create, https://platform.claude.com/docs/en/api/beta-headers',
  ),
  rule('empty text', findEmptyText),
  rule(
    'blank text',
    findBlankText,
    'https://github.com/LibreChat-AI/agents/pull/124, https://github.com/home-assistant/core/issues/175637',
  ),
  rule(
    'trailing space of a prefill',
    findTrailingSpace,
    'https://github.com/tailcallhq/forgecode/issues/1872, litellm 1.109 prompt_templates/factory.py',
  ),
  rule(
    'declared tools',
    findTools,
    'https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use, https://github.com/anthropics/claude-code/issues/3102',
  ),
  rule(
    'schemas of tools',
    findRootChoice,
    'https://github.com/Hmbown/Codewhale/issues/4329, https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use',
  ),
  rule(
    'names of tools are unique',
    findSameNames,
    'https://github.com/anthropics/claude-code/issues/10687, https://github.com/tailcallhq/forgecode/issues/892',
  ),
  rule('images', findImage, 'https://platform.claude.com/docs/en/build-with-claude/vision'),
  rule(
    'valid images',
    findBrokenImage,
    'https://github.com/anthropics/anthropic-sdk-typescript/issues/603, https://github.com/anthropics/claude-code/issues/12064, https://github.com/anthropics/claude-code/issues/8647',
  ),
  rule(
    'tool uses and their results',
    findUnpairedTools,
    'https://github.com/anthropics/claude-code/issues/3512, https://github.com/anthropics/claude-code/issues/12526',
  ),
  rule(
    'signatures of thinking',
    findForgery,
    'https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks, @anthropic-ai/sdk 1.11 resources/messages/messages.d.ts ThinkingBlockParam.signature',
  ),
  rule(
    'number of cache marks',
    findBreakpoints,
    'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
  ),
  rule(
    'order of cache marks',
    findTtlOrder,
    'https://github.com/headroomlabs-ai/headroom/issues/2939, https://github.com/vellum-ai/vellum-assistant/pull/22191',
  ),
]
