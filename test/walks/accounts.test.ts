// The pages of accounts in a browser, in one visit: each action by its form, and what came of it in the rows and at the surface.
import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { eventually } from '../support/eventually.ts'
import { idOf } from '../support/request-lines.ts'
import { accountForms } from './account-forms.ts'

const USD = 1_000_000_000
const { gateway, visit, one, page, dialog, keyRow, hand } = await accountForms()

const accountRow = (name: string) => gateway.rows().accounts.find((row) => row.name === name)
const movements = () =>
  gateway.rows().entries.map(({ kind, amount_nanos, note }) => [kind, amount_nanos, note])
const closed = () => gateway.db.query('SELECT account_id FROM closed_accounts').all()

describe('an account', () => {
  test('is made by a name, whose mistake is told at its field', async () => {
    await one.open('/console/accounts')
    await hand.isTold('No accounts yet')
    await hand.press('New account')
    await hand.type('Name', 'alice smith')
    await hand.enter()
    await hand.isTold(/"alice smith" is not a valid name/)
    await hand.type('Name', 'alice')
    await hand.send()
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/accounts/${accountRow('alice')?.id}`)
  })

  test('gets a display name in any letters, an email and a note, and is found by them', async () => {
    await hand.choose('Edit details')
    const save = dialog.getByRole('button', { name: 'Save changes' })
    expect(await save.isDisabled()).toBe(true)
    await hand.type('Note', 'pays')
    expect(await save.isDisabled()).toBe(false)
    await hand.type('Note', '')
    expect(await save.isDisabled()).toBe(true)
    await hand.type('Display name', 'Aлиса Ödegård')
    await hand.type('Email', 'alice at home')
    await hand.enter()
    await hand.isTold(/is not an email address/)
    await hand.type('Email', 'alice@example.com')
    await hand.type('Note', 'pays late')
    await one.looksRight()
    await hand.press('Save changes')
    await hand.isClosed()
    await page.getByRole('heading', { level: 1, name: 'Aлиса Ödegård' }).waitFor()
    await page.getByRole('link', { name: 'alice@example.com' }).waitFor()
    await one.looksRight()
    await one.go('/console/accounts?search=Ödeg')
    await page.getByRole('link', { name: /Aлиса Ödegård alice/ }).click()
    await hand.choose('Edit details')
    await hand.type('Display name', '')
    await hand.press('Save changes')
    await hand.isClosed()
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
  })

  test('is topped up and debited, with what was written to it', async () => {
    await hand.press('Top up')
    await hand.type('Amount', 'much')
    await hand.enter()
    await hand.isTold('Enter an amount above 0.')
    await page.keyboard.press('Escape')
    await hand.isClosed()
    await hand.hasFocus('Top up')
    expect(movements()).toEqual([])
    await hand.press('Top up')
    await hand.type('Amount', '12.50')
    await hand.type('Note', 'invoice 17')
    await hand.send()
    await hand.isTold('alice’s balance is 12.50 USD.')

    await hand.choose('Debit')
    await hand.type('Amount', '100')
    await hand.enter()
    await hand.isTold(/Enter a reason/)
    await hand.type('Reason', 'hardware')
    await hand.enter()
    await hand.isTold(/12\.50 USD are available, less than 100\.00/)
    await hand.type('Amount', '2.5')
    await hand.send()
    await hand.isTold('alice’s balance is 10.00 USD.')
    expect(movements()).toEqual([
      ['top_up', 12.5 * USD, 'invoice 17'],
      ['withdrawal', -2.5 * USD, 'hardware'],
    ])
    await page.getByRole('tab', { name: 'Transactions' }).click()
    await page.getByRole('row', { name: /Debit hardware −2\.50/ }).waitFor()
  })

  test('is shown its limits', async () => {
    await page.getByRole('tab', { name: 'Limits' }).click()
    await hand.isTold('No rate limit.')
    await gateway.recatalogue(`${FIRST_CATALOGUE}\n[limits.accounts.alice]\nrequests_per_minute = 60\n`)
    await page.reload()
    await hand.isTold('0 of 60')
  })

  test('is invited by a link that is shown once, and suspended, which its people are told', async () => {
    await hand.choose('Invite')
    await hand.press('Invite')
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
    await dialog.getByLabel('Reason').fill('Card reported as stolen')
    await hand.press('Suspend alice')
    await hand.isTold('Account "alice" suspended')
    expect(accountRow('alice')?.status).toBe('suspended')
    await guest.page.reload()
    await guest.page.getByText('alice is suspended.').waitFor()
    await guest.page.getByText('“Card reported as stolen”').waitFor()
    await guest.looksRight()
    await guest.isClean()
  })

  test('is resumed, which can be undone; the audit log of its page has each at once', async () => {
    await page.getByRole('tab', { name: 'Audit log' }).click()
    const rows = (name: RegExp) => page.getByRole('row', { name })
    await rows(/Account suspended/).waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Resume' }).click()
    await hand.isTold('Account "alice" resumed')
    expect(accountRow('alice')?.status).toBe('active')
    await rows(/Account resumed/).waitFor()
    await hand.press('Undo')
    await hand.isTold('Account "alice" suspended')
    await rows(/Account suspended/)
      .nth(1)
      .waitFor()
    expect(accountRow('alice')?.status).toBe('suspended')
  })

  test('is renamed, and closed by typing its name', async () => {
    await hand.choose('Rename')
    await hand.type('New name', 'alice.b')
    await hand.send()
    await page.getByRole('heading', { level: 1, name: 'alice.b' }).waitFor()
    const key = await gateway.key('alice.b')
    await hand.choose('Close account')
    await hand.type('Enter alice.b to confirm', 'alice')
    await hand.enter()
    await hand.isTold('Enter alice.b to close the account.')
    expect(closed()).toEqual([])
    await hand.type('Enter alice.b to confirm', 'alice.b')
    await hand.send()
    await hand.isTold('Account "alice.b" closed. Keys revoked: 1')
    expect(closed()).toEqual([{ account_id: accountRow('alice.b')?.id }])
    expect(keyRow(key)?.revoked_at_ms).toBeNumber()
    await one.isClean()
  })

  test('says who did all of this, on its page and in the audit log, whose filter is in its address', async () => {
    await page.getByRole('tab', { name: 'Audit log' }).click()
    const rowOf = (name: RegExp) => page.getByRole('row', { name })
    await rowOf(/Account closed Status: from suspended to closed.* Staff operator, session \d+/).waitFor()
    await rowOf(/Balance debited Balance: from 12\.50 USD to 10\.00 USD/).waitFor()
    await page.getByRole('link', { name: 'Audit log' }).click()
    await rowOf(/Account renamed Name: from alice to alice\.b alice\.b Staff operator/).waitFor()
    await page.getByRole('combobox', { name: 'Area' }).click()
    await page.getByRole('option', { name: 'Sign-in' }).click()
    await rowOf(/Password set alice\.b Account alice, session \d+/).waitFor()
    await page.getByRole('combobox', { name: 'By', exact: true }).click()
    await page.getByRole('option', { name: 'By staff' }).click()
    await rowOf(/Password set/).waitFor({ state: 'detached' })
    await rowOf(/Invitation created/).waitFor()
    expect(new URL(page.url()).search).toBe('?area=sign_in&by=operator')
    await one.looksRight()
  })

  test('is named wherever the address has its number', async () => {
    const id = accountRow('alice.b')?.id
    for (const path of [
      'audit-log',
      'calls',
      'transactions',
      'keys',
      'library',
      'playground',
      'transactions/statement',
    ]) {
      await one.go(`/console/${path}?account=${id}`)
      await page.getByRole('main').getByText('alice.b').first().waitFor()
    }
  })
})

describe('an account whose requests are refused', () => {
  const WHY = /26 requests refused in the last hour: balance or spend limit too low/
  const send = (key: string) =>
    gateway.call(
      '/v1/chat/completions',
      { model: 'sim-gpt', messages: [{ role: 'user', content: 'Hi' }] },
      { key },
    )
  let request_id = ''

  test('says so at its top, with why and what to do; each is listed beside the calls, and told whole', async () => {
    await gateway.account('poor')
    const key = await gateway.key('poor')
    request_id = await idOf(await send(key))
    for (let times = 1; times < 26; times++) await idOf(await send(key))
    await eventually('they are recorded', () => gateway.db.query('SELECT 1 FROM refusals').all().length >= 20)
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
    await page.getByText(/Insufficient balance/).waitFor()
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

  test('is named by a filter also where its list of accounts is too short for it', async () => {
    gateway.db.run(
      `WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 1000)
        INSERT INTO accounts (name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
        SELECT 'many-' || n, 'active', 0, 0, 0, 1 FROM many`,
    )
    await gateway.account('zoe')
    await one.go(`/console/calls?account=${accountRow('zoe')?.id}`)
    await page.getByRole('combobox', { name: 'Account' }).getByText('zoe').waitFor()
  })
})
