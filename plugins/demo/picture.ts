// Generated pictures: a landscape in the prompt's colour with a house or a balloon, or the pictures of the prompt, side by side.
import type { OverlayOptions, Sharp } from 'sharp'
import { FIRST_FRAME, openImage, type SharpModule, withSharp } from '../../src/media/sharp.ts'
import type { Answer, Ask } from './ask.ts'
import type { Random } from './text.ts'

type Colour = readonly [red: number, green: number, blue: number]

interface Size {
  readonly width: number
  readonly height: number
}

const LONGER_SIDE = 1_024
const MAX_SIDE = 2_048
/** The landscape is painted at this size and then enlarged. */
const PAINTED_SIDE = 512
const MAX_SOURCES = 4

/** Paints a picture as a PNG file, and coarse versions of it. */
export async function paintPicture(
  { prompt, shape, images, partials = 0 }: Ask,
  random: Random,
): Promise<Pick<Answer, 'pictures' | 'partials'>> {
  const size = sizeOf(shape)
  const fileOf = async (picture: Sharp) =>
    (await picture.png({ compressionLevel: 4 }).toBuffer()).toString('base64')
  return await withSharp(async (sharp) => {
    const colour = colourOf(prompt, random)
    const colourAt = painter(images.length > 0 ? noSubject : subjectOf(prompt), colour, random)
    const overlays = await overlaysOf(sharp, images.slice(0, MAX_SOURCES), size, colour)
    const coarse: string[] = []
    for (let left = partials; left > 0; left--)
      coarse.push(await fileOf(paint(sharp, size, PAINTED_SIDE / 2 ** (left + 2), colourAt)))
    const picture = await fileOf(paint(sharp, size, PAINTED_SIDE, colourAt).composite(overlays))
    return { pictures: [picture], partials: coarse }
  })
}

function sizeOf(shape: string): Size {
  const size = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(shape)
  if (size) return { width: Math.min(Number(size[1]), MAX_SIDE), height: Math.min(Number(size[2]), MAX_SIDE) }
  const ratio = /^([1-9]\d?):([1-9]\d?)$/.exec(shape)
  const [across, down] = ratio ? [Number(ratio[1]), Number(ratio[2])] : [1, 1]
  const unit = LONGER_SIDE / Math.max(across, down)
  return { width: Math.round(across * unit), height: Math.round(down * unit) }
}

const COLOURS: readonly (readonly [word: RegExp, colour: Colour])[] = [
  [/\bred\b/i, [196, 58, 49]],
  [/\bblue\b/i, [47, 94, 168]],
  [/\bgreen\b/i, [58, 125, 68]],
  [/\b(?:yellow|golden)\b/i, [236, 190, 52]],
  [/\b(?:orange|evening)\b/i, [226, 125, 41]],
  [/\bwhite\b/i, [240, 238, 230]],
]
const DARK: Colour = [62, 52, 48]
const SUN: Colour = [255, 236, 178]
const WHITE: Colour = [250, 250, 247]

/** Returns the colour of a picture at a point; both coordinates run from 0 to 1. */
type Painter = (x: number, y: number) => Colour

/** Returns the first colour that the prompt names, or a random one. */
const colourOf = (prompt: string, { between }: Random): Colour =>
  COLOURS.find(([word]) => word.test(prompt))?.[1] ?? [between(60, 210), between(60, 210), between(60, 210)]

function painter(subject: Subject, colour: Colour, { between }: Random): Painter {
  const sky: Colour = [between(110, 170), between(160, 200), between(205, 240)]
  const [sun_x, phase] = [between(15, 85) / 100, between(0, 628) / 100]
  const heightOf = (x: number, share: number, waves: number) => 1 - share - 0.05 * Math.sin(x * waves + phase)
  return (x, y) => {
    const found = subject((x - 0.32) / 0.36, (y - 0.46) / 0.36, colour)
    if (found) return found
    if (y > heightOf(x, 0.24, 3)) return mix([84, 122, 76], colour, 0.12)
    if (y > heightOf(x, 0.4, 5)) return mix([128, 158, 128], colour, 0.2)
    return Math.hypot(x - sun_x, y - 0.22) < 0.08 ? SUN : mix(sky, WHITE, y)
  }
}

/** Paints pixel by pixel, then enlarges to `size`. @param longer_side the longer side of the painting in pixels */
function paint(sharp: SharpModule, size: Size, longer_side: number, colourAt: Painter): Sharp {
  const scale = Math.min(1, longer_side / Math.max(size.width, size.height))
  const [width, height] = [Math.ceil(size.width * scale), Math.ceil(size.height * scale)]
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) pixels.set(colourAt(x / width, y / height), (y * width + x) * 3)
  return sharp(pixels, { raw: { width, height, channels: 3 } }).resize({ ...size, fit: 'fill' })
}

const mix = (one: Colour, other: Colour, share: number): Colour => [
  Math.round(one[0] + (other[0] - one[0]) * share),
  Math.round(one[1] + (other[1] - one[1]) * share),
  Math.round(one[2] + (other[2] - one[2]) * share),
]

/** Returns the colour of a subject at a point of its own unit square; undefined outside the subject. */
type Subject = (x: number, y: number, colour: Colour) => Colour | undefined

const house: Subject = (x, y, colour) => {
  const isIn = (left: number, top: number, right: number, bottom: number) =>
    x >= left && x < right && y >= top && y < bottom
  if (isIn(0.4, 0.6, 0.6, 1)) return DARK
  if (isIn(0.1, 0.55, 0.3, 0.75) || isIn(0.7, 0.55, 0.9, 0.75)) return WHITE
  if (isIn(0, 0.4, 1, 1)) return colour
  return isIn(-0.1, -0.2, 1.1, 0.4) && Math.abs(x - 0.5) < y + 0.2 ? DARK : undefined
}

const balloon: Subject = (x, y, colour) => {
  if (Math.hypot(x - 0.36, y + 0.14) < 0.08) return mix(colour, WHITE, 0.6)
  if (Math.hypot(x - 0.5, y) < 0.42) return colour
  return Math.abs(x - 0.5) < 0.08 && y > 0.5 && y < 0.66 ? DARK : undefined
}

const subjectOf = (prompt: string): Subject =>
  /\b(?:house|home|cottage|hut)\b/i.test(prompt) ? house : balloon

const noSubject: Subject = () => undefined

/** Arranges the prompt's pictures: one fills the frame, tinted with the prompt's colour; several stand side by side in the landscape. */
async function overlaysOf(
  sharp: SharpModule,
  images: readonly string[],
  { width, height }: Size,
  [r, g, b]: Colour,
): Promise<OverlayOptions[]> {
  const gap = images.length < 2 ? 0 : Math.round(width / (images.length * 8 + 2))
  const across = Math.max(1, Math.floor((width - gap * (images.length + 1)) / images.length))
  const down = gap === 0 ? height : Math.max(1, Math.min(across, height - 2 * gap))
  const placed = images.map(async (base64, index) => ({
    input: await openImage(sharp, Buffer.from(base64, 'base64'), FIRST_FRAME)
      .resize(across, down, { fit: 'cover' })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .png()
      .toBuffer(),
    left: gap + index * (across + gap),
    top: Math.floor((height - down) / 2),
  }))
  const settled = await Promise.allSettled(placed)
  const opened = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const background = { r, g, b, alpha: 0.35 }
  const tint = { input: { create: { width, height, channels: 4 as const, background } }, left: 0, top: 0 }
  return opened.length === 1 && gap === 0 ? [...opened, tint] : opened
}
