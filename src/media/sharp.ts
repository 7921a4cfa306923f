// Access to sharp: loaded at first use, restricted to the formats that are read, two images at once.
import type sharpModule from 'sharp'
import type { Sharp, SharpOptions } from 'sharp'
import { createSlots } from '../utilities/slots.ts'
import { imagesUnavailable } from './decoder.ts'
import { MAX_PIXELS } from './limits.ts'

export type SharpModule = typeof sharpModule

/** An image may take some 300 MB while it is decoded. */
export const IMAGES_AT_ONCE = 2

/** libvips' class of every loader, and those of the four formats, of TIFF and of AVIF: these two only where `sniffReadable` found them. https://sharp.pixelplumbing.com/api-utility/#block */
const EVERY_LOADER = 'VipsForeignLoad'
const LOADERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadTiffBuffer',
  'VipsForeignLoadHeifBuffer',
]

/** Reads all frames, so that the limit of pixels covers them all, and fails on damaged files instead of guessing. */
export const ALL_FRAMES: SharpOptions = {
  pages: -1,
  limitInputPixels: MAX_PIXELS,
  failOn: 'error',
  sequentialRead: true,
}

/** Reads the first frame only. */
export const FIRST_FRAME: SharpOptions = { ...ALL_FRAMES, pages: 1 }

/** Generous for 40 million pixels on a busy machine; a file that takes longer was made to take long. */
const DECODE_TIMEOUT_S = 30

const inSlot = createSlots(IMAGES_AT_ONCE)
let loading: Promise<SharpModule> | undefined

/** Runs a task with sharp once a slot is free. All decoding goes through here, which bounds the memory of the process. */
export function withSharp<T>(task: (sharp: SharpModule) => Promise<T>): Promise<T> {
  return inSlot(async () => {
    loading ??= load()
    return task(await loading)
  })
}

/** Opens an image as a pipeline with a time-out. */
export const openImage = (sharp: SharpModule, bytes: Uint8Array, options: SharpOptions): Sharp =>
  sharp(bytes, options).timeout({ seconds: DECODE_TIMEOUT_S })

/**
 * Decodes every pixel and discards them, since `metadata()` also succeeds for files that do not decode. Only one channel
 * is extracted: that decodes everything and takes a quarter of the memory.
 * @throws libvips' error for a file that does not decode
 */
export async function decodeWhole(
  sharp: SharpModule,
  bytes: Uint8Array,
  options: SharpOptions,
): Promise<void> {
  await openImage(sharp, bytes, options).extractChannel(0).raw().toBuffer()
}

/** Takes tens of milliseconds and tens of megabytes, which a gateway for text models never needs. */
async function load(): Promise<SharpModule> {
  const { default: sharp } = await import('sharp').catch((cause: unknown) => {
    throw imagesUnavailable(cause)
  })
  sharp.block({ operation: [EVERY_LOADER] })
  sharp.unblock({ operation: LOADERS })
  // No image is read twice, and one thread an image is enough beside a server.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
