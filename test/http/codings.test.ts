// The choice of the content coding of a response by Accept-Encoding.
import { describe, expect, test } from 'bun:test'
import { acceptedCoding } from '../../src/http/codings.ts'

describe('the coding for an Accept-Encoding', () => {
  test.each([
    [null, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['BR', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0 , gzip ; q=0', 'identity'],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['*;q=0', 'identity'],
    ['identity', 'identity'],
    ['gzip;q=0.5, br;q=0.1', 'br'],
    ['brotli, xgzip', 'identity'],
    ['br;q=garbage', 'identity'],
    [',,;q=1,', 'identity'],
  ])('%p is %s', (header, coding) => {
    expect(acceptedCoding(header, ['br', 'gzip'])).toBe(coding as 'br')
  })
})
