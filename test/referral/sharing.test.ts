// The shares of payments, from the payment to the end of its refunds and disputes: each once, and to the nano-dollar.
import { beforeEach, describe, expect, test } from 'bun:test'
import { credit } from '../../plugins/payments/crediting.ts'
import { shareMovementsOf } from '../../plugins/payments/shares.ts'
import { orderById } from '../../plugins/payments/store.ts'
import { settleShares, sharesOfPayment } from '../../plugins/referral/sharing.ts'
import { paymentScene } from '../payments/console/scene.ts'
import { memoryLog } from '../support/memory-log.ts'
import { SEED } from '../support/seed.ts'

const USD = 1_000_000_000
const scene = await paymentScene({ more: '[referral]\nshare = 0.1\nmonths = 12\n' })
const { gateway, operator, alice, owner, fake } = scene
const { store } = gateway
const settings = { per_mille: 100, months: 12 }
const parts = {
  db: store,
  now: Date.now,
  log: { warn: () => {} },
  settings: () => settings,
  ledger: gateway.ledger,
}
const bob = gateway.rows().accounts.find(({ name }) => name === 'bob')?.id ?? 0
const [bobs, alices] = [() => scene.balance('bob') ?? 0, () => scene.balance() ?? 0]
const debt = () => gateway.rows().accounts.find(({ name }) => name === 'bob')?.debt_nanos ?? 0
const run = (sql: string) => store.write((db) => db.rows(sql))
/** Makes an order and marks it as paid like a command, which credits no shares. */
async function payByCommand(amount: string): Promise<number> {
  const id = await scene.makeOrder(amount)
  const order = await orderById(store, id)
  const { currency, amount_minor } = order
  const without = { ...parts, providers: () => [], publicUrl: () => '', log: memoryLog().log }
  await credit(without, order, { state: 'paid', currency, amount_minor }, { source: 'command' })
  await run(`UPDATE orders SET paid_at_ms = ${Date.now()} WHERE id = ${id}`)
  return id
}
const refund = (id: number, amount?: string) =>
  operator.json('POST', `/orders/${id}/refund`, { reason: '', ...(amount === undefined ? {} : { amount }) })

beforeEach(async () => {
  await run('DELETE FROM referrals')
  await run('DELETE FROM closed_accounts')
  // Moves payments that earlier tests left without a share out of the last day.
  await run('UPDATE orders SET paid_at_ms = 0')
  await run("UPDATE accounts SET status = 'active'")
  await run(`INSERT INTO referrals VALUES (1, ${alice.id}, ${bob}, ${Date.now() - 1_000})`)
  fake.refunds = 'done'
})

describe('a payment', () => {
  test('gives its referrer a tenth of its credit, without the bonus, in its own transaction', async () => {
    const [before, payer] = [bobs(), alices()]
    const id = await scene.makePaidOrder('100')
    expect(bobs() - before).toBe(10.8 * USD)
    // 108 USD and 5 %: the payer pays nothing of the share.
    expect(alices() - payer).toBe(113.4 * USD)
    const entries = await store.rows<{ request_key: string; id: number }>(
      `SELECT request_key, id FROM entries WHERE request_key IN ('order:${id}', 'referral:${id}') ORDER BY id`,
    )
    expect(entries.map(({ request_key }) => request_key)).toEqual([`order:${id}`, `referral:${id}`])
    // Another lookup and the sweep credit nothing more.
    await owner.json('POST', `/orders/${id}/look`)
    await Promise.all([settleShares(parts), settleShares(parts), settleShares(parts)])
    expect(bobs() - before).toBe(10.8 * USD)
  })

  test.each([
    ['of an account without a referrer', () => run('DELETE FROM referrals'), 0],
    [
      'after the months',
      () => run(`UPDATE referrals SET created_at_ms = ${Date.now() - 366 * 86_400_000}`),
      0,
    ],
    ['to a closed referrer', () => run(`INSERT INTO closed_accounts VALUES (${bob}, 0)`), 0],
    [
      'to a suspended referrer, whose balance keeps it',
      () => run(`UPDATE accounts SET status = 'suspended' WHERE id = ${bob}`),
      2.7 * USD,
    ],
  ] as const)('%s gives the right share', async (_, prepare, share) => {
    await prepare()
    const before = bobs()
    await scene.makePaidOrder('25')
    await settleShares(parts)
    expect(bobs() - before).toBe(share)
  })

  test('while referrals are off gives nothing', async () => {
    const off = { ...parts, settings: () => ({ per_mille: 0, months: 12 }) }
    expect(await sharesOfPayment(off, { id: 1, account_id: alice.id, credit_nanos: 5 * USD })).toEqual([])
  })

  test('that a command marked as paid gets its share from the sweep within a day', async () => {
    await run('DELETE FROM referrals')
    const [soon, late] = [await payByCommand('25'), await payByCommand('25')]
    // Credited by the gateway, while no account was due a share.
    await scene.makePaidOrder('25')
    await run(`UPDATE orders SET paid_at_ms = ${Date.now() - 86_400_001} WHERE id = ${late}`)
    await run(`INSERT INTO referrals VALUES (1, ${alice.id}, ${bob}, ${Date.now() - 1_000})`)
    const before = bobs()
    await Promise.all([settleShares(parts), settleShares(parts)])
    expect(bobs() - before).toBe(2.7 * USD)
    expect(await shareMovementsOf(store, { name: 'referral', id: soon, account_id: bob })).toMatchObject({
      credited_nanos: 2.7 * USD,
    })
  })
})

