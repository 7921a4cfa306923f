// Damaged image headers: all of them are read or refused. The attack `image-headers` tries a million.
import { expect, test } from 'bun:test'
import { countPngFrames } from '../../src/media/apng.ts'
import { SEED } from '../support/seed.ts'
import { pngChunk, withPngChunks } from './crafted.ts'
import { decodeWholly, mutantsOf, readHeaders, sourcesOfHeaders } from './mutants.ts'
import { concat, paint } from './support.ts'

const HEADERS = 5_000
const WHOLE_IMAGES = 300
const ALLOWED = ['read', 'MAGIC_MISMATCH', 'invalid_data_uri']
const ALLOWED_WHOLE = ['read', 'IMAGE_TYPE_UNSUPPORTED', 'IMAGE_TOO_LARGE', 'invalid_request']

test(`${HEADERS} damaged headers are read or refused, seed ${SEED}`, async () => {
  const mutants = mutantsOf(await sourcesOfHeaders(), SEED)
  const outcomes = new Set(mutants.take(HEADERS).map(readHeaders))
  expect([...outcomes].filter((outcome) => !ALLOWED.includes(outcome))).toEqual([])
  expect(outcomes.size).toBeGreaterThan(1)
})

test(`${WHOLE_IMAGES} of them are decoded or refused, seed ${SEED}`, async () => {
  const outcomes = new Set<string>()
  for (const bytes of mutantsOf(await sourcesOfHeaders(), SEED).take(WHOLE_IMAGES))
    outcomes.add(await decodeWholly(bytes))
  expect([...outcomes].filter((outcome) => !ALLOWED_WHOLE.includes(outcome))).toEqual([])
  expect(outcomes.size).toBeGreaterThan(1)
})

test.each([
  [100_000, 1],
  [100_001, Number.POSITIVE_INFINITY],
])('a PNG of %d chunks without data counts as %d frames', (chunks, frames) => {
  expect(countPngFrames(new Uint8Array(8 + chunks * 12))).toBe(frames)
})

test('a PNG with more chunks than any image needs is refused, without counting data after its end', async () => {
  const png = await paint('png')
  const chunks = concat(...Array(100_001).fill(pngChunk('prVt', '')))
  expect(await decodeWholly(withPngChunks(png, chunks))).toBe('IMAGE_TOO_LARGE')
  expect(await decodeWholly(concat(png, chunks))).toBe('read')
})
