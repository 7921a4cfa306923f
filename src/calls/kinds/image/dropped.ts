// The header that names requested fields which the provider did not get.
import type { Attempt } from '../../../upstream/routes.ts'
import type { CallParts } from '../../parts.ts'
import type { ImageOrder } from './order.ts'
import { imagesOf } from './sending.ts'

/** @param is_whole no partial images come @param attempt that answered */
export function droppedHeader(
  { protocols }: Pick<CallParts, 'protocols'>,
  { streams, partial_images = 0, quality = 'auto' }: ImageOrder,
  { is_whole, attempt }: { is_whole: boolean; attempt: Attempt | undefined },
): Record<string, string> {
  const dropped: string[] = []
  if (is_whole && streams && partial_images > 0) dropped.push('partial_images')
  if (attempt && quality !== 'auto' && !imagesOf(protocols, attempt.provider).traitsOf(attempt).quality)
    dropped.push('quality')
  return dropped.length === 0 ? {} : { 'x-tollgate-dropped': dropped.join(', ') }
}