describe('a refund', () => {
  test('takes its part of the share back, and all refunds take all of it', async () => {
    const before = bobs()
    const id = await scene.makePaidOrder('100')
    await refund(id, '25')
    await settleShares(parts)
    expect(bobs() - before).toBe(8.1 * USD)
    await refund(id, '33.33')
    await Promise.all([settleShares(parts), settleShares(parts)])
    expect(bobs() - before).toBe(10.8 * USD - Math.floor((10.8 * USD * 5_833) / 10_000))
    await refund(id)
    await settleShares(parts)
    expect(bobs() - before).toBe(0)
  })

  test('takes it as debt if the referrer has spent it', async () => {
    const id = await scene.makePaidOrder('25')
    const balance = bobs()
    await run(`UPDATE accounts SET balance_nanos = 0 WHERE id = ${bob}`)
    await refund(id)
    await settleShares(parts)
    expect(debt()).toBe(2.7 * USD)
    await run(`UPDATE accounts SET balance_nanos = ${balance - 2.7 * USD}, debt_nanos = 0 WHERE id = ${bob}`)
  })

  test('that failed takes nothing', async () => {
    const before = bobs()
    const id = await scene.makePaidOrder('25')
    fake.refunds = 'failed'
    await refund(id)
    await settleShares(parts)
    expect(bobs() - before).toBe(2.7 * USD)
  })

  test('that fails after it was done gives the share again', async () => {
    const before = bobs()
    const id = await scene.makePaidOrder('25')
    await refund(id)
    await settleShares(parts)
    expect(bobs() - before).toBe(0)
    await run(`UPDATE orders SET state = 'refund_failed', refunded_minor = 0 WHERE id = ${id}`)
    await settleShares(parts)
    await settleShares(parts)
    expect(bobs() - before).toBe(2.7 * USD)
    await run(`UPDATE orders SET state = 'refunded', refunded_minor = amount_minor WHERE id = ${id}`)
    await settleShares(parts)
    expect(bobs() - before).toBe(0)
  })
})

test('a lost dispute takes the part of the share that refunds left', async () => {
  const before = bobs()
  const id = await scene.makePaidOrder('100')
  await refund(id, '50')
  await settleShares(parts)
  expect(bobs() - before).toBe(5.4 * USD)
  await run(`UPDATE orders SET state = 'disputed' WHERE id = ${id}`)
  await settleShares(parts)
  expect(bobs() - before).toBe(5.4 * USD)
  await run(`UPDATE orders SET state = 'lost' WHERE id = ${id}`)
  await Promise.all([settleShares(parts), settleShares(parts)])
  expect(bobs() - before).toBe(0)
})

test(`any order of refunds, failures and sweeps ends at the same sum (seed ${SEED})`, async () => {
  const before = bobs()
  let state = SEED >>> 0
  const below = (max: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % max
  }
  let due = 0
  for (let round = 0; round < 12; round++) {
    const amount = 500 + below(9_500)
    const id = await scene.makePaidOrder((amount / 100).toFixed(2))
    let refunded = 0
    for (let at = below(4); at > 0; at--) {
      const part = 1 + below(Math.max(1, amount - refunded))
      if (part > amount - refunded) continue
      fake.refunds = below(3) === 0 ? 'failed' : 'done'
      await refund(id, (part / 100).toFixed(2))
      if (fake.refunds === 'done') refunded += part
      if (below(2) === 0) await Promise.all([settleShares(parts), settleShares(parts)])
    }
    const share = (BigInt(amount) * 10_800_000n) / 10n
    due += Number(share - (share * BigInt(refunded)) / BigInt(amount))
  }
  await settleShares(parts)
  expect(bobs() - before + 0).toBe(due)
}, 60_000)

describe('visibility', () => {
  test('the referrer sees the link and its earnings, without names', async () => {
    const bob_owner = await scene.as('owner', 'bob')
    const view = await bob_owner.json('GET', '/referral')
    expect(view).toMatchObject({ per_cent: 10, months: 12, signed_up: 1, referrals: [{ id: 1 }] })
    expect(view.url).toMatch(/^https:\/\/gateway\.example\.com\/console\/sign-up\?ref=[0-9a-z]{12}$/)
    expect(JSON.stringify(view)).not.toContain('alice')
    expect((await bob_owner.json('GET', '/referral')).url).toBe(view.url)
    const { referrals } = await operator.json('GET', '/referrals')
    expect(referrals).toMatchObject([{ account: 'alice', referrer: 'bob', earned_nanos: view.earned_nanos }])
  })

  test.each([
    ['a member', 'member', 403],
    ['an owner', 'owner', 200],
    ['billing', 'billing', 200],
  ] as const)('%s of the account has its access', async (_, role, status) => {
    const client = await scene.as(role, 'bob')
    expect((await client.send('GET', '/referral')).status).toBe(status)
  })

  test('the staff has no link of its own', async () => {
    expect((await operator.send('GET', '/referral')).status).toBe(404)
  })
})
