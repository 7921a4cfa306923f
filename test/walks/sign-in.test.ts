// Signing in, links and settings in the browser, by their main tasks.
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { claimEmail } from '../../src/access/emails.ts'
import { makeMailedLink } from '../../src/access/mailed-links.ts'
import { makeInvitation, makeOperatorsLink } from '../../src/access/sign-in-links.ts'
import { fileConsole, givePasswords, PASSWORD } from '../support/console.ts'
import { signedIn } from '../support/console-session.ts'
import { newPerson } from '../support/people.ts'

const { gateway, visit } = await fileConsole()
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('bob', { balance_usd: '10' })
await givePasswords(gateway, ['alice'])

const issuing = () => ({
  randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  now_ms: Date.now(),
})
const SIDE_BAR = { name: 'Pages' }
const sessionsOf = (name: string) =>
  gateway.db
    .query('SELECT s.id FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.name = ?')
    .all(name).length

describe('signing in', () => {
  test('as the operator, by the keyboard alone, leads to the requested address, where a chosen theme is kept', async () => {
    await using one = await visit()
    const { page } = one
    await one.open('/console/settings')
    await one.fits()
    await page.getByLabel('Password', { exact: true }).focus()
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/settings')
    const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')
    await page.getByRole('button', { name: 'Dark', exact: true }).click()
    expect(await ground()).toBe('dark')
    await page.reload()
    await page.getByText('this session').waitFor()
    expect(await ground()).toBe('dark')
    await page.getByRole('button', { name: 'System', exact: true }).click()
    expect(await ground()).toBe('light dark')
    await one.isClean()
  })

  test('as an account, after a wrong password, which is reported at its field', async () => {
    await using one = await visit(undefined, { size: 'both', theme: 'dark' })
    const { page } = one
    await one.open('/console')
    one.allow(/status of 401/)
    await page.getByLabel('Account or email').fill('alice')
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong account or password').waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true')
    await one.looksRight()
    // The unchanged form is checked again when it is sent again: the mistake may be in another field than the marked one.
    const response = page.waitForResponse((answer) => answer.request().method() === 'POST')
    await page.keyboard.press('Enter')
    expect((await response).status()).toBe(401)
    await page.getByText('Wrong account or password').waitFor()
    await page.getByRole('button', { name: 'Show the password' }).click()
    expect(await password.getAttribute('type')).toBe('text')
    await password.fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', SIDE_BAR).waitFor()
    await one.isClean()
  })

  test('with a key, which cannot change a password', async () => {
    await using one = await visit()
    const { page } = one
    await one.open('/console/settings')
    await page.getByRole('button', { name: 'API key', exact: true }).click()
    await page.getByRole('textbox', { name: 'API key' }).fill(await gateway.key('alice', { name: 'desk' }))
    await page.keyboard.press('Enter')
    await page.getByText('this session').waitFor()
    expect(await page.getByRole('heading', { name: 'Password' }).count()).toBe(0)
    await one.fits()
  })
})

/** Drops Secure cookies, as WebKit does over plain HTTP on this machine. */
async function dropSecureCookies(page: Page): Promise<void> {
  await page.route('**/console/api/{session,links}**', async (route) => {
    const response = await route.fetch()
    // `fetch` keeps them for the context, as the browser would.
    await page.context().clearCookies({ name: /^__Host-/ })
    const headers = { ...response.headers() }
    delete headers['set-cookie']
    await route.fulfill({ response, headers })
  })
}

