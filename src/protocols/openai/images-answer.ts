// The answer of OpenAI's images API: its images, or why none came.
import type { UpstreamFailure } from '../facts.ts'
import type { ImageAnswer } from '../images.ts'
import { type JsonObject, objectsIn, stringIn } from '../wire/json.ts'
import { readError, readFailure } from './failure.ts'

/** Error codes that mean moderation: of the GPT image models, of the models before them, and of Azure's. */
const MODERATION: ReadonlySet<string> = new Set([
  'moderation_blocked',
  'content_policy_violation',
  'contentFilter',
  'content_filter',
])

/** Images in base64. One that is only an address counts as none, because callers are shown no provider's addresses. */
export function decodeImageAnswer({ data }: JsonObject): ImageAnswer {
  const [first, ...rest] = objectsIn(data)
    .map(({ b64_json, revised_prompt }) => ({
      base64: stringIn(b64_json) ?? '',
      revised_prompt: stringIn(revised_prompt) ?? null,
    }))
    .filter(({ base64 }) => base64 !== '')
  return first ? { images: [first, ...rest] } : { refusal: 'no_image_generated' }
}

/** A refusal, in which moderation is told apart from other faults of a request. */
export function readImageFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const failure = readFailure(status, headers, body)
  const error = readError(body)
  if (MODERATION.has(stringIn(error.code) ?? ''))
    return { ...failure, failure_class: 'bad_request', code: 'content_policy_violation' }
  return error.param === 'size' ? { ...failure, code: 'unsupported_size' } : failure
}
