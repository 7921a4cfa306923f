// A plan by card in the browser: a person saves a card, buys a plan on Stripe's page, and lets the card pay for the next months; one is charged, the bank
// asks at the next, and the person pays for it by the link of a mail.
import { describe, expect, test } from 'bun:test'
import { addMonths, GRACE_MS } from '../../plugins/plans/months.ts'
import type { Means } from '../providers/fake-stripe/payments.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { eventually } from '../support/eventually.ts'
import { allowStripe, button, moneyScene, pictures, WALKERS } from './money-scene.ts'

const { gateway, stripe, smtp, visit, signUpByApi } = await moneyScene(`
[[plans.offered]]
name = "pro"
title = "Pro"
price_usd = "10"
models = ["sim-flash"]
usd_per_day = 5
usd_per_month = 40
`)

interface Month {
  id: number
  state: string
}
const accountOf = (name: string) => gateway.rows().accounts.find((account) => account.name === name)
const monthsOf = (name: string): string[] =>
  gateway.db
    .query<Month, [number]>('SELECT id, state FROM plan_periods WHERE account_id = ? ORDER BY id')
    .all(accountOf(name)?.id ?? 0)
    .map(({ state }) => state)

/** Moves the end of the month to a moment ago. */
function endMonth(name: string): void {
  const ends_ms = Date.now() - 1_000
  // 48 months before has the same day of the month, even on 29 February.
  const months = 48
  gateway.db.run(
    `UPDATE plan_periods SET anchor_ms = ?1, month_number = ?2, starts_ms = ?3, ends_ms = ?4, covers_until_ms = ?5
      WHERE state = 'active' AND account_id = ?6`,
    [
      ...[addMonths(ends_ms, -months), months, ends_ms - 30 * 86_400_000, ends_ms, ends_ms + GRACE_MS],
      accountOf(name)?.id ?? 0,
    ],
  )
}

function setCards(means: Means): void {
  for (const object of stripe.state.objects.values())
    if (object.object === 'payment_method') object.means = means
}

async function payAtStripe(one: ConsolePage): Promise<void> {
  const { page } = one
  await page.waitForURL(`${stripe.origin}/pay/**`)
  await page.getByRole('button', { name: 'Pay 9.26 EUR' }).click()
  await page.waitForURL(/\/console\/orders\/\d+/)
  await page.getByText('Paid. The month of Pro has started.').waitFor()
  await one.quiet()
  await one.fits()
}

describe.each(WALKERS)('screens: $size', (walker) => {
  const name = `nora-${walker.size}`
  const email = `${name}@example.org`

  test('a person saves a card, buys a plan by card, and lets the card pay for the next months', async () => {
    setCards('card')
    await signUpByApi(name, email)
    await using one = await visit({ account: name }, walker)
    const { page } = one
    const picture = pictures(one, walker)
    allowStripe(one, stripe)
    await one.open('/console/payments')
    await button(one, 'Add card').click()
    await page.waitForURL(/\/pay\/cs_/)
    await page.getByRole('button', { name: 'Save card' }).click()
    await page.waitForURL(/\/console\/payments/)
    await page.getByText('Visa ending in 4242 saved').waitFor()

    await one.go('/console/plan')
    expect(await page.getByRole('heading', { name: 'Months' }).count()).toBe(0)
    await button(one, 'Buy Pro').click()
    await page.getByText('Pro begins once it is paid and lasts a month.').waitFor()
    await one.fits()
    await picture('30-buy-by-card')
    await page.getByRole('dialog').getByRole('button', { name: 'Pay 9.26 EUR' }).click()
    await payAtStripe(one)
    await picture('31-order-paid')
    expect(accountOf(name)?.balance_nanos).toBe(800_000)

    await page.getByRole('link', { name: 'Your plan' }).click()
    await button(one, 'Use saved card').waitFor()
    expect(await page.getByRole('heading', { name: 'Change plan' }).count()).toBe(0)
    await button(one, 'Use saved card').click()
    await page.getByText(/your saved card is charged for 10.00 USD without asking/).waitFor()
    await one.looksRight()
    await picture('32-use-card')
    await page.getByRole('dialog').getByRole('button', { name: 'Use saved card' }).click()
    await page.getByText(/If that is too low, your saved card is charged/).waitFor()
    await one.quiet()
    await one.fits()
    await picture('33-plan')
    await one.isClean()
  }, 60_000)

  test('the card pays the next month; the bank asks at the one after it, and the person pays by the link of the mail', async () => {
    endMonth(name)
    await eventually('the month is renewed by the card', () => monthsOf(name).join() === 'ended,active')
    setCards('card_asking')
    endMonth(name)
    const mailOf = () =>
      smtp.received.findLast(({ to, text }) => to.includes(email) && text.includes('is not paid'))
    await eventually('a mail says that it was not charged', () => mailOf() !== undefined)
    const [subject] = smtp.received
      .filter(({ to }) => to.includes(email))
      .map(({ text }) => text)
      .slice(-2)
    expect(subject).toContain('Pro is renewed')
    expect(mailOf()?.text).toContain('Your bank asks you to confirm the payment.')
    const path = /\/console\/plan/.exec(mailOf()?.text ?? '')?.[0] ?? ''
    await using one = await visit({ account: name }, walker)
    const { page } = one
    const picture = pictures(one, walker)
    allowStripe(one, stripe)
    await one.open(path)
    await page.getByText(/Your card was not charged. Your bank asks/).waitFor()
    await page.getByText(/Unpaid since/).waitFor()
    await one.quiet()
    await one.fits()
    await picture('34-unpaid')
    await button(one, 'Pay for Pro').click()
    await page.getByText('The next month of Pro is paid, and its limits go on.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Pay 9.26 EUR' }).click()
    await payAtStripe(one)
    expect(monthsOf(name)).toEqual(['ended', 'ended', 'active'])
    await one.go('/console/plan')
    await page.getByText(/renews then for 10.00 USD from the balance/).waitFor()
    await one.quiet()
    await one.fits()
    await picture('35-renewed')
    await one.isClean()
  }, 90_000)
})
