// Marks of the prompt cache: those in requests, and those that translation to Claude adds to requests without any.
import type { CacheTtl, MediaPart, Part, TextPart, Turn } from './canonical/parts.ts'
import type { ConversationRequest, PromptCaching } from './canonical/request.ts'
import { isObject, type JsonObject, objectIn, objectsIn, stringIn } from './wire/json.ts'

/**
 * The mark on a block, part or tool: Claude's `cache_control`, which other servers also accept for Claude behind chat completions
 * (package @openrouter/sdk 1.3, ChatContentText and ChatFunctionTool), or OpenAI's `prompt_cache_breakpoint` (package openai 6.49,
 * ChatCompletionContentPartText).
 */
export function cacheOf({ cache_control, prompt_cache_breakpoint }: JsonObject): CacheTtl | undefined {
  if (isObject(cache_control)) return cache_control.ttl === '1h' ? '1h' : '5m'
  return isObject(prompt_cache_breakpoint) ? '5m' : undefined
}

/** Copies the mark of a part's source to the part; returns the same part if none exists. */
export function withCacheMark<P extends Part>(part: P, source: JsonObject): P {
  const cache = cacheOf(source)
  return cache === undefined ? part : { ...part, cache }
}

/** A text of the system prompt, and the mark after it. */
export interface SystemText {
  text: string
  cache: CacheTtl | undefined
}

/** The last of the marks on some parts, for an object that can only have one mark. */
export const lastMark = (parts: readonly (TextPart | MediaPart)[]): CacheTtl | undefined =>
  parts.findLast(({ cache }) => cache)?.cache

/** Claude's cache mark. Five minutes is its default. https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
export const cacheControl = (cache: CacheTtl): JsonObject =>
  cache === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' }

/** Anthropic refuses a request with more (same page). */
const MAX_MARKS = 4

/**
 * Returns the request with the marks for Claude: the caller's own, only the last four of them. If there are none and the conversation
 * continues, it marks the system prompt (or tools) and the last two user messages: the last mark writes the cache, and the one before
 * finds what the previous call wrote, however many blocks lie between. Claude's automatic caching (`cache_control` on the request
 * itself) looks back 20 blocks only, and not every cloud has it (same page).
 * @param is_automatic whether to add marks to a request without any
 */
export function withClaudeMarks(request: ConversationRequest, is_automatic: boolean): ConversationRequest {
  const count = countMarks(request)
  if (count === 0) return is_automatic && goesOn(request) ? withAutomaticMarks(request) : request
  return mapMarks(mapMarks(request, allButFirst(count - MAX_MARKS)), inFallingOrder())
}

const goesOn = ({ turns }: ConversationRequest): boolean =>
  turns.some(({ role, parts }) => role === 'assistant' || parts.some(({ kind }) => kind === 'tool_result'))

const markOfPart = (part: Part): CacheTtl | undefined => ('cache' in part ? part.cache : undefined)

function countMarks({ tools, system_cache = [], turns }: ConversationRequest): number {
  let count = 0
  for (const { cache } of tools) if (cache) count++
  for (const cache of system_cache) if (cache) count++
  for (const { parts } of turns) for (const part of parts) if (markOfPart(part)) count++
  return count
}

type ChangeMark = (cache: CacheTtl) => CacheTtl | undefined

/** Changes each mark, in the order of the prompt: tools, system, messages. Tool results come first in a user message. */
function mapMarks(request: ConversationRequest, change: ChangeMark): ConversationRequest {
  const changed = (cache: CacheTtl | undefined) => cache && change(cache)
  return {
    ...request,
    tools: request.tools.map((tool) => ({ ...tool, cache: changed(tool.cache) })),
    system_cache: request.system_cache?.map(changed),
    turns: request.turns.map(({ role, parts }) => {
      const results = role === 'user' ? parts.filter(({ kind }) => kind === 'tool_result') : []
      const marked = new Map<Part, Part>()
      for (const part of [...results, ...parts.filter((part) => !results.includes(part))])
        if ('cache' in part) marked.set(part, { ...part, cache: changed(part.cache) })
      return { role, parts: parts.map((part) => marked.get(part) ?? part) }
    }),
  }
}

const allButFirst = (drop: number): ChangeMark => {
  let left = drop
  return (cache) => (left-- > 0 ? undefined : cache)
}

/** Anthropic refuses a one-hour mark after a five-minute mark: https://github.com/headroomlabs-ai/headroom/issues/2939 */
const inFallingOrder = (): ChangeMark => {
  let is_short = false
  return (cache) => {
    is_short ||= cache === '5m'
    return is_short ? '5m' : cache
  }
}

function withAutomaticMarks(request: ConversationRequest): ConversationRequest {
  const cache = request.caching?.retention === '24h' ? '1h' : '5m'
  const { system, tools, turns } = request
  const users = turns.filter(({ role }) => role === 'user').slice(-2)
  const marked_turns = turns.map((turn) => (users.includes(turn) ? withLastMarked(turn, cache) : turn))
  if (system.length > 0)
    return {
      ...request,
      turns: marked_turns,
      system_cache: system.map((_, at) => (at === system.length - 1 ? cache : undefined)),
    }
  const last_tool = tools.length - 1
  return {
    ...request,
    turns: marked_turns,
    tools: tools.map((tool, at) => (at === last_tool ? { ...tool, cache } : tool)),
  }
}

/** Anthropic refuses blank texts: https://github.com/home-assistant/core/issues/175637 */
export const isBlank = (text: string): boolean => !/\S/.test(text)

/** Marks the part that is encoded last: tool results are encoded first, and blank texts not at all. */
function withLastMarked(turn: Turn, cache: CacheTtl): Turn {
  const { parts } = turn
  const isWritten = (part: Part) => part.kind !== 'text' || !isBlank(part.text)
  const written = parts.findLastIndex((part) => part.kind !== 'tool_result' && isWritten(part))
  const last = written >= 0 ? written : parts.length - 1
  return { ...turn, parts: parts.map((part, at) => (at === last ? { ...part, cache } : part)) }
}

const MARKS = ['cache_control', 'prompt_cache_breakpoint']

/** The names of all marks in a request of any protocol, once for each mark. */
export function marksIn({ tools, system, messages, input }: JsonObject): string[] {
  const declared = objectsIn(tools).flatMap((tool) => [tool, objectIn(tool.function)])
  const content = [...objectsIn(messages), ...objectsIn(input)].flatMap((one) => [
    one,
    ...[...objectsIn(one.content), ...objectsIn(one.output)].flatMap((part) => [
      part,
      ...objectsIn(part.content),
    ]),
  ])
  return [...declared, ...objectsIn(system), ...content].flatMap((object) =>
    MARKS.filter((name) => isObject(object[name])),
  )
}

/** @returns undefined if the request has no cache settings */
export function cachingIn(body: JsonObject): PromptCaching | undefined {
  const retention = stringIn(body.prompt_cache_retention) || undefined
  const options = isObject(body.prompt_cache_options) ? objectIn(body.prompt_cache_options) : undefined
  return (retention ?? options) ? { retention, options } : undefined
}
