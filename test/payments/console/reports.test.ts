// Reports of payments: revenue, liabilities to accounts, the file for accounting, and the list of orders.
import { describe, expect, test } from 'bun:test'
import { scene as ownScene } from '../../support/scene.ts'
import { paymentScene } from './scene.ts'

const clock = { now_ms: Date.UTC(2026, 10, 30, 23, 30) }
const scene = await paymentScene({ now: () => clock.now_ms })
const { owner, fake } = scene
const HOUR_MS = 3_600_000

// In November by UTC, in December in Berlin: 100.00 EUR with tax, of which 25.00 go back.
const first = await scene.makePaidOrder('100', {
  ...{ fee_minor: 250, tax_minor: 1_597, tax_country: 'DE', receipt_url: 'https://pay.example/1' },
})
clock.now_ms += HOUR_MS
/** Signed in a moment ago, as refunds require. */
const operator = await scene.staff('operator')
await operator.json('POST', `/orders/${first}/refund`, { amount: '25', reason: '=HYPERLINK("x")' })
// A payment with an unknown fee, partly refunded and then lost in a dispute.
const second = await scene.makePaidOrder('50')
await operator.json('POST', `/orders/${second}/refund`, { amount: '10', reason: '' })
fake.pay(second, { dispute: 'lost' })
clock.now_ms += HOUR_MS
await operator.json('POST', `/orders/${second}/look`)
const third = await scene.makeOrder('2000', { currency: 'JPY' })
fake.pay(third, { fee_minor: 90 })
await owner.json('POST', `/orders/${third}/look`)
const open = await scene.makeOrder('7')

const linesOf = async (path: string): Promise<string[]> =>
  (await (await operator.send('GET', path)).text()).trimEnd().split('\r\n')

test('the Overview shows the margin after fees, in USD at each order’s rate, by account and by day', async () => {
  const feesIn = async (query: string) =>
    (await operator.json('GET', `/overview?since=2026-11-01&${query}`)).resale.payment_fees
  // 2.50 EUR and 90 JPY.
  expect(await feesIn('until=2026-12-31')).toEqual({
    ...{ amount_nanos: 3_303_000_000, amount_usd: '3.303', unknown: 1 },
    ...{ margin_nanos: -3_303_000_000, margin_usd: '-3.303' },
  })
  expect(await feesIn('until=2026-12-31&account=alice')).toMatchObject({ amount_nanos: 3_303_000_000 })
  expect(await feesIn('until=2026-12-31&account=bob')).toBeNull()
  expect(await feesIn('until=2026-11-30')).toMatchObject({ amount_nanos: 2_700_000_000, unknown: 0 })
  expect(await feesIn('until=2026-12-31&model=sim-flash')).toBeNull()
})

describe('revenue', () => {
  test('adds up by method and currency, without tests', async () => {
    const report = await operator.json('GET', '/payments?since=2026-11-01&until=2026-12-31')
    expect(report.methods).toEqual([
      {
        ...{ method: 'fake', method_title: 'Fake card', currency: 'EUR', payments: 2, refunds: 3 },
        // 100 + 50 − (25 + 10 + 40): the payer’s bank took back the 40 that were left.
        ...{ gross: '150.00', returned: '75.00', tax: '11.98', fees: '2.50', without_fee: 1, net: '60.52' },
        ...{
          credit_nanos: 170_100_000_000,
          credit_usd: '170.10',
          bonus_nanos: 8_100_000_000,
          bonus_usd: '8.10',
        },
        ...{ returned_nanos: 85_050_000_000, returned_usd: '85.05' },
      },
      {
        ...{ method: 'fake', method_title: 'Fake card', currency: 'JPY', payments: 1, refunds: 0 },
        ...{ gross: '2000', returned: '0', tax: '0', fees: '90', without_fee: 0, net: '1910' },
        ...{ credit_nanos: 13_400_000_000, credit_usd: '13.40', bonus_nanos: 0, bonus_usd: '0.00' },
        ...{ returned_nanos: 0, returned_usd: '0.00' },
      },
    ])
    expect(report).toMatchObject({ open: 1, stuck: 0, is_test: false })
  })

  test.each([
    ['since=2026-11-30&until=2026-11-30', 1],
    ['since=2026-12-01&until=2026-12-01&zone=UTC', 1],
    ['since=2026-12-01&until=2026-12-01&zone=Europe/Berlin', 2],
    ['since=2027-01-01', 0],
    ['', 1],
  ])('covers its period: %s', async (query, payments) => {
    const { methods } = await operator.json('GET', `/payments?${query}`)
    const [euros] = methods.filter(({ currency }: { currency: string }) => currency === 'EUR')
    expect(euros?.payments ?? 0).toBe(payments)
  })

  test.each(['since=2026-12-02&until=2026-12-01', 'zone=Mars/Base', 'since=yesterday'])(
    '%s is refused',
    async (query) => {
      expect((await operator.send('GET', `/payments?${query}`)).status).toBe(400)
      expect((await operator.send('GET', `/payments.csv?${query}`)).status).toBe(400)
    },
  )

  test('leaves out payments of a method in test mode, and marks that there is one', async () => {
    const testing = await paymentScene({ method: { is_test: true }, open: ownScene })
    const id = await testing.makePaidOrder('500')
    expect(await testing.owner.json('GET', `/orders/${id}`)).toMatchObject({ state: 'paid', is_test: true })
    expect(await testing.operator.json('GET', '/payments')).toMatchObject({ methods: [], is_test: true })
    expect(await (await testing.operator.send('GET', '/payments.csv')).text()).not.toContain('payment,')
    await testing.gateway.stop()
  })

  test('lists the sum of all balances as a liability', async () => {
    const { liabilities, owed_nanos } = await operator.json('GET', '/payments')
    const balances = scene.gateway.rows().accounts.reduce((sum, { balance_nanos }) => sum + balance_nanos, 0)
    expect(liabilities).toContainEqual(
      expect.objectContaining({ title: 'Balances of accounts', amount_nanos: balances }),
    )
    expect(owed_nanos).toBeGreaterThanOrEqual(balances)
  })
})

