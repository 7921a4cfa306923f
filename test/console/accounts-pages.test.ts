// The pages of accounts and keys in a browser: each deed by its form, and what came of it in the rows and at the surface.
import { expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/config/first.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { eventually } from '../support/eventually.ts'

const USD = 1_000_000_000
const HOUR_MS = 3_600_000
const { gateway, visit } = await fileConsole()
const accountRow = (name: string) => gateway.rows().accounts.find((row) => row.name === name)
const keyRow = (text: string) => gateway.rows().keys.find(({ prefix }) => prefix === text.slice(0, 10))
const movements = () => gateway.rows().entries.map(({ kind, amount_nanos, note }) => [kind, amount_nanos, note])
const closed = () => gateway.db.query('SELECT account_id FROM closed_accounts').all()

/** What a person does on a page. */
function handOf({ page }: ConsolePage) {
  const dialog = page.getByRole('dialog')
  return {
    dialog,
    type: (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text),
    press: (name: string) => page.getByRole('button', { name, exact: true }).first().click(),
    async choose(item: string) {
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: item }).click()
      await dialog.waitFor()
    },
    /** Sends the form of the open dialog, which goes once the deed is done. */
    async send() {
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
    },
    said: (text: string | RegExp) => page.getByText(text).first().waitFor(),
    hasFocus: (text: string) =>
      eventually(
        `the focus is on ${text}`,
        async () => (await page.evaluate<string>('document.activeElement.textContent')) === text,
      ),
    /** Neither Esc nor a press beside it closes what is shown once. */
    async cannotDismiss() {
      await page.keyboard.press('Escape')
      await page.mouse.click(5, 5)
      expect(await dialog.isVisible()).toBe(true)
    },
  }
}

test('an account is made, topped up, debited, invited, suspended, renamed and closed', async () => {
  await using one = await visit('operator')
  const { page } = one
  const hand = handOf(one)
  one.allow(/status of 4(00|22)/)
  await one.open('/console/accounts')
  await hand.said('No accounts yet')
  await hand.press('New account')
  await hand.type('Name', 'alice smith')
  await page.keyboard.press('Enter')
  await hand.said(/"alice smith" is not a name/)
  await hand.type('Name', 'alice')
  await hand.send()
  await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
  const { id = 0 } = accountRow('alice') ?? {}
  expect(new URL(page.url()).pathname).toBe(`/console/accounts/${id}`)

  await hand.press('Top up')
  await hand.type('Amount', 'much')
  await page.keyboard.press('Enter')
  await hand.said(/"much" is not an amount in USD/)
  await page.keyboard.press('Escape')
  await hand.dialog.waitFor({ state: 'detached' })
  await hand.hasFocus('Top up')
  expect(movements()).toEqual([])
  await hand.press('Top up')
  await hand.type('Amount', '12.50')
  await hand.type('Note', 'invoice 17')
  await hand.send()
  await hand.said('alice has 12.50 USD left.')

  await hand.choose('Debit')
  await hand.type('Amount', '100')
  await page.keyboard.press('Enter')
  await hand.said(/note: must be a reason/)
  await hand.type('Reason', 'hardware')
  await page.keyboard.press('Enter')
  await hand.said(/12\.50 USD are free, less than 100\.00/)
  await hand.type('Amount', '2.5')
  await hand.send()
  await hand.said('alice has 10.00 USD left.')
  expect(movements()).toEqual([
    ['top_up', 12.5 * USD, 'invoice 17'],
    ['withdrawal', -2.5 * USD, 'hardware'],
  ])
  await page.getByRole('tab', { name: 'Entries' }).click()
  await page.getByRole('row', { name: /Debit -2\.50 hardware/ }).waitFor()

  await hand.choose('Invite to sign in')
  await hand.press('Make link')
  const link = await page.locator('.secret pre').innerText()
  await hand.cannotDismiss()
  await one.looksRight()
  await hand.press('Done')
  await hand.dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(link)
  await using guest = await visit()
  guest.allow(/status of 401/)
  await guest.open(link)
  await guest.page.getByLabel('Password', { exact: true }).fill('a password of alice’s own')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await guest.page.getByText('10.00 USD').first().waitFor()

  await page.getByRole('tab', { name: 'Limits' }).click()
  await hand.said('not limited')
  await gateway.recatalogue(`${FIRST_CATALOGUE}\n[limits.accounts.alice]\nrequests_per_minute = 60\n`)
  await page.reload()
  await hand.said('0 of 60')

  await hand.choose('Suspend')
  await hand.hasFocus('Cancel')
  await hand.press('Suspend alice')
  await hand.said('alice is suspended.')
  expect(accountRow('alice')?.status).toBe('suspended')
  await guest.page.reload()
  await guest.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await hand.said('alice is active.')
  expect(accountRow('alice')?.status).toBe('active')
  await hand.press('Undo')
  await hand.said('alice is suspended again.')
  expect(accountRow('alice')?.status).toBe('suspended')

  await hand.choose('Rename')
  await hand.type('New name', 'alice.b')
  await hand.send()
  await page.getByRole('heading', { level: 1, name: 'alice.b' }).waitFor()
  const key = gateway.key('alice.b')
  await hand.choose('Close account')
  await hand.type('Write alice.b to be sure', 'alice')
  await page.keyboard.press('Enter')
  await hand.said(/name: write alice\.b/)
  expect(closed()).toEqual([])
  await hand.type('Write alice.b to be sure', 'alice.b')
  await hand.send()
  await hand.said('alice.b is closed; keys revoked: 1.')
  expect(closed()).toEqual([{ account_id: id }])
  expect(keyRow(key)?.revoked_at_ms).toBeNumber()
  await one.isClean()
})

