// A parsed image call: the caller's wishes after the fields are checked, and the model.
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

/** The origin of an image that the new one is based on. */
export type Source =
  /** A file of the upload endpoint, by key. */
  | { kind: 'file'; key: string }
  /** An earlier generation, by UUID. */
  | { kind: 'generation'; uuid: string }
  /** An https URL or a data URI; if the URI is already decoded, `text` is a name for it. */
  | { kind: 'inline'; text: string; decoded?: InlineImage | undefined }
  /** An image that came with the request. Keeping it turns it into a file of the caller. */
  | { kind: 'upload'; keep: () => Promise<StoredFile> }

/** The longest prompt for image models (spec.md, Limits). */
export const MAX_PROMPT_CHARS = 32_000

/** Copies of an inline image in memory: its text, its bytes, and the upstream request. */
export const INLINE_COPIES = 3

/** Returns the kind of an image by its number of sources. */
export const kindForSourceCount = (sources: number): Generation['kind'] =>
  (['generation', 'edit'] as const)[sources] ?? 'compose'

/** Returns about how much memory inline images use. */
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
  /** As the caller wrote it; it sets the price. */
  size_text: string | undefined
  size: Size | undefined
  aspect_ratio: AspectRatio | undefined
  quality: string | undefined
  background: Background | undefined
  output_format: OutputFormat | undefined
  /** 0 to 100; less than 100 only with jpeg and webp. */
  output_compression?: number | undefined
  input_fidelity?: InputFidelity | undefined
  moderation?: 'auto' | 'low' | undefined
  sources: readonly Source[]
  /** A PNG whose transparent areas are repainted; kept for this request only. */
  mask?: Reference | undefined
  /** The source of the mask, until `mask` is loaded. */
  mask_source?: Source | undefined
  /** Whether the caller wants a stream of events. */
  streams?: boolean | undefined
  /** Partial images that the caller wants before the final image. */
  partial_images?: number | undefined
  /** The conversation that the prompt and the images were taken from, if any. */
  conversation?: ConversationRequest | undefined
  /** Distinguishes this request from another one with the same Idempotency-Key. */
  content: readonly (Uint8Array | string)[]
  /** About how much of the request is still in memory. */
  kept_bytes: number
}

/** An image that the new one is based on, and its key or UUID if it is stored. */
export interface FoundReference extends Reference {
  parent?: string | undefined
}

/** An order with its model, and its reference images once they are found. */
export interface PaidImageOrder extends PaidOrder<ImageModel> {
  wanted: ImageOrder
  references: readonly FoundReference[]
  /** Partial images requested from the provider; the hold covers them. With 0, the answer is written whole. */
  partial_images: number
  /** The ids of the images, if the caller got them before generation. */
  uuids?: readonly string[]
  /** Writes the answer after payment. */
  write: (paid: PaidImages) => Response
}
