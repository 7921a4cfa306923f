// The ends of strings in JSON bytes.
import { expect, test } from 'bun:test'
import { closingQuote } from '../../../src/protocols/wire/json-bytes.ts'

test('the closing quote is found after any run of backslashes, at any distance', () => {
  for (let distance = 0; distance <= 40; distance++) {
    for (let backslashes = 0; backslashes <= 40; backslashes++) {
      const text = JSON.stringify(`${'x'.repeat(distance)}${'\\'.repeat(backslashes)}"`)
      expect(closingQuote(Buffer.from(`${text},"next"`), 1)).toBe(text.length - 1)
    }
  }
})
