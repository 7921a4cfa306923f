// Plans in the browser: an owner orders a plan by a transfer, buys it from the balance, calls, sees its bars move, changes, cancels and keeps it; days of grace; billing
// and members; an operator sees the plans of accounts and their revenue.
import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { WALK_SCREENS } from '../support/screens.ts'

const { gateway, visit, at } = await fileConsole({
  catalogue: `${FIRST_CATALOGUE}
[payments.manual]
instructions = "Send {amount}. Reference: {reference}"
currencies = ["USD"]

[[plans.offered]]
name = "mini"
title = "Mini"
description = "For now and then."
price_usd = 5
models = ["sim-gpt"]
usd_per_day = 1
overflow = false

[[plans.offered]]
name = "pro"
title = "Pro"
description = "For every day."
price_usd = 20
models = ["*"]
usd_per_5h = "0.0005"
usd_per_week = 25
usd_per_month = 60

[[plans.offered]]
name = "max"
title = "Max"
price_usd = 100
models = ["*"]
usd_per_month = 400
concurrent_calls = 20
`,
})

const USD = 1_000_000_000
const button = ({ page }: ConsolePage, name: string) => page.getByRole('button', { name, exact: true })
const dialogOf = ({ page }: ConsolePage) => page.getByRole('dialog')
const says = ({ page }: ConsolePage, text: string | RegExp) => page.getByText(text).first().waitFor()
const barOf = ({ page }: ConsolePage, name: string) => page.getByRole('meter', { name, exact: true })
const usedOf = async (one: ConsolePage, name: string): Promise<number> =>
  Number(await barOf(one, name).getAttribute('value'))
const rowOf = (name: string) => gateway.rows().accounts.find((account) => account.name === name)

async function chat(key: string): Promise<void> {
  const response = await gateway.call(
    '/v1/chat/completions',
    { model: 'sim-gpt', messages: [{ role: 'user', content: 'hello' }], max_tokens: 10 },
    { key },
  )
  expect(response.status).toBe(200)
  await response.arrayBuffer()
}

