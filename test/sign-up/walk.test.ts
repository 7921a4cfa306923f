// A stranger's first hour in a browser: from "Create an account" to a key and a first call, refused with the reason; on a phone, too.
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { consoleAddress } from '../support/console-port.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { WALK_SCREENS } from '../support/screens.ts'
import { startSmtp } from '../support/smtp.ts'
import { PASSWORD, tokenIn } from './scene.ts'

const smtp = await startSmtp()
afterAll(() => smtp[Symbol.asyncDispose]())
const listen = consoleAddress()
const FIRST = FIRST_CATALOGUE.replace(/^\[server\]$/m, `[server]\npublic_url = "http://${listen}"`)
const TERMS = 'https://example.com/terms'
const CATALOGUE = `${FIRST}
[mail]
smtp = "smtp://127.0.0.1:${smtp.port}"
from = "Example AI <noreply@example.com>"
[sign_up]
mode = "open"
terms_version = "2026-11"
[brand]
name = "Example AI"
terms_url = "${TERMS}"
support_url = "mailto:help@example.com"
`
const { gateway, visit } = await fileConsole({ listen, catalogue: CATALOGUE })

/** A fake of Cloudflare's script: https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/ */
const FAKE_TURNSTILE = `
let tokens = 0
window.turnstile = {
  render(place, { sitekey, action, callback }) {
    place.textContent = 'checked as ' + action + ' of ' + sitekey
    callback('token-' + ++tokens)
    return 'w1'
  },
  reset() {},
  remove() {},
}`

/** The folder for a picture of each step; absent: no pictures. */
const PICTURES = process.env.TOLLGATE_PICTURES
async function picture(one: ConsolePage, name: string): Promise<void> {
  if (PICTURES === undefined) return
  await one.quiet()
  await one.page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

async function linkTo(email: string): Promise<string> {
  const found = () => smtp.received.findLast(({ to }) => to.includes(email))
  await eventually('the mail is there', () => found() !== undefined)
  return `/console/sign-up/confirm#${tokenIn(found())}`
}

/** The account of the first walk. */
const WALKER = `anna-${WALK_SCREENS[0]}`

describe.each(WALK_SCREENS)('a stranger, screens: %s', (size) => {
  const name = `anna-${size}`
  const email = `${name}@example.org`

  test('signs up, and starts at "Get started", which says how to get funds', async () => {
    await using one = await visit(undefined, { size, theme: size === 'phone' ? 'dark' : 'light' })
    const { page } = one
    await one.open('/console')
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await one.looksRight()
    await picture(one, `1-form-${size}`)
    await page.getByLabel('Email').fill(email)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await one.looksRight()
    await picture(one, `2-sent-${size}`)

    await one.open(await linkTo(email))
    await page.getByRole('heading', { name: 'Create your account' }).waitFor()
    expect(await page.getByLabel('Account name').inputValue()).toBe(name)
    await one.looksRight()
    await picture(one, `3-confirm-${size}`)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    one.allow(/status of 400/)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Accept the terms of service to continue.').waitFor()
    await picture(one, `4-terms-${size}`)
    await page.getByRole('switch', { name: 'I accept the terms of service' }).click()
    await page.getByRole('button', { name: 'Create account' }).click()

    await page.getByRole('heading', { name: 'Get started' }).waitFor()
    await page.getByText('You have no balance yet.').waitFor()
    expect(await page.getByRole('link', { name: 'Contact Example AI' }).getAttribute('href')).toBe(
      'mailto:help@example.com',
    )
    await one.looksRight()
    await picture(one, `5-start-${size}`)

    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /copied|Done|stored/i })
      .last()
      .click()
    await picture(one, `6-key-${size}`)
    one.allow(/status of 402/)
    await page.getByRole('button', { name: 'Send from here' }).click()
    await page.getByText('Your call was refused').waitFor()
    await picture(one, `7-refused-${size}`)
    await one.isClean()
  })

  test('opens the link again, and reads what to do', async () => {
    await using one = await visit(undefined, { size })
    one.allow(/status of 404/)
    await one.open(await linkTo(email))
    await one.page.getByRole('heading', { name: 'Link not valid' }).waitFor()
    await one.fits()
    await picture(one, `8-used-${size}`)
  })
})

