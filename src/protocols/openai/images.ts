// Image generation over OpenAI's images API: generations in JSON, edits of one or several images as a form.
// https://platform.openai.com/docs/api-reference/images, https://platform.openai.com/docs/api-reference/images-streaming

import type { ReportedImageTokens } from '../../domain/image-tokens.ts'
import type { NamedModel } from '../canonical/request.ts'
import type { UpstreamFailure } from '../facts.ts'
import type {
  ImageAnswer,
  ImageEvent,
  ImageProtocol,
  ImageRequest,
  ImageTarget,
  Reference,
} from '../images.ts'
import {
  compact,
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  stringIn,
  tokenCountIn,
} from '../wire/json.ts'
import { readError, readFailure } from './failure.ts'
import { familyOf } from './images-models.ts'
import { sumsIn } from './usage.ts'

/** Error codes of moderation: of the GPT image models, of older models, and of Azure. */
const MODERATION: ReadonlySet<string> = new Set([
  'moderation_blocked',
  'content_policy_violation',
  'contentFilter',
  'content_filter',
])

/** Images in base64. An address alone counts as no image, because callers must not see addresses of the provider. */
function decodeImageAnswer(answer: JsonObject): ImageAnswer {
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
 * ImageGenCompletedEvent.Usage). Without details, as in events, all output is image tokens. Cached tokens are not documented; they are
 * read by the names of OpenAI's other endpoints.
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

/** Reads a refusal. Moderation gets a code of its own. */
function readImageFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const failure = readFailure(status, headers, body)
  const error = readError(body)
  if (MODERATION.has(stringIn(error.code) ?? ''))
    return { ...failure, failure_class: 'bad_request', code: 'content_policy_violation' }
  return error.param === 'size' ? { ...failure, code: 'unsupported_size' } : failure
}

/** https://platform.openai.com/docs/api-reference/images/create and /createEdit */
function encodeImageRequest(request: ImageRequest, model: NamedModel): ImageTarget {
  const fields = fieldsOf(request, model)
  if (request.references.length === 0) {
    return {
      path: '/images/generations',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    }
  }
  const { content_type, body } = encodeForm(fields, request)
  return { path: '/images/edits', headers: { 'content-type': content_type }, body }
}

function fieldsOf(request: ImageRequest, named: NamedModel): JsonObject {
  const { prompt, count, size, aspect_ratio, quality, background, output_format } = request
  const { output_compression, input_fidelity, moderation, partial_images = 0 } = request
  const family = familyOf(named)
  const desired = size ?? (family.takes_gpt_fields ? aspect_ratio : undefined)
  const best = desired && family.sizeFor(desired)
  const common = { model: named.model, prompt, n: count, size: best && `${best.width}x${best.height}` }
  return compact(
    family.takes_gpt_fields
      ? {
          ...common,
          quality,
          background,
          output_format: formatFor(background, output_format),
          output_compression,
          input_fidelity,
          moderation,
          ...(partial_images > 0 ? { stream: true, partial_images } : {}),
        }
      : { ...common, response_format: 'b64_json' },
  )
}

/** JPEG cannot be transparent; PNG is the API's default. */
const formatFor = (background: string | undefined, format: string | undefined): string | undefined =>
  background === 'transparent' && format === 'jpeg' ? 'png' : format

/** A form (RFC 7578): the fields, then the images under `image[]`, or a single one under `image`, then the mask. */
function encodeForm(
  fields: JsonObject,
  { references, mask }: Pick<ImageRequest, 'references' | 'mask'>,
): { content_type: string; body: Uint8Array } {
  const boundary = `tollgate-${crypto.randomUUID()}`
  const parts: (string | Uint8Array)[] = []
  for (const [name, value] of Object.entries(fields))
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  const name = references.length === 1 ? 'image' : 'image[]'
  const addFile = (field: string, stem: string | number, { bytes, mime }: Reference): void => {
    const filename = `${stem}.${mime.slice('image/'.length)}`
    const head = `Content-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${mime}`
    parts.push(`--${boundary}\r\n${head}\r\n\r\n`, bytes, '\r\n')
  }
  for (const [index, image] of references.entries()) addFile(name, index + 1, image)
  if (mask) addFile('mask', 'mask', mask)
  parts.push(`--${boundary}--\r\n`)
  return {
    content_type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  }
}

export const openaiImages: ImageProtocol = {
  traitsOf: (model) => familyOf(model).traits,
  maxPerRequest: (model) => familyOf(model).max_per_request,
  encode: encodeImageRequest,
  decode: decodeImageAnswer,
  readEvent: readImageEvent,
  readFailure: readImageFailure,
}

const PARTIAL: ReadonlySet<string> = new Set(['image_generation.partial_image', 'image_edit.partial_image'])
const COMPLETED: ReadonlySet<string> = new Set(['image_generation.completed', 'image_edit.completed'])

/** Only base64 counts as an image, as in a whole answer. */
function readImageEvent(event: JsonObject): ImageEvent | undefined {
  const { type, b64_json, revised_prompt } = event
  const kind = stringIn(type) ?? ''
  const base64 = stringIn(b64_json) ?? ''
  if (base64 === '') return undefined
  if (PARTIAL.has(kind)) return { partial: base64 }
  return COMPLETED.has(kind)
    ? {
        image: { base64, revised_prompt: stringIn(revised_prompt) ?? null },
        usage: readImageUsage(event),
      }
    : undefined
}
