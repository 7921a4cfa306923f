// The API reference in a real browser: it shows every operation, in both themes and on a phone, and sends no request to another host.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startDocumented } from '../docs/support.ts'
import { axeFindings, COLOUR_RULES } from '../support/axe.ts'
import { type ConsolePage, consolePage, type PageOptions, type Theme } from '../support/console-page.ts'

const { gateway, document, operations } = await startDocumented()
afterAll(() => gateway.stop())

const WAIT = { timeout: 30_000 }

/** Scalar's validator tries to compile its schemas, and works without. */
const WITHOUT_EVAL =
  "globalThis.tollgateRefused = globalThis.tollgateRefused.filter((one) => one !== 'script-src: eval')"

/** The end of its transitions: an element that fades in has no contrast yet. */
const AT_REST =
  'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => null)'

async function assertClean({ page, isClean }: ConsolePage): Promise<void> {
  await page.evaluate(WITHOUT_EVAL)
  await isClean()
}

/** Serious findings of axe once the page is at rest; in the second theme, those of colours only. */
async function findingsOf({ page, quiet }: ConsolePage, theme: Theme): Promise<string[]> {
  await quiet()
  await page.evaluate(AT_REST)
  return await axeFindings(page, theme === 'light' ? undefined : COLOUR_RULES)
}

async function openReference(options: PageOptions = {}) {
  const visit = await consolePage(gateway.url.origin, options)
  await visit.page.goto('/docs')
  await visit.page.getByRole('heading', { name: 'Tollgate', exact: true }).first().waitFor(WAIT)
  return visit
}

/** One visit for two tests, because loading it takes longer than a test. */
let dark: ConsolePage
beforeAll(async () => {
  dark = await openReference({ theme: 'dark' })
}, 180_000)
afterAll(() => dark[Symbol.asyncDispose]())

async function assertLooksRight(visit: ConsolePage, theme: Theme): Promise<void> {
  const { page } = visit
  const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  expect([theme, ground]).toEqual([theme, theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 19, 21)'])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await page.title()).toMatch(/Tollgate/)
  expect(await page.getByText('is shown by a script').isVisible()).toBe(false)
  expect(await findingsOf(visit, theme)).toEqual([])
  await assertClean(visit)
}

test('in light colours, on a phone', async () => {
  await using visit = await openReference({ theme: 'light', size: 'phone' })
  await assertLooksRight(visit, 'light')
}, 180_000)

test('in dark colours, wide', () => assertLooksRight(dark, 'dark'), 180_000)

test('every operation is in the side bar, and its address shows it with an example', async () => {
  const { page } = dark
  const bar = page.getByRole('complementary')
  for (const { name } of document.tags) {
    await bar.getByRole('button', { name: `Open Group - ${name}` }).click()
    for (const { operation } of operations.filter(({ operation: { tags } }) => tags.includes(name)))
      await bar.getByText(operation.summary, { exact: true }).first().waitFor(WAIT)
  }
  await bar.getByText('Create a chat completion', { exact: true }).click()
  await page.getByRole('heading', { name: 'Create a chat completion' }).waitFor(WAIT)
  expect(page.url()).toEndWith('/docs#tag/openai-api/POST/v1/chat/completions')
  await page.getByText('Why is the sky blue?').first().waitFor(WAIT)
  // No services of Scalar are advertised.
  expect(await page.evaluate<string>('document.body.innerText')).not.toMatch(/Ask AI|Deploy|Share/)
  await assertClean(dark)
}, 240_000)
