// Money for the operator in the browser: a partial refund, a dispute, vouchers, and the closing of the month.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { PASSWORD } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { button, DEAR, heading, moneyScene, pictures, WALKERS } from './money-scene.ts'

const { gateway, stripe, visit, signUp, pay, pageAtStripe, payByApi } = await moneyScene(`
[referral]
share = 0.1
`)

/** The first day of the month in which the walk begins: a walk beyond its end covers both months. */
const FROM = `${new Date().toISOString().slice(0, 'YYYY-MM'.length)}-01`

const accountOf = (name: string) => gateway.rows().accounts.find((account) => account.name === name)

/** Waits until a suspended account's page asks again for its state. Asking the page at each frame costs CPU for ten seconds. */
const nextSession = (page: Page) => page.waitForResponse(/\/console\/api\/session$/)

/** Makes calls of an account, 10 USD each. @returns the cost of all its calls */
async function spend(name: string, calls: number): Promise<number> {
  const key = await gateway.key(name)
  const body = { ...DEAR, messages: [{ role: 'user', content: 'Hello' }] }
  for (let made = 0; made < calls; made++)
    expect((await gateway.call('/v1/chat/completions', body, { key })).status).toBe(200)
  const { calls: all, accounts } = await gateway.atRest()
  const account = accounts.find((one) => one.name === name)
  return all
    .filter(({ account_id }) => account_id === account?.id)
    .reduce((sum, { cost_nanos }) => sum + cost_nanos, 0)
}

/** Each row of a file of the console by its columns' names. */
function rowsOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv.trimEnd().split('\r\n')
  const names = head.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))
  })
}

