// Limits of images from all sources. Sizes are those of spec.md, "Limits", in binary megabytes.

const MEGABYTE = 1024 * 1024

/** A source or reference image: 25 MB. */
export const MAX_IMAGE_BYTES = 25 * MEGABYTE

/** All reference images of one request together, stored and inline: 30 MB. */
export const MAX_REFERENCES_BYTES = 30 * MEGABYTE

/** A data URI before decoding: 35 MB. */
export const MAX_DATA_URI_CHARS = 35 * MEGABYTE

export const MAX_URL_CHARS = 2048

/** From the DNS lookup to the last byte, so that it also ends a server that sends one byte per second. */
export const FETCH_TIMEOUT_MS = 30_000

/** All frames of one image together. With libvips' own limit of 268 million a small file could take a gigabyte of memory. */
export const MAX_PIXELS = 40_000_000

/** A GIF may have a million frames of one pixel: few pixels, but seconds to decode. */
export const MAX_FRAMES = 10_000

/** All uploads of one account together: spec.md, Limits, "File storage quota". */
export const FILE_QUOTA_BYTES = 200 * MEGABYTE

/** The caller's message about an image over a size limit. */
export const tooLargeMessage = (limit_bytes: number): string =>
  `An image may have at most ${Math.floor(limit_bytes / MEGABYTE)} MB. Send a smaller one.`
