// The maximum tokens per byte of a PDF's text, by its fonts.
// ISO 32000-1, sections 9.6 (simple fonts), 9.7 (composite fonts) and 9.10.3 (ToUnicode)
import { boundText } from '../token-bound.ts'
import { MAX_SIGN_TOKENS, tokensOfGlyphs } from './pdf-glyphs.ts'
import { type PdfDocument, refsTo } from './pdf-pages.ts'
import { type Budget, decoded } from './pdf-streams.ts'
import { type MediaWork, Unreadable } from './work.ts'

/** The tokens of a Latin letter's byte, or of half a Chinese character. */
const MIN_TOKENS_PER_BYTE = 1.5

/** @throws Unreadable */
export function tokensPerByte(document: PdfDocument, budget: Budget): number {
  const { objects, all, work } = document
  let tokens = hasSigns(document) ? MAX_SIGN_TOKENS : MIN_TOKENS_PER_BYTE
  for (const { body } of all) tokens = Math.max(tokens, tokensOfGlyphs(body, work))
  for (const [number, bytes] of unicodeTables(document))
    for (const table of objects.get(number) ?? [])
      if (table.data) tokens = Math.max(tokens, tokensByTable(decoded(table, budget), work) / bytes)
  return tokens
}

/** Symbol fonts, whose encodings are built into readers. ISO 32000-1, annex D.5 and D.6 */
const SIGN_FONT = /Symbol|Dingbats|Wingdings|Webdings/
/** Encodings in which a byte may be a half-width katakana. https://github.com/adobe-type-tools/cmap-resources (Adobe-Japan1) */
const SIGN_TABLE = /RKSJ|Hankaku|Hiragana|Katakana/

/** Whether a byte may be any character, by encodings that are not in the document, or are not read here. */
const hasSigns = ({ all }: PdfDocument): boolean =>
  all.some(({ body }) => SIGN_FONT.test(body) || SIGN_TABLE.test(body) || hasOwnTable(body)) ||
  (all.some(({ body }) => /\/FontFile[23]?\b/.test(body)) && all.some(({ body }) => hasNoTable(body)))

/** Whether it is a composite font with an encoding embedded in the document. */
const hasOwnTable = (body: string): boolean =>
  /\/DescendantFonts\b/.test(body) && !/\/Encoding\s*\/[\w-]/.test(body)

/** Whether it is a simple font without an encoding: the glyph names in the font program determine its characters. */
const hasNoTable = (body: string): boolean =>
  /\/FontDescriptor\s*(?:\d|<<)/.test(body) && !/\/ToUnicode\b|\/CIDFontType[02]\b/.test(body)

/** A reference in an unusual form. */
const OTHER_REFERENCE = /\/(?:ToUnicode|UseCMap)\b(?!\s+\d{1,10}\s+\d{1,5}\s+R\b|\s*\/)/

/** ToUnicode streams, with those that they refer to, by the minimum bytes of a character in their fonts. @throws Unreadable */
function unicodeTables({ objects, all, work }: PdfDocument): ReadonlyMap<number, number> {
  if (all.some(({ body }) => OTHER_REFERENCE.test(body))) throw new Unreadable()
  const tables = new Map<number, number>()
  const waiting = all.flatMap(({ body }) => {
    const bytes = /\/Encoding\s*\/Identity-[HV]\b/.test(body) ? 2 : 1
    return refsTo('ToUnicode', body, work).map((ref): [number, number] => [ref, bytes])
  })
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [number, bytes] = next
    if ((tables.get(number) ?? 3) <= bytes) continue
    tables.set(number, bytes)
    for (const table of objects.get(number) ?? [])
      for (const ref of refsTo('UseCMap', table.body, work)) waiting.push([ref, bytes])
  }
  return tables
}

const TABLE_BYTE_STEPS = 5
/** The work to extract a text from a table, and to decode it. */
const TABLE_TEXT_STEPS = 150
const TABLE_CHAR_STEPS = 20

/** The maximum tokens of the text for a single character code. @param data of a ToUnicode stream @throws Unreadable */
function tokensByTable(data: Buffer, work: MediaWork): number {
  work.spend(data.length * TABLE_BYTE_STEPS)
  const table = data.toString('latin1').replace(/%[^\r\n]*/g, ' ')
  let longest = 0
  let most = 0
  for (const [section] of table.matchAll(/beginbf(?:char|range)[\s\S]*?(?:endbf|$)/g)) {
    work.spend(TABLE_TEXT_STEPS)
    // Strings in parentheses: unusual, but readers accept them.
    if (section.includes('(')) return Number.POSITIVE_INFINITY
    for (let at = section.indexOf('<'); at >= 0; ) {
      const end = section.indexOf('>', at)
      if (end < 0) break
      const size = end - at - 1
      work.spend(TABLE_TEXT_STEPS + size * TABLE_CHAR_STEPS)
      // A text of one character has at most three tokens.
      if (size > 4 || size > longest) most = Math.max(most, tokensOfHex(section.slice(at + 1, end)))
      longest = Math.max(longest, size)
      at = section.indexOf('<', end)
    }
  }
  return most
}

const tokensOfHex = (digits: string): number =>
  boundText(
    (digits.replace(/\s/g, '').match(/.{4}/g) ?? [])
      .map((code) => String.fromCharCode(Number.parseInt(code, 16)))
      .join(''),
  )
