// An image order read from a conversation: prompt, count and size; and the fields that image models refuse.
import type { ImageModel } from '../../domain/catalogue.ts'
import { type GatewayError, invalidRequest } from '../../domain/errors.ts'
import { parseAspectRatio } from '../../domain/image-size.ts'
import type { ImageOutput } from '../../protocols/canonical/fields.ts'
import type { Part } from '../../protocols/canonical/parts.ts'
import type { ConversationRequest } from '../../protocols/canonical/request.ts'
import { placeIn, type RequestField } from '../../protocols/carries.ts'
import { finalPromptOf } from '../kinds/image/conversation.ts'
import { type ImageOrder, INLINE_COPIES, kindForSourceCount, MAX_PROMPT_CHARS } from '../kinds/image/order.ts'

/**
 * Reads the order for an image model from a conversation.
 * @param content distinguishes the request from another one with the same Idempotency-Key
 * @throws GatewayError invalid_request naming a field that an image model refuses
 */
export function orderFrom(
  request: ConversationRequest,
  model: ImageModel,
  content: ImageOrder['content'],
): ImageOrder {
  rejectUnsupported(request)
  const { prompt, images } = finalPromptOf(request)
  const { candidates = 1, images: shape } = request
  assertPrompt(prompt, request)
  const wanted = shape === false ? undefined : shape
  if (candidates < 1 || candidates > model.max_n_per_request)
    throw fieldError(request, 'candidates', `must be 1 to ${model.max_n_per_request} for this model.`)
  return {
    kind: kindForSourceCount(images.length),
    model_id: model.id,
    prompt,
    count: candidates,
    size_text: sizeOf(model, wanted),
    size: undefined,
    aspect_ratio: wanted?.aspect_ratio === undefined ? undefined : parseAspectRatio(wanted.aspect_ratio),
    quality: undefined,
    background: undefined,
    output_format: undefined,
    sources: [],
    conversation: request,
    content,
    kept_bytes: INLINE_COPIES * charsOf(request),
  }
}

/** Sizes that every image model accepts. Larger ones cost its provider more, so the model must list or price them. */
const COMMON_SIZES: ReadonlySet<string> = new Set(['1K', '2K'])

function sizeOf({ sizes, price, bounds }: ImageModel, shape: ImageOutput | undefined): string | undefined {
  if (shape?.size === undefined) return undefined
  const { size, size_at } = shape
  const listed = sizes ? sizes.includes(size) : COMMON_SIZES.has(size)
  const named = price.unit === 'image' ? price.variants : bounds
  if (listed || named.some((one) => one.size === size)) return size
  throw invalidRequest(
    `${size_at}: ${size.slice(0, 16)} is not supported by this model. Use 1K or 2K, or leave it out.`,
    { param: size_at },
  )
}

/** Fields without meaning for images. */
const REFUSED = ['tools', 'output', 'logprobs'] as const satisfies readonly RequestField[]

function rejectUnsupported(request: ConversationRequest): void {
  if (request.images === false)
    throw fieldError(request, 'images', 'must include images: this model answers only with images.')
  for (const field of REFUSED) {
    const value = request[field]
    if (Array.isArray(value) ? value.length > 0 : value !== undefined)
      throw fieldError(request, field, 'cannot be used with an image model. Leave it out.')
  }
  for (const { parts } of request.turns) for (const part of parts) rejectPart(part)
}

const SUPPORTED_PARTS: ReadonlySet<Part['kind']> = new Set(['text', 'image', 'thinking', 'redacted_thinking'])

function rejectPart(part: Part): void {
  if (SUPPORTED_PARTS.has(part.kind)) return
  const at = 'at' in part ? part.at : 'contents'
  throw invalidRequest(`${at}: an image model reads text and images only.`, { param: at })
}

function assertPrompt(prompt: string, { from }: ConversationRequest): void {
  const at = placeIn(from.fields, 'system') === 'messages' ? 'messages' : 'contents'
  if (prompt.trim() === '')
    throw invalidRequest(`${at}: must say in text what to draw, after the last picture.`, { param: at })
  if ([...prompt].length > MAX_PROMPT_CHARS)
    throw invalidRequest(`${at}: a prompt for an image may have at most ${MAX_PROMPT_CHARS} characters.`, {
      param: at,
    })
}

const charsOf = ({ turns }: ConversationRequest): number =>
  turns
    .flatMap(({ parts }) => parts)
    .reduce(
      (sum, part) => sum + ('source' in part && part.source.by === 'data' ? part.source.data.length : 0),
      0,
    )

function fieldError({ from }: ConversationRequest, field: RequestField, problem: string): GatewayError {
  const param = placeIn(from.fields, field)
  return invalidRequest(`${param}: ${problem}`, { param })
}
