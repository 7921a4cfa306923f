// Access to sharp: loaded on first use, restricted to the accepted formats, two images at once.
import type sharpModule from 'sharp'
import type { Sharp, SharpOptions } from 'sharp'
import { createSlots } from '../utilities/slots.ts'
import { imagesUnavailable } from './decoder.ts'
import { MAX_PIXELS } from './limits.ts'

export type SharpModule = typeof sharpModule

/** Decoding an image may take about 300 MB. */
export const IMAGES_AT_ONCE = 2

/** libvips' loader classes: all, and the accepted ones (TIFF and AVIF after `sniffReadable`). https://sharp.pixelplumbing.com/api-utility/#block */
const EVERY_LOADER = 'VipsForeignLoad'
const LOADERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadTiffBuffer',
  'VipsForeignLoadHeifBuffer',
]

/** Reads all frames, so that the pixel limit includes them all, and fails on damaged files instead of guessing. */
export const ALL_FRAMES: SharpOptions = {
  pages: -1,
  limitInputPixels: MAX_PIXELS,
  failOn: 'error',
  sequentialRead: true,
}

/** Reads only the first frame. */
export const FIRST_FRAME: SharpOptions = { ...ALL_FRAMES, pages: 1 }

/** More than 40 million pixels need on a busy machine; a file that takes longer is an attack. */
const DECODE_TIMEOUT_S = 30

const inSlot = createSlots(IMAGES_AT_ONCE)
let loading: Promise<SharpModule> | undefined

/** Runs a task with sharp once a slot is free. All decoding uses it, which limits the memory of the process. */
export function withSharp<T>(task: (sharp: SharpModule) => Promise<T>): Promise<T> {
  return inSlot(async () => {
    loading ??= load()
    return task(await loading)
  })
}

/** Opens an image as a pipeline with a timeout. */
export const openImage = (sharp: SharpModule, bytes: Uint8Array, options: SharpOptions): Sharp =>
  sharp(bytes, options).timeout({ seconds: DECODE_TIMEOUT_S })

/**
 * Decodes all pixels and discards them, since `metadata()` also succeeds for files that cannot be decoded. Extracting one channel
 * decodes everything with a quarter of the memory.
 * @throws libvips' error if the file cannot be decoded
 */
export async function decodeWhole(
  sharp: SharpModule,
  bytes: Uint8Array,
  options: SharpOptions,
): Promise<void> {
  await openImage(sharp, bytes, options).extractChannel(0).raw().toBuffer()
}

/** Loads sharp, which takes tens of milliseconds and tens of megabytes; a gateway with only text models never does. */
async function load(): Promise<SharpModule> {
  const { default: sharp } = await import('sharp').catch((cause: unknown) => {
    throw imagesUnavailable(cause)
  })
  sharp.block({ operation: [EVERY_LOADER] })
  sharp.unblock({ operation: LOADERS })
  // No image is read twice. One thread per image leaves CPU time for the server.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