describe('the file for accounting', () => {
  test('has each payment, refund and lost dispute, with tax, fee and receipt', async () => {
    const lines = await linesOf('/payments.csv?since=2026-11-01&until=2026-12-31')
    expect(lines.map((line) => line.split(',').slice(1, 4).join(' '))).toEqual([
      'type receipt order_id',
      `payment ${first} ${first}`,
      `payment ${second} ${second}`,
      `refund ${first}-R1 ${first}`,
      `refund ${second}-R2 ${second}`,
      `payment ${third} ${third}`,
      `lost_dispute ${second}-D ${second}`,
    ])
    expect(lines.slice(0, 4)).toEqual([
      'time_utc,type,receipt,order_id,account_id,account,method,payment_reference,currency,amount,tax,tax_country,fee,net,credit_usd,receipt_url',
      `2026-11-30T23:30:00.000Z,payment,${first},${first},${scene.alice.id},alice,fake,ch_${first},EUR,100.00,15.97,DE,2.50,81.53,113.40,https://pay.example/1`,
      `2026-12-01T00:30:00.000Z,payment,${second},${second},${scene.alice.id},alice,fake,ch_${second},EUR,50.00,0.00,,,50.00,56.70,`,
      `2026-12-01T00:30:00.000Z,refund,${first}-R1,${first},${scene.alice.id},alice,fake,ch_${first},EUR,-25.00,-3.99,DE,0.00,-21.01,-28.35,https://pay.example/1`,
    ])
  })

  test('adds up to the sums of the report', async () => {
    const [, ...lines] = await linesOf('/payments.csv?since=2026-11-01&until=2026-12-31')
    const sum = (at: number) =>
      lines
        .map((line) => line.split(','))
        .filter((cells) => cells[8] === 'EUR')
        .reduce((total, cells) => total + Math.round(Number(cells[at] ?? 0) * 100), 0) / 100
    expect([sum(9), sum(10), sum(12), sum(13), sum(14)]).toEqual([75, 11.98, 2.5, 60.52, 85.05])
  })

  test('is open to the staff only, as the report is', async () => {
    for (const path of ['/payments', '/payments.csv'])
      expect([path, (await owner.send('GET', path)).status]).toEqual([path, 403])
    expect((await (await scene.staff('auditor')).send('GET', '/payments.csv')).status).toBe(200)
  })
})

describe('the list of orders', () => {
  const idsOf = async (query: string): Promise<number[]> =>
    (await operator.json('GET', `/orders?${query}`)).orders.map(({ id }: { id: number }) => id)

  test.each([
    ['state=open', () => [open]],
    ['state=lost', () => [second]],
    ['method=fake&state=partly_refunded', () => [first]],
    ['method=stripe', () => []],
    ['since=2026-12-01&state=partly_refunded', () => []],
    ['account=bob', () => []],
    [`account=alice&limit=1&first=${3}`, () => [third]],
  ] as const)('is filtered by %s', async (query, expected) => {
    expect(await idsOf(query)).toEqual([...expected()])
  })

  test.each(['state=lent', 'stuck=no', 'method=Bank%20Transfer', 'first=0'])(
    '%s is refused',
    async (query) => {
      expect((await operator.send('GET', `/orders?${query}`)).status).toBe(400)
    },
  )

  test('is exported as a file, for its account without the staff’s columns', async () => {
    const [head] = await linesOf('/orders.csv')
    expect(head).toContain(',reference,attention')
    const text = await (await owner.send('GET', '/orders.csv')).text()
    expect(text).not.toContain('attention')
    expect(text.split('\r\n').find((line) => line.startsWith(`${third},`))).toContain(',JPY,2000,')
  })
})
