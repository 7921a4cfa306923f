// Different catalogues of gateways over one database: when that is told, and of whom.
import { expect, test } from 'bun:test'
import {
  type ToldCatalogue,
  unequalCatalogues,
  unequalInWords,
} from '../../../src/app/process/engine/unequal-catalogues.ts'

const NOW = 1_000_000
const gateway = (id: number, catalogue: string, changed_before_ms = 100_000): ToldCatalogue => ({
  id,
  name: `host-${id}`,
  catalogue,
  catalogue_since_ms: NOW - changed_before_ms,
})

const EQUAL: readonly (readonly [what: string, alive: ToldCatalogue[]])[] = [
  ['none', []],
  ['one', [gateway(1, 'a')]],
  ['two with the same', [gateway(1, 'a'), gateway(2, 'a')]],
  ['one that has not told yet', [gateway(1, 'a'), gateway(2, '')]],
  ['another for a minute', [gateway(1, 'a'), gateway(2, 'b', 60_000)]],
  ['another since a moment', [gateway(1, 'a'), gateway(2, 'b', 1)]],
]

test.each(EQUAL)('%s: nothing is told', (_, alive) => {
  expect(unequalCatalogues(alive, NOW)).toBeUndefined()
})

const UNEQUAL: readonly (readonly [what: string, alive: ToldCatalogue[], groups: number[][]])[] = [
  ['two', [gateway(1, 'a'), gateway(2, 'b')], [[1], [2]]],
  ['one of three', [gateway(1, 'b'), gateway(2, 'a'), gateway(3, 'a')], [[2, 3], [1]]],
  ['all of three', [gateway(1, 'a'), gateway(2, 'b'), gateway(3, 'c')], [[1], [2], [3]]],
  ['for a moment more than a minute', [gateway(1, 'a'), gateway(2, 'b', 60_001)], [[1], [2]]],
]

test.each(UNEQUAL)('%s: told, most of them first', (_, alive, groups) => {
  expect(unequalCatalogues(alive, NOW)?.map((group) => group.map(({ id }) => id))).toEqual(groups)
})

test('in words: by machine, number and the first digits of the fingerprint', () => {
  const groups = unequalCatalogues(
    [gateway(1, 'aaaaaaaaaa'), gateway(2, 'bbbbbbbbbb'), gateway(3, 'bbbbbbbbbb')],
    NOW,
  )
  expect(unequalInWords(groups ?? [])).toBe(
    'host-2 (2): bbbbbbbb, host-3 (3): bbbbbbbb; host-1 (1): aaaaaaaa',
  )
})
