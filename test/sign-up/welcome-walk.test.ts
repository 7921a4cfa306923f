// The welcome credit in a browser: at the sign-up, before the payment, and in the transactions; on a phone, too.
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { plugins } from '../../plugins/index.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fakeMethod } from '../payments/fake-method.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { consoleAddress } from '../support/console-port.ts'
import { clientOf } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { WALK_SCREENS } from '../support/screens.ts'
import { startSmtp } from '../support/smtp.ts'
import { PASSWORD, tokenIn } from './scene.ts'

const smtp = await startSmtp()
afterAll(() => smtp[Symbol.asyncDispose]())
const listen = consoleAddress()
const fake = fakeMethod({ pageOf: (id) => `http://${listen}/fake-pay/${id}` })
const { gateway, visit } = await fileConsole({
  listen,
  plugins: [...plugins, fake.plugin],
  catalogue: `${FIRST_CATALOGUE.replace(/^\[server\]$/m, `[server]\npublic_url = "http://${listen}"`)}
[mail]
smtp = "smtp://127.0.0.1:${smtp.port}"
from = "Example AI <noreply@example.com>"
[sign_up]
mode = "open"
challenge = "none"
welcome_usd = 5
[payments]
rates = { EUR = "1.08" }
`,
})
const PICTURES = process.env.TOLLGATE_PICTURES
async function checkPage(one: ConsolePage, step: string): Promise<void> {
  await one.quiet()
  await one.fits()
  if (PICTURES === undefined) return
  await one.page.screenshot({ path: join(PICTURES, `welcome-${step}.png`), fullPage: true })
}

test.each(WALK_SCREENS)('a stranger sees the welcome credit at each step, screens: %s', async (size) => {
  const name = `mia-${size}`
  {
    await using one = await visit(undefined, { size })
    await one.open('/console/sign-up')
    await one.page.getByText('We match your first payment, up to 5.00 USD.').waitFor()
    await checkPage(one, `sign-up-${size}`)
  }
  // The other steps of a sign-up are those of `walk.test.ts`.
  const stranger = clientOf(gateway)
  await stranger.json('POST', '/sign-up', { email: `${name}@example.com` })
  const mail = () => smtp.received.findLast(({ to }) => to.includes(`${name}@example.com`))
  await eventually('the mail is there', () => mail() !== undefined)
  const form = { token: tokenIn(mail()), name, password: PASSWORD, terms: null }
  await stranger.json('POST', '/sign-up/finish', form)

  await using one = await visit({ account: name }, { size })
  const { page } = one
  await one.open('/console/add-funds')
  await page.getByText('You pay 25.00 EUR and get 27.00 USD, plus 5.00 USD for your first payment.').waitFor()
  await checkPage(one, `add-funds-${size}`)
  await page.getByRole('button', { name: 'Pay 25 EUR' }).click()
  await page.getByRole('button', { name: /^Pay order/ }).click()
  await page.getByText('Paid. 27.00 USD was added to your balance, plus 5.00 USD welcome credit.').waitFor()
  await page.getByText(/^27.00 USD, plus 5.00 USD welcome credit/).waitFor()
  await checkPage(one, `order-${size}`)
  await one.go('/console/add-funds')
  await page.getByText('Your balance is 32.00 USD.').waitFor()
  await page.getByText('You pay 25.00 EUR and get 27.00 USD').waitFor()
  expect(await page.getByText('for your first payment').count()).toBe(0)
  await one.go('/console/transactions')
  await page.getByText(/Welcome credit with order \d+/).waitFor()
  await checkPage(one, `transactions-${size}`)
  await one.isClean()
})

test('the operator sees the sum of welcome credits', async () => {
  await using one = await visit('operator', { size: 'wide' })
  await one.open('/console/payments?tab=revenue')
  await one.page
    .getByText(`Given away beside it: welcome credits ${5 * WALK_SCREENS.length}.00 USD.`)
    .waitFor()
  await checkPage(one, 'payments')
  await one.go('/console/settings/sign_up')
  await one.page.getByLabel('Welcome credit').waitFor()
  await one.looksRight()
  await checkPage(one, 'settings')
  await one.isClean()
})
