// Estimates of media, which are charged if a provider reports no usage: never above the hold.
import { describe, expect, test } from 'bun:test'
import type { Medium } from '../../src/domain/media/medium.ts'
import { measurePdf } from '../../src/domain/media/pdf.ts'
import { boundMedia, estimateFor } from '../../src/domain/media/tokens.ts'
import { MediaWork } from '../../src/domain/media/work.ts'
import { craftedPdf } from '../support/crafted-media.ts'

const CONTEXT_TOKENS = 100_000
const MODELS = [
  'claude-haiku-4-5',
  'claude-opus-5',
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-5',
  'gemini-3.5-flash',
  'grok-4',
  'unheard-of',
]
const MEDIA: readonly Medium[] = [
  { kind: 'image' },
  { kind: 'image', size: { width: 1, height: 1 }, detail: 'low' },
  { kind: 'document', pages: 1, text_tokens: 0 },
  { kind: 'document', pages: 50_000, text_tokens: 0 },
  { kind: 'document', pages: undefined, text_tokens: undefined },
  { kind: 'audio', seconds: 1 },
  { kind: 'audio', seconds: 600_000 },
  { kind: 'video', seconds: 600_000, frames_per_s: 24 },
  { kind: 'uncounted' },
  { kind: 'uncounted', bytes: 1 },
]

describe.each(MODELS)('for %s', (model) => {
  test.each(MEDIA)('%j is estimated at no more than its bound and the context', (medium) => {
    const estimate = estimateFor([medium], [model], CONTEXT_TOKENS)
    expect(estimate).toBeLessThanOrEqual(boundMedia([medium], [model], CONTEXT_TOKENS))
    expect(estimate).toBeLessThanOrEqual(CONTEXT_TOKENS)
  })
})

test.each([['9'.repeat(400)], ['999999999'], ['50001']])('a page count of %s counts as unknown', (count) => {
  const pdf = craftedPdf({ pages: 1 }).toString('latin1').replace('/Count 1', `/Count ${count}`)
  expect(measurePdf(Buffer.from(pdf, 'latin1'), new MediaWork()).pages).toBeUndefined()
})
