// An image call that was read: what the caller wants, once the fields are checked, and with its model.
import type { ImageModel } from '../../../domain/catalogue.ts'
import type { OutputFormat } from '../../../domain/image-formats.ts'
import type { AspectRatio, Size } from '../../../domain/image-size.ts'
import type { StoredFile } from '../../../library/files.ts'
import type { Background } from '../../../media/convert.ts'
import type { ConversationRequest } from '../../../protocols/canonical/request.ts'
import type { InputFidelity, Reference } from '../../../protocols/images.ts'
import type { Generation } from '../../../store/schema.ts'
import type { PaidOrder } from '../../life/call.ts'
import type { InlineImage } from '../../parsing/messages.ts'
import type { PaidImages } from './generated-images.ts'

/** Where an image comes from that another is to be made from. */
export type Source =
  /** A file of the upload endpoint, by its key. */
  | { kind: 'file'; key: string }
  /** An earlier generation, by its UUID. */
  | { kind: 'generation'; uuid: string }
  /** An https URL, or a data URI; where that was decoded already, a name for it. */
  | { kind: 'inline'; text: string; decoded?: InlineImage | undefined }
  /** An image that came with the request, and becomes a file of the caller once it is kept. */
  | { kind: 'upload'; keep: () => Promise<StoredFile> }

/** The longest prompt that image models are sent (spec.md, Limits). */
export const MAX_PROMPT_CHARS = 32_000

/** Of an inline image: its text, its bytes, and the request that is sent upstream. */
export const INLINE_COPIES = 3

/** The kind of an image, by the number of its sources. */
export const kindBy = (sources: number): Generation['kind'] =>
  (['generation', 'edit'] as const)[sources] ?? 'compose'

/** About how much of inline images is in memory. */
export const inlineBytes = (sources: readonly Source[]): number =>
  sources.reduce((sum, source) => sum + inlineCharsOf(source) * INLINE_COPIES, 0)

function inlineCharsOf(source: Source): number {
  if (source.kind !== 'inline') return 0
  if (!source.decoded) return source.text.length
  return 'image' in source.decoded ? (source.decoded.image.bytes.length * 4) / 3 : 0
}

export interface ImageOrder {
  kind: Generation['kind']
  model_id: string
  prompt: string
  count: number
  /** As the caller wrote it; it decides the price. */
  size_text: string | undefined
  size: Size | undefined
  aspect_ratio: AspectRatio | undefined
  quality: string | undefined
  background: Background | undefined
  output_format: OutputFormat | undefined
  /** 0 to 100; below that only with jpeg and webp. */
  output_compression?: number | undefined
  input_fidelity?: InputFidelity | undefined
  moderation?: 'auto' | 'low' | undefined
  sources: readonly Source[]
  /** A PNG whose transparent places are painted anew; kept for the request only. */
  mask?: Reference | undefined
  /** Where the mask is to be found, until it is. */
  mask_source?: Source | undefined
  /** Whether the answer is to be a stream of events. */
  streams?: boolean | undefined
  /** How many partial images the caller wants before the image. */
  partial_images?: number | undefined
  /** The conversation that the prompt and the images were taken from, if any. */
  conversation?: ConversationRequest | undefined
  /** Tells this request from another under the same Idempotency-Key. */
  content: readonly (Uint8Array | string)[]
  /** About how much of the request is still in memory. */
  kept_bytes: number
}

/** An image that another is made from, and its key or UUID, where it has one that lasts. */
export interface FoundReference extends Reference {
  parent?: string | undefined
}

/** An order with its model, and the images that it refers to once they are found. */
export interface PaidImageOrder extends PaidOrder<ImageModel> {
  wanted: ImageOrder
  references: readonly FoundReference[]
  /** Partial images requested from the provider: held for, and streamed as they come. 0: the answer is written whole. */
  partial_images: number
  /** The ids of its images, one for each, where the caller got them before generation. */
  uuids?: readonly string[]
  /** Writes the answer, once it is paid. */
  write: (paid: PaidImages) => Response
}
