// The gateways that share a database, as the System page shows them, with the one that answers marked.
import { expect, test } from 'bun:test'
import { sharingGateways } from '../../../src/app/process/sweeps.ts'
import type { Gateway } from '../../../src/store/schema.ts'

const alive = (id: number): Gateway => ({
  id,
  version: '1.2.3',
  started_at_ms: id * 1_000,
  ended_at_ms: null,
  node: `node-${id}`,
  name: `web-${id}`,
  catalogue: '',
  catalogue_since_ms: 0,
  seen_at_ms: 90_000,
})

const sharedBy = (count: number, is_shared = true) => {
  const rows = Array.from({ length: count }, (_, at) => alive(at + 1))
  const own_gateway = { id: 2, clock_offset_ms: -1_500, alive: rows }
  return { engine: { is_shared }, own_gateway } as unknown as Parameters<typeof sharingGateways>[0]
}

test('a gateway with its own database lists no gateways', () => {
  expect(sharingGateways(sharedBy(1, false))).toBeUndefined()
})

test('live gateways are listed in order', () => {
  const sharing = sharingGateways(sharedBy(3))
  expect(sharing?.clock_ahead_ms).toBe(-1_500)
  expect(sharing?.alive.map(({ is_this }) => is_this)).toEqual([false, true, false])
  expect(sharing?.alive[1]).toEqual({
    id: 2,
    name: 'web-2',
    version: '1.2.3',
    started_at_ms: 2_000,
    seen_at_ms: 90_000,
    is_this: true,
  })
})
