// Feedback of the pages in a browser: names, the entry of a link, the audit log, a button to save, one toast, a refused first call, late answers.
import { beforeAll, describe, expect, test } from 'bun:test'
import { paint } from '../media/support.ts'
import { chooseProvider } from '../support/chosen-provider.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { holdBack } from './hold-back.ts'

const { gateway, visit } = await fileConsole()
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('poor')
const { id } = gateway.rows().accounts.find(({ name }) => name === 'alice') ?? { id: 0 }
const key = await gateway.key('alice')
const BODY = { model: 'sim-flash', messages: [{ role: 'user', content: 'Hello' }] }

/** The operator's page of all tests: loading it takes longer than most of them. */
const one = await visit('operator')
beforeAll(() => one.open('/console/settings'))

const press = ({ page }: ConsolePage, name: string) => page.getByRole('button', { name, exact: true }).click()
/** Takes a picture for a person to look at, if PICTURES names a folder. */
const picture = async ({ page }: ConsolePage, name: string) => {
  const folder = process.env.PICTURES
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

describe('an account is shown by its name although the address has its number', () => {
  test.each(['transactions/statement', 'playground', 'keys'])('%s', async (path) => {
    await one.go(`/console/${path}?account=${id}`)
    const name = one.page
      .locator('main, body')
      .first()
      .getByText(/^Account alice$/)
    await name.first().waitFor()
    await picture(one, `account-${path.replace('/', '-')}`)
    if (path !== 'keys') return
    await press(one, 'Create key')
    await one.page.getByRole('dialog', { name: 'New key for alice' }).waitFor()
    await one.page.getByText(/tollgate key create alice/).waitFor({ state: 'attached' })
    await one.page.keyboard.press('Escape')
  })

  // Former addresses: each leads to the present page, with its query.
  test.each([
    ['entries', 'transactions'],
    ['files', 'library'],
    ['images', 'library'],
  ])('%s', async (before, now) => {
    await one.go(`/console/${before}?account=${id}`)
    await one.page.getByRole('combobox', { name: 'Account' }).getByText('alice', { exact: true }).waitFor()
    const { pathname, searchParams } = new URL(one.page.url())
    expect([pathname, searchParams.get('account')]).toEqual([`/console/${now}`, String(id)])
  })
})

test('the entry that a call links to is on the page, and marked, however old it is', async () => {
  const answer = await gateway.call('/v1/chat/completions', BODY, { key })
  expect(answer.status).toBe(200)
  const { calls, entries } = await gateway.atRest()
  const request_id = calls.at(-1)?.request_id
  const entry = entries.findLast(({ kind }) => kind === 'charge')
  for (let made = 0; made < 55; made += 1) {
    await gateway.topUp(id, '0.01')
    if (made % 11 === 0) await (await gateway.call('/v1/chat/completions', BODY, { key })).text()
  }
  await gateway.atRest()
  const { page } = one
  await one.go(`/console/calls/${request_id}`)
  await page.getByRole('link', { name: `transaction ${entry?.id}` }).click()
  const marked = page.locator('tr[aria-current]')
  await marked.getByText(String(request_id)).waitFor({ state: 'attached' })
  expect(await marked.count()).toBe(1)
  await page.getByText(`Transaction ${entry?.id}`, { exact: true }).waitFor()
  await one.quiet()
  await one.fits()
  await picture(one, 'entry')
  await press(one, 'Show newest')
  await page.getByText('Top-up').first().waitFor()
  expect(await marked.count()).toBe(0)
  await one.isClean()
})

test('the audit log of a page has the action just made on it, and the toast of the opposite action takes its place', async () => {
  const { page } = one
  await one.go(`/console/accounts/${id}?tab=log`)
  await page.getByRole('table', { name: 'Audit log' }).waitFor()
  await press(one, 'Top up')
  await page.getByLabel('Amount').fill('7.77')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page
    .getByRole('table', { name: 'Audit log' })
    .getByText(/7\.77 USD/)
    .first()
    .waitFor()
  await picture(one, 'log')

  const toasts = page.locator('.toast')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Suspend' }).click()
  await press(one, 'Suspend alice')
  await toasts.getByText('Account "alice" suspended').waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await toasts.getByText('Account "alice" resumed').waitFor()
  expect(await toasts.count()).toBe(1)
})

describe('a change of the catalogue can be saved while it is typed', () => {
  test('in the settings, until the text is as before', async () => {
    const { page } = one
    await one.go('/console/settings/limits')
    const field = page.getByLabel('Requests a minute').first()
    const save = page.getByRole('button', { name: 'Save changes' })
    await field.waitFor()
    expect(await save.count()).toBe(0)
    await field.pressSequentially('60')
    await save.waitFor()
    await picture(one, 'save')
    await field.press('Backspace')
    await field.press('Backspace')
    await save.waitFor({ state: 'detached' })
    await one.isClean()
  })

  test('of a provider, when it corrects a mistake', async () => {
    const { page } = one
    const save = page.getByRole('button', { name: 'Review and save' })
    await one.go('/console/providers/simulator/edit')
    const field = page.getByLabel('Timeout of a call')
    await field.fill('many')
    await field.press('Enter')
    await page
      .locator('.field-error')
      .getByText(/whole number/)
      .waitFor()
    expect(await save.isDisabled()).toBe(true)
    await field.fill('60000')
    await save.click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(gateway.started.catalogue().providers.get('simulator')?.call_timeout_ms).toBe(60_000)
    await one.isClean()
  })

  test('of a provider and of a model', async () => {
    const { page } = one
    const save = page.getByRole('button', { name: 'Review and save' })
    for (const [address, label] of [
      ['/console/providers/simulator/edit', 'Timeout of a call'],
      ['/console/models/sim-flash/edit', 'Input price per million tokens'],
    ] as const) {
      await one.go(address)
      await page.getByLabel(label).first().pressSequentially('1')
      await save.waitFor()
      await press(one, 'Discard changes')
      await save.waitFor({ state: 'detached' })
    }
  })
})

test('a renamed provider keeps its passed test', async () => {
  const { page } = one
  await one.go('/console/providers/new')
  await chooseProvider(page, 'Simulator')
  await page.getByLabel('Name', { exact: true }).fill('first-name')
  await press(one, 'Test connection')
  await page.getByText(/It answered in/).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('second-name')
  await page.getByText(/It answered in/).waitFor()
  await press(one, 'Save provider')
  await page.waitForURL(/\/console\/providers\/second-name$/)
  expect(gateway.started.catalogue().providers.has('second-name')).toBe(true)
})

test('the toast of a failure takes the place of an earlier success, and a success that of a failure', async () => {
  const name = 'a.png'
  const good = { name, mimeType: 'image/png', buffer: Buffer.from(await paint('png')) }
  const bad = { ...good, buffer: Buffer.from('none') }
  await using of_alice = await visit({ account: 'alice' })
  of_alice.allow(/status of 400/)
  const { page } = of_alice
  const toasts = page.locator('.toast')
  await of_alice.open('/console/files')
  const input = page.locator('input[type=file]')
  await input.setInputFiles(good)
  await toasts.getByText('1 image uploaded').waitFor()
  await input.setInputFiles(bad)
  await toasts.locator('.tone-bad').waitFor()
  expect(await toasts.count()).toBe(1)
  await picture(of_alice, 'toast')
  await input.setInputFiles(good)
  await toasts.getByText('1 image uploaded').waitFor()
  expect(await toasts.count()).toBe(1)
})

test('a refused first call is shown with the reason and advice, and a later one is noticed', async () => {
  await using of_poor = await visit({ account: 'poor' })
  of_poor.allow(/status of 402/)
  const { page } = of_poor
  await of_poor.open('/console/start')
  await press(of_poor, 'Create key')
  await press(of_poor, 'Create key')
  await press(of_poor, 'Done')
  await page.getByText('Waiting for your first call…').waitFor()
  await press(of_poor, 'Send from here')
  await page.getByText('Your call was refused: balance or spend limit too low.').waitFor()
  await page.getByText(/Ask your operator to add funds, .* Then call again\./).waitFor()
  await page.getByText('Waiting for another call…').waitFor()
  await of_poor.looksRight()
  await picture(of_poor, 'refused')
  const { id: poor } = gateway.rows().accounts.find(({ name }) => name === 'poor') ?? { id: 0 }
  await gateway.topUp(poor, '5')
  await press(of_poor, 'Send from here')
  await page.getByText(/Your first call worked/).waitFor()
  expect(await page.getByText('Your call was refused').count()).toBe(0)
})

test('counts of a provider lead to the calls that it answered, each by a name of its own, and its figures say which calls they count', async () => {
  await (await gateway.call('/v1/chat/completions', BODY, { key })).text()
  const provider = (await gateway.atRest()).calls.at(-1)?.provider
  const { page } = one
  await one.go('/console/?provider=simulator')
  for (const label of ['Calls answered', 'Failed, of calls tried'])
    await page.locator('.figure dt').getByText(label, { exact: true }).waitFor()
  await page.getByText('has those that simulator did not answer, too').waitFor()
  await one.fits()

  await one.go('/console/?by=provider')
  const outcomeOf = async (name: RegExp) => {
    const href = await page.getByRole('link', { name }).getAttribute('href')
    return new URL(href ?? '', gateway.url).searchParams.get('outcome')
  }
  expect(await outcomeOf(new RegExp(`^\\d+ calls? of ${provider}$`))).toBe('answered')
  expect(await outcomeOf(/^\d+ calls? in all$/)).toBe('call')
})

describe('after another choice, the old answer is shown as such until the new one arrives', () => {
  let used = 0
  let unused = 0
  beforeAll(async () => {
    const own_key = await gateway.key('alice')
    await gateway.key('alice')
    ;[used = 0, unused = 0] = gateway
      .rows()
      .keys.slice(-2)
      .map(({ id }) => id)
    await (await gateway.call('/v1/chat/completions', BODY, { key: own_key })).text()
    await gateway.atRest()
  })

  test('an empty search is not shown as an empty list of all accounts', async () => {
    const { page } = one
    await one.go('/console/accounts?search=nobody')
    await page.getByText('No accounts found').waitFor()
    const held = await holdBack(one, /\/console\/api\/accounts\?/)
    await press(one, 'Show all accounts')
    await held.requested
    expect(await page.getByText('No accounts found').count()).toBe(1)
    expect(await page.getByText('No accounts yet').count()).toBe(0)
    held.release()
    await page.getByRole('link', { name: 'alice' }).waitFor()
    await one.isClean()
  })

  test('rows by model are not shown as rows by account, nor failed calls of one range for another', async () => {
    const { page } = one
    await one.go('/console/')
    const table = page.getByRole('table', { name: /^Figures by/ })
    await table.waitFor()
    expect(await table.getByRole('button', { name: 'sim-flash' }).count()).toBe(1)
    const held = await holdBack(one, /\/console\/api\/usage\?/)
    await press(one, 'By account')
    await held.requested
    expect(await table.getAttribute('aria-label')).toBe('Figures by model')
    expect(await table.getByRole('columnheader', { name: 'Model' }).count()).toBe(1)
    held.release()
    await table.getByRole('columnheader', { name: 'Account' }).waitFor()
    expect(await table.getByRole('button', { name: 'sim-flash' }).count()).toBe(0)

    const figure = page.locator('.figure').filter({ hasText: 'Failed' }).locator('.figure-value')
    await figure.getByText('0', { exact: true }).waitFor()
    const failed = await holdBack(one, /\/console\/api\/failed-calls\?/)
    await press(one, '7 days')
    await failed.requested
    await figure.getByText('–', { exact: true }).waitFor()
    failed.release()
    await figure.getByText('0', { exact: true }).waitFor()
    await one.isClean()
  })

  test('a refused choice does not show the figures of the choice before', async () => {
    one.allow(/status of (400|503).*\/(overview|refusals)\?/)
    const { page } = one
    await one.go('/console/')
    const table = page.getByRole('table', { name: /^Figures by/ })
    await table.waitFor()
    const answering = (path: string, status: number) =>
      page.route(new RegExp(`/console/api/${path}\\?`), (route) =>
        route.fulfill({ status, json: { error: { message: `Not now: ${path}.`, code: 'x', param: null } } }),
      )
    await answering('overview', 400)
    // A 503 is repeated, so the answer of the choice before stays.
    await answering('refusals', 503)
    await press(one, '90 days')
    await page.getByText('Not now: overview.').waitFor()
    expect(await table.count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await one.isClean()
  })

  test('a key without calls does not show the first call of another key', async () => {
    const { page } = one
    await one.go(`/console/setup?account=alice&key=${used}`)
    await page.getByText(/Your first call worked/).waitFor()
    const held = await holdBack(one, /\/console\/api\/first-call\?/)
    const going = one.go(`/console/setup?account=alice&key=${unused}`)
    await held.requested
    expect(await page.getByText(/Your first call worked/).count()).toBe(0)
    held.release()
    await going
    await page.getByText('Waiting for your first call…').waitFor()
    await one.isClean()
  })
})
