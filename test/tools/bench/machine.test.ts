// The bench's report on the machine: it warns of a busy one, whose figures are not reliable.
import { expect, test } from 'bun:test'
import { loadFigure } from './machine.ts'

test.each([
  ['idle', 0.1, false],
  ['just below the limit', 0.29, false],
  ['at the limit', 0.3, true],
  ['with one busy process', 1, true],
])('a machine %s', (_, load_average, busy) => {
  const figure = loadFigure(load_average, 2)
  expect(figure.gateway).toBe(load_average)
  expect(figure.what.includes('BUSY')).toBe(busy)
})
