// EPay, the complete example of a payment method in a plugin, against a fake server: a payment is credited once, and a forged one never.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { orderById } from '../../plugins/payments/store.ts'
import type { Order } from '../../plugins/payments/tables.ts'
import { endedHere } from '../backups/support.ts'
import { startTransferGateway } from '../payments/manual/transfers.ts'
import { EPAY_KEY, EPAY_PID, startFakeEpay } from '../providers/epay/server.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'

const EPAY = readFileSync(join(import.meta.dir, '../../data/plugins-examples/epay.ts'), 'utf8')

const epay = startFakeEpay()
const section = `
[payments.rates]
CNY = "0.14"

[plugins.epay]
url = "${epay.url}"
pid = "${EPAY_PID}"
key = "${EPAY_KEY}"
`
const world = await startTransferGateway({
  catalogue: catalogueOf({
    ...{ upstream_url: 'simulator', more: section },
    server: 'public_url = "https://gateway.example"',
  }),
  own_plugins: { 'epay.ts': EPAY },
})
const { gateway, parts } = world
afterAll(async () => {
  await gateway.stop()
  await epay[Symbol.asyncDispose]()
})

let named = 0
let account_id = 0
beforeEach(async () => {
  epay.answersQueriesWith = undefined
  ;({ id: account_id } = await gateway.account(`payer-${++named}`))
})

const balance = (): number | undefined =>
  gateway.rows().accounts.find(({ id }) => id === account_id)?.balance_nanos
/** The credit for 100.00 CNY. */
const CREDIT = 14_000_000_000

/** Makes an order, and opens its page. */
async function openOrder(): Promise<{ order: Order; number: string }> {
  const order = await world.order(account_id, 10_000, 'CNY', 'epay')
  const [provider] = parts.providers()
  const { go_to = '' } = (await provider?.start(await paymentOrder(order))) ?? {}
  expect(await epay.open(go_to)).toBe(200)
  return { order, number: order.reference ?? '' }
}

const paymentOrder = async (order: Order) =>
  (await import('../../plugins/payments/parts.ts')).paymentOrderOf(parts, order)

/** EPay calls the gateway, at the address of this test. */
async function notify(address: string, method = 'GET'): Promise<[status: number, text: string]> {
  const url = new URL(address)
  const here = new URL(url.pathname + (method === 'GET' ? url.search : ''), gateway.url)
  const response = await fetch(here, method === 'GET' ? {} : { method, body: url.searchParams })
  return [response.status, await response.text()]
}

test('the page has the order, its amount and the address for notices', async () => {
  const { order, number } = await openOrder()
  expect(number).toBe(`TG${order.id}T${order.expires_at_ms}`)
  expect(epay.orders.get(number)).toMatchObject({
    ...{ money: '100.00', name: 'Credit of 14.00 USD', status: 0 },
    notify_url: 'https://gateway.example/payments/epay/webhook',
  })
})

test.each(['GET', 'POST'])(
  'a signed notice by %s, again and again: one credit, and EPay reads "success"',
  async (method) => {
    const { order, number } = await openOrder()
    epay.pay(number)
    for (const _ of [1, 2, 3]) expect(await notify(epay.notice(number), method)).toEqual([200, 'success'])
    expect(await orderById(parts.db, order.id)).toMatchObject({
      state: 'paid',
      payment_reference: epay.orders.get(number)?.trade_no ?? '',
    })
    expect(balance()).toBe(CREDIT)
  },
)

test('after a lost notice the gateway queries EPay by itself', async () => {
  const { order, number } = await openOrder()
  epay.pay(number)
  gateway.db.run(`UPDATE orders SET next_look_at_ms = 1 WHERE id = ${order.id}`)
  await eventually('the order is paid', async () => (await orderById(parts.db, order.id)).state === 'paid')
  expect(balance()).toBe(CREDIT)
})

