// Recorded calls at other prices: all calls of a period, or the newest of them, from which the rest is extrapolated.
import { expect, test } from 'bun:test'
import { rerateCalls } from '../../plugins/prices/rerating/recorded-calls.ts'
import { FLASH, PRO } from '../money/pricing/prices.ts'
import { MODEL } from '../support/catalogue.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'

const CALLS = 6
const { gateway, call } = await fileScene({ script: answering })
for (let made = 0; made < CALLS; made++) await (await call(wholePath(MODEL), ask())).text()
await gateway.rest()

const rerate = (more: object = {}) =>
  rerateCalls(gateway.store, {
    from_ms: Date.now() - 3_600_000,
    until_ms: Date.now() + 3_600_000,
    models: [{ id: MODEL, group: null, current: FLASH, next: PRO }],
    groups: new Set<string>(),
    ...more,
  })
const charged_nanos = gateway.rows().calls.reduce((sum, { cost_nanos }) => sum + cost_nanos, 0)

test('all calls are rated if there are no more than the maximum', async () => {
  const { all, sampled_calls } = await rerate({ max_calls: CALLS })
  expect(sampled_calls).toBeUndefined()
  expect(all).toMatchObject({ calls: CALLS, charged_nanos, unrated_calls: 0 })
  expect(all.rerated_nanos).not.toBe(charged_nanos)
})

test.each([1, 2, 4, 5])('the newest %d calls are rated, and the rest by them', async (max_calls) => {
  const whole = await rerate()
  const part = await rerate({ max_calls })
  expect(part.sampled_calls).toBe(max_calls)
  // All calls are alike.
  expect([part.all, part.models, part.accounts]).toEqual([whole.all, whole.models, whole.accounts])
})

test('calls of other times and of other models do not count', async () => {
  const hour_ms = 3_600_000
  const before = await rerate({ from_ms: Date.now() - 9 * hour_ms, until_ms: Date.now() - 8 * hour_ms })
  const others = await rerate({ models: [{ id: 'another', group: null, current: FLASH, next: PRO }] })
  for (const { all, models, accounts } of [before, others])
    expect([all.calls, models, accounts]).toEqual([0, [], []])
})

test('calls of a removed model count as they were charged', async () => {
  const { all } = await rerate({ models: [{ id: MODEL, group: null, current: FLASH, next: undefined }] })
  expect(all).toMatchObject({ unrated_calls: CALLS, unrated_nanos: charged_nanos, rerated_nanos: 0 })
})
