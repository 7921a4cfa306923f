// `order`: beside a running gateway and without one; tables that fit 80 columns, refusals, and money that moves once.
import { Database } from 'bun:sqlite'
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { manualProvider } from '../../../plugins/payments/manual/provider.ts'
import { transferReference } from '../../../plugins/payments/manual/reference.ts'
import { createOrder, startPayment } from '../../../plugins/payments/ordering.ts'
import { paymentSettings } from '../../../plugins/payments/settings.ts'
import { accountByName } from '../../../src/access/accounts.ts'
import { dataFolder, readCatalogueOf, withDatabase } from '../../../src/app/command-line/data-folder.ts'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import { createScene, sceneOfFile } from '../../app/commands/scene.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { ENGINE } from '../../support/engine.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { answer, ask, wholePath } from '../../support/native.ts'
import { heldBack, startUpstream, whole } from '../../support/upstream.ts'
import { startTransferGateway, TRANSFERS } from '../manual/transfers.ts'

/** Each command opens the database anew, which takes PostgreSQL a while. */
setDefaultTimeout(20_000)

const upstream = await startUpstream(whole(answer()))
const KIOSK = `
let state = 'open'
export default {
  routes: (_, { app }) => void app.get('/pay-at-kiosk', () => { state = 'paid'; return state }),
  payments: () => [{
    name: 'kiosk', title: 'Kiosk', currencies: ['USD'], limits: { USD: { min_minor: 100, max_minor: 10000 } },
    start: async ({ id, expires_at_ms }) => ({ reference: 'K' + id + 'T' + expires_at_ms, go_to: 'https://kiosk.example/' }),
    async look(_, { currency, amount_minor }) {
      if (state === 'away') throw new Error('the kiosk is away')
      return { state, currency, amount_minor, fee_minor: 30 }
    },
  }],
}`
const world = await startTransferGateway({
  catalogue: catalogueOf({ upstream_url: upstream.url, more: TRANSFERS }),
  own_plugins: { 'kiosk.ts': KIOSK },
})
const { gateway } = world
const cli = createScene('nothing', gateway.data_folder)
cli.now_ms = Date.now()
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})

let payer_count = 0
let name = ''
let account_id = 0
beforeEach(async () => {
  cli.now_ms = Date.now()
  name = `payer-${++payer_count}`
  ;({ id: account_id } = await gateway.account(name))
})
const balance = (): number =>
  gateway.rows().accounts.find(({ id }) => id === account_id)?.balance_nanos ?? Number.NaN
const linesOf = (text: string) => text.split('\n').map((line) => line.trimEnd())
/** The credit for 25.00 EUR. */
const CREDIT = 27_000_000_000

