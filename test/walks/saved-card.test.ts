// A saved card and automatic top-up in the browser, over a fake Stripe: a card is saved, abandoned, replaced and removed; the top-up set up,
// changed, turned off, and off by itself.
import { afterAll, describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { WEBHOOK_SECRET } from '../payments/stripe/scene.ts'
import { registerEndpoint, startFakeStripe } from '../providers/fake-stripe/index.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { consoleAddress } from '../support/console-port.ts'
import { WALK_SCREENS } from '../support/screens.ts'

const KEY = 'sk_test_of_the_fake'
const stripe = startFakeStripe({ key: KEY })
const listen = consoleAddress()
const { gateway, visit } = await fileConsole({
  listen,
  env: { STRIPE_KEY: KEY, STRIPE_WEBHOOK: WEBHOOK_SECRET },
  network: (url, init) => stripe.network(url, init),
  catalogue: `${FIRST_CATALOGUE.replace(/^\[server\]$/m, `[server]\npublic_url = "http://${listen}"`)}
[payments]
rates = { EUR = "1.08" }

[payments.stripe]
secret_key = "env:STRIPE_KEY"
webhook_secret = "env:STRIPE_WEBHOOK"
`,
})
registerEndpoint(stripe, new URL('/payments/stripe/webhook', gateway.url).href)
afterAll(() => stripe[Symbol.asyncDispose]())

const button = ({ page }: ConsolePage, name: string) => page.getByRole('button', { name, exact: true })
const says = ({ page }: ConsolePage, text: string) => page.getByText(text).first().waitFor()
const lines = (action: string): number =>
  gateway.db.query('SELECT 1 FROM actions WHERE action = ?').all(action).length

/** Goes to Stripe's page, and saves a card there. */
async function saveAt(one: ConsolePage, action: string): Promise<void> {
  one.allow(/a request to another host: http:\/\/127\.0\.0\.1:\d+\/pay\//)
  await button(one, action).click()
  await one.page.waitForURL(/\/pay\/cs_/)
  await one.page.getByRole('button', { name: 'Save card' }).click()
  await one.page.waitForURL(/\/console\/payments/)
}

describe.each(WALK_SCREENS)('screens: %s', (size) => {
  const account = `acme-${size}`

  test('an owner saves a card, which Stripe does not confirm, replaces it and removes it', async () => {
    await gateway.account(account, { balance_usd: '10' })
    await using one = await visit({ account }, { size })
    await one.open('/console/payments')
    await says(one, 'Test mode: no money moves.')
    await says(one, 'No card is saved for automatic top-up or a plan.')
    await one.fits()
    const before = lines('card.saved')
    // Stripe never confirms the first card: the page waits until the gateway has requested it.
    stripe.webhooks.way = 'lose'
    await saveAt(one, 'Add card')
    await says(one, 'Visa ending in 4242 saved')
    stripe.webhooks.way = 'send'
    await says(one, 'Expires 08/2030')
    await one.page.waitForURL(/\/console\/payments$/)
    await one.quiet()
    await one.fits()
    await saveAt(one, 'Replace')
    await says(one, 'Visa ending in 4242 saved')
    await stripe.webhooks.settled()
    expect(lines('card.saved') - before).toBe(2)
    await button(one, 'Remove').click()
    await says(one, 'Automatic top-up ends, and a plan is renewed from the balance alone.')
    await one.looksRight()
    await button(one, 'Remove card').click()
    await says(one, 'No card is saved for automatic top-up or a plan.')
    await one.quiet()
    await one.fits()
    await one.isClean()
  })

  test('billing sets automatic top-up up, leaves the page of Stripe without a card, changes the top-up and turns it off; without a card it is off', async () => {
    await using one = await visit({ account, role: 'billing' }, { size })
    await one.open('/console/payments')
    await says(one, 'Add a card first.')
    await saveAt(one, 'Add card')
    await button(one, 'Set up').click()
    const dialog = one.page.getByRole('dialog')
    await says(one, 'Each time you pay 25.00 EUR and get 27.00 USD')
    await one.looksRight()
    await dialog.getByLabel('Monthly limit', { exact: true }).fill('20')
    one.allow(/status of 400/)
    await button(one, 'Turn on').click()
    await says(one, 'Enter at least the amount of one top-up.')
    await one.fits()
    await dialog.getByLabel('Monthly limit', { exact: true }).fill('60')
    await button(one, 'Turn on').click()
    await says(one, 'Automatic top-up is on')
    await says(one, '27.00 USD for 25.00 EUR')
    await says(one, '0.00 of at most 60.00 EUR')
    await one.quiet()
    await one.looksRight()
    const saved = lines('card.saved')
    await button(one, 'Replace').click()
    await one.page.waitForURL(/\/pay\/cs_/)
    await one.page.getByRole('link', { name: 'Back' }).click()
    await says(one, 'No card was saved')
    await says(one, 'Visa ending in 4242')
    await one.quiet()
    await one.fits()
    expect(lines('card.saved')).toBe(saved)
    await button(one, 'Edit').click()
    await dialog.getByLabel('When the balance is below', { exact: true }).fill('7.50')
    await button(one, 'Save changes').click()
    await says(one, '7.50 USD')
    await button(one, 'Turn off').click()
    await says(one, 'Turned off by someone of this account.')
    await one.quiet()
    await one.fits()
    const failure = 'Your card was declined. Use another card, or ask your bank.'
    gateway.db.run("UPDATE automatic_top_ups SET off_reason = 'failures', failures = 3, failure = ?", [
      failure,
    ])
    await one.open('/console/payments')
    await says(one, `Three payments in a row failed. ${failure}`)
    await one.fits()
    await button(one, 'Turn on').click()
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await says(one, 'Automatic top-up is on')
    await button(one, 'Remove').click()
    await button(one, 'Remove card').click()
    await says(one, 'The card was removed.')
    await one.quiet()
    expect(await button(one, 'Turn on').count()).toBe(0)
    await one.fits()
    await one.isClean()
  })
})
