// Simulated pictures: a landscape in the prompt's colours with the thing that it names, in the requested shape. One
// reference picture fills it with a tint; several hang side by side.
import {
  type Canvas,
  type Colour,
  createCanvas,
  disc,
  fade,
  ground,
  mix,
  place,
  rectangle,
  triangle,
} from './canvas.ts'
import { encodePng } from './png.ts'
import type { Random } from './random.ts'

interface PictureAsk {
  prompt: string
  /** A ratio such as `16:9`, or a size such as `512x512`; any other text means a square. */
  shape: string
  /** Reference pictures. */
  references: readonly Canvas[]
}

const LONGER_SIDE = 512
const MAX_SIDE_PIXELS = 2_048
const WHITE: Colour = [250, 250, 247]

const COLOURS: readonly (readonly [word: RegExp, colour: Colour])[] = [
  [/\bred\b/i, [196, 58, 49]],
  [/\bblue\b/i, [47, 94, 168]],
  [/\bgreen\b/i, [58, 125, 68]],
  [/\byellow\b/i, [236, 190, 52]],
  [/\borange\b/i, [226, 125, 41]],
  [/\b(purple|violet)\b/i, [118, 74, 152]],
  [/\bpink\b/i, [226, 136, 164]],
  [/\bwhite\b/i, [240, 238, 230]],
  [/\bblack\b/i, [38, 38, 42]],
  [/\bbrown\b/i, [121, 84, 56]],
]

/** A picture and its partial images, each as a PNG file in base64. */
interface DrawnPicture {
  picture: string
  /** From coarse to fine. */
  partials: string[]
}

/** Draws a picture. @param partials the number of its partial images */
export function drawPicture(
  { prompt, shape, references }: PictureAsk,
  random: Random,
  partials: number,
): DrawnPicture {
  const [width, height] = sizeOf(shape)
  const canvas = createCanvas(width, height)
  const colour = colourOf(prompt, random)
  drawLandscape(canvas, colour, random)
  const [only, ...others] = references
  if (!only) drawSubject(canvas, prompt, colour)
  else if (others.length === 0) place(canvas, { x: 0, y: 0, width, height }, only, { colour, share: 0.35 })
  else hang(canvas, references)
  const fileOf = (image: Canvas) => encodePng(image).toString('base64')
  const coarseness = Array.from({ length: partials }, (_, index) => 2 ** (partials - index + 2))
  return {
    picture: fileOf(canvas),
    partials: coarseness.map((pixels) => fileOf(coarsened(canvas, pixels))),
  }
}

/** The same with larger pixels. @param pixels the width of one, in pixels of the picture */
function coarsened(canvas: Canvas, pixels: number): Canvas {
  const { width, height } = canvas
  const small = createCanvas(
    Math.max(1, Math.floor(width / pixels)),
    Math.max(1, Math.floor(height / pixels)),
  )
  const large = createCanvas(width, height)
  place(small, { x: 0, y: 0, width: small.width, height: small.height }, canvas, UNTINTED)
  place(large, { x: 0, y: 0, width, height }, small, UNTINTED)
  return large
}

const UNTINTED = { colour: WHITE, share: 0 }

function sizeOf(shape: string): [number, number] {
  const size = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/.exec(shape)
  if (size) return [Math.min(Number(size[1]), MAX_SIDE_PIXELS), Math.min(Number(size[2]), MAX_SIDE_PIXELS)]
  const ratio = /^([1-9]\d?):([1-9]\d?)$/.exec(shape)
  if (!ratio) return [LONGER_SIDE, LONGER_SIDE]
  const [across, down] = [Number(ratio[1]), Number(ratio[2])]
  const unit = LONGER_SIDE / Math.max(across, down)
  return [Math.round(across * unit), Math.round(down * unit)]
}

/** The first colour that the prompt names, else a random one. */
function colourOf(prompt: string, random: Random): Colour {
  const by_chance: Colour = [random.between(60, 210), random.between(60, 210), random.between(60, 210)]
  return COLOURS.find(([word]) => word.test(prompt))?.[1] ?? by_chance
}

