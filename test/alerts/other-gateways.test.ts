// Other gateways that share the alerts: machines that are alive, and the eldest gateway.
import { expect, test } from 'bun:test'
import { hostname } from 'node:os'
import { otherGateways } from '../../plugins/alerts/other-gateways.ts'
import type { SharingGateway } from '../../src/app/surface/gateway.ts'

/** Of two gateways, the second is this one. */
const gateway = (id: number): SharingGateway => ({
  id,
  name: `web-${id}`,
  version: '1.2.3',
  started_at_ms: id * 1_000,
  seen_at_ms: 90_000,
  is_this: id === 2,
})

test('a gateway that shares no database has no others', () => {
  expect(otherGateways({ gateways: () => undefined, data_folder: '/data' })).toBeUndefined()
})

test('a machine is alive while a gateway of its name is, or if it is this machine', () => {
  const alive = [gateway(1), gateway(2)]
  const others = otherGateways({ gateways: () => ({ clock_ahead_ms: 0, alive }), data_folder: '/data' })
  const own = `${hostname()}:/data`
  // This gateway is web-2.
  const machines = ['web-1:/data', own, 'web-2:/a-folder-before', 'web-11:/data', '', 'web-1']
  expect(machines.map((name) => others?.isAlive(name))).toEqual([true, true, false, false, false, false])
  expect(others?.isEldest()).toBe(false)
  alive.shift()
  expect(others?.isEldest()).toBe(true)
})
