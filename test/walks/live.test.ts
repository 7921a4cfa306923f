// The live feed on the overview: calls appear without a reload, and an account sees only its own; new calls in lists; zones; charts.
import { expect, test } from 'bun:test'
import { fileConsole, givePasswords, PASSWORD } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { eventually } from '../support/eventually.ts'

const { gateway, visit, at } = await fileConsole()
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('bob', { balance_usd: '10' })
await givePasswords(gateway, ['alice'])
const keys = { alice: await gateway.key('alice'), bob: await gateway.key('bob') }

/** The page's interval between two requests for new calls. */
const REFETCH_MS = 5_000

async function callBy(name: keyof typeof keys, model: string): Promise<void> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const response = await gateway.call('/v1/chat/completions', { model, messages }, { key: keys[name] })
  expect(response.status).toBe(200)
  await response.arrayBuffer()
}

/** Gives the page a language that Intl does not know, as some browsers on Linux have, until the end of the test. */
async function inPosixLanguage({ page }: ConsolePage): Promise<AsyncDisposable> {
  const session = await page.context().newCDPSession(page)
  const source = "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })"
  await session.send('Page.enable')
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source })
  return { [Symbol.asyncDispose]: () => session.detach() }
}

test('the operator sees everybody’s calls as they happen, and the charts, also in a language that Intl does not know', async () => {
  await callBy('alice', 'sim-gpt')
  await using one = await visit('operator')
  await using _language = await inPosixLanguage(one)
  await one.open('/console')
  await one.page.locator('canvas').first().waitFor()
  const live = one.page.getByRole('region', { name: /live/i })
  await live.waitFor()
  await callBy('bob', 'sim-claude')
  await live.getByText('sim-claude').first().waitFor()
  await callBy('alice', 'sim-pro')
  await live.getByText('sim-pro').first().waitFor()
  await one.fits()
})

test('an account sees its own calls, and no other', async () => {
  const one = await at({ account: 'alice' }, '/console')
  const live = one.page.getByRole('region', { name: /live/i })
  await live.waitFor()
  await callBy('bob', 'sim-claude')
  await callBy('alice', 'sim-pro')
  await live.getByText('sim-pro').first().waitFor()
  expect(await live.innerText()).not.toContain('sim-claude')

  // After signing in again, the feed goes on.
  one.allow(/status of 401/)
  gateway.db.run("DELETE FROM sessions WHERE role = 'account'")
  await callBy('alice', 'sim-pro')
  const dialog = one.page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  await live.getByText('live', { exact: true }).waitFor()
  await callBy('alice', 'sim-gpt')
  await live.getByText('sim-gpt').first().waitFor()
  await one.isClean()
})

test('equal refusals are one row, which opens to all; the count above the list leads to its filter', async () => {
  for (let nth = 0; nth < 3; nth++)
    await gateway.call('/v1/chat/completions', { model: 'of-nobody', messages: [] }, { key: keys.alice })
  const recorded = () => gateway.db.query('SELECT 1 FROM refusals').all().length
  await eventually('they are recorded', () => recorded() === 3)
  const one = await at({ account: 'alice' }, '/console/calls')
  const rows = one.page.getByRole('table', { name: 'Calls' }).locator('tbody tr')
  const all = await rows.count()
  const group = one.page.getByRole('button', { name: '3 equal requests: show all' })
  await group.click()
  expect(await rows.count()).toBe(all + 2)
  await one.looksRight()
  await one.page.getByRole('button', { name: '3 equal requests: show one' }).click()
  await one.page.getByRole('link', { name: '3 refused' }).click()
  await one.quiet()
  expect(new URL(one.page.url()).search).toBe('?outcome=refused')
  expect(await rows.count()).toBe(1)
})

test('new matching calls are announced, and move nothing until they are loaded; a hidden tab sends no request', async () => {
  await using one = await visit('operator')
  await one.open('/console/calls?model=sim-gpt')
  const table = one.page.getByRole('table', { name: 'Calls' })
  const rows = table.locator('tbody tr')
  const before = await table.innerText()
  const rows_before = await rows.count()
  const place = await table.boundingBox()
  await callBy('alice', 'sim-gpt')
  await callBy('bob', 'sim-claude')
  await callBy('bob', 'sim-gpt')
  const announced = one.page.getByRole('button', { name: '2 new calls' })
  await announced.waitFor()
  expect(await table.innerText()).toBe(before)
  expect(await table.boundingBox()).toEqual(place)
  await one.looksRight()
  await announced.click()
  await announced.waitFor({ state: 'detached' })
  expect(await rows.count()).toBe(rows_before + 2)
  expect(await table.innerText()).not.toContain('sim-claude')

  await one.quiet()
  await one.page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  `)
  const requests: string[] = []
  one.page.on('request', (request) => requests.push(request.url()))
  await callBy('bob', 'sim-gpt')
  await Bun.sleep(1.2 * REFETCH_MS)
  expect(requests).toEqual([])
})

const callTime = ({ page }: ConsolePage) =>
  page.getByRole('table', { name: 'Calls' }).locator('tbody tr time').first()

/** The start of the newest call as its tooltip has it. */
const timeIn = (timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(
    gateway.rows().calls.at(-1)?.started_at_ms,
  )

async function exportOf({ page }: ConsolePage): Promise<string[]> {
  const file = page.getByRole('link', { name: 'Export CSV' })
  const answer = await page.request.get((await file.getAttribute('href')) ?? '')
  return (await answer.text()).split('\r\n')
}

test('times, days and files of the operator are in the zone of the browser', async () => {
  await callBy('alice', 'sim-gpt')
  await gateway.rest()
  await using one = await visit('operator', { time_zone: 'Asia/Tokyo' })
  const { page } = one
  await one.open('/console/calls?outcome=call')
  expect(await callTime(one).getAttribute('title')).toContain(timeIn('Asia/Tokyo'))
  const list_request = page.waitForRequest((request) => {
    const { pathname, searchParams } = new URL(request.url())
    return pathname.endsWith('/calls') && searchParams.get('zone') === 'Asia/Tokyo'
  })
  await page.getByLabel('From day', { exact: true }).fill('2026-01-01')
  await list_request
  const [head, row] = await exportOf(one)
  expect([head, row]).toEqual([
    expect.stringContaining('started_asia_tokyo'),
    expect.stringMatching(/,[^,]+\+09:00,/),
  ])
})

test('times, days and files of an account are in the zone of the browser, or in UTC by a switch', async () => {
  await callBy('alice', 'sim-gpt')
  await gateway.rest()
  await using one = await visit({ account: 'alice' }, { time_zone: 'Asia/Tokyo' })
  const { page } = one
  await one.open('/console/calls?outcome=call')
  expect(await callTime(one).getAttribute('title')).toContain(timeIn('Asia/Tokyo'))
  expect((await exportOf(one))[0]).toContain('started_asia_tokyo')
  await one.go('/console/settings')
  await page.getByRole('group', { name: 'Time zone' }).getByRole('button', { name: 'UTC' }).click()
  await page.getByText('Times and days are in UTC').waitFor()
  await one.fits()
  await one.go('/console/calls?outcome=call')
  expect(await callTime(one).getAttribute('title')).toContain(timeIn('UTC'))
  await one.open('/console/calls?outcome=call')
  expect(await callTime(one).getAttribute('title')).toContain(timeIn('UTC'))
  expect(await page.getByLabel('From day (UTC)').count()).toBe(1)
  expect((await exportOf(one))[0]).toContain('started_utc')
})
