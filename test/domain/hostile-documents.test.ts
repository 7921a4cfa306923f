// Documents and recordings built to take long: each is read once, within a budget of steps that a request's documents share.
import { describe, expect, test } from 'bun:test'
import { audioMedium, pdfMedium, videoMedium } from '../../src/domain/media/medium.ts'
import { measurePdf } from '../../src/domain/media/pdf.ts'
import { MediaWork } from '../../src/domain/media/work.ts'
import { HOSTILE_MEDIA, HOSTILE_PDFS, pdfOfDigits } from '../support/hostile-documents.ts'

/** A reader that compares each part with each other takes a quarter of a minute for so many, on any machine. */
const BYTES = 240_000
const MAX_MS = 3_000

const elapsedMs = (run: () => unknown): number => {
  const began_ms = performance.now()
  run()
  return performance.now() - began_ms
}

describe('240,000 bytes', () => {
  test.each(Object.entries(HOSTILE_PDFS))('a PDF of %s', (_name, make) => {
    const pdf = make(BYTES)
    expect(elapsedMs(() => measurePdf(pdf, new MediaWork()))).toBeLessThan(MAX_MS)
  })

  test.each(Object.entries(HOSTILE_MEDIA))('a recording of %s', (_name, make) => {
    const data = make(BYTES).toString('base64')
    expect(elapsedMs(() => [audioMedium(data), videoMedium(data, 1)])).toBeLessThan(MAX_MS)
  })
})

test('all documents of a request share one budget of steps', () => {
  const work = new MediaWork()
  const data = pdfOfDigits().toString('base64')
  expect(elapsedMs(() => Array.from({ length: 1_000 }, () => pdfMedium(data, work)))).toBeLessThan(MAX_MS)
})

test('the budget of steps has a maximum, however long the documents are', () => {
  const work = new MediaWork()
  for (let document = 0; document < 100; document++) work.add(30_000_000)
  work.spend(80_000_000)
  expect(() => work.spend(1)).toThrow()
})
