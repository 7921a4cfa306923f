// The pages of keys in a browser, in one visit: created, changed, rotated and revoked by their forms, with the effect on rows and calls.
import { describe, expect, test } from 'bun:test'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { accountForms } from './account-forms.ts'

const USD = 1_000_000_000
const HOUR_MS = 3_600_000
const { gateway, one, page, dialog, keyRow, user } = await accountForms()

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

  test('is created with every limit, and shown once', async () => {
    await gateway.account('bob', { balance_usd: '10' })
    await one.open('/console/keys?search=laptop')
    await user.sees('No keys found')
    await user.press('Show all keys')
    await user.press('Create key')
    await user.type('Account', 'nobody')
    await user.type('Name', 'laptop')
    await dialog.getByText('Limits and expiry').click()
    await user.type('Models', 'sim-flash, sim-p*')
    await user.type('Daily limit', '1')
    await user.type('Monthly limit', '4')
    await user.type('Total spend limit', '5')
    await user.type('Concurrent requests', '8')
    await user.type('Expires after', '2030-12-31')
    await user.type('Allowed networks', '127.0.0.0/8')
    await user.enter()
    await user.sees(/Account not found/)
    await user.type('Account', 'bob')
    await dialog.getByText('As a command').click()
    await user.sees(
      "tollgate key create bob --name laptop --models 'sim-flash,sim-p*' --limit-day 1 --limit-month 4 --spend-limit 5 --concurrent-calls 8 --expires 2030-12-31 --addresses 127.0.0.0/8",
    )
    await user.press('Create key')
    await dialog.getByText('Copy the key now').waitFor()
    await one.looksRight()
    text = await user.takeSecret('Done')
    expect(keyRow(text) as object).toMatchObject({ name: 'laptop', ...LIMITS })
    expect(budgetsOf(text)).toMatchObject(BUDGETS)
    expect([await statusOf(text, 'sim-flash'), await statusOf(text, 'sim-claude')]).toEqual([200, 403])
  })

  test('is changed: an emptied field removes its limit, and untouched limits stay', async () => {
    await page.getByRole('link', { name: 'laptop' }).click()
    await page.getByRole('heading', { level: 1, name: 'laptop' }).waitFor()
    await user.press('Change')
    expect(await dialog.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true)
    await user.type('Models', '')
    await user.type('Total spend limit', '7')
    await user.type('Concurrent requests', '')
    const [{ used_nanos = 0 } = {}] = budgetsOf(text)
    await user.type('Daily limit', (used_nanos / 0.9 / USD).toFixed(9))
    await user.send()
    await user.sees('Key "laptop" updated')
    await user.sees(/has used 90 % of its daily limit/)
    await user.sees('near limit')
    await one.fits()
    await user.press('Change')
    await user.type('Daily limit', '1')
    await user.send()
    await page.getByText(/of its daily limit/).waitFor({ state: 'detached' })
    expect(keyRow(text) as object).toMatchObject({ name: 'laptop', ...CHANGED })
    expect(budgetsOf(text)).toMatchObject(BUDGETS)
  })

  test('keeps a limit that somebody else set meanwhile; both values are shown if both people changed it', async () => {
    const other = await signedIn(gateway, 'operator')
    const { id, prefix } = keyRow(text) ?? { id: 0, prefix: '' }
    const readKey = async () => await other.json('GET', `/keys/${id}`)
    await user.press('Change')
    await user.type('Name', 'notebook')
    await other.json('PATCH', `/keys/${id}`, { daily_limit: '2' })
    await dialog.getByText('As a command').click()
    await dialog.getByText(`tollgate key change ${prefix} --name notebook`, { exact: true }).waitFor()
    await user.press('Save changes')
    await user.waitForClose()
    // A form opens with the values that its page has read.
    await one.quiet()
    expect(await readKey()).toMatchObject({ name: 'notebook', daily_limit_usd: '2.00' })

    await user.press('Change')
    await user.type('Daily limit', '3')
    await user.type('Monthly limit', '4.5')
    await other.json('PATCH', `/keys/${id}`, { daily_limit: '0.5', addresses: null })
    await user.press('Save changes')
    await dialog.getByText('Daily limit: was “2.00”, is now “0.50”; your value is “3”.').waitFor()
    expect(await readKey()).toMatchObject({ daily_limit_usd: '0.50', monthly_limit_usd: '4.00' })
    await one.looksRight()
    await user.press('Keep current value')
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
    await user.press('Save changes')
    await user.waitForClose()
    await one.quiet()
    expect(await readKey()).toMatchObject({
      daily_limit_usd: '0.50',
      monthly_limit_usd: '4.50',
      addresses: null,
    })

    await user.press('Change')
    await user.type('Daily limit', '1')
    await user.type('Monthly limit', '4')
    await user.type('Name', 'laptop')
    await user.type('Allowed networks', '127.0.0.0/8')
    await other.json('PATCH', `/keys/${id}`, { daily_limit: '2' })
    await user.press('Save changes')
    await dialog.getByText('Daily limit: was “0.50”, is now “2.00”; your value is “1”.').waitFor()
    await user.press('Save changes')
    await user.waitForClose()
    expect(keyRow(text) as object).toMatchObject({ name: 'laptop', ...CHANGED })
  })

  test('is rotated with a grace period in which both keys work, and the old one is revoked', async () => {
    await user.choose('Rotate')
    await page.getByRole('combobox', { name: 'Old key expires' }).click()
    await page.getByRole('option', { name: 'In an hour' }).click()
    await user.press('Create new key')
    const old_page = page.url()
    const next = await user.takeSecret('Done')
    await page.getByText(next.slice(0, 10)).first().waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/keys/${keyRow(next)?.id}`)
    expect(await page.getByText('Replaced by').count()).toBe(0)
    await page.getByRole('link', { name: text.slice(0, 10), exact: true }).click()
    await page.getByRole('link', { name: next.slice(0, 10), exact: true }).waitFor()
    expect(page.url()).toBe(old_page)
    await user.sees('retiring')
    const { spent_nanos = 0, revoked_at_ms } = keyRow(text) ?? {}
    expect(revoked_at_ms).toBeWithin(Date.now() + HOUR_MS - 60_000, Date.now() + HOUR_MS + 1)
    expect(keyRow(next) as object).toMatchObject({
      ...CHANGED,
      spend_limit_nanos: CHANGED.spend_limit_nanos - spent_nanos,
    })
    // A call has just read the old key, and the gateway uses that reading for up to a second (gate.ts).
    await eventually(
      'the old key works as it was changed',
      async () => (await statusOf(text, 'sim-claude')) === 200,
    )
    expect(await statusOf(next, 'sim-claude')).toBe(200)

    await user.choose('Revoke')
    await user.press('Revoke key')
    await user.sees('Key "laptop" revoked')
    expect(keyRow(text)?.revoked_at_ms).toBeLessThanOrEqual(Date.now())
    expect([await statusOf(text, 'sim-flash'), await statusOf(next, 'sim-flash')]).toEqual([401, 200])
    await one.isClean()
  })
})
