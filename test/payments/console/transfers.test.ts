// Bank transfers at the console: instructions for the payer, and the operator's marks of transfers that arrived.
import { describe, expect, test } from 'bun:test'
import { transferReference } from '../../../plugins/payments/manual/reference.ts'
import { paymentScene } from './scene.ts'

const scene = await paymentScene({
  more: `[payments.manual]
instructions = "Send {amount} to DE02 1203 0000 0000 2020 51, with {reference}."
currencies = ["EUR"]
`,
})
const { owner, operator } = scene

const transfer = async (amount = '25') =>
  await owner.json('POST', '/orders', { method: 'manual', currency: 'EUR', amount })
const mark = (id: number, body: object = {}) => ({
  ...{ method: 'POST', path: `/orders/${id}/mark-paid` },
  body: { amount: '25', currency: 'EUR', reference: `SEPA ${id}`, ...body },
})

describe('an order by bank transfer', () => {
  test('has instructions for the payer, and is credited once an operator has marked it', async () => {
    const before = scene.balance() ?? 0
    const { order, go_to } = await transfer()
    const { id } = order
    expect(go_to).toBeNull()
    expect(order).toMatchObject({
      ...{ state: 'open', can_mark_paid: false },
      instructions: `Send 25.00 EUR to DE02 1203 0000 0000 2020 51, with ${transferReference({ id, expires_at_ms: order.expires_at_ms })}.`,
    })
    expect(await operator.json('GET', `/orders/${id}`)).toMatchObject({
      ...{ can_mark_paid: true, can_check: false },
      report: { next_look_at_ms: null },
    })
    const { method, path, body } = mark(id)
    expect(await operator.json(method, path, body)).toMatchObject({
      ...{ state: 'paid', can_mark_paid: false, instructions: null },
      changes: [{ to: 'paid', source: 'operator' }],
    })
    expect(scene.balance()).toBe(before + 27_000_000_000)
    // No payment method takes a fee: it is zero, not unknown.
    const { methods } = await operator.json('GET', '/payments')
    const transfers = methods.find((row: { method: string }) => row.method === 'manual')
    expect(transfers).toMatchObject({ payments: 1, fees: '0.00', without_fee: 0, net: '25.00' })
  })

  test.each([
    [{ amount: '24' }, 422, 'amount'],
    [{ currency: 'USD' }, 422, 'amount'],
    [{ amount: '25.005' }, 400, 'amount'],
    [{ reference: ' ' }, 400, 'reference'],
  ])('is not marked with %o, and credits nothing', async (wrong, status, param) => {
    const { order } = await transfer()
    const before = scene.balance()
    const { method, path, body } = mark(order.id, wrong)
    expect(await scene.refused(operator, method, path, body)).toMatchObject({ status, param })
    expect(scene.balance()).toBe(before)
    await owner.json('POST', `/orders/${order.id}/cancel`)
  })

  test('is marked by operators only, after a fresh sign-in; an order of another method cannot be marked', async () => {
    const { order } = await transfer()
    const { method, path, body } = mark(order.id)
    for (const client of [owner, await scene.staff('support'), await scene.staff('auditor')])
      expect(await scene.refused(client, method, path, body)).toMatchObject({
        status: 403,
        code: 'role_may_not',
      })
    expect(await scene.refused(await scene.stale(), method, path, body)).toMatchObject({
      code: 'confirm_sign_in',
    })
    const other = mark(await scene.makeOrder('25'))
    expect(await scene.refused(operator, other.method, other.path, other.body)).toMatchObject({
      ...{ status: 422, code: 'not_manual' },
    })
    expect(await owner.json('GET', `/orders/${order.id}`)).toMatchObject({ state: 'open' })
  })
})