describe('beside a running gateway', () => {
  test('`order list` prints a table of 80 columns, or the same as JSON', async () => {
    const order = await world.order(account_id)
    cli.columns = 80
    const { out } = await cli.run('order', 'list', '--account', name)
    cli.columns = undefined
    const [head = '', row = ''] = linesOf(out)
    expect(head).toMatch(/^ *ID +TIME +ACCOUNT +METHOD +STATE +AMOUNT +CREDIT/)
    expect(row).toContain(`${order.id}`)
    expect(row).toContain('25.00 EUR')
    expect(Math.max(...linesOf(out).map((line) => line.length))).toBeLessThanOrEqual(80)
    const { orders } = await cli.json('order', 'list', '--account', name, '--state', 'open')
    expect(orders).toMatchObject([
      { id: order.id, state: 'open', currency: 'EUR', amount: '25.00', method: 'manual' },
    ])
  })

  test('`order mark-paid` takes the number of the transfer, and `order show` prints the whole order', async () => {
    const order = await world.order(account_id)
    const paid = await cli.run(
      'order',
      'mark-paid',
      order.reference ?? '',
      '25.00',
      '--currency',
      'eur',
      '--reference',
      'B-1',
    )
    expect([paid.status, paid.out]).toEqual([0, `Order ${order.id} is paid. 27.00 USD added to ${name}.`])
    expect(balance()).toBe(CREDIT)
    cli.columns = 80
    const { out } = await cli.run('order', 'show', String(order.id))
    cli.columns = undefined
    expect(linesOf(out)).toEqual([
      `Order ${order.id}: 25.00 EUR, paid`,
      `Account    ${name}`,
      expect.stringMatching(/^Made {7}20\d\d-\S+Z$/),
      'Method     manual',
      'Gives      27.00 USD at 1.08 USD for 1 EUR',
      `Reference  ${order.reference}`,
      'Payment    B-1',
      expect.stringMatching(/^Paid {7}20\d\d-\S+Z$/),
      'Fee        0.00 EUR',
      expect.stringMatching(/^Next look {2}20\d\d-\S+Z$/),
      '',
      expect.stringMatching(/^TIME +OF +TO +BY +DETAIL$/),
      expect.stringMatching(/^20\S+Z +order +paid +command +paid: 25.00 EUR$/),
    ])
    expect(await cli.json('order', 'show', String(order.id))).toMatchObject({
      ...{ id: order.id, state: 'paid', payment_reference: 'B-1', refunds: [] },
      changes: [{ from: 'open', to: 'paid', source: 'command' }],
    })
  })

  test('a wrong amount is refused, credits nothing, and stays visible', async () => {
    const { id } = await world.order(account_id)
    const refusal = await cli.refusal('order', 'mark-paid', String(id), '20', '--reference', 'B-2')
    expect(refusal).toContain('20.00 EUR was paid instead of 25.00 EUR. Nothing was credited.')
    expect(balance()).toBe(0)
    const { out } = await cli.run('order', 'show', String(id))
    expect(out.replaceAll(/\s+/g, ' ')).toContain('Attention 20.00 EUR was paid instead of 25.00 EUR.')
    for (const line of linesOf(out).filter((each) => each.startsWith(' ') || each.startsWith('Attention')))
      expect(line.length).toBeLessThanOrEqual(80)
  })

  test('`order check` reports no change until something is paid, and the gateway checks an order of a plugin', async () => {
    const transfer = await world.order(account_id)
    expect((await cli.run('order', 'check', String(transfer.id))).out).toBe(
      `Order ${transfer.id} is open, as before.`,
    )
    const order = await world.order(account_id, 2_500, 'USD', 'kiosk')
    const before = await cli.run('order', 'check', String(order.id))
    expect([before.status, before.out]).toEqual([0, `Order ${order.id} is open, as before.`])
    await gateway.call('/pay-at-kiosk')
    const after = await cli.run('order', 'check', String(order.id))
    expect([after.status, after.out]).toEqual([
      0,
      `Order ${order.id}: open → paid. 25.00 USD added to ${name}.`,
    ])
    expect(balance()).toBe(25_000_000_000)
    expect(await cli.refusal('order', 'refund', String(order.id))).toContain("Refund it on the order's page")
  })

  test('an order is cancelled once', async () => {
    const { id } = await world.order(account_id)
    expect((await cli.run('order', 'cancel', String(id))).out).toBe(`Order ${id} is cancelled.`)
    expect(await cli.refusal('order', 'cancel', String(id))).toContain(
      `Order ${id} is cancelled. Make a new one.`,
    )
  })

  describe('refund', () => {
    let id = 0
    beforeEach(async () => {
      ;({ id } = await world.order(account_id))
      await cli.run('order', 'mark-paid', String(id), '25', '--reference', `R-${payer_count}`)
    })

    test('a part, then the rest, is taken from the balance by the gateway', async () => {
      const part = await cli.run('order', 'refund', String(id), '10.00', '--reason', 'asked for it', '--yes')
      expect([part.status, part.out]).toEqual([
        0,
        `10.00 EUR of order ${id} refunded: 10.80 USD taken from ${name}.`,
      ])
      expect(part.err).toBe('Send 10.00 EUR back to the payer from your bank account now.')
      expect(balance()).toBe(CREDIT - 10_800_000_000)
      expect(await cli.json('order', 'refund', String(id), '--yes')).toMatchObject({
        state: 'refunded',
        refund: { state: 'done', amount: '15.00 EUR', debit_usd: '16.20' },
      })
      expect(balance()).toBe(0)
      expect(await cli.refusal('order', 'refund', String(id))).toContain(`Order ${id} is refunded`)
      const { out } = await cli.run('order', 'show', String(id))
      expect(out).toContain('10.00 EUR, 10.80 USD: done, asked for it')
    })

    test('the command first prints the debit, and does nothing unless the operator agrees', async () => {
      await cli.run('debit', name, '2')
      const about =
        `10.00 EUR of order ${id} goes back to the payer, by a bank transfer that you make. ` +
        `10.80 USD is taken from the balance of ${name}, which is then 14.20 USD.`
      const questions: string[] = []
      for (const reply of ['n', '', 'y']) {
        cli.ask = async (question) => {
          questions.push(question)
          return reply
        }
        const { status, err } = await cli.run('order', 'refund', String(id), '10')
        expect([status, err.split('\n')[0]]).toEqual([reply === 'y' ? 0 : 1, about])
        expect(balance()).toBe(reply === 'y' ? 14_200_000_000 : 25_000_000_000)
      }
      cli.ask = undefined
      expect(questions).toEqual(['Refund it? [y/N] ', 'Refund it? [y/N] ', 'Refund it? [y/N] '])
      expect(await cli.refusal('order', 'refund', String(id), '--into-debt')).toBe(
        `error: 15.00 EUR of order ${id} goes back to the payer, by a bank transfer that you make. ` +
          `16.20 USD is taken from the balance of ${name}, which is then 0.00 USD. 2.00 USD of it becomes debt. ` +
          'The account then owes 2.00 USD. Nothing was changed. Add --yes to skip the question.',
      )
      expect(balance()).toBe(14_200_000_000)
    })

    test('nothing is refunded if another refund was made while the question was open', async () => {
      cli.ask = async () => {
        cli.ask = undefined
        await cli.run('order', 'refund', String(id), '5', '--yes')
        return 'y'
      }
      expect(await cli.refusal('order', 'refund', String(id), '10')).toContain(
        'Another refund of this order was made meanwhile.',
      )
      expect(balance()).toBe(CREDIT - 5_400_000_000)
    })

    test('a refund of more than remains is refused', async () => {
      expect(await cli.refusal('order', 'refund', String(id), '25.01')).toContain(
        '25.00 EUR of the payment is left',
      )
      expect(await cli.refusal('order', 'refund', String(id), 'all')).toContain(
        '"all" is not an amount in EUR',
      )
      expect(balance()).toBe(CREDIT)
    })

    test('a refund above the balance is refused, or becomes debt', async () => {
      await cli.run('debit', name, '20')
      expect(await cli.refusal('order', 'refund', String(id))).toContain('--into-debt')
      expect(balance()).toBe(7_000_000_000)
      expect((await cli.run('order', 'refund', String(id), '--into-debt', '--yes')).status).toBe(0)
      expect(gateway.rows().accounts.find((account) => account.id === account_id)).toMatchObject({
        balance_nanos: 0,
        debt_nanos: 20_000_000_000,
      })
    })

    test('a refund takes nothing that a call holds, even before the hold has a row', async () => {
      const key = await gateway.key(name)
      const held_back = heldBack(whole(answer()))
      upstream.answer(held_back.script)
      const answering = gateway.call(wholePath(), ask(), { key })
      await held_back.received
      expect(await cli.refusal('order', 'refund', String(id), '--yes')).toContain(
        'The free balance is less than 27.00 USD',
      )
      held_back.release()
      await (await answering).arrayBuffer()
      await gateway.atRest()
    })
  })

  test.each([['0'], ['TG-12-47100'], ['abc']])('%p is not an order number', async (text) => {
    expect(await cli.refusal('order', 'check', text)).toContain(`"${text}" is not the number of an order`)
  })

  test('a transfer for an order that a restore removed does not pay the order that has its number now', async () => {
    const { id, expires_at_ms } = await world.order(account_id)
    const lost = transferReference({ id, expires_at_ms: expires_at_ms - 3_601_000 })
    const refusal = await cli.refusal('order', 'mark-paid', lost, '25', '--reference', 'B-9')
    expect(refusal).toContain(`No order here has the number ${lost}: order ${id} is another one.`)
    expect(await cli.refusal('order', 'show', lost)).toContain('Was a backup restored')
    expect(await cli.json('order', 'show', String(id))).toMatchObject({ state: 'open' })
  })

  test('an unknown order is refused', async () => {
    expect(await cli.refusal('order', 'show', '999999')).toContain(
      'Order 999999 not found. `tollgate order list` shows all.',
    )
  })

  test('the books are right after all of it', () => gateway.rest())
})

