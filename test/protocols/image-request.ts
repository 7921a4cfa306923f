// A minimal request for an image, as protocols encode it.
import type { ImageRequest } from '../../src/protocols/images.ts'

/** A request for one image of a cat, with these changes. */
export const imageRequest = (rest: Partial<ImageRequest> = {}): ImageRequest => ({
  prompt: 'a cat',
  references: [],
  count: 1,
  size: undefined,
  aspect_ratio: undefined,
  quality: undefined,
  background: undefined,
  output_format: undefined,
  ...rest,
})
