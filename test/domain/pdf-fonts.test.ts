// Fonts of a PDF that may map each byte to a symbol: three tokens a byte, the most that a symbol takes.
import { expect, test } from 'bun:test'
import { measurePdf } from '../../src/domain/media/pdf.ts'
import { MediaWork } from '../../src/domain/media/work.ts'
import { boundText } from '../../src/domain/token-bound.ts'

const LETTERS = 10_000
/** A page of letters in a font. */
const pdfIn = (font: string, more = ''): Buffer => {
  const text = `BT /F 9 Tf (${'a'.repeat(LETTERS)}) Tj ET`
  return Buffer.from(
    `%PDF-1.7
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Count 1/Kids[4 0 R]>> endobj
3 0 obj <</Type/Font${font}>> endobj
4 0 obj <</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F 3 0 R>>>>>> endobj
5 0 obj <</Length ${text.length}>>
stream
${text}
endstream endobj
${more}
trailer <</Root 1 0 R>>
%%EOF`,
    'latin1',
  )
}
const textOf = (pdf: Buffer): number =>
  measurePdf(pdf, new MediaWork()).text_tokens ?? Number.POSITIVE_INFINITY
const PROGRAM =
  '7 0 obj <</Type/FontDescriptor/FontFile 8 0 R>> endobj 8 0 obj <</Length 1>>\nstream\nx\nendstream endobj'
const TABLE = '9 0 obj <</Length 1>>\nstream\nx\nendstream endobj'

test.each<[name: string, pdf: Buffer]>([
  ['ZapfDingbats', pdfIn('/Subtype/Type1/BaseFont/ZapfDingbats')],
  ['a subset of Symbol', pdfIn('/Subtype/TrueType/BaseFont/ABCDEF+SymbolMT')],
  ['a name in another object', pdfIn('/Subtype/Type1/BaseFont 7 0 R', '7 0 obj /Zapf#44ingbats endobj')],
  ['half-width katakana', pdfIn('/Subtype/Type0/Encoding/90ms-RKSJ-H/DescendantFonts[7 0 R]')],
  ['a table of its own', pdfIn('/Subtype/Type0/Encoding 7 0 R/DescendantFonts[8 0 R]')],
  [
    'a font program with names of its own',
    pdfIn('/Subtype/Type1/BaseFont/ABCDEF+X/FontDescriptor 7 0 R', PROGRAM),
  ],
  ['names of other symbols', pdfIn('/Subtype/Type1/Encoding<</Differences[97/spade]>>')],
])('each byte counts as a symbol: %s', (_name, pdf) => {
  expect(textOf(pdf)).toBeGreaterThanOrEqual(boundText('\u2721'.repeat(LETTERS)))
})

test.each<[name: string, pdf: Buffer]>([
  ['Helvetica', pdfIn('/Subtype/Type1/BaseFont/Helvetica')],
  [
    'a font program beside a ToUnicode table',
    pdfIn('/Subtype/Type1/FontDescriptor 7 0 R/ToUnicode 9 0 R', `${PROGRAM} ${TABLE}`),
  ],
  ['names of Latin letters', pdfIn('/Subtype/Type1/Encoding<</Differences[97/eacute/fi/bullet/Scaron]>>')],
])('each byte counts as a letter: %s', (_name, pdf) => {
  expect(textOf(pdf)).toBeWithin(LETTERS, 1.6 * LETTERS)
})
