// Owns what OpenAI's images API answered: its images, or whose doing it is that there are none.
import type { UpstreamFailure } from '../facts.ts'
import type { ImageAnswer } from '../images.ts'
import { type JsonObject, objectIn, objectsIn, parseObject, stringIn } from '../wire/json.ts'
import { readFailure } from './failure.ts'

/** Codes of an error that mean moderation: of the GPT image models, of those before them, and of Azure's. */
const MODERATION: ReadonlySet<string> = new Set([
  'moderation_blocked',
  'content_policy_violation',
  'contentFilter',
  'content_filter',
])

/** Images in base64; an image that is only an address counts as none, for no address of a vendor's reaches a caller. */
export function decodeImageAnswer(answer: JsonObject): ImageAnswer {
  const [first, ...rest] = objectsIn(answer.data)
    .map(({ b64_json, revised_prompt }) => ({
      base64: stringIn(b64_json) ?? '',
      revised_prompt: stringIn(revised_prompt) ?? null,
    }))
    .filter(({ base64 }) => base64 !== '')
  return first ? { images: [first, ...rest] } : { refusal: 'no_image_generated' }
}

/** A refusal of the vendor's; his moderation is told apart from what else may be wrong with a request. */
export function readImageFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const failure = readFailure(status, headers, body)
  const error = objectIn(parseObject(body)?.error)
  if (MODERATION.has(stringIn(error.code) ?? ''))
    return { ...failure, failure_class: 'bad_request', code: 'content_policy_violation' }
  return error.param === 'size' ? { ...failure, code: 'unsupported_size' } : failure
}
