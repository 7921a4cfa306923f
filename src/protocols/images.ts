// The verbs of making images, for protocols that make them.
import type { ReportedImageTokens } from '../domain/image-tokens.ts'
import type { Usage } from '../domain/usage.ts'
import type { Part, Signature } from './canonical/parts.ts'
import type { ConversationRequest, NamedModel } from './canonical/request.ts'
import type { UpstreamFailure, UpstreamTarget } from './facts.ts'
import type { JsonObject } from './wire/json.ts'

/** Whole pixels, or the terms of a ratio. */
export interface Sides {
  readonly width: number
  readonly height: number
}

/** An image that another is made from. */
export interface Reference {
  readonly bytes: Uint8Array
  readonly mime: string
}

/** A request to a provider. The protocol leaves out what it has no field for: the gateway converts the image that comes back. */
export interface ImageRequest {
  prompt: string
  /** Empty for an image that is made from the prompt alone. */
  references: readonly Reference[]
  count: number
  size: Sides | undefined
  /** Used only if there is no size. */
  aspect_ratio: Sides | undefined
  quality: string | undefined
  background: string | undefined
  output_format: string | undefined
  /** 0 to 100; only with a format that has it. */
  output_compression?: number | undefined
  /** How closely the references are kept to. */
  input_fidelity?: InputFidelity | undefined
  moderation?: string | undefined
  /** How many partial images are to come before the image, in a stream; 0 or absent: the image alone, not streamed. */
  partial_images?: number | undefined
  /** A PNG: the model paints its transparent places anew. */
  mask?: Reference | undefined
  /** The source of the prompt and the references, for a request in a conversation; its images are inline. */
  conversation?: ConversationRequest | undefined
}

export type InputFidelity = 'high' | 'low'

/** Settings that some models take, and others do not. */
export interface ImageTraits {
  readonly mask: boolean
  readonly input_fidelity: readonly InputFidelity[]
  readonly moderation: boolean
  readonly output_compression: boolean
  /** Whether it streams partial images: then the protocol has `readEvent`. */
  readonly partial_images: boolean
  readonly quality: boolean
  /** Values of `quality` beside auto, high, medium and low that it draws. */
  readonly qualities: readonly string[]
}

/** Of a model that takes a prompt, references and shapes. */
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
  /** The rest of the answer, where its protocol answers in conversations. */
  beside?: Beside | undefined
}

/** The rest of an answer beside an image, for callers in a conversation. */
export interface Beside {
  readonly before: readonly Part[]
  readonly after: readonly Part[]
  readonly signature: Signature | undefined
  /** Of the whole answer, at its first image. Images are not priced by it. */
  readonly usage: Usage | undefined
}

/** Why a provider that answered made no image. */
export type NoImage = 'content_policy_violation' | 'no_image_generated'

/** The images, or why none came. */
export type ImageAnswer =
  | { images: readonly [SentImage, ...SentImage[]]; usage: ReportedImageTokens | undefined }
  | { refusal: NoImage }

/** The content of an event of an image's stream: a partial image in base64, or the image. */
export type ImageEvent = { partial: string } | { image: SentImage; usage: ReportedImageTokens | undefined }

export interface ImageProtocol {
  traitsOf(model: NamedModel): ImageTraits
  maxPerRequest(model: NamedModel): number
  encode(request: ImageRequest, model: NamedModel): ImageTarget
  decode(answer: JsonObject): ImageAnswer
  /** @returns undefined for an event that brings no image */
  readEvent?(event: JsonObject): ImageEvent | undefined
  /** As Protocol.readFailure, with the codes of NoImage, and `unsupported_size` for a size that the model cannot make. */
  readFailure(status: number, headers: Headers, body: string): UpstreamFailure
}

/** The shape with the ratio nearest to a desired one, by factor. */
export function nearestShape<T extends Sides>(desired: Sides, shapes: readonly [T, ...T[]]): T {
  const distance = ({ width, height }: Sides) =>
    Math.abs(Math.log((width * desired.height) / (height * desired.width)))
  return shapes.reduce((best, shape) => (distance(shape) < distance(best) ? shape : best))
}
