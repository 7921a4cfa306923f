// The mask of an edit in JSON: found as references are, and a PNG with transparent places, of the first image's size.
import { invalidRequest } from '../../domain/errors.ts'
import { inspectImage } from '../../media/inspect.ts'
import type { Reference } from '../../protocols/images.ts'
import type { FoundReference, Source } from './order.ts'
import { findReferences, type ReferenceDeps, type Referrer } from './references.ts'

/** Of OpenAI's: the largest mask. */
export const MAX_MASK_BYTES = 4 * 1024 * 1024

/**
 * Finds the mask of an edit.
 *
 * @param images those that are edited, in their order; found already
 * @throws GatewayError as `findReferences`; invalid_request for what is no mask of the first of the images
 */
export async function findMask(
  deps: ReferenceDeps,
  referrer: Referrer,
  source: Source,
  images: readonly FoundReference[],
): Promise<Reference> {
  const [mask] = await findReferences(deps, referrer, [source])
  const [first] = images
  if (!mask || !first) throw new Error('a mask was found without an image')
  if (mask.bytes.length > MAX_MASK_BYTES) throw refused('may have at most 4 MB')
  if (mask.mime !== 'image/png') throw refused('must be a PNG, transparent where the image is to change')
  const { width, height, has_alpha } = await inspectImage(mask.bytes)
  const image = await inspectImage(first.bytes)
  if (width !== image.width || height !== image.height)
    throw refused(
      `must have the size of the first image, ${image.width}x${image.height}, but has ${width}x${height}`,
    )
  if (!has_alpha) throw refused('must have an alpha channel, transparent where the image is to change')
  return mask
}

const refused = (fault: string) => invalidRequest(`mask: ${fault}.`, { param: 'mask' })