test('a person invited into the account accepts the terms, and reads to ask its owner for funds', async () => {
  const owner = await signedIn(gateway, { account: WALKER })
  await owner.json('POST', '/team-invitations', { email: 'max@example.org', role: 'member' })
  const mail = () => smtp.received.findLast(({ to }) => to.includes('max@example.org'))
  await eventually('the mail is there', () => mail() !== undefined)
  await using one = await visit(undefined, { size: 'both' })
  const { page } = one
  await one.open(/\/console\/join#[\w-]{32}/.exec(mail()?.text ?? '')?.[0] ?? '')
  await page.getByRole('heading', { name: `Join ${WALKER}` }).waitFor()
  await one.looksRight()
  await picture(one, '14-join')
  await page.getByLabel('Name').fill('Max')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  one.allow(/status of 400/)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('Accept the terms of service to continue.').waitFor()
  await page.getByRole('switch', { name: 'I accept the terms of service' }).click()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
  await page.getByText(`Ask an owner of the account to add funds to the account ${WALKER}.`).waitFor()
  await one.fits()
  await picture(one, '15-member')
  await one.isClean()
})

test('the operator finds the sign-ups in the list, and creates an invitation', async () => {
  await using one = await visit('operator')
  const { page } = one
  await one.open('/console/accounts')
  await page.getByRole('link', { name: 'Sign-ups' }).click()
  await page.getByText(`${WALKER}@example.org`).waitFor()
  await one.fits()
  await picture(one, '9-list')
  await page.getByRole('button', { name: 'Invite to sign up' }).click()
  await picture(one, '10-invite')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('Send this link to the people whom you invite.').waitFor()
  await one.looksRight()
  await picture(one, '11-invited')
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('tab', { name: 'Invitations' }).click()
  await page.getByText('0 of 1').waitFor()
  await one.fits()
  await picture(one, '12-invitations')
  await one.isClean()
  if (PICTURES === undefined) return
  await one.go('/console/settings/sign_up')
  await picture(one, '13-settings')
})

test('the page of the form shows Turnstile by the script of Cloudflare, and sends its token', async () => {
  await gateway.recatalogue(
    CATALOGUE.replace(
      '\nterms_version',
      '\nchallenge = "turnstile"\nturnstile_site_key = "0x4"\nturnstile_secret = "s-e-c-r-e-t"\nterms_version',
    ),
  )
  await using one = await visit(undefined)
  const { page } = one
  one.allow(/a request to another host: https:\/\/challenges\.cloudflare\.com/)
  await page.route('https://challenges.cloudflare.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: FAKE_TURNSTILE }),
  )
  await one.open('/console/sign-up')
  await page.getByText('checked as sign_up of 0x4').waitFor()
  await page.getByLabel('Email').fill('turn@example.org')
  const sent = page.waitForRequest((request) => request.method() === 'POST')
  await page.keyboard.press('Enter')
  expect((await sent).postDataJSON()).toEqual({ email: 'turn@example.org', solution: 'token-1' })
  // Tests cannot reach Cloudflare: the form says so, and gets another token.
  one.allow(/status of 503/)
  await page.getByText('is not responding. Try again in a minute.').waitFor({ timeout: 15_000 })
  await page.getByText('again').first().waitFor()
  await one.isClean()
})

test('the accepted version of the terms is stored', () => {
  expect(gateway.db.query('SELECT DISTINCT url, version FROM terms_acceptances').all()).toEqual([
    { url: TERMS, version: '2026-11' },
  ])
})

test.each(WALK_SCREENS)(
  'an invitation is checked when its page opens, before the visitor enters an address, screens: %s',
  async (size) => {
    await gateway.recatalogue(
      CATALOGUE.replace('[sign_up]\nmode = "open"', '[sign_up]\nmode = "invitation"\nchallenge = "none"'),
    )
    const operator = await signedIn(gateway, 'operator')
    const { url, id } = await operator.json('POST', '/sign-up-invitations', { uses: 1 })
    const page_of_invitation = `/console/sign-up${new URL(url).hash}`
    await using one = await visit(undefined, { size })
    const { page } = one
    await one.open(page_of_invitation)
    await page.getByLabel('Email').waitFor()
    await operator.json('DELETE', `/sign-up-invitations/${id}`)
    one.allow(/status of 404/)
    await page.reload()
    await page.getByText('This invitation was revoked. Ask the sender for a new one.').waitFor()
    expect(await page.getByLabel('Email').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(1)
    await one.looksRight()
    await picture(one, `18-revoked-${size}`)
    await one.isClean()
  },
)
