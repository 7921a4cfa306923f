// Reference pictures of a request, decoded so that a generated picture can include them.
import type { Canvas } from './canvas.ts'

const MAX_SIDE_PIXELS = 768

/** @param images files in base64; those that cannot be decoded are left out */
export async function decodeReferences(images: readonly string[]): Promise<Canvas[]> {
  if (images.length === 0) return []
  const { default: sharp } = await import('sharp')
  const decoded = images.map(async (base64) => {
    const { data, info } = await sharp(Buffer.from(base64, 'base64'))
      .resize({ width: MAX_SIDE_PIXELS, height: MAX_SIDE_PIXELS, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, pixels: data }
  })
  const settled = await Promise.allSettled(decoded)
  return settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}
