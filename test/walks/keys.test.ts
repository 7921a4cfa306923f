// The pages of keys in a browser, in one visit: made, changed, rotated and revoked by their forms, and what came of it in the rows and at the surface.
import { describe, expect, test } from 'bun:test'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { accountForms } from './account-forms.ts'

const USD = 1_000_000_000
const HOUR_MS = 3_600_000
const { gateway, one, page, dialog, keyRow, hand } = await accountForms()

describe('a key', () => {
  const LIMITS = {
    models: '["sim-flash","sim-p*"]',
    spend_limit_nanos: 5 * USD,
    concurrent_calls: 8,
    addresses: '["127.0.0.0/8"]',
    expires_at_ms: Date.UTC(2031, 0, 1),
  }
  const BUDGETS = [
    { period: 'day', limit_nanos: 1 * USD },
    { period: 'month', limit_nanos: 4 * USD },
  ]
  const budgetsOf = (key: string) => gateway.rows().budgets.filter(({ key_id }) => key_id === keyRow(key)?.id)
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
    await dialog.getByText('Limits and expiry').click()
    await hand.type('Models', 'sim-flash, sim-p*')
    await hand.type('Daily limit', '1')
    await hand.type('Monthly limit', '4')
    await hand.type('Total spend limit', '5')
    await hand.type('Concurrent requests', '8')
    await hand.type('Expires after', '2030-12-31')
    await hand.type('Allowed networks', '127.0.0.0/8')
    await hand.enter()
    await hand.isTold(/Account not found/)
    await hand.type('Account', 'bob')
    await dialog.getByText('As a command').click()
    await hand.isTold(
      "tollgate key create bob --name laptop --models 'sim-flash,sim-p*' --limit-day 1 --limit-month 4 --spend-limit 5 --concurrent-calls 8 --expires 2030-12-31 --addresses 127.0.0.0/8",
    )
    await hand.press('Create key')
    await dialog.getByText('Copy the key now').waitFor()
    await one.looksRight()
    text = await hand.takeSecret('Done')
    expect(keyRow(text) as object).toMatchObject({ name: 'laptop', ...LIMITS })
    expect(budgetsOf(text)).toMatchObject(BUDGETS)
    expect([await statusOf(text, 'sim-flash'), await statusOf(text, 'sim-claude')]).toEqual([200, 403])
  })

  test('is changed: what is emptied is no limit, what is left as it was stays', async () => {
    await page.getByRole('link', { name: 'laptop' }).click()
    await page.getByRole('heading', { level: 1, name: 'laptop' }).waitFor()
    await hand.press('Change')
    expect(await dialog.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true)
    await hand.type('Models', '')
    await hand.type('Total spend limit', '7')
    await hand.type('Concurrent requests', '')
    const [{ used_nanos = 0 } = {}] = budgetsOf(text)
    await hand.type('Daily limit', (used_nanos / 0.9 / USD).toFixed(9))
    await hand.send()
    await hand.isTold('Key "laptop" updated')
    await hand.isTold(/has used 90 % of its daily limit/)
    await hand.isTold('near limit')
    await one.looksRight()
    await hand.press('Change')
    await hand.type('Daily limit', '1')
    await hand.send()
    await page.getByText(/of its daily limit/).waitFor({ state: 'detached' })
    expect(keyRow(text) as object).toMatchObject({ name: 'laptop', ...CHANGED })
    expect(budgetsOf(text)).toMatchObject(BUDGETS)
  })

  test('a limit that somebody else set meanwhile stays, and both values are shown where both changed it', async () => {
    const other = await signedIn(gateway, 'operator')
    const { id, prefix } = keyRow(text) ?? { id: 0, prefix: '' }
    const shown = async () => await other.json('GET', `/keys/${id}`)
    await hand.press('Change')
    await hand.type('Name', 'notebook')
    await other.json('PATCH', `/keys/${id}`, { daily_limit: '2' })
    await dialog.getByText('As a command').click()
    await dialog.getByText(`tollgate key change ${prefix} --name notebook`, { exact: true }).waitFor()
    await hand.press('Save changes')
    await hand.isClosed()
    // A form opens with what its page has read.
    await one.quiet()
    expect(await shown()).toMatchObject({ name: 'notebook', daily_limit_usd: '2.00' })

    await hand.press('Change')
    await hand.type('Daily limit', '3')
    await hand.type('Monthly limit', '4.5')
    await other.json('PATCH', `/keys/${id}`, { daily_limit: '0.5', addresses: null })
    await hand.press('Save changes')
    await dialog.getByText('Daily limit: was “2.00”, is now “0.50”; your value is “3”.').waitFor()
    expect(await shown()).toMatchObject({ daily_limit_usd: '0.50', monthly_limit_usd: '4.00' })
    await one.looksRight()
    await hand.press('Keep current value')
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
    await hand.press('Save changes')
    await hand.isClosed()
    await one.quiet()
    expect(await shown()).toMatchObject({
      daily_limit_usd: '0.50',
      monthly_limit_usd: '4.50',
      addresses: null,
    })

    await hand.press('Change')
    await hand.type('Daily limit', '1')
    await hand.type('Monthly limit', '4')
    await hand.type('Name', 'laptop')
    await hand.type('Allowed networks', '127.0.0.0/8')
    await other.json('PATCH', `/keys/${id}`, { daily_limit: '2' })
    await hand.press('Save changes')
    await dialog.getByText('Daily limit: was “0.50”, is now “2.00”; your value is “1”.').waitFor()
    await hand.press('Save changes')
    await hand.isClosed()
    expect(keyRow(text) as object).toMatchObject({ name: 'laptop', ...CHANGED })
  })

  test('is rotated with a grace, in which both work, and the old one revoked', async () => {
    await hand.choose('Rotate')
    await page.getByRole('combobox', { name: 'Old key expires' }).click()
    await page.getByRole('option', { name: 'In an hour' }).click()
    await hand.press('Create new key')
    const old_page = page.url()
    const next = await hand.takeSecret('Done')
    await page.getByText(next.slice(0, 10)).first().waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/keys/${keyRow(next)?.id}`)
    expect(await page.getByText('Replaced by').count()).toBe(0)
    await page.getByRole('link', { name: text.slice(0, 10), exact: true }).click()
    await page.getByRole('link', { name: next.slice(0, 10), exact: true }).waitFor()
    expect(page.url()).toBe(old_page)
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
    await hand.isTold('Key "laptop" revoked')
    expect(keyRow(text)?.revoked_at_ms).toBeLessThanOrEqual(Date.now())
    expect([await statusOf(text, 'sim-flash'), await statusOf(next, 'sim-flash')]).toEqual([401, 200])
    await one.isClean()
  })
})