describe('a link', () => {
  test('of the operator sets a password once, and leads into the console', async () => {
    await using one = await visit()
    const { page } = one
    const { token } = await makeOperatorsLink(gateway.store, issuing())
    await one.open(`/console/welcome#${token}`)
    await page.getByRole('heading', { name: 'Welcome, operator' }).waitFor()
    await one.looksRight()
    one.allow(/status of 40[04]/)
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('short')
    await page.keyboard.press('Enter')
    await page.getByText('Enter at least 12 characters').waitFor()
    await password.fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', SIDE_BAR).waitFor()
    expect(page.url()).not.toContain(token)
    await one.open(`/console/welcome#${token}`)
    await page.getByText('This link was already used').waitFor()
  })

  test('of an invitation without its end says so; another one pasted over it signs in its account, and no other, even if the browser drops Secure cookies', async () => {
    await using one = await visit()
    const { page } = one
    await one.open('/console/invitation')
    await page.getByText('The link is incomplete').waitFor()
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    await one.looksRight()
    // Browsers load nothing for it.
    const { token } = await makeInvitation(gateway.store, 'bob', issuing())
    await dropSecureCookies(page)
    await page.goto(`/console/invitation#${token}`)
    await one.quiet()
    await page.getByRole('heading', { name: 'Welcome, bob' }).waitFor()
    await page.getByLabel('Password', { exact: true }).fill('a password of bob’s own')
    await page.keyboard.press('Enter')
    await page.getByRole('complementary').getByText('bob', { exact: true }).waitFor()
    expect((await one.context.cookies()).map(({ name }) => name)).toContain('tollgate')
    await page.unrouteAll({ behavior: 'wait' })
    await one.isClean()
  })

  test('of a member has their address as the user name of the password: the name of the account is its owner’s', async () => {
    const { id: account_id } = await gateway.account('dana')
    const email = 'mia@example.org'
    const person_id = await newPerson(gateway.store, { account_id, role: 'member' }, { name: 'Mia', email })
    await gateway.store.begin((tx) => claimEmail(tx, { person_id, email, now_ms: 1 }))
    const link = await makeMailedLink(gateway.store, { email, purpose: 'reset' }, issuing())
    await using one = await visit()
    const { page } = one
    const username = () => page.locator('input[autocomplete="username"]').inputValue()
    await one.open(`/console/new-password#${link?.token}`)
    await page.getByRole('heading', { name: 'Welcome, Mia' }).waitFor()
    await page.getByText(`You sign in with it and your email address ${email}.`).waitFor()
    expect(await username()).toBe(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', SIDE_BAR).waitFor()
    await one.go('/console/settings')
    await page.getByText('this session').waitFor()
    expect(await username()).toBe(email)
    // The session ends meanwhile: the form keeps the user name.
    one.allow(/status of 401/)
    gateway.db.run('DELETE FROM sessions WHERE person_id = ?', [person_id])
    await page.getByRole('button', { name: 'Change name' }).click()
    await page.getByRole('button', { name: 'Save name' }).click()
    expect(await page.getByLabel('Account or email').inputValue()).toBe(email)
    await one.isClean()
  })
})

test('sessions in the settings end by a new password, one by one, and all at once', async () => {
  await gateway.account('carol')
  await givePasswords(gateway, ['carol'])
  const who = { account: 'carol' }
  const signInElsewhere = async () => {
    const other = await signedIn(gateway, who)
    const status = async () => (await other.send('GET', '/sessions')).status
    expect(await status()).toBe(200)
    return status
  }
  const before = await signInElsewhere()
  await using one = await visit(who)
  const { page } = one
  await one.open('/console/settings')
  one.allow(/status of 403/)
  const [old_password, new_password] = [page.getByLabel('Current password'), page.getByLabel('New password')]
  await old_password.fill('not the password')
  await new_password.fill('one toll, many gates')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('The current password is wrong.').waitFor()
  expect(await new_password.inputValue()).toBe('one toll, many gates')
  await old_password.fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByText('Password changed').waitFor()
  expect(sessionsOf('carol')).toBe(1)
  expect(await before()).toBe(401)

  const after = await signInElsewhere()
  await page.reload()
  await page.getByText('this session').waitFor()
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText('Session ended').waitFor()
  await one.quiet()
  expect(await page.getByRole('button', { name: 'End', exact: true }).count()).toBe(0)
  expect(sessionsOf('carol')).toBe(1)
  expect(await after()).toBe(401)

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await one.looksRight()
  // The list may be requested once more, by a session that has ended.
  one.allow(/status of 401/)
  await page.evaluate("sessionStorage.setItem('draft', 'of carol')")
  await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(sessionsOf('carol')).toBe(0)
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await one.isClean()
})
