// Diagnoses of checks: a finding and its advice are shown as one text.
import { expect, test } from 'bun:test'
import { diagnosesOf } from '../../../src/app/checks/check.ts'

const FOUND = [
  ['a clause', 'order 3: it was paid twice', 'order 3: it was paid twice'],
  ['words of a payment method', 'order 3: Card declined.', 'order 3: Card declined'],
  ['two sentences', 'It failed. It is on the balance again.', 'It failed. It is on the balance again'],
  ['a question', 'is it away?', 'is it away?'],
  ['a number', 'version 1.2 of 1.3', 'version 1.2 of 1.3'],
]

test.each(FOUND)(
  'a finding loses its own full stop, because one is added when it is shown: %s',
  (_, words, found) => {
    const { ok, warn, fail } = diagnosesOf('payments')
    expect(
      [ok(words), warn(words, 'Look.'), fail(words, 'Look.')].map((diagnosis) => diagnosis.found),
    ).toEqual(Array(3).fill(found))
  },
)
