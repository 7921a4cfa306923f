// The logo and icon of the brand: read from the data folder, checked by content, and cached in memory.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ImageMime, sniffImage } from '../../src/domain/image-formats.ts'
import { sizeText } from '../../src/utilities/size-text.ts'
import { codeOf, messageOf } from '../../src/utilities/thrown.ts'

interface BrandFile {
  type: string
  bytes: Uint8Array<ArrayBuffer>
  etag: string
}

/** A file, or the reason why it cannot be served, as a sentence for the operator. */
type BrandReading = BrandFile | { problem: string }

/** Small, since the files are part of every page, and of mails. */
export const MAX_BRAND_BYTES = 256_000

interface ImageFormat {
  type: string
  is(bytes: Uint8Array): boolean
  /** "an SVG image" */
  words: string
}

const sniffedFormat = (type: ImageMime, words: string): ImageFormat => ({
  type,
  is: (bytes) => sniffImage(bytes) === type,
  words,
})

/** Image formats by file extension. */
const FORMATS: Readonly<Record<string, ImageFormat>> = {
  png: sniffedFormat('image/png', 'a PNG image'),
  webp: sniffedFormat('image/webp', 'a WebP image'),
  svg: { type: 'image/svg+xml', is: isSvg, words: 'an SVG image without entities' },
}

/** Delimiters of parts that may precede the root element: https://www.w3.org/TR/xml/#sec-prolog-dtd */
const PROLOG = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!', '>'],
] as const

/** Returns the text from the root element on. */
function fromRoot(text: string): string {
  for (let rest = text.trimStart(); ; ) {
    const part = PROLOG.find(([begin]) => rest.startsWith(begin))
    const end = part ? rest.indexOf(part[1]) : -1
    if (!part || end < 0) return rest
    rest = rest.slice(end + part[1].length).trimStart()
  }
}

/** Entities are refused, since they could expand to a huge text. Scripts are harmless: browsers do not run them in images. */
function isSvg(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /^<(?:[\w-]+:)?svg[\s>]/i.test(fromRoot(text)) && !/<!ENTITY/i.test(text)
  } catch {
    // Not UTF-8, which all SVG files in practice are.
    return false
  }
}

/**
 * Reads a file of the brand.
 *
 * @param name from `[brand]`: without folders, ending in png, webp or svg
 */
export async function readBrandFile(data_folder: string, name: string): Promise<BrandReading> {
  const path = join(data_folder, name)
  const form = FORMATS[name.slice(name.lastIndexOf('.') + 1)]
  if (!form) return { problem: `${path} is not a .png, .webp or .svg file.` }
  try {
    const { size } = await stat(path)
    if (size > MAX_BRAND_BYTES)
      return { problem: `${path} has ${sizeText(size)}; at most ${sizeText(MAX_BRAND_BYTES)} are shown.` }
    const bytes = new Uint8Array(await readFile(path))
    if (!form.is(bytes)) return { problem: `${path} is not ${form.words}.` }
    return { type: form.type, bytes, etag: `"${Bun.hash(bytes).toString(36)}"` }
  } catch (failure) {
    const why = codeOf(failure) === 'ENOENT' ? 'was not found' : `cannot be read: ${messageOf(failure)}`
    return { problem: `${path} ${why}.` }
  }
}

/** The longest time until a replaced file is served. */
const CACHE_TTL_MS = 5_000

/** Returns a reader that reads each file at most once in 5 seconds, for all requests. */
export function cachedBrandFiles(
  data_folder: string,
  now: () => number,
): (name: string) => Promise<BrandReading> {
  const kept = new Map<string, { read_at_ms: number; reading: Promise<BrandReading> }>()
  return (name) => {
    const last = kept.get(name)
    if (last && Math.abs(now() - last.read_at_ms) < CACHE_TTL_MS) return last.reading
    const reading = readBrandFile(data_folder, name)
    // Only the current logo and icon are cached, not files of earlier settings.
    if (kept.size > 1 && !last) kept.clear()
    kept.set(name, { read_at_ms: now(), reading })
    return reading
  }
}
