// The answer of OpenAI's images API: its images, or why none came.
import type { ReportedImageTokens } from '../../domain/image-tokens.ts'
import type { UpstreamFailure } from '../facts.ts'
import type { ImageAnswer } from '../images.ts'
import { isObject, type JsonObject, objectIn, objectsIn, stringIn, tokenCountIn } from '../wire/json.ts'
import { readError, readFailure } from './failure.ts'
import { sumsIn } from './usage.ts'

/** Error codes that mean moderation: of the GPT image models, of the models before them, and of Azure's. */
const MODERATION: ReadonlySet<string> = new Set([
  'moderation_blocked',
  'content_policy_violation',
  'contentFilter',
  'content_filter',
])

/** Images in base64. One that is only an address counts as none, because callers see no provider's addresses. */
export function decodeImageAnswer(answer: JsonObject): ImageAnswer {
  const [first, ...rest] = objectsIn(answer.data)
    .map(({ b64_json, revised_prompt }) => ({
      base64: stringIn(b64_json) ?? '',
      revised_prompt: stringIn(revised_prompt) ?? null,
    }))
    .filter(({ base64 }) => base64 !== '')
  return first
    ? { images: [first, ...rest], usage: readImageUsage(answer) }
    : { refusal: 'no_image_generated' }
}

/**
 * The tokens of an answer, or of an event with an image (openai's resources/images.d.ts: ImagesResponse.Usage,
 * ImageGenCompletedEvent.Usage). Without details all of the output is image tokens, as the events have it. Cached tokens are not
 * documented for it; they are read as OpenAI's other endpoints name them.
 */
export function readImageUsage({ usage }: JsonObject): ReportedImageTokens | undefined {
  if (!isObject(usage)) return undefined
  const { prompt: input, completion: output } = sumsIn(usage)
  if (input === undefined && output === undefined) return undefined
  const details = objectIn(usage.input_tokens_details)
  const cached = tokenCountIn(details.cached_tokens) ?? 0
  const cached_images = tokenCountIn(objectIn(details.cached_tokens_details).image_tokens) ?? 0
  const images = tokenCountIn(details.image_tokens)
  const text_output = tokenCountIn(objectIn(usage.output_tokens_details).text_tokens) ?? 0
  return {
    usage: {
      input_tokens: input === undefined ? undefined : input - cached,
      cache_read_tokens: cached,
      output_tokens: output === undefined ? undefined : text_output,
      output_image_tokens: (output ?? text_output) - text_output,
    },
    image_input_tokens: images === undefined ? undefined : images - cached_images,
    image_cache_read_tokens: cached_images,
  }
}

/** A refusal; moderation is distinct from other faults of a request. */
export function readImageFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const failure = readFailure(status, headers, body)
  const error = readError(body)
  if (MODERATION.has(stringIn(error.code) ?? ''))
    return { ...failure, failure_class: 'bad_request', code: 'content_policy_violation' }
  return error.param === 'size' ? { ...failure, code: 'unsupported_size' } : failure
}
