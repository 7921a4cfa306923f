// The reference in a real browser: it shows every operation, in both themes and on a phone, and asks no other host for anything.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startDocumented } from '../docs/support.ts'
import { axeFindings, OF_COLOURS } from '../support/axe.ts'
import { type ConsolePage, consolePage, type PageOptions, type Theme } from '../support/console-page.ts'

const { gateway, document, operations } = await startDocumented()
afterAll(() => gateway.stop())

const SHOWN = { timeout: 30_000 }

/** Scalar's validator asks whether it may compile its schemas, and does without. */
const WITHOUT_EVAL =
  "globalThis.tollgateRefused = globalThis.tollgateRefused.filter((one) => one !== 'script-src: eval')"

/** Its transitions have ended: what fades in has no contrast yet. */
const AT_REST =
  'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => null)'

async function assertClean({ page, isClean }: ConsolePage): Promise<void> {
  await page.evaluate(WITHOUT_EVAL)
  await isClean()
}

/** What axe finds serious or worse once the page has come to rest; in a second theme, of what that can change. */
async function findingsOf({ page, quiet }: ConsolePage, theme: Theme): Promise<string[]> {
  await quiet()
  await page.evaluate(AT_REST)
  return await axeFindings(page, theme === 'light' ? undefined : OF_COLOURS)
}

async function opened(options: PageOptions = {}) {
  const visit = await consolePage(gateway.url.origin, options)
  await visit.page.goto('/docs')
  await visit.page.getByRole('heading', { name: 'Tollgate', exact: true }).first().waitFor(SHOWN)
  return visit
}

/** Without loading it again, which takes longer than a test. */
let dark: ConsolePage
beforeAll(async () => {
  dark = await opened({ theme: 'dark' })
}, 180_000)
afterAll(() => dark[Symbol.asyncDispose]())

async function assertShown(visit: ConsolePage, theme: Theme): Promise<void> {
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
  await using visit = await opened({ theme: 'light', size: 'phone' })
  await assertShown(visit, 'light')
}, 180_000)

test('in dark colours, wide', () => assertShown(dark, 'dark'), 180_000)

test('every operation stands in the side bar, and its address shows it with an example', async () => {
  const { page } = dark
  const bar = page.getByRole('complementary')
  for (const { name } of document.tags) {
    await bar.getByRole('button', { name: `Open Group - ${name}` }).click()
    for (const { operation } of operations.filter(({ operation: { tags } }) => tags.includes(name)))
      await bar.getByText(operation.summary, { exact: true }).first().waitFor(SHOWN)
  }
  await bar.getByText('Create a chat completion', { exact: true }).click()
  await page.getByRole('heading', { name: 'Create a chat completion' }).waitFor(SHOWN)
  expect(page.url()).toEndWith('/docs#tag/openai-api/POST/v1/chat/completions')
  await page.getByText('Why is the sky blue?').first().waitFor(SHOWN)
  // Nobody is sold anything.
  expect(await page.evaluate<string>('document.body.innerText')).not.toMatch(/Ask AI|Deploy|Share/)
  await assertClean(dark)
}, 240_000)
