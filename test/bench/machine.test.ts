// What the bench says of the machine beforehand: a busy one is named, for its figures are not to be believed.
import { expect, test } from 'bun:test'
import { loadFigure } from './machine.ts'

test.each([
  ['idle', 0.1, 2, false],
  ['at its bound', 0.5, 2, false],
  ['with one process at work on two cores', 1, 2, true],
  ['with one process at work on sixteen cores', 1, 16, false],
])('a machine %s', (_, load_average, cores, busy) => {
  const figure = loadFigure(load_average, cores)
  expect(figure.gateway).toBe(load_average)
  expect(figure.what.includes('BUSY')).toBe(busy)
})
