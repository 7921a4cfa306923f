// The request fields that translation leaves out, by the caller's names, for the header x-tollgate-dropped.
import { marksIn } from './caching.ts'
import type { RequestFields } from './canonical/fields.ts'
import { isCut, type Part } from './canonical/parts.ts'
import type { ConversationRequest } from './canonical/request.ts'
import { type Carries, isSet, placeIn, type RequestField } from './carries.ts'
import type { Protocol } from './protocol.ts'
import { isObject, type Json, type JsonObject, objectsIn } from './wire/json.ts'

/** Fields that some models of a protocol accept and others refuse. Translation leaves them out for the latter. */
const BY_MODEL: readonly RequestField[] = [
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'seed',
  'frequency_penalty',
  'presence_penalty',
  'thinking',
  'cache_key',
]

/** OpenAI's prompt cache fields, which translation writes only for OpenAI's own models. */
const CACHING = ['prompt_cache_options', 'prompt_cache_retention']

/**
 * The names of the lost fields.
 * @param body the caller's body, from which `request` was decoded
 * @param written the body for the provider, encoded from `request`
 */
export function lostFields(
  body: JsonObject,
  request: ConversationRequest,
  written: JsonObject,
  { carries: to, text }: Pick<Protocol, 'carries' | 'text'>,
): string[] {
  const { from } = request
  const own = Object.entries(from.own_fields).flatMap(([path, { fate }]) =>
    fate === 'dropped' && path !== 'model' && hasField(body, path) ? path : [],
  )
  const fields = (Object.keys(to.fields) as RequestField[]).flatMap((field) =>
    isSet(request, field) && isLost(field, request, written, to) ? placeIn(from.fields, field) : [],
  )
  const thinking = request.turns.some(({ parts }) => parts.some((part) => isLostThinking(part, text)))
  const caching = CACHING.filter((name) => hasField(body, name) && !hasField(written, name))
  const marks = marksIn(body)
  if (marks.length > 0 && marks.length > marksIn(written).length) caching.push(...new Set(marks))
  return [
    ...own,
    ...caching,
    ...fields,
    ...(thinking ? ['thinking'] : []),
    ...lostInMessages(body, request, to),
  ]
}

/** Losses within messages and parts. */
function lostInMessages(
  { messages, input }: JsonObject,
  { turns }: ConversationRequest,
  { pieces }: Carries,
): string[] {
  const contents = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
  const cites = contents.some(({ citations }) => isObject(citations) && citations.enabled === true)
  const parts = turns.flatMap(({ parts }) => parts)
  const failed = parts.some((part) => part.kind === 'tool_result' && part.failed)
  const cut = parts.some(isCut)
  const described = parts.some((part) => part.kind === 'document' && part.context !== undefined)
  return [
    ...(cites ? ['citations'] : []),
    // Commentary or final answer: only OpenAI's own models distinguish them.
    ...(objectsIn(input).some(({ phase }) => typeof phase === 'string') ? ['phase'] : []),
    ...(failed && typeof pieces.failed_tool_result !== 'string' ? ['is_error'] : []),
    ...(described ? ['context'] : []),
    ...(cut && typeof pieces.cut_arguments !== 'string' ? ['arguments'] : []),
  ]
}

function isLost(
  field: RequestField,
  request: RequestFields,
  written: JsonObject,
  { fields }: Carries,
): boolean {
  const place = fields[field]
  if (typeof place !== 'string') return place.fate === 'dropped'
  if (!BY_MODEL.includes(field)) return false
  // Most models behave so without the field.
  if (field === 'thinking' && (request.thinking?.mode === 'auto' || request.thinking?.mode === 'off'))
    return false
  return !hasField(written, place)
}

function isLostThinking(part: Part, { takesThinking }: Protocol['text']): boolean {
  if (part.kind !== 'thinking' && part.kind !== 'redacted_thinking') return false
  return takesThinking?.(part) === false
}

/** @param path such as `generationConfig.topP` */
function hasField(body: JsonObject, path: string): boolean {
  let value: Json | undefined = body
  for (const name of path.split('.')) value = isObject(value) ? value[name] : undefined
  return value !== undefined && value !== null
}

/** The caller's name of a field of the provider's protocol; the provider's name if the caller's protocol has none. */
export function callerFieldName(name: string, from: Carries, to: Carries): string {
  const field = (Object.keys(to.fields) as RequestField[]).find((each) => to.fields[each] === name)
  return field === undefined ? name : placeIn(from.fields, field)
}