const statusOf = async (key: string, model: string) => {
  const messages = [{ role: 'user', content: 'Hello' }]
  const response = await gateway.call('/v1/chat/completions', { model, messages }, { key })
  await response.arrayBuffer()
  return response.status
}

test('a key is made with every limit and shown once, changed, rotated with a grace, and revoked', async () => {
  await gateway.account('bob', { balance_usd: '10' })
  await using one = await visit('operator')
  const { page } = one
  const hand = handOf(one)
  one.allow(/status of 404/)
  await one.open('/console/keys?search=laptop')
  await hand.said('No key fits')
  await hand.press('Show all keys')
  await hand.press('New key')
  await hand.type('Account', 'nobody')
  await hand.type('Name', 'laptop')
  await hand.type('Models', 'sim-flash, sim-p*')
  await hand.type('Spend limit', '5')
  await hand.type('Last day', '2030-12-31')
  await hand.type('Addresses', '127.0.0.0/8')
  await page.keyboard.press('Enter')
  await hand.said(/There is no such account/)
  await hand.type('Account', 'bob')
  await hand.dialog.getByText('As a command').click()
  await hand.said(
    "tollgate key create bob --name laptop --models 'sim-flash,sim-p*' --spend-limit 5 --expires 2030-12-31 --addresses 127.0.0.0/8",
  )
  await hand.press('Create key')
  const text = await page.locator('.secret pre').innerText()
  await hand.cannotDismiss()
  await one.looksRight()
  await hand.press('I have stored it')
  await hand.dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(text)
  const made = {
    name: 'laptop',
    models: '["sim-flash","sim-p*"]',
    spend_limit_nanos: 5 * USD,
    addresses: '["127.0.0.0/8"]',
    expires_at_ms: Date.UTC(2031, 0, 1),
  }
  expect(keyRow(text)).toMatchObject(made as object)
  expect([await statusOf(text, 'sim-flash'), await statusOf(text, 'sim-claude')]).toEqual([200, 404])

  await page.getByRole('link', { name: 'laptop' }).click()
  await page.getByRole('heading', { level: 1, name: 'laptop' }).waitFor()
  await hand.press('Change')
  await hand.type('Models', '')
  await hand.type('Spend limit', '7')
  await hand.send()
  await hand.said('The key laptop is changed.')
  const changed = { ...made, models: null, spend_limit_nanos: 7 * USD }
  expect(keyRow(text)).toMatchObject(changed as object)

  await hand.choose('Rotate')
  await page.getByRole('combobox', { name: 'The old key ends' }).click()
  await page.getByRole('option', { name: 'In an hour' }).click()
  await hand.press('Make the new key')
  const next = await page.locator('.secret pre').innerText()
  await hand.cannotDismiss()
  await hand.press('I have stored it')
  await hand.said('retiring')
  const ends_in_ms = (keyRow(text)?.revoked_at_ms ?? 0) - Date.now()
  expect(ends_in_ms).toBeWithin(HOUR_MS - 60_000, HOUR_MS + 1)
  const { spent_nanos = 0 } = keyRow(text) ?? {}
  expect(keyRow(next)).toMatchObject({ ...changed, spend_limit_nanos: 7 * USD - spent_nanos } as object)
  expect([await statusOf(text, 'sim-claude'), await statusOf(next, 'sim-claude')]).toEqual([200, 200])

  await hand.choose('Revoke')
  await hand.press('Revoke key')
  await hand.said('The key laptop is revoked.')
  expect(keyRow(text)?.revoked_at_ms).toBeLessThanOrEqual(Date.now())
  expect([await statusOf(text, 'sim-flash'), await statusOf(next, 'sim-flash')]).toEqual([401, 200])
  await one.isClean()
})
