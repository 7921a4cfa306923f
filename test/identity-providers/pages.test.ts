// Sign-in by a real provider in a real browser: the button, the redirects, linking, confirming, unlinking, signing out.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { referralCodeOf } from '../../plugins/referral/binding.ts'
import { fileConsole, givePasswords, PASSWORD } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { consoleAddress } from '../support/console-port.ts'
import { startProvider } from '../support/identity-provider.ts'
import { SCREENS } from '../support/screens.ts'
import { catalogueWith, ownerWith } from './scene.ts'

const listen = consoleAddress()
const url = `http://${listen}`
const provider = await startProvider(url, {
  people: {
    anna: { email: 'anna@example.com', email_verified: true, name: 'Anna' },
    eve: { email: 'eve@example.com', email_verified: false },
    work: { email: 'anna@work.example' },
    newcomer: { email: 'newcomer@nobody.example', email_verified: true },
  },
})
const { gateway, visit } = await fileConsole({
  listen,
  catalogue: catalogueWith(
    url,
    `${provider.lines()}
[mail]
smtp = "smtp://127.0.0.1:1"
from = "a@example.com"
[brand]
terms_url = "https://example.com/terms"
[sign_up]
mode = "open"
email_domains = ["nobody.example"]
[referral]
share = 0.1`,
  ),
})
afterAll(() => provider[Symbol.asyncDispose]())
await gateway.account('alice', { balance_usd: '10' })
await givePasswords(gateway, ['alice'])
await ownerWith(gateway, { account: 'alice', email: 'anna@example.com', is_verified: true })

/** The provider's own pages, and the font that they load. */
const ELSEWHERE = /a request to another host|fonts\.googleapis/
const BUTTON = { name: 'Continue with Example ID' }
const SIDE_BAR = { name: 'Pages' }

/** Signs in at the provider's own form, and agrees. */
async function signInThere(page: Page, sub: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(sub)
  await page.getByPlaceholder('and password').fill('x')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

describe('a provider in the browser', () => {
  let one: ConsolePage
  beforeAll(async () => {
    one = await visit()
    one.allow(ELSEWHERE)
    // A request of the page while it signs out, and a cancelled or refused sign-in.
    one.allow(/status of 40[13]/)
  })
  afterAll(() => one[Symbol.asyncDispose]())
  // Signed out, here and at the provider.
  beforeEach(() => one.context.clearCookies())

  test('signs in, opens the requested page without parameters of its own, signs out there, and can be cancelled', async () => {
    const { page } = one
    await one.open('/console/keys?x=1')
    await page.getByRole('button', BUTTON).waitFor()
    await one.looksRight()
    await page.getByRole('button', BUTTON).click()
    await signInThere(page, 'anna')
    await page.getByRole('navigation', SIDE_BAR).waitFor()
    await one.quiet()
    expect(page.url()).toBe(`${url}/console/keys?x=1`)
    await one.isClean()

    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('You may still be signed in at Example ID').waitFor()
    await one.quiet()
    await one.looksRight()
    await page.getByRole('button', { name: 'Sign out of Example ID' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.getByRole('button', BUTTON).waitFor()
    expect(page.url()).toBe(`${url}/console`)
    expect(await page.getByText('You may still be signed in').count()).toBe(0)

    await page.getByRole('button', BUTTON).click()
    await page.getByRole('link', { name: '[ Cancel ]' }).click()
    await page.getByText('You did not let Example ID sign you in').waitFor()
  })

  test('as wide as a phone explains a refused sign-in, and links back', async () => {
    const { page } = one
    await page.setViewportSize(SCREENS.phone)
    await one.open('/console')
    await page.getByRole('button', BUTTON).click()
    await signInThere(page, 'eve')
    await page.getByText('No account here belongs to this identity').waitFor()
    await one.quiet()
    await one.looksRight()
    expect(new URL(page.url()).search).toBe('')
    await page.getByRole('link', { name: 'Back to sign in' }).click()
    await page.getByRole('button', BUTTON).waitFor()
    await page.setViewportSize(SCREENS.wide)
  })

  test('binds an account created by a referral link to the referrer', async () => {
    const bob = await gateway.account('bob')
    const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
    const code = await referralCodeOf(gateway.store, bob.id, { randomBytes, now_ms: 1 })
    const { page } = one
    await one.open(`/console/sign-up?ref=${code}`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', BUTTON).click()
    await signInThere(page, 'newcomer')
    await page.getByRole('navigation', SIDE_BAR).waitFor()
    await one.quiet()
    expect(await gateway.store.rows('SELECT referrer_id FROM referrals')).toMatchObject([
      { referrer_id: bob.id },
    ])
  })

  test('has a return page that, opened by hand, leads to the sign-in, where a password still signs in', async () => {
    const { page } = one
    await one.open('/console/sign-in/real')
    await page.getByText('This page is the end of a sign-in').waitFor()
    await one.looksRight()
    await page.getByRole('link', { name: 'Back to sign in' }).click()
    await page.getByLabel('Account or email').fill('alice')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', SIDE_BAR).waitFor()
  })
})

describe('in Settings', () => {
  test('linking needs a confirmation, for which an identity can be used; a second identity is linked, and unlinked', async () => {
    await using one = await visit({ account: 'alice' })
    const { page } = one
    one.allow(ELSEWHERE)
    one.allow(/status of 403/)
    await gateway.store.begin((tx) => tx.rows('UPDATE sessions SET confirmed_at_ms = 0'))
    await one.open('/console/settings')
    await page.getByRole('heading', { name: 'Other ways to sign in' }).waitFor()
    await page.getByRole('button', { name: 'Link Example ID' }).click()
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor()
    await one.looksRight()
    // By the linked identity, in a new tab.
    const tab = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Confirm with Example ID' }).click()
    const other = await tab
    await signInThere(other, 'anna')
    // The linking continues by itself, because the person is now signed in at the provider.
    await page.getByText('Identity linked').waitFor()
    await page.getByRole('cell', { name: 'anna@example.com' }).waitFor()
    await one.quiet()
    await one.looksRight()
    // The page would not be used again in a browser with two tabs.
    await other.close()

    // As somebody else at the provider, on a page as wide as a phone.
    await page.context().clearCookies({ name: /^_[a-z]/ })
    await page.setViewportSize(SCREENS.phone)
    await page.getByRole('button', { name: 'Link Example ID' }).click()
    await signInThere(page, 'work')
    await page.getByText('anna@work.example').waitFor()
    await page.getByText('Identity linked').waitFor()
    await one.quiet()
    await one.looksRight()
    await page.getByRole('button', { name: 'Unlink' }).last().click()
    await page.getByRole('heading', { name: 'Unlink Example ID?' }).waitFor()
    await one.looksRight()
    await page.getByRole('button', { name: 'Unlink Example ID' }).click()
    await page.getByText('Example ID unlinked').waitFor()
    await page.getByText('anna@work.example').waitFor({ state: 'detached' })
  })
})