describe.skipIf(ENGINE !== 'SQLite')('without a gateway', () => {
  const scene = sceneOfFile()

  test('an order is marked and refunded, and an order of a plugin needs a gateway to be checked', async () => {
    writeFileSync(scene.path('tollgate.toml'), `${FIRST_CATALOGUE}${TRANSFERS}`)
    await scene.run('account', 'create', 'anna')
    const folder = dataFolder(scene.dir, {})
    const reading = await readCatalogueOf(folder)
    if (!('catalogue' in reading)) throw new Error(reading.lines.join('\n'))
    const settings = paymentSettings.of(reading.catalogue)
    const { log } = memoryLog({ now: () => scene.now_ms })
    const id = await withDatabase(folder, 'write', async (db) => {
      const manual = settings.manual && manualProvider(settings.manual)
      const parts = {
        ...{ db, log, now: () => scene.now_ms, publicUrl: () => '' },
        providers: () => (manual ? [manual] : []),
        ledger: { submit: () => Promise.reject(new Error('no money moves here')) },
      }
      const { id } = await accountByName(db, 'anna')
      const request = {
        account_id: id,
        kind: 'top_up',
        method: 'manual',
        currency: 'EUR',
        amount_minor: 2_500,
      } as const
      const order = await createOrder(parts, settings, request)
      await startPayment(parts, order.id)
      return order.id
    })
    expect((await scene.run('order', 'mark-paid', String(id), '25.00', '--reference', 'B-9')).out).toBe(
      `Order ${id} is paid. 27.00 USD added to anna.`,
    )
    expect(await scene.json('order', 'refund', String(id), '5', '--yes')).toMatchObject({
      state: 'partly_refunded',
    })
    expect(await scene.json('account', 'show', 'anna')).toMatchObject({ balance_usd: '21.60' })
    expect((await scene.run('audit')).status).toBe(0)
    using file = new Database(scene.path('tollgate.db'))
    file.run(`UPDATE orders SET provider = 'kiosk', state = 'open' WHERE id = ${id}`)
    expect(await scene.refusal('order', 'check', String(id))).toContain(
      'no gateway has checked it. Start the gateway',
    )
  }, 20_000)
})
