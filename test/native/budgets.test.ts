// Calls that a budget refuses: the answer names the budget and its reset, in its body and in Retry-After; the account's view has both.
import { expect, test } from 'bun:test'
import { mondayOf } from '../../src/domain/budgets.ts'
import { answer, ask, refusalOf, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const { gateway, call } = await fileScene({ script: whole(answer()) })

test('a weekly budget refuses with 402, its name, its reset and Retry-After', async () => {
  const key = await gateway.caller('10', { budgets: { week: 1_000_000_000, '5h': 5_000_000_000 } })
  gateway.db.run(
    `UPDATE budgets SET started_ms = ${mondayOf(Date.now())}, first_hold_id = 1, used_nanos = limit_nanos WHERE period = 'week'`,
  )
  const response = await call(wholePath(), ask(), { key })
  const { status, message } = await refusalOf(response)
  expect(status).toBe(402)
  expect(message).toMatch(/weekly spend limit .* The limit resets at \d{4}-\d\d-\d\dT00:00:00.000Z\./)
  const wait_s = Number(response.headers.get('retry-after'))
  expect(wait_s).toBeGreaterThan(0)
  expect(wait_s).toBeLessThanOrEqual(7 * 86_400)
  const account = await fetch(new URL('/api/v1/account', gateway.url), {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await account.json()).toMatchObject({
    spend_limits: [],
    key: {
      spend_limits: [
        { period: '5h', state: 'ok', resets_at: null },
        { period: 'week', limit_usd: '1.00', state: 'reached' },
      ],
    },
  })
})

test('a budget that fits no call refuses with 402 and no time, because waiting does not help', async () => {
  const key = await gateway.caller('10', { budgets: { week: 0 } })
  const response = await call(wholePath(), ask(), { key })
  const { status, message } = await refusalOf(response)
  expect([status, response.headers.get('retry-after')]).toEqual([402, null])
  expect(message).not.toContain('The limit resets at')
})
