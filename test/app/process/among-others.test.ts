// The gateways that share a database, as the System page tells them: which one answers, and whose catalogue is another.
import { expect, test } from 'bun:test'
import { sharingGateways } from '../../../src/app/process/among-others.ts'
import type { Gateway } from '../../../src/store/schema.ts'

const alive = (id: number, catalogue: string): Gateway => ({
  id,
  version: '1.2.3',
  started_at_ms: id * 1_000,
  ended_at_ms: null,
  node: `node-${id}`,
  name: `web-${id}`,
  catalogue,
  catalogue_since_ms: 1,
  seen_at_ms: 90_000,
})
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)]

const sharedBy = (catalogues: readonly string[], is_shared = true) => {
  const rows = catalogues.map((catalogue, at) => alive(at + 1, catalogue))
  const own_gateway = { id: 2, clock_offset_ms: -1_500, alive: rows }
  return { engine: { is_shared }, own_gateway } as unknown as Parameters<typeof sharingGateways>[0]
}

test('none where one has the database alone', () => {
  expect(sharingGateways(sharedBy([A], false))).toBeUndefined()
})

test.each<[string, string[], boolean[]]>([
  ['all have the same', [A, A, A], [false, false, false]],
  ['one of three has another', [A, B, A], [false, true, false]],
  ['the first one has another', [B, A, A], [true, false, false]],
  ['one of two has another: the second, as it began later', [A, B], [false, true]],
  ['one has not told its catalogue yet', [A, '', A], [false, false, false]],
])('%s', (_, catalogues, others) => {
  const shown = sharingGateways(sharedBy(catalogues))
  expect(shown?.clock_ahead_ms).toBe(-1_500)
  expect(shown?.alive.map(({ has_other_catalogue }) => has_other_catalogue)).toEqual(others)
  expect(shown?.alive[1]).toEqual({
    id: 2,
    name: 'web-2',
    version: '1.2.3',
    started_at_ms: 2_000,
    seen_at_ms: 90_000,
    is_this: true,
    catalogue: catalogues[1] === '' ? null : (catalogues[1] ?? '').slice(0, 8),
    has_other_catalogue: others[1] ?? false,
  })
})
