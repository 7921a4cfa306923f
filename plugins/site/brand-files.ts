// The files of the brand: the logo and the icon, read from the data folder, checked for what they are, and kept in memory.
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

/** A file, or why it is not shown, in a sentence for the operator. */
type BrandReading = BrandFile | { problem: string }

/** They are part of every page, and in mails. */
export const MAX_BRAND_BYTES = 256_000

interface Form {
  type: string
  is(bytes: Uint8Array): boolean
  /** "an SVG image" */
  words: string
}

const imageForm = (type: ImageMime, words: string): Form => ({
  type,
  is: (bytes) => sniffImage(bytes) === type,
  words,
})

/** By the ends of names. */
const FORMS: Readonly<Record<string, Form>> = {
  png: imageForm('image/png', 'a PNG image'),
  webp: imageForm('image/webp', 'a WebP image'),
  svg: { type: 'image/svg+xml', is: isSvg, words: 'an SVG image without entities' },
}

/** Text that may stand before the root, by how it begins and ends: https://www.w3.org/TR/xml/#sec-prolog-dtd */
const PROLOG = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!', '>'],
] as const

/** The text from its root element on. */
function fromRoot(text: string): string {
  for (let rest = text.trimStart(); ; ) {
    const part = PROLOG.find(([begin]) => rest.startsWith(begin))
    const end = part ? rest.indexOf(part[1]) : -1
    if (!part || end < 0) return rest
    rest = rest.slice(end + part[1].length).trimStart()
  }
}

/** Entities would unfold to more than there is. Scripts do not matter: it is shown as an image, where none run. */
function isSvg(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /^<(?:[\w-]+:)?svg[\s>]/i.test(fromRoot(text)) && !/<!ENTITY/i.test(text)
  } catch {
    // It is not UTF-8, which is all that SVG of today is written in.
    return false
  }
}

/**
 * Reads a file of the brand.
 *
 * @param name as `[brand]` has it: without folders, ending in png, webp or svg
 */
export async function readBrandFile(data_folder: string, name: string): Promise<BrandReading> {
  const path = join(data_folder, name)
  const form = FORMS[name.slice(name.lastIndexOf('.') + 1)]
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

/** A replaced file is shown after this time. */
const KEPT_MS = 5_000

/** Reads a file at most once in some seconds, however many ask for it. */
export function keptBrandFiles(
  data_folder: string,
  now: () => number,
): (name: string) => Promise<BrandReading> {
  const kept = new Map<string, { read_at_ms: number; reading: Promise<BrandReading> }>()
  return (name) => {
    const last = kept.get(name)
    if (last && Math.abs(now() - last.read_at_ms) < KEPT_MS) return last.reading
    const reading = readBrandFile(data_folder, name)
    // Two names at most are in use: those of former settings go.
    if (kept.size > 1 && !last) kept.clear()
    kept.set(name, { read_at_ms: now(), reading })
    return reading
  }
}
