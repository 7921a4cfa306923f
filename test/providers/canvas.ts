// A canvas of pixels, and the shapes of the simulator's pictures. Pixels outside of the canvas are ignored.

export type Colour = readonly [red: number, green: number, blue: number]

/** Rows of pixels: red, green and blue, a byte each. */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const createCanvas = (width: number, height: number): Canvas => ({
  width,
  height,
  pixels: new Uint8Array(width * height * 3),
})

/** A colour between two others. @param share 0 is the first, 1 the second */
export const mix = (one: Colour, other: Colour, share: number): Colour => [
  Math.round(one[0] + (other[0] - one[0]) * share),
  Math.round(one[1] + (other[1] - one[1]) * share),
  Math.round(one[2] + (other[2] - one[2]) * share),
]

/** A horizontal run of one colour. */
function run({ width, height, pixels }: Canvas, y: number, from: number, to: number, colour: Colour): void {
  if (y < 0 || y >= height) return
  const [red, green, blue] = colour
  const end = (y * width + Math.min(width, Math.round(to))) * 3
  for (let at = (y * width + Math.max(0, Math.round(from))) * 3; at < end; at += 3) {
    pixels[at] = red
    pixels[at + 1] = green
    pixels[at + 2] = blue
  }
}

/** Fills the canvas with a gradient from top to bottom. */
export function fade(canvas: Canvas, top: Colour, bottom: Colour): void {
  const { width, height } = canvas
  for (let y = 0; y < height; y++) run(canvas, y, 0, width, mix(top, bottom, y / Math.max(1, height - 1)))
}

export function rectangle(canvas: Canvas, { x, y, width, height }: Box, colour: Colour): void {
  for (let row = Math.round(y); row < y + height; row++) run(canvas, row, x, x + width, colour)
}

/** A triangle that stands on its base and fills the box. */
export function triangle(canvas: Canvas, { x, y, width, height }: Box, colour: Colour): void {
  for (let row = 0; row < height; row++) {
    const half = (width / 2) * (row / height)
    run(canvas, Math.round(y + row), x + width / 2 - half, x + width / 2 + half, colour)
  }
}

export function disc(canvas: Canvas, x: number, y: number, radius: number, colour: Colour): void {
  for (let row = -radius; row <= radius; row++) {
    const half = Math.sqrt(radius * radius - row * row)
    run(canvas, Math.round(y + row), x - half, x + half, colour)
  }
}

/** Everything below a line. @param heightAt the line's height above the bottom, by column */
export function ground(
  { width, height, pixels }: Canvas,
  heightAt: (x: number) => number,
  [red, green, blue]: Colour,
): void {
  const tops = Float64Array.from({ length: width }, (_, x) => Math.round(height - heightAt(x)))
  // Row by row, as the pixels lie.
  for (let y = Math.max(0, Math.min(...tops)); y < height; y++) {
    for (let x = 0, at = y * width * 3; x < width; x++, at += 3) {
      if (y < (tops[x] ?? 0)) continue
      pixels[at] = red
      pixels[at + 1] = green
      pixels[at + 2] = blue
    }
  }
}

/** Another picture, cropped to cover a box. @param tint a colour to mix in, by this share */
export function place(
  canvas: Canvas,
  box: Box,
  image: Canvas,
  tint: { colour: Colour; share: number },
): void {
  const scale = Math.min(image.width / box.width, image.height / box.height)
  const left = (image.width - box.width * scale) / 2
  const top = (image.height - box.height * scale) / 2
  for (let y = 0; y < box.height; y++) {
    for (let x = 0; x < box.width; x++) {
      const from = (Math.floor(top + y * scale) * image.width + Math.floor(left + x * scale)) * 3
      const at = ((Math.round(box.y) + y) * canvas.width + Math.round(box.x) + x) * 3
      for (let channel = 0; channel < 3; channel++) {
        const value = image.pixels[from + channel] ?? 0
        canvas.pixels[at + channel] = value + ((tint.colour[channel] ?? 0) - value) * tint.share
      }
    }
  }
}
