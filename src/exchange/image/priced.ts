// What an image order costs: the facts of it that its price depends on.
import type { ImageOrder as PricedOrder } from '../../pricing/charge.ts'
import type { ImageOrder } from './order.ts'

/** @param count images asked for, or made @param partial_images asked for, or given out */
export const priced = (
  { size_text, quality, input_fidelity }: Pick<ImageOrder, 'size_text' | 'quality' | 'input_fidelity'>,
  count: number,
  partial_images = 0,
): PricedOrder => ({
  count,
  size: size_text,
  quality,
  high_fidelity: input_fidelity === 'high',
  partial_images,
})
