// `size` and `aspect_ratio` (spec.md, Limits, row "size string"): what is accepted, what is refused, and the arithmetic.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { hasAspectRatio, largestWithin, parseAspectRatio, parseSize } from '../../src/domain/image-size.ts'
import { refusalOf } from '../media/support.ts'

describe('size: "auto" or WIDTHxHEIGHT', () => {
  test.each([
    '1024x1024',
    '1024x1536',
    '1536x1024',
    '1024x1792',
    '1792x1024',
    '1280x1280',
    '2048x2048',
    '256x256',
    '512x512',
    '4096x4096',
    '1x1',
    '9999999x9999999',
  ])('%s', (text) => {
    const [width, height] = text.split('x').map(Number)
    expect(parseSize(text)).toEqual({ width: Number(width), height: Number(height) })
  })

  test('auto', () => expect(parseSize('auto')).toBe('auto'))
})

describe('size: text words, spaces inside, overlong values: invalid_request', () => {
  test.each([
    '',
    ' ',
    'big',
    'large',
    'AUTO',
    'Auto',
    ' auto',
    'auto ',
    'x',
    '1024',
    '1024x',
    'x1024',
    '1024x1024x1024',
    '1024 x 1024',
    '1024 x1024',
    ' 1024x1024',
    '1024x1024 ',
    '1024x1024\n',
    '1024X1024',
    '1024×1024',
    '1024*1024',
    '1024,1024',
    '-1024x1024',
    '+1024x1024',
    '1024x-1',
    '0x0',
    '0x1024',
    '1024x0',
    '01024x1024',
    '1e3x1e3',
    '10.5x10',
    '0x400x0x400',
    '１０２４x１０２４',
    '1024x1024px',
    '16:9',
    '99999999x99999999',
    '1024x10240000000000',
    'null',
  ])('%j', async (text) => {
    expect(await refusalOf(() => parseSize(text))).toMatchObject({
      kind: 'invalid_request',
      code: 'invalid_request',
    })
  })
})

describe('aspect_ratio', () => {
  test.each([
    ['1:1', 1, 1],
    ['16:9', 16, 9],
    ['9:16', 9, 16],
    ['4:3', 4, 3],
    ['3:4', 3, 4],
    ['3:2', 3, 2],
    ['2:3', 2, 3],
    ['21:9', 7, 3],
    ['1920:1080', 16, 9],
    ['5:5', 1, 1],
  ])('%s is %d to %d', (text, width, height) => {
    expect(parseAspectRatio(text)).toEqual({ width, height })
  })

  test.each([
    '',
    '1',
    '16',
    '16:',
    ':9',
    '16/9',
    '16x9',
    '16:9:4',
    '16: 9',
    ' 16:9',
    '0:1',
    '1:0',
    '-1:1',
    '1.5:1',
    '016:9',
    '99999:1',
    'wide',
    'auto',
    '１６:９',
  ])('%j: invalid_request', async (text) => {
    expect(await refusalOf(() => parseAspectRatio(text))).toMatchObject({
      kind: 'invalid_request',
      code: 'invalid_request',
    })
  })
})

describe('the largest size of a ratio within another size', () => {
  const side = fc.integer({ min: 1, max: 5000 })
  const size = fc.record({ width: side, height: side })
  const ratio = fc
    .tuple(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 64 }))
    .map((pair) => parseAspectRatio(pair.join(':')))

  test('has the ratio to the pixel', () => {
    fc.assert(
      fc.property(size, ratio, (within, wished) => hasAspectRatio(largestWithin(within, wished), wished)),
    )
  })

  test('fits, and the next larger one does not', () => {
    fc.assert(
      fc.property(size, ratio, (within, wished) => {
        fc.pre(within.width >= wished.width && within.height >= wished.height)
        const { width, height } = largestWithin(within, wished)
        expect(width <= within.width && height <= within.height).toBe(true)
        expect(width + wished.width > within.width || height + wished.height > within.height).toBe(true)
      }),
    )
  })

  test('is the smallest size of the ratio if none fits', () => {
    expect(largestWithin({ width: 3, height: 2 }, { width: 16, height: 9 })).toEqual({ width: 16, height: 9 })
  })

  test.each([
    [
      { width: 1024, height: 1024 },
      { width: 16, height: 9 },
      { width: 1024, height: 576 },
    ],
    [
      { width: 1000, height: 1000 },
      { width: 16, height: 9 },
      { width: 992, height: 558 },
    ],
    [
      { width: 1536, height: 1024 },
      { width: 3, height: 2 },
      { width: 1536, height: 1024 },
    ],
    [
      { width: 1536, height: 1024 },
      { width: 2, height: 3 },
      { width: 682, height: 1023 },
    ],
  ])('within %j, %j is %j', (within, wished, expected) => {
    expect(largestWithin(within, wished)).toEqual(expected)
  })
})
