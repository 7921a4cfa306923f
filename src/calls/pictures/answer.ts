// Generated images as a conversation's answer, in the caller's protocol, whole or as a stream.
import { NO_USAGE, USAGE_FIELDS, type Usage } from '../../domain/usage.ts'
import { idHeaders } from '../../http/answers.ts'
import type {
  AnswerContext,
  Candidate,
  ConversationAnswer,
  StreamEvent,
} from '../../protocols/canonical/answer.ts'
import type { MediaPart, Part } from '../../protocols/canonical/parts.ts'
import { base64Of } from '../../protocols/wire/byte-string.ts'
import type { GeneratedImage } from '../kinds/image/generated-images.ts'
import type { Dialect } from '../kinds/text/dialect.ts'
import type { CallOrigin } from '../life/call.ts'

/** The format of the caller's answer. */
interface PictureAnswer {
  origin: CallOrigin
  dialect: Dialect
  context: AnswerContext
  streams: boolean
  /** Whether the answer may have text beside the images. */
  with_text: boolean
}

/**
 * Writes the answer. Each image is a candidate.
 * @param billed the charged usage; undefined for images priced by count, which show the usage that their providers reported
 */
export function writePictures(
  images: readonly GeneratedImage[],
  billed: Usage | undefined,
  { with_text, ...written }: PictureAnswer,
): Response {
  const { dialect, context, origin, streams } = written
  const [first, ...rest] = images.map((image) => candidateOf(image, with_text))
  if (!first) throw new Error('an image call was paid without an image')
  const answer: ConversationAnswer = {
    id: undefined,
    model: undefined,
    candidates: [first, ...rest],
    usage: billed ?? usageOf(images),
  }
  const { text } = dialect.protocol
  if (!streams) return answerOf('application/json', JSON.stringify(text.encodeAnswer(answer, context)))
  const encoder = text.createStreamEncoder(context)
  const events = [...eventsOf(answer)].flatMap((event) => encoder.encode(event))
  const { frame } = dialect
  const framed = events.map((event, index) => frame.event(event, index === 0)).join('')
  return answerOf(frame.content_type, framed + frame.end(events.length === 0))

  function answerOf(content_type: string, body: string): Response {
    return new Response(body, { headers: { 'content-type': content_type, ...idHeaders(origin) } })
  }
}

function candidateOf({ bytes, mime, beside }: GeneratedImage, with_text: boolean): Candidate {
  const image: MediaPart = {
    kind: 'image',
    source: { by: 'data', mime_type: mime, data: base64Of(bytes) },
    at: '',
    signature: beside?.signature,
  }
  const parts: Part[] = with_text ? [...(beside?.before ?? []), image, ...(beside?.after ?? [])] : [image]
  return { parts, stop_reason: 'stop', stop_sequence: undefined, logprobs: undefined }
}

function usageOf(images: readonly GeneratedImage[]): Usage {
  const sum = { ...NO_USAGE }
  for (const { beside } of images)
    if (beside?.usage) for (const field of USAGE_FIELDS) sum[field] += beside.usage[field]
  return sum
}

function* eventsOf({ id, model, candidates, usage = NO_USAGE }: ConversationAnswer): Generator<StreamEvent> {
  yield { type: 'start', id, model, usage }
  for (const [candidate, { parts, stop_reason, stop_sequence }] of candidates.entries()) {
    for (const part of parts) yield* partEvents(candidate, part)
    yield { type: 'candidate_end', candidate, stop_reason, stop_sequence }
  }
  yield { type: 'usage', usage }
  yield { type: 'end' }
}

function* partEvents(candidate: number, part: Part): Generator<StreamEvent> {
  if (part.kind === 'image') yield { type: 'image', candidate, image: part }
  if (part.kind !== 'text') return
  const { text, signature } = part
  yield { type: 'part_start', candidate, part: { kind: 'text' } }
  if (text !== '') yield { type: 'text_delta', candidate, text }
  if (signature) yield { type: 'signature', candidate, signature }
  yield { type: 'part_end', candidate }
}
