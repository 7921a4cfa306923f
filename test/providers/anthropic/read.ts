// Reader of messages requests.
import { IMAGE_TOKENS } from '../answer.ts'
import type { Ask, FunctionDeclaration } from '../ask.ts'
import { type PromptPart, pointsOf } from '../cache.ts'
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json.ts'
import { countTokens } from '../tokens.ts'
import { blocksOf, type Message, messagesOf, ofType, promptText, resultText, withInner } from './blocks.ts'

const DOCUMENT_TOKENS = 258

/** Reads the fields that the answer depends on, of a request that breaks no rule. */
export function readAsk(body: JsonObject): Ask {
  const messages = messagesOf(body)
  const blocks = withInner(messages.flatMap((message) => message.blocks))
  return {
    ...readText(body, messages),
    ...readTools(body),
    ...readThinking(body),
    images: ofType(blocks, 'image').length,
    audio_tokens: 0,
    document_tokens: ofType(blocks, 'document').length * DOCUMENT_TOKENS,
    uses_cache: false,
    seed: '',
    max_output_tokens: Number(body.max_tokens),
    stops: listOf(body.stop_sequences).map(textOf),
    candidate_count: 1,
    results: readResults(messages),
    called_turns: messages
      .slice(messages.findLastIndex(isFromUser) + 1)
      .filter(({ blocks }) => ofType(blocks, 'tool_use').length > 0).length,
    json: readFormat(body),
    aspect_ratio: '',
    cache_points: pointsOf(textOf(body.model), partsOf(body, messages)),
  }
}

function readText(
  body: JsonObject,
  messages: readonly Message[],
): Pick<Ask, 'prompt' | 'last_text' | 'declarations'> {
  const read = [...blocksOf(body.system), ...messages.flatMap(({ blocks }) => blocks)]
  const last = messages.findLast(isFromUser)
  return {
    prompt: read
      .map(promptText)
      .filter((text) => text !== '')
      .join('\n'),
    last_text: ofType(last?.blocks ?? [], 'text')
      .map(({ text }) => textOf(text))
      .join('\n'),
    declarations: body.tools === undefined ? '' : JSON.stringify(body.tools),
  }
}

/** A message of the user, without results of tools. */
const isFromUser = ({ role, blocks }: Message): boolean =>
  role === 'user' && ofType(blocks, 'tool_result').length === 0

/** The parts of the prompt in the order of the cache: tools, system, messages. */
function partsOf(body: JsonObject, messages: readonly Message[]): PromptPart[] {
  const tools = listOf(body.tools).map(objectOf)
  const blocks = [...blocksOf(body.system), ...messages.flatMap((message) => message.blocks)]
  // `cache_control` on the request itself means its last block.
  const automatic = keepOf(body.cache_control)
  return [
    ...tools.map((tool) => part(tool, JSON.stringify(tool))),
    ...blocks.map((block, at) => {
      const { keep, ...rest } = part(block, promptText(block))
      return { ...rest, keep: keep ?? (at === blocks.length - 1 ? automatic : undefined) }
    }),
  ]
}

function part(block: JsonObject, text: string): PromptPart {
  const { cache_control, ...content } = block
  const inner = withInner([block])
  const media =
    ofType(inner, 'image').length * IMAGE_TOKENS + ofType(inner, 'document').length * DOCUMENT_TOKENS
  return {
    content: JSON.stringify(content),
    tokens: countTokens(text) + media,
    keep: keepOf(cache_control),
  }
}

function keepOf(cache_control: unknown): PromptPart['keep'] {
  if (!isObject(cache_control)) return undefined
  return cache_control.ttl === '1h' ? '1h' : '5m'
}

/** These models think only on request. */
function readThinking({ thinking }: JsonObject): Pick<Ask, 'thinking_budget' | 'shows_thoughts'> {
  const { type, budget_tokens, display } = objectOf(thinking)
  const budgets = new Map([
    ['enabled', numberOf(budget_tokens)],
    ['adaptive', undefined],
  ])
  const name = textOf(type)
  return {
    thinking_budget: budgets.has(name) ? budgets.get(name) : 0,
    shows_thoughts: display !== 'omitted',
  }
}

function readFormat(body: JsonObject): Ask['json'] {
  const format = objectOf(objectOf(body.output_config).format ?? body.output_format)
  return format.type === 'json_schema' ? { schema: format.schema } : undefined
}

const CALLING = new Map<string, Ask['calling']>([
  ['any', 'any'],
  ['tool', 'any'],
  ['none', 'none'],
])

function readTools(body: JsonObject): Pick<Ask, 'functions' | 'calling' | 'parallel'> {
  const { type, name, disable_parallel_tool_use } = objectOf(body.tool_choice)
  const declared = listOf(body.tools).flatMap(readFunction)
  return {
    functions: type === 'tool' ? declared.filter((tool) => tool.name === name) : declared,
    calling: CALLING.get(textOf(type)) ?? 'auto',
    parallel: disable_parallel_tool_use !== true,
  }
}

/** Server-side tools (a type such as `web_search_20250305`) are accepted and never used. */
function readFunction(declared: unknown): FunctionDeclaration[] {
  const { name, input_schema, type } = objectOf(declared)
  if (type !== undefined && type !== 'custom') return []
  return [{ name: textOf(name), schema: input_schema ?? { type: 'object' } }]
}

function readResults(all: readonly Message[]): Ask['results'] {
  const messages = all.filter(({ role }) => role !== 'system')
  const used = ofType(messages.at(-2)?.blocks ?? [], 'tool_use')
  return ofType(messages.at(-1)?.blocks ?? [], 'tool_result').map((result) => ({
    name: textOf(used.find(({ id }) => id === result.tool_use_id)?.name),
    response: JSON.stringify(resultText(result)),
  }))
}
