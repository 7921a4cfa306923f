// Checks of images in requests, as real providers make them before the model.

const STANDARD = /^[A-Za-z0-9+/]*={0,2}$/

/** RFC 4648, section 4, with its padding. */
export const isStandardBase64 = (data: string): boolean => data.length % 4 === 0 && STANDARD.test(data)

/** The first bytes of each type. */
const SIGNATURES: Readonly<Record<string, string>> = {
  'image/jpeg': 'ffd8ff',
  'image/png': '89504e470d0a1a0a',
  'image/gif': '47494638',
  'image/webp': '52494646',
}
const HEAD_CHARS = 16

/** The type of a file by its first bytes; undefined for any other. */
export function typeOfImage(data: string): string | undefined {
  const head = Buffer.from(data.slice(0, HEAD_CHARS), 'base64').toString('hex')
  return Object.keys(SIGNATURES).find((type) => head.startsWith(SIGNATURES[type] ?? head))
}

const END_OF_JPEG = Buffer.from('ffd9', 'hex')

/** A JPEG whose end is missing. */
export const isCutOff = (data: string): boolean =>
  typeOfImage(data) === 'image/jpeg' && !Buffer.from(data, 'base64').includes(END_OF_JPEG)

/** GIF89a, section 23: the block before a frame, of four bytes and an end. */
const FRAME_CONTROL = Buffer.from('21f904', 'hex')
const CONTROL_END_AT = 7

/** A GIF with two frames or more, as encoders write them. */
export function isAnimatedGif(data: string): boolean {
  if (typeOfImage(data) !== 'image/gif') return false
  const bytes = Buffer.from(data, 'base64')
  let frames = 0
  for (let at = bytes.indexOf(FRAME_CONTROL); at >= 0; at = bytes.indexOf(FRAME_CONTROL, at + 1))
    if (bytes[at + CONTROL_END_AT] === 0) frames += 1
  return frames > 1
}