describe.each(WALKERS)('screens: $size', (walker) => {
  const { size } = walker
  const name = `rita-${size}`
  const friend = `fred-${size}`
  let order = 0
  let of_friend = 0
  let code = ''
  let operator: ConsolePage
  beforeAll(async () => {
    operator = await visit('operator', walker)
    await operator.open('/console/vouchers')
  })
  afterAll(() => operator[Symbol.asyncDispose]())

  test('the operator creates a voucher, whose code is shown once', async () => {
    const one = operator
    const { page } = one
    const picture = pictures(one, walker)
    await picture('30-vouchers')
    await button(one, 'Create vouchers').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('5')
    await dialog.getByLabel('Note').fill(`fair ${size}`)
    await one.looksRight()
    await picture('31-create-voucher')
    await dialog.getByRole('button', { name: 'Create vouchers' }).click()
    code = await dialog.locator('.voucher-codes pre').innerText()
    await one.looksRight()
    await picture('32-voucher-created')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText(`fair ${size}`).waitFor()
    await picture('33-voucher-batches')
    await one.isClean()
  })

  test('an account redeems the voucher once, and earns from a friend who signs up by its link and pays', async () => {
    await gateway.account(name)
    order = await payByApi(name, '100')
    const { url } = await (await signedIn(gateway, { account: name })).json('GET', '/referral')
    {
      await using other = await visit(undefined, walker)
      const { pathname, search } = new URL(url)
      await other.open(pathname + search)
      await signUp(other, `${friend}@example.org`)
      await other.isClean()
    }
    of_friend = await payByApi(friend, '50')
    await using one = await visit({ account: name }, walker)
    const { page } = one
    const picture = pictures(one, walker)
    await one.open('/console/payments')
    await button(one, 'Redeem voucher').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Code').fill(code)
    await one.looksRight()
    await picture('35-redeem')
    await dialog.getByRole('button', { name: 'Redeem voucher' }).click()
    // 108 + a tenth of 54 + 5 of the voucher.
    await page.getByText('5.00 USD added. Your balance is 118.40 USD.').waitFor()
    await picture('36-redeemed')
    expect(accountOf(name)?.balance_nanos).toBe(118_400_000_000)

    await one.go('/console/refer')
    await page.getByText(url, { exact: true }).waitFor()
    await page.getByText('5.40').first().waitFor()
    await one.fits()
    await picture('39-earned')
    await one.isClean()
  })

  test('the operator refunds a part, which takes its credit from the balance', async () => {
    const one = operator
    const { page } = one
    const picture = pictures(one, walker)
    await one.go(`/console/orders/${order}`)
    await picture('40-order')
    await button(one, 'Refund').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('40')
    await dialog.getByLabel('Reason').fill('Charged twice')
    await one.looksRight()
    await picture('41-refund')
    await dialog.getByRole('button', { name: 'Refund 40 EUR' }).click()
    await page.getByText(`40 EUR of order ${order} refunded`).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Partly refunded').first().waitFor()
    await one.fits()
    await picture('42-refunded')
    expect(accountOf(name)?.balance_nanos).toBe((118_400 - 43_200) * 1_000_000)
    await one.isClean()
  })

  test('the operator sees a dispute under the orders that need attention; a lost one leaves debt, and suspends the account', async () => {
    // Spent before the payer goes to their bank.
    const spent_nanos = await spend(friend, 5)
    const session = pageAtStripe(of_friend)
    stripe.dispute(session, 'needs_response')
    await stripe.webhooks.settled()
    const one = operator
    const { page } = one
    const picture = pictures(one, walker)
    await one.go('/console/payments')
    await heading(one, 'Payments').waitFor()
    await page.getByText('The payer has disputed the payment at their bank.').waitFor()
    await one.looksRight()
    await picture('44-attention')
    await page
      .getByRole('link', { name: `Order ${of_friend}`, exact: true })
      .first()
      .click()
    await heading(one, `Order ${of_friend}`).waitFor()
    await picture('45-disputed')
    stripe.dispute(session, 'lost')
    await stripe.webhooks.settled()
    await page.getByText('that part is debt, and the account is suspended.').waitFor()
    await one.looksRight()
    await picture('46-lost')
    await one.go(`/console/accounts/${friend}`)
    await page.getByText('suspended, owes after a dispute').first().waitFor()
    await page.getByText('Its people can still sign in, to pay it.').waitFor()
    await picture('47-suspended')
    await one.fits()
    expect(accountOf(friend)).toMatchObject({
      status: 'suspended',
      balance_nanos: 0,
      debt_nanos: spent_nanos,
    })
    // The referrer's share goes back, too.
    const left_nanos = (118_400 - 43_200 - 5_400) * 1_000_000
    await eventually('the share is taken back', () => accountOf(name)?.balance_nanos === left_nanos)
  })

  test('a suspended person signs in, reads why, and pays; support resumes the account, and its key works again', async () => {
    const key = await gateway.key(friend)
    const status = async () =>
      (
        await gateway.call(
          '/v1/chat/completions',
          { ...DEAR, messages: [{ role: 'user', content: 'Hello' }] },
          { key },
        )
      ).status
    await using one = await visit(undefined, walker)
    const { page } = one
    const picture = pictures(one, walker)
    await one.open('/console')
    await page.getByLabel('Account or email').fill(friend)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText(`${friend} is suspended.`).waitFor()
    await page.getByText('A payment was disputed and taken back by the bank').waitFor()
    await page.getByText('It owes 50.').waitFor()
    await one.looksRight()
    await picture('48-suspended')
    for (const path of ['keys', 'playground', 'start']) {
      await one.go(`/console/${path}`)
      await page.getByText(`${friend} is suspended.`).waitFor()
      await one.fits()
      await picture(`48-suspended-${path}`)
    }
    expect(await button(one, 'Create key').count()).toBe(0)
    await page.getByRole('link', { name: 'Add funds', exact: true }).first().click()
    await heading(one, 'Add funds').waitFor()
    await pay(one, '100', (step) => picture(`48-suspended-${step}`))
    await page.getByText('The debt is paid. Write to Example AI support to have it resumed.').waitFor()
    await one.fits()
    await picture('49-debt-paid')
    expect(await status()).toBe(403)

    await using staff = await visit({ staff: 'support' }, walker)
    await staff.open('/console/accounts')
    await staff.page.getByText('suspended, debt paid').first().waitFor()
    await staff.fits()
    await pictures(staff, walker)('49-accounts')
    await staff.go(`/console/accounts/${friend}`)
    await staff.page.getByText('The debt is paid. Resume the account').waitFor()
    await pictures(staff, walker)('49-account-debt-paid')
    await button(staff, 'More').click()
    await staff.page.getByRole('menuitem', { name: 'Edit reason' }).click()
    await staff.page.getByRole('dialog').getByLabel('Reason').fill('Waiting for the bank')
    await staff.looksRight()
    await pictures(staff, walker)('49-edit-reason')
    await staff.page.getByRole('dialog').getByRole('button', { name: 'Save reason' }).click()
    await staff.page.getByText('“Waiting for the bank”').waitFor()
    await nextSession(page)
    await page.getByText('“Waiting for the bank”').waitFor()
    await picture('49-own-reason')
    await button(staff, 'More').click()
    await staff.page.getByRole('menuitem', { name: 'Resume' }).click()
    await staff.page.getByText(`Account "${friend}" resumed`).waitFor()
    await staff.isClean()
    // The open page notices it by itself.
    await nextSession(page)
    await page.getByText(`${friend} is suspended.`).waitFor({ state: 'detached' })
    expect(await status()).toBe(200)
    await one.isClean()
  })

  test('the operator closes the month: revenue, liabilities, and the file for accounting, whose sums agree', async () => {
    const one = operator
    const { page } = one
    const picture = pictures(one, walker)
    await one.go('/console/payments?tab=revenue')
    await page.getByText('This month so far.').waitFor()
    await picture('50-month')
    await one.go(`/console/payments?tab=revenue&from=${FROM}`)
    await page.getByText('Chosen days').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export revenue CSV' }).click()
    const file = await (await downloading).path()
    const rows = rowsOf(await Bun.file(file).text())
    const sum = (column: string): string =>
      (rows.reduce((total, row) => total + Math.round(Number(row[column]) * 100), 0) / 100).toFixed(2)
    const walks = rows.filter(({ type }) => type === 'lost_dispute').length
    // 100 − 40 of one, 50 − 50 + 100 of the other; 2.9 % and 0.30 of each payment.
    expect([sum('amount'), sum('fee'), sum('net')]).toEqual([
      (walks * 160).toFixed(2),
      (walks * (3.2 + 1.75 + 3.2)).toFixed(2),
      (walks * (160 - 8.15)).toFixed(2),
    ])
    const text = await page.locator('main').innerText()
    expect(text).toContain(`${sum('net')} EUR`)
    const owed = gateway.rows().accounts.reduce((total, { balance_nanos }) => total + balance_nanos, 0)
    // Balances are rounded down.
    expect(text).toContain((Math.floor(owed / 1e7) / 100).toFixed(2))
    await one.go('/console/referrals')
    await page.getByText(name).waitFor()
    await one.fits()
    await picture('51-referrals')
    await one.isClean()
  })
})
