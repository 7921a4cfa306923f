// The size of a PDF: never less than any reader finds, and for an ordinary document not much more.
import { describe, expect, test } from 'bun:test'
import { measurePdf as measure } from '../../src/domain/media/pdf.ts'
import { MediaWork } from '../../src/domain/media/work.ts'
import { craftedPdf, type PdfOptions } from '../support/crafted-media.ts'

const measurePdf = (bytes: Buffer) => measure(bytes, new MediaWork())
const textOf = (pdf: Buffer, from: string, to: string): Buffer =>
  Buffer.from(pdf.toString('latin1').replaceAll(from, to), 'latin1')
const ONE = craftedPdf({ pages: 1, letters: 1_000 })

describe('pages', () => {
  test.each<[name: string, pdf: Buffer, pages: number]>([
    ['one', ONE, 1],
    ['a hundred', craftedPdf({ pages: 100 }), 100],
    ['in an object stream', craftedPdf({ pages: 100, packed: true }), 100],
    ['more than the tree counts', craftedPdf({ pages: 100, count: 1 }), 100],
    ['fewer than the tree counts', craftedPdf({ pages: 1, count: 100 }), 100],
    ['without a type', textOf(craftedPdf({ pages: 100, count: 1 }), '/Type/Page/', '/Kind/Leaf/'), 100],
    ['by names in escapes', textOf(craftedPdf({ pages: 100, count: 1 }), '/Kids', '/#4bids'), 100],
    ['behind a comment', textOf(craftedPdf({ pages: 100, count: 1 }), '/Kids', '/Kids % none\n'), 100],
  ])('%s', (_name, pdf, pages) => {
    expect(measurePdf(pdf).pages).toBe(pages)
  })

  test.each<[name: string, pdf: Buffer]>([
    ['an empty file', Buffer.alloc(0)],
    ['not a PDF', Buffer.from('%PDF-1.7 but that is all')],
    ['encrypted', textOf(ONE, 'trailer <<', 'trailer <</Encrypt 8 0 R')],
    ['a page that is in its tree twice', textOf(craftedPdf({ pages: 2 }), '11 0 R', '10 0 R')],
    [
      'an object stream with another filter',
      textOf(craftedPdf({ pages: 9, packed: true }), '/FlateDecode', '/LZWDecode'),
    ],
    ['an object stream that is cut', craftedPdf({ pages: 9, packed: true }).subarray(0, -260)],
    ['an object inside a stream', textOf(ONE, 'endstream', '30 0 obj <</Kids[]>> endobj endstream')],
  ])('cannot be counted: %s', (_name, pdf) => {
    expect(measurePdf(pdf).pages).toBeUndefined()
  })
})

describe('text', () => {
  test.each<[name: string, options: PdfOptions, min_tokens: number]>([
    ['of one page', { pages: 1, letters: 1_000 }, 1_000],
    ['of each page', { pages: 10, letters: 1_000 }, 10_000],
    ['that all pages share', { pages: 50, letters: 1_000, shared: true }, 50_000],
    ['that is drawn repeatedly', { pages: 2, letters: 1_000, drawn: 30 }, 60_000],
    ['of letters that map to several', { pages: 1, letters: 1_000, letter_text: 'q1z2' }, 4_000],
    ['of letters that map to Han', { pages: 1, letters: 1_000, letter_text: '漢字' }, 4_000],
  ])('%s', (_name, options, min_tokens) => {
    const { text_tokens } = measurePdf(craftedPdf(options))
    expect(text_tokens).toBeWithin(min_tokens, 3 * min_tokens)
  })

  test.each<[name: string, pdf: Buffer]>([
    ['behind another filter', textOf(ONE, '/FlateDecode', '/LZWDecode  ')],
    ['that replaces marks', textOf(ONE, '/MediaBox', '/ActualText(x)/MediaBox')],
    ['that unfolds to a thousand times its bytes', craftedPdf({ pages: 1, letters: 0, drawn: 2_000_000 })],
  ])('has no bound: %s', (_name, pdf) => {
    expect(measurePdf(pdf).text_tokens).toBeUndefined()
  })
})
