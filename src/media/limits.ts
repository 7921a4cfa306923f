// Owns the numbers that bound an image, wherever it comes from. Sizes are those of spec.md, Limits, in binary megabytes.

const MEGABYTE = 1024 * 1024

/** A source or reference image: 25 MB. */
export const MAX_IMAGE_BYTES = 25 * MEGABYTE

/** All reference images of one request together, stored and inline ones: 30 MB. */
export const MAX_REFERENCES_BYTES = 30 * MEGABYTE

/** A data URI as text, before it is decoded: 35 MB. Longer ones are refused unread. */
export const MAX_DATA_URI_CHARACTERS = 35 * MEGABYTE

export const MAX_URL_CHARACTERS = 2048

/** From the first look-up to the last byte: a server that sends one byte a second is cut off too. */
export const FETCH_TIMEOUT_MS = 30_000

/** Over all frames of one image. libvips' own cap of 268 million lets one small file take a gigabyte of memory. */
export const MAX_PIXELS = 40_000_000

/** A GIF can hold a million frames of one pixel, which cost seconds to decode though the pixels are few. */
export const MAX_FRAMES = 10_000

/** What the files of one account may have together: spec.md, Limits, "File storage quota". */
export const FILE_QUOTA_BYTES = 200 * MEGABYTE