describe.each(WALK_SCREENS)('screens: %s', (size) => {
  const acme = `acme-${size}`

  test('an owner without enough balance orders by a transfer, and buys at once with enough', async () => {
    await gateway.account(acme, { balance_usd: '3' })
    const one = await at({ account: acme }, '/console/plan', { size })
    await says(one, 'No plan')
    await one.fits()
    await button(one, 'Buy Pro').click()
    await says(one, 'Pro begins once it is paid and lasts a month.')
    await one.looksRight()
    await dialogOf(one).getByRole('button', { name: 'Pay 20.00 USD' }).click()
    await says(one, 'Send 20.00 USD as below. Pro begins once the money has arrived.')
    await one.fits()
    await gateway.topUp(rowOf(acme)?.id ?? 0, '150')
    await one.open('/console/plan')
    await button(one, 'Buy Pro').click()
    await says(one, 'Pro begins at once and lasts a month. It renews each month for 20.00 USD')
    await one.fits()
    await dialogOf(one).getByRole('button', { name: 'Pay 20.00 USD' }).click()
    await says(one, 'Pro has started')
    await says(one, /renews then for 20.00 USD from the balance/)
    expect(rowOf(acme)?.balance_nanos).toBe(133 * USD)
    for (const name of ['5 hours', 'This week (UTC)', 'Plan month']) expect(await usedOf(one, name)).toBe(0)
    await one.quiet()
    await one.fits()
    await one.isClean()
  })

  test('calls move the bars, and take nothing from the balance', async () => {
    const key = await gateway.key(acme)
    await chat(key)
    const one = await at({ account: acme }, '/console/plan', { size })
    await one.open('/console/plan')
    const used_nanos = (await gateway.lastCall()).covered_nanos
    expect(used_nanos).toBeGreaterThan(0)
    expect(await usedOf(one, '5 hours')).toBeCloseTo(used_nanos / (USD / 2_000), 6)
    expect(await barOf(one, '5 hours').getAttribute('aria-valuetext')).toEndWith(' of 0.0005 USD used')
    expect(await usedOf(one, 'Plan month')).toBeCloseTo(used_nanos / (60 * USD), 12)
    expect(rowOf(acme)?.balance_nanos).toBe(133 * USD)
    await one.fits()
    await one.isClean()
  })

  test('a dearer plan credits the rest of the month, and the shown amount is paid', async () => {
    const one = await at({ account: acme }, '/console/plan', { size })
    await button(one, 'Change to Max').click()
    await says(one, /USD for the rest of Pro/)
    await one.fits()
    const pay = dialogOf(one).getByRole('button', { name: /^Pay 8\d\.\d+ USD$/ })
    const due_nanos = Math.round(Number(/[\d.]+/.exec(await pay.innerText())?.[0]) * USD)
    expect(due_nanos).toBeGreaterThanOrEqual(80 * USD)
    await pay.click()
    await says(one, 'Max has started')
    expect(rowOf(acme)?.balance_nanos).toBe(133 * USD - due_nanos)
    await one.isClean()
  })

  test('a cheaper plan begins later, and can be taken back; a plan is cancelled', async () => {
    const one = await at({ account: acme }, '/console/plan', { size })
    const before = rowOf(acme)?.balance_nanos
    await button(one, 'Change to Mini').click()
    await says(one, /You pay nothing now. Mini begins when the month of Max is over/)
    await one.fits()
    await dialogOf(one).getByRole('button', { name: 'Change to Mini' }).click()
    await says(one, /Changes to Mini on .*, for 5.00 USD a month/)
    await button(one, 'Keep Max').click()
    await says(one, 'Max is kept')
    await button(one, 'Cancel plan').click()
    await says(one, /Max covers calls until .*, then it ends. You get no refund/)
    await one.looksRight()
    await dialogOf(one).getByRole('button', { name: 'Cancel plan' }).click()
    await says(one, /Cancelled: ends on/)
    expect(await button(one, 'Cancel plan').count()).toBe(0)
    await one.quiet()
    await one.fits()
    expect(rowOf(acme)?.balance_nanos).toBe(before)
    await one.isClean()
  })

  test('an unpaid plan shows billing since when it is unpaid, and by when to pay', async () => {
    const now_ms = Date.now()
    gateway.db.run(
      `UPDATE plan_periods SET renews = 1, starts_ms = starts_ms - 2764800000, ends_ms = ?1, covers_until_ms = ?2
        WHERE state = 'active' AND account_id = ?3`,
      [now_ms - 3_600_000, now_ms + 71 * 3_600_000, rowOf(acme)?.id ?? 0],
    )
    await using one = await visit({ account: acme, role: 'billing' }, { size, theme: 'dark' })
    await one.open('/console/plan')
    await says(one, /Unpaid since .*: the balance was too low for the next month. Pay for it/)
    await one.looksRight()
    await button(one, 'Pay for Max').click()
    await says(one, 'The next month of Max is paid, and its limits go on.')
    await one.isClean()
  })

  test('a member sees nothing of plans', async () => {
    await using one = await visit({ account: acme, role: 'member' }, { size })
    await one.open('/console/plan')
    await one.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await one.isClean()
  })

  test('an operator sees the plans of accounts, and their revenue', async () => {
    await using one = await visit('operator', { size })
    await one.open('/console/plans')
    await says(one, 'Accounts with a plan')
    await says(one, acme)
    await one.quiet()
    await one.fits()
    await one.page.getByRole('tab', { name: 'Revenue' }).click()
    await one.page.getByRole('table', { name: 'Revenue by plan' }).waitFor()
    await one.quiet()
    await one.fits()
    await one.go(`/console/plans/${acme}`)
    await says(one, /Unpaid since/)
    await one.fits()
    await one.go('/console/payments?tab=revenue')
    await says(one, 'Revenue of plans')
    await says(one, 'Months of plans not used yet')
    await one.go('/console/settings/plans')
    await one.page.getByRole('button', { name: 'Edit Mini' }).waitFor()
    await one.fits()
    await one.isClean()
  })
})
