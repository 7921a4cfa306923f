// The bench's report on the machine: it warns of a busy one, whose figures are not reliable.
import { expect, test } from 'bun:test'
import { loadFigure } from './machine.ts'

test.each([
  ['idle', 0.1, 2, false],
  ['at the limit', 0.5, 2, false],
  ['with one busy process on two cores', 1, 2, true],
  ['with one busy process on sixteen cores', 1, 16, false],
])('a machine %s', (_, load_average, cores, busy) => {
  const figure = loadFigure(load_average, cores)
  expect(figure.gateway).toBe(load_average)
  expect(figure.what.includes('BUSY')).toBe(busy)
})
