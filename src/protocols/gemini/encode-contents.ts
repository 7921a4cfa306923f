// Encoding of turns as the contents of a native request.
// https://ai.google.dev/api/caching#Content
import {
  type MediaPart,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
  textOf,
} from '../canonical/parts.ts'
import { GEMINI_IMAGE_TYPES } from '../image-types.ts'
import { compact, type JsonObject, lookUp, parseObject, refusal } from '../wire/json.ts'
import { writeParts } from '../writers.ts'
import type { Generation } from './model.ts'
import { ownSignature, PLACEHOLDER } from './signature.ts'

/** Encodes all turns for the model's generation. */
export function encodeContents(turns: readonly Turn[], generation: Generation): JsonObject[] {
  const current = turns.findLastIndex(
    (turn) => turn.role === 'user' && turn.parts.every((part) => part.kind !== 'tool_result'),
  )
  return turns.flatMap((turn, index) => {
    const signed = generation.demands_signatures && index > current ? signFirstCall(turn.parts) : turn.parts
    const ordered = generation.takes_media_in_results ? signed : besideResults(signed)
    const parts = ordered.flatMap(encodePart)
    return parts.length > 0 ? [{ role: turn.role === 'user' ? 'user' : 'model', parts }] : []
  })
}

/** Moves media out of the tool results, to the place after the last result. */
function besideResults(parts: readonly Part[]): readonly Part[] {
  const results = parts.flatMap((part) => (part.kind === 'tool_result' ? part : []))
  const media = results.flatMap(({ content }) => content.filter(isMedia))
  if (media.length === 0) return parts
  return [
    ...results.map((result) => ({ ...result, content: result.content.filter((part) => !isMedia(part)) })),
    ...media,
    ...parts.filter((part) => part.kind !== 'tool_result'),
  ]
}

const isMedia = (part: TextPart | MediaPart): part is MediaPart => part.kind !== 'text'

/** Of several parallel calls, only the first needs a signature. */
function signFirstCall(parts: readonly Part[]): readonly Part[] {
  const first = parts.find((part) => part.kind === 'tool_call')
  if (!first || ownSignature(first.signature) !== undefined) return parts
  return parts.map((part) => (part === first ? { ...first, signature: PLACEHOLDER } : part))
}

/** Encodes one part. Thinking without a signature of Gemini's yields nothing: the provider would refuse or ignore it. */
const encodePart: (part: Part) => JsonObject[] = writeParts({
  text: ({ text, signature }) => {
    const thoughtSignature = ownSignature(signature)
    return text === '' && thoughtSignature === undefined ? [] : [compact({ text, thoughtSignature })]
  },
  thinking: ({ text, signature }) => {
    const thoughtSignature = ownSignature(signature)
    return thoughtSignature === undefined ? [] : [{ text, thought: true, thoughtSignature }]
  },
  redacted_thinking: () => [],
  tool_call: (call) => [encodeCall(call)],
  tool_result: (result) => [encodeResult(result)],
  image: (media) => [encodeMedia(media)],
  audio: (media) => [encodeMedia(media)],
  document: (media) => [encodeMedia(media)],
})

const encodeCall = ({ id, name, arguments: args, signature }: ToolCallPart): JsonObject =>
  compact({ functionCall: { id, name, args }, thoughtSignature: ownSignature(signature) })

function encodeResult({ call_id, name, content, failed }: ToolResultPart): JsonObject {
  const media = content.filter(isMedia)
  return {
    functionResponse: compact({
      id: call_id,
      name,
      response: encodeResponse(content, failed),
      parts: media.length > 0 ? media.map(encodeMedia) : undefined,
    }),
  }
}

/** Sends a tool's JSON unchanged, its text as `output`, and the text of a failure as `error`. */
function encodeResponse(content: readonly (TextPart | MediaPart)[], failed: boolean): JsonObject {
  const text = textOf(content)
  if (failed) return { error: text }
  if (text === '') return {}
  // The first character decides most cases: parsing a text that is not JSON costs an exception.
  const own = text.trimStart().startsWith('{') ? parseObject(text) : undefined
  const keys = Object.keys(own ?? {})
  const misread = keys.length === 0 || (keys.length === 1 && ['output', 'error'].includes(keys[0] ?? ''))
  return own && !misread ? own : { output: text }
}

/** The image types that the provider accepts. */
const IMAGE_TYPES = new Set(GEMINI_IMAGE_TYPES)
/** The type of an address, by its ending: fileData must name the type. */
const TYPE_BY_ENDING: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
}

const NEEDS_ENDING =
  'this model needs an image URL that ends in .png, .jpg, .jpeg, .webp, .heic or .heif, or a document URL that ends in .pdf.'

function encodeMedia({ kind, source, at, signature }: MediaPart): JsonObject {
  if (source.by === 'data') {
    if (kind === 'image' && !IMAGE_TYPES.has(source.mime_type))
      throw refusal(
        at,
        `${source.mime_type} is not supported by this model. Send ${[...IMAGE_TYPES].join(', ')}.`,
      )
    const thoughtSignature = ownSignature(signature)
    return compact({ inlineData: { mimeType: source.mime_type, data: source.data }, thoughtSignature })
  }
  const mimeType = typeOf(source.url)
  if (!mimeType?.startsWith(kind === 'image' ? 'image/' : 'application/')) throw refusal(at, NEEDS_ENDING)
  return { fileData: { fileUri: source.url, mimeType } }
}

function typeOf(url: string): string | undefined {
  const [path = ''] = url.split(/[?#]/, 1)
  return lookUp(TYPE_BY_ENDING, /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase())
}
