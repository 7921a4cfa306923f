// A conversation's turns, written as the items of a responses request.
// https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
import {
  argumentsText,
  type MediaPart,
  type Part,
  type Signature,
  type TextPart,
  type ToolResultPart,
  type Turn,
} from '../../canonical/parts.ts'
import { unsupportedPiece } from '../../carries.ts'
import { compact, type Json, type JsonObject } from '../../wire/json.ts'
import { writeParts } from '../../writers.ts'
import { markFor, type TakenCaching } from '../caching.ts'
import { dataUri, isContent, isMark } from '../encode-messages.ts'
import { carries } from './carries.ts'
import { isOwn } from './encrypted.ts'

/**
 * The items of all turns; a turn's tool results come before what its user says.
 * @param caching which marks of the prompt cache the model takes
 */
export const encodeItems = (turns: readonly Turn[], caching: TakenCaching): JsonObject[] =>
  turns.flatMap(({ role, parts }) =>
    role === 'assistant' ? followed(parts.flatMap(encodeAnswered)) : encodeUser(parts, caching),
  )

/**
 * Reasoning that nothing of its own turn follows is left out: the provider refuses an item "without its required
 * following item". https://github.com/openai/openai-node/issues/1567
 */
function followed(items: readonly JsonObject[]): readonly JsonObject[] {
  const last = items.findLastIndex(({ type }) => type !== 'reasoning')
  return items.slice(0, last + 1)
}

/**
 * A part of what the model answered. Thinking is known by its encrypted form alone: its text says nothing to the model.
 * Other protocols carry that form on a call or a text, too.
 */
const encodeAnswered: (part: Part) => JsonObject[] = writeParts({
  text: ({ text, is_refusal, signature }) => [
    ...encodeReasoning(signature),
    ...(text === ''
      ? []
      : [
          {
            type: 'message',
            role: 'assistant',
            content: [is_refusal ? { type: 'refusal', refusal: text } : { type: 'output_text', text }],
          },
        ]),
  ],
  thinking: ({ signature }) => encodeReasoning(signature),
  redacted_thinking: ({ signature }) => encodeReasoning(signature),
  tool_call: (call) => [
    ...encodeReasoning(call.signature),
    { type: 'function_call', call_id: call.id, name: call.name, arguments: argumentsText(call) },
  ],
  tool_result: () => [],
  image: ({ signature }) => encodeReasoning(signature),
  audio: () => [],
  document: () => [],
})

/**
 * Without an id, by which the provider would look for it among what it has kept; none for another provider's.
 * https://github.com/vercel/ai/pull/12869
 */
const encodeReasoning = (signature: Signature | undefined): JsonObject[] =>
  signature && isOwn(signature)
    ? [{ type: 'reasoning', summary: [], encrypted_content: signature.value }]
    : []

function encodeUser(parts: readonly Part[], caching: TakenCaching): JsonObject[] {
  const results = parts.filter((part) => part.kind === 'tool_result')
  const said = parts.filter((part) => isContent(part))
  return [
    ...results.map((result) => encodeResult(result, caching)),
    ...(said.length > 0
      ? [
          {
            type: 'message',
            role: 'user',
            content: said.map((part) => ({ ...encodePart(part), ...markFor(caching, part.cache) })),
          },
        ]
      : []),
  ]
}

const encodeResult = ({ call_id, content, cache }: ToolResultPart, caching: TakenCaching): JsonObject => ({
  type: 'function_call_output',
  call_id,
  output: encodeOutput(content, markFor(caching, cache)),
})

/** Text alone as a string; with pictures, files or a mark of the cache, which its last part has, as a list. */
function encodeOutput(content: ToolResultPart['content'], mark: JsonObject): Json {
  const last = content.length - 1
  if (last >= 0 && isMark(mark))
    return content.map((part, at) => (at === last ? { ...encodePart(part), ...mark } : encodePart(part)))
  return content.every((part) => part.kind === 'text')
    ? content.map(({ text }) => text).join('')
    : content.map(encodePart)
}

const encodePart = (part: TextPart | MediaPart): JsonObject =>
  part.kind === 'text' ? { type: 'input_text', text: part.text } : MEDIA[part.kind](part)

const MEDIA: Readonly<Record<MediaPart['kind'], (part: MediaPart) => JsonObject>> = {
  image: ({ source }) => ({
    type: 'input_image',
    detail: 'auto',
    image_url: source.by === 'url' ? source.url : dataUri(source),
  }),
  audio: ({ at }) => {
    throw unsupportedPiece('audio', carries, at)
  },
  document: ({ source, name }) =>
    source.by === 'url'
      ? compact({ type: 'input_file', file_url: source.url })
      : { type: 'input_file', filename: name ?? 'document', file_data: dataUri(source) },
}
