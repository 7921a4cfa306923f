// The image generation functions of protocols that have image generation.
import type { ReportedImageTokens } from '../domain/image-tokens.ts'
import type { Usage } from '../domain/usage.ts'
import type { Part, Signature } from './canonical/parts.ts'
import type { ConversationRequest, NamedModel } from './canonical/request.ts'
import type { UpstreamFailure, UpstreamTarget } from './facts.ts'
import type { JsonObject } from './wire/json.ts'

/** Whole pixels, or the terms of an aspect ratio. */
export interface Sides {
  readonly width: number
  readonly height: number
}

/** An input image. */
export interface Reference {
  readonly bytes: Uint8Array
  readonly mime: string
}

/** A request to a provider. The protocol leaves out fields that it cannot express: the gateway converts the resulting image instead. */
export interface ImageRequest {
  prompt: string
  /** Empty for an image generated from the prompt alone. */
  references: readonly Reference[]
  count: number
  size: Sides | undefined
  /** Used only without a size. */
  aspect_ratio: Sides | undefined
  quality: string | undefined
  background: string | undefined
  output_format: string | undefined
  /** 0 to 100; only with formats that have a compression. */
  output_compression?: number | undefined
  /** How closely the image must match the references. */
  input_fidelity?: InputFidelity | undefined
  moderation?: string | undefined
  /** The number of partial images to stream before the image; 0 or absent: only the image, not streamed. */
  partial_images?: number | undefined
  /** A PNG: the model repaints its transparent areas. */
  mask?: Reference | undefined
  /** The conversation with the prompt and the references, if the caller sent one; its images are inline. */
  conversation?: ConversationRequest | undefined
}

export type InputFidelity = 'high' | 'low'

/** Settings that only some models accept. */
export interface ImageTraits {
  readonly mask: boolean
  readonly input_fidelity: readonly InputFidelity[]
  readonly moderation: boolean
  readonly output_compression: boolean
  /** Whether the model streams partial images. Its protocol then has `readEvent`. */
  readonly partial_images: boolean
  readonly quality: boolean
  /** Further values of `quality`, besides auto, high, medium and low. */
  readonly qualities: readonly string[]
}

/** The traits of a model that accepts only prompt, references and shapes. */
export const PLAIN_TRAITS: ImageTraits = {
  mask: false,
  input_fidelity: [],
  moderation: false,
  output_compression: false,
  partial_images: false,
  quality: false,
  qualities: [],
}

export interface ImageTarget extends UpstreamTarget {
  body: Uint8Array | string
}

/** An image as a provider sent it. */
export interface SentImage {
  base64: string
  revised_prompt: string | null
  /** The rest of the answer, for protocols that answer with conversations. */
  beside?: Beside | undefined
}

/** The rest of an answer with an image, for callers that expect a conversation. */
export interface Beside {
  readonly before: readonly Part[]
  readonly after: readonly Part[]
  readonly signature: Signature | undefined
  /** The usage of the whole answer, on its first image. It does not decide the price of images. */
  readonly usage: Usage | undefined
}

/** The reason why an answer contains no image. */
export type NoImage = 'content_policy_violation' | 'no_image_generated'

/** The images, or the reason why there are none. */
export type ImageAnswer =
  | { images: readonly [SentImage, ...SentImage[]]; usage: ReportedImageTokens | undefined }
  | { refusal: NoImage }

/** An event of an image stream: a partial image in base64, or the final image. */
export type ImageEvent = { partial: string } | { image: SentImage; usage: ReportedImageTokens | undefined }

export interface ImageProtocol {
  traitsOf(model: NamedModel): ImageTraits
  maxPerRequest(model: NamedModel): number
  encode(request: ImageRequest, model: NamedModel): ImageTarget
  decode(answer: JsonObject): ImageAnswer
  /** @returns undefined for an event without an image */
  readEvent?(event: JsonObject): ImageEvent | undefined
  /** As Protocol.readFailure, with the codes of NoImage, and `unsupported_size` for a size that the model cannot generate. */
  readFailure(status: number, headers: Headers, body: string): UpstreamFailure
}

/** The shape whose aspect ratio is nearest to the desired one, by factor. */
export function nearestShape<T extends Sides>(desired: Sides, shapes: readonly [T, ...T[]]): T {
  const distance = ({ width, height }: Sides) =>
    Math.abs(Math.log((width * desired.height) / (height * desired.width)))
  return shapes.reduce((best, shape) => (distance(shape) < distance(best) ? shape : best))
}
