// Encoding of turns as the messages of a messages request, with late system messages among them.
import { cacheControl, isBlank } from '../caching.ts'
import type { MediaPart, Part, Source, TextPart, ToolResultPart, Turn } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { unsupportedPiece } from '../carries.ts'
import { safeName } from '../tool-names.ts'
import { compact, type Json, type JsonObject } from '../wire/json.ts'
import { writeParts } from '../writers.ts'
import { carries } from './carries.ts'
import { isOwn } from './signature.ts'

/** Encodes every turn. In a user's turn the tool results come first, as Anthropic requires. */
export const encodeMessages = (turns: readonly Turn[], late: LateSystem): JsonObject[] =>
  turns.flatMap((turn, index) => {
    const content = inOrder(turn).flatMap(encodeMarked)
    const system = (late.get(index) ?? []).map((text) => ({ type: 'text', text }))
    // If the user's turn is empty, the system text takes its place.
    if (content.length === 0) return system.length > 0 ? [{ role: turn.role, content: system }] : []
    return [{ role: turn.role, content }, ...(system.length > 0 ? [{ role: 'system', content: system }] : [])]
  })

function inOrder({ role, parts }: Turn): readonly Part[] {
  if (role === 'assistant') return parts
  const results = parts.filter((part) => part.kind === 'tool_result')
  return [...results, ...parts.filter((part) => part.kind !== 'tool_result')]
}

function encodeMarked(part: Part): JsonObject[] {
  const cache = 'cache' in part ? part.cache : undefined
  const blocks = encodePart(part)
  return cache ? blocks.map((block) => ({ ...block, cache_control: cacheControl(cache) })) : blocks
}

/** Encodes one part. Blank text yields no block, because Anthropic refuses it; neither does thinking without a signature of Claude's. */
const encodePart: (part: Part) => JsonObject[] = writeParts({
  text: ({ text }) => (isBlank(text) ? [] : [{ type: 'text', text }]),
  thinking: ({ text, signature }) =>
    signature && isOwn(signature) ? [{ type: 'thinking', thinking: text, signature: signature.value }] : [],
  redacted_thinking: ({ signature }) =>
    isOwn(signature) ? [{ type: 'redacted_thinking', data: signature.value }] : [],
  tool_call: ({ id, name, arguments: input }) => [{ type: 'tool_use', id: toolId(id), name, input }],
  tool_result: (result) => [encodeResult(result)],
  image: (media) => [encodeMedia(media)],
  audio: ({ at }) => {
    throw unsupportedPiece('audio', carries, at)
  },
  document: (media) => [encodeMedia(media)],
})

/** https://github.com/maximhq/bifrost/issues/5097: providers such as Moonshot write ids like `functions.get_time:0`. */
const VALID_ID = /^[a-zA-Z0-9_-]{1,64}$/
const MAX_ID_CHARS = 64

/** A call id in accepted characters: the same for a call and its result, different for different calls. */
const toolId = (id: string): string => (VALID_ID.test(id) ? id : safeName(id, MAX_ID_CHARS))

const encodeResult = (result: ToolResultPart): JsonObject =>
  compact({
    type: 'tool_result',
    tool_use_id: toolId(result.call_id),
    content: encodeResultContent(result.content),
    is_error: result.failed ? true : undefined,
  })

function encodeResultContent(content: readonly (TextPart | MediaPart)[]): Json {
  const [first, ...rest] = content
  if (first?.kind === 'text' && rest.length === 0) return first.text
  return content.flatMap(encodePart)
}

const encodeMedia = ({ kind, source, name }: MediaPart): JsonObject =>
  compact({ type: kind, source: encodeSource(source), title: kind === 'document' ? name : undefined })

const encodeSource = (source: Source): JsonObject =>
  source.by === 'url'
    ? { type: 'url', url: source.url }
    : { type: 'base64', media_type: source.mime_type, data: source.data }

/** Late system texts by the index of the user's turn that they follow. */
export type LateSystem = ReadonlyMap<number, readonly string[]>

/** The user's turn that a late system message follows; undefined if none exists, so that the text stays in the system prompt. */
function turnBefore(turns: readonly Turn[], after: number): number | undefined {
  const at = turns[after - 1]?.role === 'user' ? after - 1 : after
  return after > 1 && turns[at]?.role === 'user' ? at : undefined
}

/**
 * Separates late system messages from a request. In the system prompt, they would change the text before earlier answers: the prompt
 * cache of those answers would be lost, and thinking that is bound to it.
 */
export function withoutLateSystem(request: ConversationRequest): {
  request: ConversationRequest
  late: LateSystem
} {
  const { system, system_after = [], system_cache, turns } = request
  const late = new Map<number, string[]>()
  const is_early = system.map((text, index) => {
    const at = turnBefore(turns, system_after[index] ?? 0)
    if (at === undefined || text.trim() === '') return true
    late.set(at, [...(late.get(at) ?? []), text])
    return false
  })
  const early = <T>(list: readonly T[]): T[] => list.filter((_, index) => is_early[index])
  return {
    request:
      late.size === 0
        ? request
        : { ...request, system: early(system), system_cache: system_cache && early(system_cache) },
    late,
  }
}