describe('nothing is credited by', () => {
  const failed = (status: number) => () =>
    Response.json({ code: -1, msg: '系统繁忙', status, money: '100.00' })

  test.each<[what: string, answer: (number: string) => Response]>([
    ['a query that failed and says status 1', failed(1)],
    [
      'an unknown order with status 1',
      (out_trade_no) =>
        Response.json({ code: -1, msg: '订单号不存在', status: 1, out_trade_no, money: '100.00' }),
    ],
    [
      'code as a word',
      (out_trade_no) => Response.json({ code: 'ok', status: 1, out_trade_no, money: '100.00' }),
    ],
    ['no code', (out_trade_no) => Response.json({ status: 1, out_trade_no, money: '100.00' })],
    ['another order', () => Response.json({ code: 1, status: 1, out_trade_no: 'TG1T1', money: '100.00' })],
    [
      'another merchant',
      (out_trade_no) => Response.json({ code: 1, status: 1, out_trade_no, pid: 7, money: '100.00' }),
    ],
    ['no amount', (out_trade_no) => Response.json({ code: 1, status: 1, out_trade_no })],
    ['a page for people', () => new Response('<h1>maintenance</h1>')],
    [
      '500 with a paid order',
      (out_trade_no) => Response.json({ code: 1, status: 1, out_trade_no, money: '100.00' }, { status: 500 }),
    ],
    ['a redirect', () => Response.redirect('https://elsewhere.example/')],
    ['frozen money', (out_trade_no) => Response.json({ code: 1, status: 3, out_trade_no, money: '100.00' })],
    ['no status', (out_trade_no) => Response.json({ code: 1, out_trade_no, money: '100.00' })],
  ])('%s, after a signed notice', async (_, answer) => {
    const { order, number } = await openOrder()
    epay.pay(number)
    epay.answersQueriesWith = () => answer(number)
    await notify(epay.notice(number))
    expect((await orderById(parts.db, order.id)).state).toBe('open')
    expect(balance()).toBe(0)
    // Once EPay answers well again, the order is paid.
    epay.answersQueriesWith = undefined
    await refreshOrder(parts, order.id, { source: 'page' })
    expect(balance()).toBe(CREDIT)
  })

  test('a signed notice of an order that EPay knows as unpaid', async () => {
    const { order, number } = await openOrder()
    expect(await notify(epay.notice(number))).toEqual([200, 'success'])
    expect(await orderById(parts.db, order.id)).toMatchObject({ state: 'open', trouble: null })
  })

  test.each(['1.00', '1000.00', '0.01'])('%s CNY in place of 100.00: trouble', async (money) => {
    const { order, number } = await openOrder()
    epay.pay(number, money)
    await notify(epay.notice(number))
    expect(await orderById(parts.db, order.id)).toMatchObject({
      state: 'open',
      trouble: expect.stringContaining(`${money} CNY was paid instead of 100.00 CNY`),
    })
    expect(balance()).toBe(0)
  })

  test('money refunded before the gateway saw it', async () => {
    const { order, number } = await openOrder()
    epay.pay(number)
    const at_epay = epay.orders.get(number)
    if (at_epay) at_epay.status = 2
    await notify(epay.notice(number))
    expect(await orderById(parts.db, order.id)).toMatchObject({ state: 'cancelled' })
    expect(balance()).toBe(0)
  })

  test.each<[what: string, forged: Record<string, string>]>([
    ['a wrong signature', { sign: 'f'.repeat(32) }],
    ['no signature', { sign: '' }],
    ['a signature in capitals', { sign: 'F'.repeat(32) }],
    ['a field changed after it was signed', { money: '1000.00' }],
    ['a field added', { param: 'x' }],
  ])('a notice with %s: EPay is not queried', async (_, forged) => {
    const { number } = await openOrder()
    epay.pay(number)
    const { queries } = epay
    const [status, text] = await notify(epay.notice(number, {}, forged))
    expect([status, text]).toEqual([400, expect.stringContaining('signature')])
    expect([epay.queries, balance()]).toEqual([queries, 0])
  })

  test('a notice of another merchant with the same key', async () => {
    const { number } = await openOrder()
    epay.pay(number)
    expect((await notify(epay.notice(number, { pid: '1002' })))[0]).toBe(400)
    expect(balance()).toBe(0)
  })
})

test('a notice of a payment of another gateway is accepted, and changes nothing', async () => {
  const { number } = await openOrder()
  expect(await notify(epay.notice(number, { out_trade_no: 'TG1T1' }))).toEqual([200, 'success'])
})

test('a refund is refused, with advice to the operator', async () => {
  const { order, number } = await openOrder()
  epay.pay(number)
  await notify(epay.notice(number))
  const { beginRefund } = await import('../../plugins/payments/refunding.ts')
  const request = { order_id: order.id, amount_minor: null, into_debt: false, reason: '' }
  await expect(beginRefund(parts, request)).rejects.toThrow('tollgate debit')
})

test('the plugin keeps the contract of payment methods: `tollgate plugin check`', async () => {
  const { status, out, err } = await endedHere(['plugin', 'check', '--json', '--data', gateway.data_folder])
  expect(err).toBe('')
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    plugins: [{ name: 'epay', ok: true, payments: [{ name: 'epay', faults: [] }] }],
  })
  expect(status).toBe(0)
})

test('the books are right after all tests, and the log has no key', () => gateway.rest())
