// The pages of accounts in a browser, in one visit: each action by its form, with its effect on rows and pages.
import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { clientOf } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { idOf } from '../support/request-lines.ts'
import { accountForms } from './account-forms.ts'

const USD = 1_000_000_000
const { gateway, visit, one, page, dialog, keyRow, user } = await accountForms(
  `${FIRST_CATALOGUE}\n[limits.accounts.alice]\nrequests_per_minute = 60\n`,
)

const accountRow = (name: string) => gateway.rows().accounts.find((row) => row.name === name)
const movements = () =>
  gateway.rows().entries.map(({ kind, amount_nanos, note }) => [kind, amount_nanos, note])
const closed = () => gateway.db.query('SELECT account_id FROM closed_accounts').all()

describe('an account', () => {
  test('is created by a name, and a mistake is shown at its field', async () => {
    await one.open('/console/accounts')
    await user.sees('No accounts yet')
    await user.press('New account')
    await user.type('Name', 'alice smith')
    await user.enter()
    await user.sees(/"alice smith" is not a valid name/)
    await user.type('Name', 'alice')
    await user.send()
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/accounts/${accountRow('alice')?.id}`)
  })

  test('gets a display name in any letters, an email and a note, and is found by them', async () => {
    await user.choose('Edit details')
    const save = dialog.getByRole('button', { name: 'Save changes' })
    expect(await save.isDisabled()).toBe(true)
    await user.type('Note', 'pays')
    expect(await save.isDisabled()).toBe(false)
    await user.type('Note', '')
    expect(await save.isDisabled()).toBe(true)
    await user.type('Display name', 'Aлиса Ödegård')
    await user.type('Email', 'alice at home')
    await user.enter()
    await user.sees(/is not an email address/)
    await user.type('Email', 'alice@example.com')
    await user.type('Note', 'pays late')
    await one.looksRight()
    await user.press('Save changes')
    await user.waitForClose()
    await page.getByRole('heading', { level: 1, name: 'Aлиса Ödegård' }).waitFor()
    await page.getByRole('link', { name: 'alice@example.com' }).waitFor()
    await one.go('/console/accounts?search=Ödeg')
    await page.getByRole('link', { name: /Aлиса Ödegård alice/ }).click()
    await user.choose('Edit details')
    await user.type('Display name', '')
    await user.press('Save changes')
    await user.waitForClose()
    await page.getByRole('heading', { level: 1, name: 'alice' }).waitFor()
  })

  test('is topped up and debited, with a note and a reason', async () => {
    await user.press('Top up')
    await eventually(
      'the first field has the focus',
      async () => (await page.evaluate('document.activeElement.name')) === 'amount',
    )
    await user.type('Amount', 'much')
    await user.enter()
    await user.sees('Enter an amount above 0.')
    await page.keyboard.press('Escape')
    await user.waitForClose()
    // A closed dialog returns the focus.
    await user.seesFocusOn('Top up')
    expect(movements()).toEqual([])
    await user.press('Top up')
    await user.type('Amount', '12.50')
    await user.type('Note', 'invoice 17')
    await user.send()
    await user.sees('alice’s balance is 12.50 USD.')

    await user.choose('Debit')
    await user.type('Amount', '100')
    await user.enter()
    await user.sees(/Enter a reason/)
    await user.type('Reason', 'hardware')
    await user.enter()
    await user.sees(/12\.50 USD are available, less than 100\.00/)
    await user.type('Amount', '2.5')
    await user.send()
    await user.sees('alice’s balance is 10.00 USD.')
    expect(movements()).toEqual([
      ['top_up', 12.5 * USD, 'invoice 17'],
      ['withdrawal', -2.5 * USD, 'hardware'],
    ])
    await page.getByRole('tab', { name: 'Transactions' }).click()
    await page.getByRole('row', { name: /Debit hardware −2\.50/ }).waitFor()
  })

  test('has its limits on its page', async () => {
    await page.getByRole('tab', { name: 'Limits' }).click()
    await user.sees('0 of 60')
  })

  test('is invited by a link that is shown once, and suspended, which its people see', async () => {
    await user.choose('Invite')
    await user.press('Invite')
    await dialog.getByText('Send this link to alice').waitFor()
    await one.looksRight()
    const link = await user.takeSecret('Done')
    const accepted = { token: new URL(link).hash.slice(1), password: 'a password of alice’s own' }
    await clientOf(gateway).json('POST', '/links/accept', accepted)

    await user.choose('Suspend')
    await user.seesFocusOn('Cancel')
    await dialog.getByLabel('Reason').fill('Card reported as stolen')
    await user.press('Suspend alice')
    await user.sees('Account "alice" suspended')
    expect(accountRow('alice')?.status).toBe('suspended')
    await using guest = await visit({ account: 'alice' })
    await guest.open('/console')
    await guest.page.getByText('alice is suspended.').waitFor()
    await guest.page.getByText('“Card reported as stolen”').waitFor()
    await guest.looksRight()
    await guest.isClean()
  })

  test('is resumed, which can be undone; the audit log of its page has each change at once', async () => {
    await page.getByRole('tab', { name: 'Audit log' }).click()
    const rows = (name: RegExp) => page.getByRole('row', { name })
    await rows(/Account suspended/).waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Resume' }).click()
    await user.sees('Account "alice" resumed')
    expect(accountRow('alice')?.status).toBe('active')
    await rows(/Account resumed/).waitFor()
    await user.press('Undo')
    await user.sees('Account "alice" suspended')
    await rows(/Account suspended/)
      .nth(1)
      .waitFor()
    expect(accountRow('alice')?.status).toBe('suspended')
  })

  test('is renamed, and closed by typing its name', async () => {
    await user.choose('Rename')
    await user.type('New name', 'alice.b')
    await user.send()
    await page.getByRole('heading', { level: 1, name: 'alice.b' }).waitFor()
    const key = await gateway.key('alice.b')
    await user.choose('Close account')
    await user.type('Enter alice.b to confirm', 'alice')
    await user.enter()
    await user.sees('Enter alice.b to close the account.')
    expect(closed()).toEqual([])
    await user.type('Enter alice.b to confirm', 'alice.b')
    await user.send()
    await user.sees('Account "alice.b" closed. Keys revoked: 1')
    expect(closed()).toEqual([{ account_id: accountRow('alice.b')?.id }])
    expect(keyRow(key)?.revoked_at_ms).toBeNumber()
    await one.isClean()
  })

  test('has the author of each change on its page and in the audit log, whose filter is in the address', async () => {
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
    await one.fits()
  })

  test('is named on pages whose address has its number', async () => {
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

  test('has a notice with the reason and advice; each refused request is listed beside the calls, with a page of its own', async () => {
    await gateway.account('poor')
    const key = await gateway.key('poor')
    request_id = await idOf(await send(key))
    for (let times = 1; times < 26; times++) await idOf(await send(key))
    await eventually('they are recorded', () => gateway.db.query('SELECT 1 FROM refusals').all().length >= 20)
    await one.open('/console/accounts/poor')
    await page.getByText(WHY).waitFor()
    await page.getByText('Top up the account').waitFor()
    await one.fits()
    await page.getByRole('tab', { name: 'Limits' }).click()
    await user.sees('No rate limit.')
    await page.getByRole('link', { name: 'See refused requests' }).click()
    await page
      .getByRole('row', { name: /refused, 402/ })
      .first()
      .waitFor()
    await page.getByText('26 refused', { exact: true }).waitFor()
    expect(new URL(page.url()).search).toContain('outcome=refused')
    await page
      .getByRole('row', { name: /refused, 402/ })
      .first()
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: 'Refused request' }).waitFor()
    await page.getByText(/Insufficient balance/).waitFor()
    await one.fits()
  })

  test('has a refused request that is found by the id in its answer', async () => {
    await page.keyboard.press('/')
    await page.keyboard.type(request_id)
    await page.getByRole('option', { name: request_id }).click()
    await page.getByText(/Nothing was charged/).waitFor()
    expect(page.url()).toEndWith(request_id)
  })

  test('sees the notice itself', async () => {
    await using own = await visit({ account: 'poor' })
    await own.open('/console/overview')
    await own.page.getByText(WHY).waitFor()
    await own.page.getByText('Ask your operator to add funds').waitFor()
    await own.fits()
  })

  test('is named by a filter even if the list of accounts is too short for it', async () => {
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
