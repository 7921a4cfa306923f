// Owns what a caller of the images' endpoints wants, once his request is read and its fields are checked.
import type { Generation } from '../../db/schema.ts'
import type { OutputFormat } from '../../domain/image-formats.ts'
import type { AspectRatio, Size } from '../../domain/image-size.ts'
import type { StoredFile } from '../../library/files.ts'
import type { Background } from '../../media/convert.ts'

/** Where an image comes from that another is to be made from. */
export type Source =
  /** A file of the upload endpoint, by its key. */
  | { kind: 'file'; key: string }
  /** An earlier generation, by its UUID. */
  | { kind: 'generation'; uuid: string }
  /** An https URL, or a data URI. */
  | { kind: 'inline'; text: string }
  /** An image that came with the request, and is there as a file of its sender once it is kept. */
  | { kind: 'upload'; keep: () => StoredFile }

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
  sources: readonly Source[]
  /** What tells this request from another under the same Idempotency-Key. */
  content: readonly (Uint8Array | string)[]
  /** About how much of the request is still in memory. */
  kept_bytes: number
}
