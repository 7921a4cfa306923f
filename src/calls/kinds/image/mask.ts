// The mask of an edit: a PNG with transparent areas and the size of the first image. JSON requests give it as they give references.
import { invalidRequest } from '../../../domain/errors.ts'
import type { Size } from '../../../domain/image-size.ts'
import { inspectImage } from '../../../media/inspect.ts'
import type { Reference } from '../../../protocols/images.ts'
import type { FoundReference, Source } from './order.ts'
import { findReferences, type ReferenceDeps, type Referrer } from './references.ts'

/** OpenAI's limit. */
export const MAX_MASK_BYTES = 4 * 1024 * 1024

/**
 * Finds the mask of an edit.
 * @param images the edited images, in order, already found
 * @throws GatewayError as `findReferences`; invalid_request if the image is not a valid mask for the first image
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
  await assertMasks(mask.bytes, await inspectImage(first.bytes))
  return mask
}

/**
 * Checks that a PNG is a valid mask for an image.
 * @param image its size after the rotation that its EXIF orders
 * @throws GatewayError invalid_request, param `mask`, for another size or a missing alpha channel; as `inspectImage`
 */
export async function assertMasks(mask: Uint8Array, image: Size): Promise<void> {
  const { width, height, has_alpha } = await inspectImage(mask)
  if (width !== image.width || height !== image.height)
    throw refused(
      `must have the size of the first image, ${image.width}x${image.height}, but has ${width}x${height}`,
    )
  if (!has_alpha) throw refused('must have an alpha channel, transparent where the image is to change')
}

const refused = (fault: string) => invalidRequest(`mask: ${fault}.`, { param: 'mask' })
