// Helpers for the tests of media: refusals, durations, and small images of each format.
import { audioDurationMs } from '../../src/domain/audio/duration.ts'
import { type ErrorKind, GatewayError } from '../../src/domain/errors.ts'
import type { ImageFormat } from '../../src/domain/image-formats.ts'
import { withSharp } from '../../src/media/sharp.ts'

interface Refusal {
  kind: ErrorKind
  code: string | undefined
  message: string
}

/** The duration of audio that is completely in memory. */
export const wholeDurationMs = (bytes: Uint8Array): number | undefined =>
  audioDurationMs({ head: bytes, tail: bytes, total_bytes: bytes.length })

/** The refusal of a task. @throws Error if it was not refused, or failed with another error than a GatewayError */
export async function refusalOf(task: () => unknown): Promise<Refusal> {
  let result: unknown
  try {
    result = await task()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const { kind, code, message } = error
    return { kind, code, message }
  }
  throw new Error(`not refused: ${JSON.stringify(result)?.slice(0, 200)}`)
}

export const codeOf = async (task: () => unknown): Promise<string | undefined> => (await refusalOf(task)).code

/** A picture with a gradient, half transparent where it has an alpha channel. */
export function paint(
  format: ImageFormat | 'tiff' | 'avif',
  { width = 24, height = 18, alpha = true }: { width?: number; height?: number; alpha?: boolean } = {},
): Promise<Uint8Array> {
  const channels = alpha ? 4 : 3
  const pixels = Uint8Array.from({ length: width * height * channels }, (_, index) => (index * 37) % 251)
  return withSharp((sharp) => sharp(pixels, { raw: { width, height, channels } }).toFormat(format).toBuffer())
}

/** An animation of several frames. */
export function animate(
  format: 'gif' | 'webp',
  frames: number,
  width = 12,
  height = 10,
): Promise<Uint8Array> {
  const pixels = Uint8Array.from({ length: width * height * frames * 3 }, (_, index) => (index * 31) % 253)
  return withSharp((sharp) =>
    sharp(pixels, { raw: { width, height: height * frames, channels: 3, pageHeight: height } })
      .toFormat(format, { loop: 0, delay: 50 })
      .toBuffer(),
  )
}

export const concat = (...parts: (Uint8Array | string)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
