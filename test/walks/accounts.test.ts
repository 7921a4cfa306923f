// The pages of accounts and keys in a browser, in one visit: each action by its form, and what came of it in the rows and at the surface.
import { afterAll, describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/config/first.ts'
import { fileConsole } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { idOf } from '../support/request-lines.ts'

const USD = 1_000_000_000
const HOUR_MS = 3_600_000
const { gateway, visit } = await fileConsole()
const one = await visit('operator')
afterAll(() => one[Symbol.asyncDispose]())
const { page } = one
const dialog = page.getByRole('dialog')
// What the forms send is refused on purpose, too.
one.allow(/status of 4(00|04|22)/)

const accountRow = (name: string) => gateway.rows().accounts.find((row) => row.name === name)
const keyRow = (text: string) => gateway.rows().keys.find(({ prefix }) => prefix === text.slice(0, 10))
const movements = () =>
  gateway.rows().entries.map(({ kind, amount_nanos, note }) => [kind, amount_nanos, note])
const closed = () => gateway.db.query('SELECT account_id FROM closed_accounts').all()

/** What a person does on the page. */
const hand = {
  type: (label: string, text: string) => dialog.getByLabel(label, { exact: true }).fill(text),
  press: (name: string) => page.getByRole('button', { name, exact: true }).first().click(),
  enter: () => page.keyboard.press('Enter'),
  async choose(item: string) {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await dialog.waitFor()
  },
  /** Sends the form of the open dialog, which goes once the action is done. */
  async send() {
    await hand.enter()
    await hand.isClosed()
  },
  isClosed: () => dialog.waitFor({ state: 'detached' }),
  isTold: (text: string | RegExp) => page.getByText(text).first().waitFor(),
  hasFocus: (text: string) =>
    eventually(
      `the focus is on ${text}`,
      async () => (await page.evaluate<string>('document.activeElement.textContent')) === text,
    ),
  /** What is shown once stays until its own button is pressed, and is then nowhere. @returns it */
  async takeSecret(button: string) {
    const secret = await page.locator('.secret pre').innerText()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await dialog.isVisible()).toBe(true)
    await hand.press(button)
    await hand.isClosed()
    expect(await page.content()).not.toContain(secret)
    return secret
  },
}

