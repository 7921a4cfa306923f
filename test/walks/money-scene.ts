// The scene of walks with money: a gateway with open sign-up, its mail server, a fake Stripe with a page to pay on, and pictures.
import { afterAll } from 'bun:test'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { type FakeStripe, registerEndpoint, startFakeStripe } from '../providers/fake-stripe/index.ts'
import { fileConsole, PASSWORD } from '../support/console.ts'
import type { ConsolePage, Theme } from '../support/console-page.ts'
import { consoleAddress } from '../support/console-port.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fetchWithReceipts } from '../support/receipts.ts'
import { type Size, WALK_SCREENS } from '../support/screens.ts'
import { startSmtp } from '../support/smtp.ts'

/** A live key, because payments in Stripe's test mode do not count. */
const STRIPE_KEY = 'sk_live_of_the_fake'
const WEBHOOK_SECRET = 'whsec_of_the_fake'
/** Its calls are dear, so that few calls use up a balance. */
export const DEAR = { model: 'sim-dear', max_tokens: 100 }

export const button = ({ page }: ConsolePage, name: string) => page.getByRole('button', { name, exact: true })
export const heading = ({ page }: ConsolePage, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true })

const sections = (origin: string, smtp_port: number, more: string): string => `
[mail]
smtp = "smtp://127.0.0.1:${smtp_port}"
from = "Example AI <noreply@example.com>"

[sign_up]
mode = "open"
challenge = "none"

[brand]
name = "Example AI"
support_url = "mailto:help@example.com"

[payments]
rates = { EUR = "1.08", USD = "1" }

[payments.stripe]
secret_key = "env:STRIPE_KEY"
webhook_secret = "env:STRIPE_WEBHOOK"

[[models]]
id = "${DEAR.model}"
kind = "text"
max_output_tokens = 1_000
routes = [{ provider = "simulator", model = "dear" }]
price = { input = 0.30, output = 100_000 }
${more.replaceAll('ORIGIN', origin)}`

interface Walker {
  size: Size
  theme: Theme
}

/** The screens of the walks, one after the other. */
export const WALKERS: readonly Walker[] = WALK_SCREENS.map((size) => ({
  size,
  theme: size === 'phone' ? 'dark' : 'light',
}))

/** @param more sections of the catalogue */
export async function moneyScene(more = '') {
  const smtp = await startSmtp()
  const stripe = startFakeStripe({ key: STRIPE_KEY })
  afterAll(async () => {
    await stripe[Symbol.asyncDispose]()
    await smtp[Symbol.asyncDispose]()
  })
  const listen = consoleAddress()
  const origin = `http://${listen}`
  const server = FIRST_CATALOGUE.replace(/^\[server\]$/m, `[server]\npublic_url = "${origin}"`)
  const { gateway, visit } = await fileConsole({
    listen,
    catalogue: server + sections(origin, smtp.port, more),
    sweep_every_ms: 1_000,
    env: { STRIPE_KEY, STRIPE_WEBHOOK: WEBHOOK_SECRET },
    network: (url, init) =>
      url.startsWith('https://api.stripe.com/') ? stripe.network(url, init) : fetchWithReceipts(url, init),
  })
  registerEndpoint(stripe, `${origin}/payments/stripe/webhook`)

  async function linkOf(email: string): Promise<string> {
    let found: string | undefined
    await eventually(`a mail to ${email} has a link`, () => {
      const mail = smtp.received.findLast(({ to }) => to.includes(email))
      found = /\/console\/sign-up\/confirm\S*#\S+/.exec(mail?.text ?? '')?.[0]
      return found !== undefined
    })
    return found ?? ''
  }

  const pageAtStripe = (order: number): string =>
    gateway.db.query<{ reference: string }, [number]>('SELECT reference FROM orders WHERE id = ?').get(order)
      ?.reference ?? ''

  return {
    gateway,
    stripe,
    smtp,
    pageAtStripe,
    /** Pays into an account without a browser. @returns the number of the paid order */
    async payByApi(account: string, amount: string): Promise<number> {
      const client = await signedIn(gateway, { account })
      const { order } = await client.json('POST', '/orders', { method: 'stripe', currency: 'EUR', amount })
      stripe.pay(pageAtStripe(order.id))
      await stripe.webhooks.settled()
      return order.id
    },
    /** On a desktop of 1,440 pixels, or a phone of 390. */
    async visit(as: Parameters<typeof visit>[0], { size, theme }: Walker): Promise<ConsolePage> {
      const one = await visit(as, { size, theme })
      if (size !== 'phone') await one.page.setViewportSize({ width: 1_440, height: 900 })
      return one
    },
    /** A stranger becomes an account, without a browser. */
    async signUpByApi(account: string, email: string): Promise<void> {
      const client = clientOf(gateway)
      await client.json('POST', '/sign-up', { email })
      const token = new URL(await linkOf(email), origin).hash.slice(1)
      await client.json('POST', '/sign-up/finish', { token, name: account, password: PASSWORD, terms: null })
    },
    /** A stranger becomes an account, from the page that they are on to "Get started". */
    async signUp(one: ConsolePage, email: string): Promise<void> {
      const { page } = one
      await page.getByLabel('Email').fill(email)
      await page.keyboard.press('Enter')
      await heading(one, 'Check your mail').waitFor()
      await one.open(await linkOf(email))
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await button(one, 'Create account').click()
      await heading(one, 'Get started').waitFor()
    },
    /** From "Add funds" by Stripe's page back to the paid order. @returns its number */
    async pay(one: ConsolePage, amount: string, picture: (name: string) => Promise<void>): Promise<number> {
      const { page } = one
      allowStripe(one, stripe)
      await page.getByLabel('Amount', { exact: true }).fill(amount)
      await page.getByText(/You pay .* and get/).waitFor()
      // Until then, the offer for the former amount is shown paler.
      await one.quiet()
      await picture('add-funds')
      await button(one, `Pay ${amount} EUR`).click()
      await page.waitForURL(`${stripe.origin}/pay/**`)
      await page.getByRole('button', { name: `Pay ${Number(amount)} EUR` }).click()
      await page.waitForURL(/\/console\/orders\/\d+/)
      await page.getByRole('status').filter({ hasText: 'Paid.' }).waitFor()
      await one.quiet()
      await picture('order-paid')
      return Number(/\/orders\/(\d+)/.exec(page.url())?.[1])
    },
  }
}

/** Allows requests to Stripe's page: only a payment leaves the console. */
export function allowStripe(one: ConsolePage, { origin }: FakeStripe): void {
  one.allow(new RegExp(`a request to another host: ${origin}/`))
  // The fake Stripe has no icon.
  one.allow(new RegExp(`status of 404 .*${origin}/favicon`))
}

/** The folder for pictures of the pages, if they are wanted. */
const PICTURES = process.env.TOLLGATE_PICTURES

/** Takes a picture of the whole page in both themes. */
export function pictures(one: ConsolePage, { size }: Walker) {
  return async (name: string): Promise<void> => {
    if (PICTURES === undefined) return
    await one.quiet()
    for (const theme of ['light', 'dark'] as const) {
      await one.page.emulateMedia({ colorScheme: theme })
      const path = join(PICTURES, `${name}-${size}-${theme}.png`)
      await one.page.screenshot({ path, fullPage: true })
    }
  }
}
