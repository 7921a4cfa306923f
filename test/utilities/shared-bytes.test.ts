// Shared bytes: one account leaves a part to the others.
import { expect, test } from 'bun:test'
import { createSharedBytes } from '../../src/utilities/shared-bytes.ts'

type Step = [change: 'take' | 'give', account_id: number, bytes: number, taken: boolean]

test.each<[title: string, ...steps: Step[]]>([
  ['an account alone takes half', ['take', 1, 50, true], ['take', 1, 1, false], ['take', 2, 1, true]],
  ['the next takes half of the rest', ['take', 1, 50, true], ['take', 2, 26, false], ['take', 2, 25, true]],
  [
    'two leave room for a third',
    ['take', 1, 50, true],
    ['take', 2, 25, true],
    ['take', 2, 1, false],
    ['take', 3, 12, true],
  ],
  [
    'the account that has taken the most is the first to be refused',
    ['take', 1, 40, true],
    ['take', 2, 30, true],
    ['take', 1, 1, false],
    ['take', 3, 10, true],
  ],
  [
    'returned bytes can be taken again',
    ['take', 1, 50, true],
    ['give', 1, 50, true],
    ['take', 2, 50, true],
    ['take', 2, 1, false],
  ],
])('of 100 bytes: %s', (_, ...steps) => {
  const shared = createSharedBytes(100)
  for (const [change, account_id, bytes, taken] of steps)
    if (change === 'give') shared.give(account_id, bytes)
    else
      expect({ account_id, bytes, taken: shared.take(account_id, bytes) }).toEqual({
        account_id,
        bytes,
        taken,
      })
})