describe('an account', () => {
  test('is made by a name, whose mistake is told at its field', async () => {
    await one.open('/console/accounts')
    await hand.isTold('No accounts yet')
    await hand.press('New account')
    await hand.type('Name', 'alice smith')
    await hand.enter()
    await hand.isTold(/"alice smith" is not a name/)
    await hand.type('Name', 'alice')
    await hand.send()
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/accounts/${accountRow('alice')?.id}`)
  })

  test('gets a display name in any letters, an email and a note, and is found by them', async () => {
    await hand.choose('Edit details')
    await hand.type('Display name', 'Aлиса Ödegård')
    await hand.type('Email', 'alice at home')
    await hand.enter()
    await hand.isTold(/is not an email address/)
    await hand.type('Email', 'alice@example.com')
    await hand.type('Note', 'pays late')
    await one.looksRight()
    await hand.press('Save details')
    await hand.isClosed()
    await page.getByRole('heading', { level: 1, name: 'Aлиса Ödegård' }).waitFor()
    await page.getByRole('link', { name: 'alice@example.com' }).waitFor()
    await one.looksRight()
    await one.go('/console/accounts?search=Ödeg')
    await page.getByRole('link', { name: /Aлиса Ödegård alice/ }).click()
    await hand.choose('Edit details')
    await hand.type('Display name', '')
    await hand.press('Save details')
    await hand.isClosed()
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
  })

  test('is topped up and debited, with what was written to it', async () => {
    await hand.press('Top up')
    await hand.type('Amount', 'much')
    await hand.enter()
    await hand.isTold(/"much" is not an amount in USD/)
    await page.keyboard.press('Escape')
    await hand.isClosed()
    await hand.hasFocus('Top up')
    expect(movements()).toEqual([])
    await hand.press('Top up')
    await hand.type('Amount', '12.50')
    await hand.type('Note', 'invoice 17')
    await hand.send()
    await hand.isTold('alice has 12.50 USD left.')

    await hand.choose('Debit')
    await hand.type('Amount', '100')
    await hand.enter()
    await hand.isTold(/Must be a reason/)
    await hand.type('Reason', 'hardware')
    await hand.enter()
    await hand.isTold(/12\.50 USD are free, less than 100\.00/)
    await hand.type('Amount', '2.5')
    await hand.send()
    await hand.isTold('alice has 10.00 USD left.')
    expect(movements()).toEqual([
      ['top_up', 12.5 * USD, 'invoice 17'],
      ['withdrawal', -2.5 * USD, 'hardware'],
    ])
    await page.getByRole('tab', { name: 'Entries' }).click()
    await page.getByRole('row', { name: /Debit −2\.50 hardware/ }).waitFor()
  })

  test('is shown its limits', async () => {
    await page.getByRole('tab', { name: 'Limits' }).click()
    await hand.isTold('not limited')
    await gateway.recatalogue(`${FIRST_CATALOGUE}\n[limits.accounts.alice]\nrequests_per_minute = 60\n`)
    await page.reload()
    await hand.isTold('0 of 60')
  })

  test('is invited by a link that is shown once, and suspended, which ends its session', async () => {
    await hand.choose('Invite')
    await hand.press('Make link')
    await dialog.getByText('Send this link to alice').waitFor()
    await one.looksRight()
    const link = await hand.takeSecret('Done')
    await using guest = await visit()
    guest.allow(/status of 40[13]/)
    await guest.open(link)
    await guest.page.getByLabel('Password', { exact: true }).fill('a password of alice’s own')
    await guest.page.keyboard.press('Enter')
    await guest.page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor()
    await guest.page.getByText('10.00 USD').first().waitFor()

    await hand.choose('Suspend')
    await hand.hasFocus('Cancel')
    await hand.press('Suspend alice')
    await hand.isTold('alice is suspended.')
    expect(accountRow('alice')?.status).toBe('suspended')
    await guest.page.reload()
    await guest.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await guest.isClean()
  })

  test('is resumed, which can be undone', async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Resume' }).click()
    await hand.isTold('alice is active.')
    expect(accountRow('alice')?.status).toBe('active')
    await hand.press('Undo')
    await hand.isTold('alice is suspended again.')
    expect(accountRow('alice')?.status).toBe('suspended')
  })

  test('is renamed, and closed by typing its name', async () => {
    await hand.choose('Rename')
    await hand.type('New name', 'alice.b')
    await hand.send()
    await page.getByRole('heading', { level: 1, name: 'alice.b' }).waitFor()
    const key = gateway.key('alice.b')
    await hand.choose('Close account')
    await hand.type('Write alice.b to confirm', 'alice')
    await hand.enter()
    await hand.isTold(/Write alice\.b/)
    expect(closed()).toEqual([])
    await hand.type('Write alice.b to confirm', 'alice.b')
    await hand.send()
    await hand.isTold('alice.b is closed; keys revoked: 1.')
    expect(closed()).toEqual([{ account_id: accountRow('alice.b')?.id }])
    expect(keyRow(key)?.revoked_at_ms).toBeNumber()
    await one.isClean()
  })

  test('says who did all of this, on its page and in the audit log, whose filter is in its address', async () => {
    await page.getByRole('tab', { name: 'Audit log' }).click()
    const rowOf = (name: RegExp) => page.getByRole('row', { name })
    await rowOf(/Account closed Status: from suspended to closed.* Operator session \d+/).waitFor()
    await rowOf(/Balance debited Balance: from 12\.50 USD to 10\.00 USD/).waitFor()
    await page.getByRole('link', { name: 'Audit log' }).click()
    await rowOf(/Account renamed Name: from alice to alice\.b alice\.b Operator/).waitFor()
    await page.getByRole('combobox', { name: 'Area' }).click()
    await page.getByRole('option', { name: 'Sign-in' }).click()
    await rowOf(/Password set alice\.b Account session \d+/).waitFor()
    await page.getByRole('combobox', { name: 'By', exact: true }).click()
    await page.getByRole('option', { name: 'By the operator' }).click()
    await rowOf(/Password set/).waitFor({ state: 'detached' })
    await rowOf(/Invitation created/).waitFor()
    expect(new URL(page.url()).search).toBe('?area=sign_in&by=operator')
    await one.looksRight()
  })
})

describe('a key', () => {
  const LIMITS = {
    models: '["sim-flash","sim-p*"]',
    spend_limit_nanos: 5 * USD,
    daily_limit_nanos: 1 * USD,
    monthly_limit_nanos: 4 * USD,
    concurrent_calls: 8,
    addresses: '["127.0.0.0/8"]',
    expires_at_ms: Date.UTC(2031, 0, 1),
  }
  const CHANGED = { ...LIMITS, models: null, spend_limit_nanos: 7 * USD, concurrent_calls: null }
  let text = ''

  const statusOf = async (key: string, model: string) => {
    const messages = [{ role: 'user', content: 'Hello' }]
    const response = await gateway.call('/v1/chat/completions', { model, messages }, { key })
    await response.arrayBuffer()
    return response.status
  }

  test('is made with every limit, and shown once', async () => {
    await gateway.account('bob', { balance_usd: '10' })
    await one.open('/console/keys?search=laptop')
    await hand.isTold('No keys found')
    await hand.press('Show all keys')
    await hand.press('New key')
    await hand.type('Account', 'nobody')
    await hand.type('Name', 'laptop')
    await hand.type('Models', 'sim-flash, sim-p*')
    await hand.type('Daily limit', '1')
    await hand.type('Monthly limit', '4')
    await hand.type('Total spend limit', '5')
    await hand.type('Concurrent calls', '8')
    await hand.type('Last day', '2030-12-31')
    await hand.type('Addresses', '127.0.0.0/8')
    await hand.enter()
    await hand.isTold(/Account not found/)
    await hand.type('Account', 'bob')
    await dialog.getByText('As a command').click()
    await hand.isTold(
      "tollgate key create bob --name laptop --models 'sim-flash,sim-p*' --daily-limit 1 --monthly-limit 4 --spend-limit 5 --concurrent-calls 8 --expires 2030-12-31 --addresses 127.0.0.0/8",
    )
    await hand.press('Create key')
    await dialog.getByText('Copy the key now').waitFor()
    await one.looksRight()
    text = await hand.takeSecret('Done')
    expect(keyRow(text) as object).toMatchObject({ name: 'laptop', ...LIMITS })
    expect([await statusOf(text, 'sim-flash'), await statusOf(text, 'sim-claude')]).toEqual([200, 403])
  })

  test('is changed: what is emptied is no limit, what is left as it was stays', async () => {
    await page.getByRole('link', { name: 'laptop' }).click()
    await page.getByRole('heading', { level: 1, name: 'laptop' }).waitFor()
    await hand.press('Change')
    await hand.type('Models', '')
    await hand.type('Total spend limit', '7')
    await hand.type('Concurrent calls', '')
    const { day_nanos = 0 } = keyRow(text) ?? {}
    await hand.type('Daily limit', (day_nanos / 0.9 / USD).toFixed(9))
    await hand.send()
    await hand.isTold('The key laptop is changed.')
    await hand.isTold(/has used 90 % of its daily limit/)
    await hand.isTold('near its limit')
    await one.looksRight()
    await hand.press('Change')
    await hand.type('Daily limit', '1')
    await hand.send()
    await page.getByText(/of its daily limit/).waitFor({ state: 'detached' })
    expect(keyRow(text) as object).toMatchObject({ name: 'laptop', ...CHANGED })
  })

  test('is rotated with a grace, in which both work, and the old one revoked', async () => {
    await hand.choose('Rotate')
    await page.getByRole('combobox', { name: 'Old key expires' }).click()
    await page.getByRole('option', { name: 'In an hour' }).click()
    await hand.press('Create new key')
    const next = await hand.takeSecret('Done')
    await hand.isTold('retiring')
    const { spent_nanos = 0, revoked_at_ms } = keyRow(text) ?? {}
    expect(revoked_at_ms).toBeWithin(Date.now() + HOUR_MS - 60_000, Date.now() + HOUR_MS + 1)
    expect(keyRow(next) as object).toMatchObject({
      ...CHANGED,
      spend_limit_nanos: CHANGED.spend_limit_nanos - spent_nanos,
    })
    // The old key was read by a call not long ago, and is served as it was then for up to a second (gate.ts).
    await eventually(
      'the old key works as it was changed',
      async () => (await statusOf(text, 'sim-claude')) === 200,
    )
    expect(await statusOf(next, 'sim-claude')).toBe(200)

    await hand.choose('Revoke')
    await hand.press('Revoke key')
    await hand.isTold('The key laptop is revoked.')
    expect(keyRow(text)?.revoked_at_ms).toBeLessThanOrEqual(Date.now())
    expect([await statusOf(text, 'sim-flash'), await statusOf(next, 'sim-flash')]).toEqual([401, 200])
    await one.isClean()
  })
})

describe('an account whose requests are refused', () => {
  const WHY = /26 requests refused in the last hour: not enough balance/
  const send = (key: string) =>
    gateway.call(
      '/v1/chat/completions',
      { model: 'sim-gpt', messages: [{ role: 'user', content: 'Hi' }] },
      { key },
    )
  let request_id = ''

  test('says so at its top, with why and what to do; each is listed beside the calls, and told whole', async () => {
    await gateway.account('poor')
    const key = gateway.key('poor')
    for (let times = 0; times < 26; times++) request_id = await idOf(await send(key))
    await eventually('they are recorded', () => gateway.db.query('SELECT 1 FROM refusals').all().length >= 26)
    await one.open('/console/accounts/poor')
    await page.getByText(WHY).waitFor()
    await page.getByText('Add funds to the account').waitFor()
    await one.looksRight()
    await page.getByRole('link', { name: 'See refused requests' }).click()
    await page
      .getByRole('row', { name: /refused, 402/ })
      .first()
      .waitFor()
    await page.getByText('26 refused', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toContain('outcome=refused')
    await one.looksRight()
    await page
      .getByRole('row', { name: /refused, 402/ })
      .first()
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: 'Refused request' }).waitFor()
    await page.getByText(/free balance does not cover this call/).waitFor()
    await one.looksRight()
  })

  test('is found by the id that its caller was told', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type(request_id)
    await page.getByRole('option', { name: request_id }).click()
    await page.getByText(/Nothing was charged/).waitFor()
    expect(page.url()).toEndWith(request_id)
  })

  test('is told so itself, and sees its own', async () => {
    await using own = await visit({ account: 'poor' })
    await own.open('/console/overview')
    await own.page.getByText(WHY).waitFor()
    await own.page.getByText('Ask your operator to add funds').waitFor()
    await own.looksRight()
  })
})
