// Payments in the browser: an owner adds funds and comes back, billing pays by bank debit, a member sees nothing; an operator refunds a part, marks a
// transfer as paid, and looks at a dispute.
import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fakeMethod } from '../payments/fake-method.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { WALK_SCREENS } from '../support/screens.ts'

const fake = fakeMethod({ pageOf: (id) => `${gateway.url.origin}/fake-pay/${id}` })
const { gateway, visit } = await fileConsole({
  plugins: [...plugins, fake.plugin],
  catalogue: `${FIRST_CATALOGUE}
[payments]
rates = { EUR = "1.08", USD = "1" }
bonuses = [{ from_usd = "50", percent = "5" }]

[payments.manual]
instructions = "Send {amount} to DE02 1203 0000 0000 2020 51.\\nReference: {reference}"
currencies = ["EUR"]
`,
})

const button = ({ page }: ConsolePage, name: string) => page.getByRole('button', { name, exact: true })
const link = ({ page }: ConsolePage, name: string) => page.getByRole('link', { name, exact: true })
const says = ({ page }: ConsolePage, text: string) => page.getByText(text).first().waitFor()
const balanceOf = (name: string) =>
  gateway.rows().accounts.find((account) => account.name === name)?.balance_nanos

async function choose({ page }: ConsolePage, label: string, option: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).click()
  await page.getByRole('option', { name: option }).click()
}

/** Pays at the method's own page, outside the console. @returns the number of the order */
async function payAtMethod({ page }: ConsolePage, words: string | RegExp): Promise<number> {
  await page.waitForURL(/\/fake-pay\//)
  await page.getByRole('button', { name: words }).click()
  await page.waitForURL(/\/console\/orders\//)
  return Number(/\d+$/.exec(page.url())?.[0])
}

describe.each(WALK_SCREENS)('screens: %s', (size) => {
  const acme = `acme-${size}`
  let paid = 0
  let transfer = 0

  test('an owner without a balance adds funds, pays, comes back and has them', async () => {
    await gateway.account(acme)
    await using one = await visit({ account: acme }, { size })
    await one.open('/console/overview')
    await says(one, 'Your balance is 0.00 USD, so calls paid from it are refused.')
    await one.fits()
    await link(one, 'Add funds').first().click()
    await one.page.getByRole('heading', { level: 1, name: 'Add funds' }).waitFor()
    await choose(one, 'Payment method', 'Fake card')
    await says(one, 'You pay 25.00 EUR and get 27.00 USD')
    await one.fits()
    await one.page.getByLabel('Amount', { exact: true }).fill('50')
    await says(one, 'You pay 50.00 EUR and get 56.70 USD, with a bonus of 2.70 USD')
    await one.page.getByLabel('Amount', { exact: true }).fill('2')
    one.allow(/status of 400/)
    await button(one, 'Pay').click()
    await says(one, 'Enter at least 5.00 EUR.')
    await one.quiet()
    await one.fits()
    await button(one, '25 EUR').click()
    await button(one, 'Pay 25 EUR').click()
    paid = await payAtMethod(one, /^Pay order/)
    await says(one, 'Paid. 27.00 USD was added to your balance.')
    await one.quiet()
    await one.fits()
    expect(balanceOf(acme)).toBe(27_000_000_000)
    await link(one, 'All orders').click()
    await one.page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()
    await says(one, `Order ${paid}`)
    await one.quiet()
    await one.fits()
    await one.isClean()
  })

  test('billing pays by bank debit, and waits for the bank; a transfer has the bank details', async () => {
    await using one = await visit({ account: acme, role: 'billing' }, { size, theme: 'dark' })
    await one.open('/console/add-funds?method=fake')
    await button(one, 'Pay 25 EUR').click()
    const id = await payAtMethod(one, 'Pay by bank debit')
    await says(one, 'Waiting for your bank. 27.00 USD is added')
    expect(await button(one, 'Cancel order').count()).toBe(0)
    await one.fits()
    fake.pay(id)
    await says(one, 'Paid. 27.00 USD was added to your balance.')
    await one.go('/console/add-funds')
    await choose(one, 'Payment method', 'Bank transfer')
    await button(one, 'Pay 25 EUR').click()
    await says(one, 'DE02 1203 0000 0000 2020 51')
    transfer = Number(/\d+$/.exec(one.page.url())?.[0])
    await one.quiet()
    await one.fits()
    await one.isClean()
  })

  test('a member sees nothing of payments', async () => {
    await using one = await visit({ account: acme, role: 'member' }, { size })
    await one.open('/console/overview')
    expect(await one.page.getByText('Add funds').count()).toBe(0)
    if (size === 'phone') await button(one, 'Pages').click()
    expect(await link(one, 'Payments').count()).toBe(0)
    for (const address of ['/console/payments', '/console/add-funds', `/console/orders/${paid}`]) {
      await one.go(address)
      await one.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    }
    await one.isClean()
  })

  test('an operator refunds a part, marks the transfer as paid, and sees a dispute first', async () => {
    await using one = await visit('operator', { size })
    await one.open(`/console/orders/${paid}`)
    await one.fits()
    await button(one, 'Refund').click()
    const dialog = one.page.getByRole('dialog')
    await dialog.getByLabel('Amount', { exact: true }).fill('5')
    await dialog.getByLabel('Reason', { exact: true }).fill('two days lost')
    await one.looksRight()
    await dialog.getByRole('button', { name: 'Refund 5 EUR' }).click()
    await says(one, 'Partly refunded')
    await says(one, 'two days lost')
    await one.quiet()
    await one.fits()

    await one.go(`/console/orders/${transfer}`)
    await button(one, 'Mark as paid').click()
    await dialog.getByLabel('Amount received', { exact: true }).fill('24')
    await dialog.getByLabel('Bank reference', { exact: true }).fill(`SEPA-${size}`)
    one.allow(/status of 422/)
    await dialog.getByRole('button', { name: `Add 27.00 USD to ${acme}` }).click()
    await says(one, '24.00 EUR was paid instead of 25.00 EUR.')
    await dialog.getByLabel('Amount received', { exact: true }).fill('25')
    await one.looksRight()
    await dialog.getByRole('button', { name: `Add 27.00 USD to ${acme}` }).click()
    // The refused amount has the word "paid" in its sentence, too.
    await dialog.waitFor({ state: 'hidden' })
    await says(one, 'Paid')
    expect(balanceOf(acme)).toBe(3 * 27_000_000_000 - 5_400_000_000)

    fake.pay(paid, { dispute: 'open' })
    await one.go(`/console/orders/${paid}`)
    await button(one, 'Check now').click()
    await says(one, 'The payer has disputed the payment at their bank.')
    await one.quiet()
    await one.fits()
    await one.go('/console/payments')
    await says(one, 'Orders that need attention')
    await one.page.getByRole('tab', { name: 'Revenue' }).click()
    await says(one, 'Fake card, EUR')
    await one.looksRight()
    await one.go(`/console/accounts/${acme}`)
    await link(one, 'Orders').click()
    await says(one, `Order ${paid}`)
    expect(await one.page.getByRole('tab', { name: 'Revenue' }).count()).toBe(0)
    await one.fits()
    await one.isClean()
  })
})
