// Refunds and disputes at the console: by operators who have just signed in, whole or in part, and their views by role.
import { describe, expect, test } from 'bun:test'
import { paymentScene } from './scene.ts'

const scene = await paymentScene()
const { owner, operator, fake } = scene

const refund = (id: number, body: object) => operator.json('POST', `/orders/${id}/refund`, body)
const refused = (id: number, body: object) => scene.refused(operator, 'POST', `/orders/${id}/refund`, body)

describe('a refund', () => {
  test('of a part, and then of the rest, takes the credit with its bonus from the balance', async () => {
    const before = scene.balance() ?? 0
    const id = await scene.makePaidOrder('100', { fee_minor: 200 })
    expect(scene.balance()).toBe(before + 113_400_000_000)
    expect(await refund(id, { amount: '25', reason: 'two weeks unused' })).toMatchObject({
      ...{ state: 'partly_refunded', refunded: '25.00', left: '75.00', can_refund: true },
      refunds: [
        {
          ...{ amount: '25.00', debit_usd: '28.35', state: 'done', reason: 'two weeks unused' },
          entry_id: expect.any(Number),
        },
      ],
    })
    expect(await refund(id, { reason: '' })).toMatchObject({
      ...{ state: 'refunded', refunded: '100.00', left: '0.00', can_refund: false },
      refunds: [{ debit_usd: '28.35' }, { amount: '75.00', debit_usd: '85.05', reason: '' }],
    })
    expect(scene.balance()).toBe(before)
    // The account sees the amounts and the reason.
    expect(await owner.json('GET', `/orders/${id}`)).toMatchObject({
      refunds: [{ reason: 'two weeks unused' }, {}],
      changes: [
        { to: 'paid' },
        { subject: 'refund', to: 'debited' },
        { subject: 'refund', to: 'done' },
        { subject: 'order', to: 'partly_refunded' },
        { subject: 'refund', to: 'debited' },
        { subject: 'refund', to: 'done' },
        { subject: 'order', to: 'refunded' },
      ],
    })
  })

  test('has a preview in USD, with the amount that the free balance lacks, which changes nothing', async () => {
    const preview = (id: number, query = '') => operator.json('GET', `/orders/${id}/refund${query}`)
    await scene.gateway.account('paula')
    const paula = await scene.as('owner', 'paula')
    const id = await scene.makeOrder('100', { by: paula })
    fake.pay(id)
    await paula.json('POST', `/orders/${id}/look`)
    expect(await preview(id)).toEqual({
      ...{ debit_nanos: 113_400_000_000, debit_usd: '113.40', lacking_nanos: 0, lacking_usd: '0.00' },
      ...{ balance_nanos: 0, balance_usd: '0.00', debt_nanos: 0, debt_usd: '0.00', fee: null },
      ...{ gifts_nanos: 0, gifts_usd: '0.00' },
    })
    await operator.json('POST', '/accounts/paula/debit', { amount: '100', note: 'used elsewhere' })
    expect(await preview(id, '?amount=25')).toMatchObject({
      ...{ debit_usd: '28.35', lacking_usd: '14.95', balance_usd: '0.00', debt_usd: '14.95' },
    })
    expect(scene.balance('paula')).toBe(13_400_000_000)
    // The refund itself takes its debit by the same rule.
    expect(await refund(id, { amount: '10', reason: '' })).toMatchObject({
      refunds: [{ debit_usd: '11.34' }],
    })
    expect(await preview(id)).toMatchObject({ debit_usd: '102.06', lacking_usd: '100.00' })
    expect(await scene.refused(operator, 'GET', `/orders/${id}/refund?amount=90.01`)).toMatchObject({
      ...{ status: 400, message: 'amount: 90.00 EUR of the payment is left. Write at most that much.' },
    })
  })

  test('a payment and a lost dispute lead from Transactions to the order', async () => {
    await scene.gateway.account('tom')
    const tom = await scene.as('owner', 'tom')
    const id = await scene.makeOrder('50', { by: tom })
    fake.pay(id)
    await tom.json('POST', `/orders/${id}/look`)
    await refund(id, { amount: '10', reason: '' })
    fake.pay(id, { dispute: 'lost' })
    await operator.json('POST', `/orders/${id}/look`)
    await operator.json('POST', '/accounts/tom/top-up', { amount: '1', note: 'by hand' })
    const { entries } = await operator.json('GET', '/entries?account=tom')
    const sources = entries.map((entry: Record<string, unknown>) => [entry.source, entry.order_id])
    // A lost dispute becomes debt, which names the order.
    expect(sources).toEqual([...[0, 1].map(() => [null, null]), ['order', id], ['order', id]])
    const { opening_debts } = await operator.json('GET', '/entry-sums?account=tom')
    expect(opening_debts).toMatchObject([{ source: 'order', order_id: id }])
  })

  test('is made once for a double click, because the amount left has changed by then', async () => {
    const id = await scene.makePaidOrder('25')
    const body = { amount: '5', reason: '', left: '25.00' }
    const answers = await Promise.all(
      [1, 2].map(() => operator.send('POST', `/orders/${id}/refund`, { body })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await operator.json('GET', `/orders/${id}`)).toMatchObject({ left: '20.00', refunded: '5.00' })
  })

  test.each([
    [
      { amount: '25.01' },
      400,
      'amount',
      'amount: 25.00 EUR of the payment is left. Write at most that much.',
    ],
    [{ amount: '0' }, 400, 'amount', expect.stringContaining('enter an amount above 0')],
    [{ amount: '1.001' }, 400, 'amount', expect.stringContaining('at most 2 digits')],
    [{ reason: 'x'.repeat(501) }, 400, 'reason', expect.stringContaining('at most')],
    [{ reason: 'a\u0007b' }, 400, 'reason', expect.stringContaining('control character')],
  ] as const)('%o is refused, and nothing is taken', async (body, status, param, message) => {
    const id = await scene.makePaidOrder('25')
    const before = scene.balance()
    expect(await refused(id, { reason: '', ...body })).toMatchObject({ status, param, message })
    expect(scene.balance()).toBe(before)
    expect(await operator.json('GET', `/orders/${id}`)).toMatchObject({ state: 'paid', refunds: [] })
  })

  test('of more than the balance is refused, or leaves debt if the operator allows it', async () => {
    await scene.gateway.account('zoe')
    const zoe = await scene.as('owner', 'zoe')
    const id = await scene.makeOrder('25', { by: zoe })
    fake.pay(id)
    await zoe.json('POST', `/orders/${id}/look`)
    await operator.json('POST', '/accounts/zoe/debit', { amount: '20', note: 'used elsewhere' })
    expect(await refused(id, { reason: '' })).toMatchObject({
      status: 422,
      code: 'insufficient_balance',
      message: expect.stringContaining('Nothing was refunded.'),
    })
    expect(scene.balance('zoe')).toBe(7_000_000_000)
    expect(await refund(id, { reason: '', into_debt: true })).toMatchObject({ state: 'refunded' })
    expect(scene.balance('zoe')).toBe(0)
  })

  test('that the method refuses leaves the money on the balance, and the order stuck with advice', async () => {
    const id = await scene.makePaidOrder('25')
    const before = scene.balance()
    fake.refunds = 'failed'
    expect(await refund(id, { reason: '' })).toMatchObject({
      ...{ state: 'refund_failed', attention: expect.stringContaining('could not give the money back') },
      advice: expect.stringContaining(`"order ${id}"`),
      refunds: [{ state: 'failed' }],
    })
    fake.refunds = 'done'
    expect(scene.balance()).toBe(before)
    expect(await refund(id, { reason: '' })).toMatchObject({ state: 'refunded', attention: null })
  })

  test('continues by itself if the method does not answer: the money is taken, and the order shows it', async () => {
    const id = await scene.makePaidOrder('25')
    fake.is_down = true
    expect(await refund(id, { reason: '' })).toMatchObject({
      ...{ state: 'paid', left: '0.00', refunds: [{ state: 'debited' }] },
    })
    fake.is_down = false
    expect(await refused(id, { reason: '' })).toMatchObject({ status: 400, param: 'amount' })
  })

  test('of an unpaid or unknown order is refused', async () => {
    const id = await scene.makeOrder('25')
    expect(await refused(id, { reason: '' })).toMatchObject({ status: 409, code: 'not_refundable' })
    expect(await refused(999_999, { reason: '' })).toMatchObject({ status: 404 })
  })

  test('needs a recent sign-in and the operator’s role', async () => {
    const id = await scene.makePaidOrder('25')
    const stale = await scene.stale()
    expect(await scene.refused(stale, 'POST', `/orders/${id}/refund`, { reason: '' })).toMatchObject({
      status: 403,
      code: 'confirm_sign_in',
    })
    for (const client of [owner, await scene.staff('support'), await scene.staff('auditor')])
      expect(await scene.refused(client, 'POST', `/orders/${id}/refund`, { reason: '' })).toMatchObject({
        status: 403,
        code: 'role_may_not',
      })
    expect(await operator.json('GET', `/orders/${id}`)).toMatchObject({ state: 'paid', refunds: [] })
  })
})

describe('a dispute', () => {
  test('is visible to the account and to the staff, who also get advice, and takes the credit once it is lost', async () => {
    const before = scene.balance()
    const id = await scene.makePaidOrder('25')
    fake.pay(id, { dispute: 'open' })
    expect(await operator.json('POST', `/orders/${id}/look`)).toMatchObject({
      ...{ state: 'disputed', attention: expect.stringContaining('disputed'), can_refund: false },
      advice: expect.stringContaining('deadline'),
    })
    expect(await owner.json('GET', `/orders/${id}`)).toMatchObject({ state: 'disputed' })
    fake.pay(id, { dispute: 'lost' })
    expect(await operator.json('POST', `/orders/${id}/look`)).toMatchObject({
      state: 'lost',
      attention: null,
    })
    expect(scene.balance()).toBe(before)
  })
})
