// The public pages in a browser: on a desktop and a phone, in both themes, with a script and without one.
import { expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { browser } from '../support/chromium.ts'
import { consolePage } from '../support/console-page.ts'
import { consoleAddress } from '../support/console-port.ts'
import { signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { WALK_SCREENS } from '../support/screens.ts'

const SITE = '[site]\nenabled = true\n[brand]\nname = "Acme AI"\ncolor = "#0b6e6e"\n\n'
const gateway = await fileGateway({ catalogue: SITE + FIRST_CATALOGUE, listen: consoleAddress() })
const operator = await signedIn(gateway, 'operator')
await operator.json('POST', '/incidents', {
  title: `Slow <b>answers</b> ${'x'.repeat(60)}`,
  text: `We look into it.\n<script>alert(1)</script> ${'y'.repeat(200)}`,
  models: ['sim-flash'],
})
const { origin } = gateway.url

test.each(WALK_SCREENS)(
  '%s: each page fits, is readable in both themes, and keeps its policy',
  async (size) => {
    await using one = await consolePage(origin, { size })
    for (const path of ['/', '/pricing', '/status']) {
      await one.page.goto(path)
      await one.looksRight()
      await one.looksRight()
      expect([path, await one.context.cookies()]).toEqual([path, []])
      // A phone would draw a page without it as on a desktop.
      const viewport = one.page.locator('meta[name="viewport"]')
      expect(await viewport.getAttribute('content')).toBe('width=device-width, initial-scale=1')
    }
  },
)

test('the pages can be read without JavaScript, and show no control that needs it', async () => {
  await using context = await (await browser()).newContext({ baseURL: origin, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto('/pricing')
  expect(await page.getByLabel('Search models').isVisible()).toBe(false)
  expect(await page.getByRole('row').filter({ hasText: 'sim-flash' }).isVisible()).toBe(true)
  await page.getByRole('row').filter({ hasText: 'sim-flash' }).getByText('All prices').click()
  expect(await page.getByText('USD per million tokens').first().isVisible()).toBe(true)
  await page.getByRole('link', { name: 'Status' }).click()
  expect(await page.getByText('An incident is open.').isVisible()).toBe(true)
  expect(await page.getByRole('img', { name: /^Last 90 days/ }).count()).toBeGreaterThan(3)
  await page.getByRole('link', { name: 'Sign in' }).click()
  expect(new URL(page.url()).pathname).toBe('/console')
})

test('models are searched and sorted', async () => {
  await using one = await consolePage(origin)
  const { page } = one
  await page.goto('/pricing')
  await page.getByLabel('Search models').fill('SIM pro')
  await page.getByText('1 model found.').waitFor()
  expect(await page.getByRole('row').filter({ hasText: 'sim-flash' }).isVisible()).toBe(false)
  await page.getByLabel('Search models').fill('nothing like it')
  await page.getByText('No models found.').waitFor()
  await page.getByLabel('Search models').fill('')
  const text = page.getByRole('region', { name: 'Text' })
  const outputs = async () => (await text.locator('tbody td[data-head=Output]').allTextContents()).map(Number)
  await text.getByRole('button', { name: 'Output' }).click()
  expect(await outputs()).toEqual((await outputs()).toSorted((one, other) => one - other))
  expect(await text.getByRole('columnheader', { name: 'Output' }).getAttribute('aria-sort')).toBe('ascending')
  await text.getByRole('button', { name: 'Output' }).click()
  expect(await outputs()).toEqual((await outputs()).toSorted((one, other) => other - one))
  await one.isClean()
})

test('the operator opens an incident at the console', async () => {
  const { pageOf } = await import('../support/console.ts')
  await using one = await pageOf(gateway, 'operator')
  const { page } = one
  await one.open('/console/system/incidents')
  await page.getByRole('button', { name: 'New incident' }).click()
  await page.getByLabel('Title').fill('No images')
  one.allow(/status of 400/)
  await page.getByRole('button', { name: 'Open incident' }).click()
  await page.getByText('must not be empty').waitFor()
  await page.getByLabel('Text', { exact: true }).fill('We look into it.')
  await page.getByRole('button', { name: 'Open incident' }).click()
  await page.getByRole('heading', { name: 'No images' }).waitFor()
  await one.looksRight()
  await page.getByLabel('Text', { exact: true }).fill('All is well.')
  await page.getByLabel('State').click()
  await page.getByRole('option', { name: 'Resolved' }).click()
  await page.getByRole('button', { name: 'Resolve incident' }).click()
  await page.getByRole('heading', { name: 'New update' }).waitFor({ state: 'detached' })
  await one.isClean()
})