/** A sky with a sun, and two rows of hills. */
function drawLandscape(canvas: Canvas, colour: Colour, random: Random): void {
  const { width, height } = canvas
  const sky: Colour = [random.between(110, 170), random.between(160, 200), random.between(205, 240)]
  fade(canvas, sky, mix(WHITE, colour, 0.25))
  disc(
    canvas,
    (width * random.between(15, 85)) / 100,
    height * 0.22,
    Math.min(width, height) * 0.08,
    [255, 236, 178],
  )
  const hills = (share: number, waves: number) => {
    const phase = random.between(0, 628) / 100
    return (x: number) => height * (share + 0.05 * Math.sin((x / width) * waves + phase))
  }
  const far: Colour = [128, 158, 128]
  ground(canvas, hills(0.4, 5), mix(far, colour, 0.2))
  ground(canvas, hills(0.24, 3), mix([84, 122, 76], colour, 0.12))
}

/** A house or a tree, if the prompt names one; else a balloon. */
function drawSubject(canvas: Canvas, prompt: string, colour: Colour): void {
  const side = Math.min(canvas.width, canvas.height) * 0.36
  const x = canvas.width / 2 - side / 2
  const y = canvas.height * 0.82 - side
  const draw = SUBJECTS.find(([word]) => word.test(prompt))?.[1] ?? drawBalloon
  draw(canvas, x, y, side, colour)
}

type DrawSubject = (canvas: Canvas, x: number, y: number, side: number, colour: Colour) => void

const DARK: Colour = [62, 52, 48]

const drawHouse: DrawSubject = (canvas, x, y, side, colour) => {
  const part = side / 10
  triangle(canvas, { x: x - part, y: y - part * 2, width: side + part * 2, height: part * 6 }, DARK)
  rectangle(canvas, { x, y: y + part * 4, width: side, height: part * 6 }, colour)
  rectangle(canvas, { x: x + part * 4, y: y + part * 6, width: part * 2, height: part * 4 }, DARK)
  for (const left of [1, 7])
    rectangle(canvas, { x: x + part * left, y: y + part * 5.5, width: part * 2, height: part * 2 }, WHITE)
}

const drawTree: DrawSubject = (canvas, x, y, side, colour) => {
  rectangle(canvas, { x: x + side * 0.44, y: y + side * 0.6, width: side * 0.12, height: side * 0.4 }, DARK)
  for (const [across, down] of [
    [0.3, 0.42],
    [0.7, 0.42],
    [0.5, 0.22],
  ] as const)
    disc(canvas, x + side * across, y + side * down, side * 0.26, colour)
}

const drawBalloon: DrawSubject = (canvas, x, y, side, colour) => {
  rectangle(canvas, { x: x + side * 0.4, y: y + side * 0.5, width: side * 0.2, height: side * 0.02 }, DARK)
  disc(canvas, x + side / 2, y, side * 0.42, colour)
  disc(canvas, x + side * 0.36, y - side * 0.14, side * 0.08, mix(colour, WHITE, 0.6))
  rectangle(canvas, { x: x + side * 0.42, y: y + side * 0.52, width: side * 0.16, height: side * 0.14 }, DARK)
}

const SUBJECTS: readonly (readonly [word: RegExp, draw: DrawSubject])[] = [
  [/\b(house|home|cottage|cabin|hut)\b/i, drawHouse],
  [/\b(tree|forest|oak|wood)\b/i, drawTree],
]

/** Pictures in white frames, side by side. */
function hang(canvas: Canvas, references: readonly Canvas[]): void {
  const gap = Math.round(canvas.width / (references.length * 8 + 2))
  const width = Math.floor((canvas.width - gap * (references.length + 1)) / references.length)
  const height = Math.min(Math.round(width * 1.1), canvas.height - gap * 2)
  const y = Math.floor((canvas.height - height) / 2)
  const frame = Math.max(1, Math.round(gap / 4))
  for (const [index, picture] of references.entries()) {
    const x = gap + index * (width + gap)
    rectangle(
      canvas,
      { x: x - frame, y: y - frame, width: width + frame * 2, height: height + frame * 2 },
      WHITE,
    )
    place(canvas, { x, y, width, height }, picture, UNTINTED)
  }
}
