// Encoding of turns as the items of a responses request.
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
import { type CacheStyle, markFor } from '../caching.ts'
import { dataUri, isContent, isMark } from '../encode-messages.ts'
import { carries } from './carries.ts'
import { isOwn } from './encrypted.ts'

/**
 * Encodes all turns. Tool results come first in a user's turn.
 * @param caching the kind of cache marks that the model accepts
 */
export const encodeItems = (turns: readonly Turn[], caching: CacheStyle): JsonObject[] =>
  turns.flatMap(({ role, parts }) =>
    role === 'assistant' ? trimReasoning(parts.flatMap(encodeAnswered)) : encodeUser(parts, caching),
  )

/**
 * Removes reasoning at the end of a turn: the provider refuses an item "without its required following item".
 * https://github.com/openai/openai-node/issues/1567
 */
function trimReasoning(items: readonly JsonObject[]): readonly JsonObject[] {
  const last = items.findLastIndex(({ type }) => type !== 'reasoning')
  return items.slice(0, last + 1)
}

/**
 * Encodes a part of the model's answer. Thinking is only sent in encrypted form, since the model does not read its text. In other
 * protocols, a call or a text may carry the encrypted form.
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
 * Encodes encrypted reasoning in this protocol's format; that of other providers is left out. It has no id, because the provider would
 * look the id up in its store: https://github.com/vercel/ai/pull/12869
 */
const encodeReasoning = (signature: Signature | undefined): JsonObject[] =>
  signature && isOwn(signature)
    ? [{ type: 'reasoning', summary: [], encrypted_content: signature.value }]
    : []

function encodeUser(parts: readonly Part[], caching: CacheStyle): JsonObject[] {
  const results = parts.filter((part) => part.kind === 'tool_result')
  const content_parts = parts.filter((part) => isContent(part))
  return [
    ...results.map((result) => encodeResult(result, caching)),
    ...(content_parts.length > 0
      ? [
          {
            type: 'message',
            role: 'user',
            content: content_parts.map((part) => ({ ...encodePart(part), ...markFor(caching, part.cache) })),
          },
        ]
      : []),
  ]
}

const encodeResult = ({ call_id, content, cache }: ToolResultPart, caching: CacheStyle): JsonObject => ({
  type: 'function_call_output',
  call_id,
  output: encodeOutput(content, markFor(caching, cache)),
})

/** Text alone as a string. With images, files or a cache mark on the last part, a list. */
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
