// The API reference in a real browser: it shows the operations, in both themes and as wide as a phone, and sends no request to another host.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startDocumented } from '../docs/support.ts'
import { axeFindings, COLOUR_RULES } from '../support/axe.ts'
import { type ConsolePage, consolePage, type Theme } from '../support/console-page.ts'
import { eventually } from '../support/eventually.ts'
import { SCREENS, type Size } from '../support/screens.ts'

const { gateway, document, operations } = await startDocumented()
afterAll(() => gateway.stop())

const WAIT = { timeout: 30_000 }

/** Scalar's validator tries to compile its schemas, and works without. */
const WITHOUT_EVAL =
  "globalThis.tollgateRefused = globalThis.tollgateRefused.filter((one) => one !== 'script-src: eval')"

/** The end of its transitions: an element that fades in has no contrast yet. */
const IS_AT_REST = 'document.getAnimations().length === 0'

async function assertClean({ page, isClean }: ConsolePage): Promise<void> {
  await page.evaluate(WITHOUT_EVAL)
  await isClean()
}

/** Serious findings of axe once the page is at rest; in the second theme, those of colours only. */
async function findingsOf({ page, quiet }: ConsolePage, theme: Theme): Promise<string[]> {
  await quiet()
  await eventually('no element moves or fades', () => page.evaluate<boolean>(IS_AT_REST))
  return await axeFindings(page, theme === 'light' ? undefined : COLOUR_RULES)
}

/** One visit for all tests, because loading it takes longer than a test. */
let visit: ConsolePage
beforeAll(async () => {
  visit = await consolePage(gateway.url.origin, { theme: 'dark' })
  await visit.page.goto('/docs')
  await visit.page.getByRole('heading', { name: 'Tollgate', exact: true }).first().waitFor(WAIT)
}, 180_000)
afterAll(() => visit[Symbol.asyncDispose]())

async function assertLooksRight(theme: Theme, size: Size): Promise<void> {
  const { page } = visit
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize(SCREENS[size])
  await visit.quiet()
  const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  expect([theme, ground]).toEqual([theme, theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(17, 19, 21)'])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await page.title()).toMatch(/Tollgate/)
  expect(await page.getByText('is shown by a script').isVisible()).toBe(false)
  expect(await findingsOf(visit, theme)).toEqual([])
  await assertClean(visit)
}

test('in light colours, as wide as a phone', () => assertLooksRight('light', 'phone'), 180_000)

test('in dark colours, wide', () => assertLooksRight('dark', 'wide'), 180_000)

test('every group is in the side bar, each operation belongs to one, and its address shows it with an example', async () => {
  const { page } = visit
  await page.setViewportSize(SCREENS.wide)
  const bar = page.getByRole('complementary')
  const names = document.tags.map(({ name }) => name)
  for (const name of names) await bar.getByRole('button', { name: `Open Group - ${name}` }).waitFor(WAIT)
  for (const { operation } of operations) expect(names).toContain(operation.tags[0] ?? '')
  const group = operations.find(({ operation }) => operation.summary === 'Create a chat completion')
  const [tag = ''] = group?.operation.tags ?? []
  await bar.getByRole('button', { name: `Open Group - ${tag}` }).click()
  for (const { operation } of operations.filter(({ operation: { tags } }) => tags.includes(tag)))
    await bar.getByText(operation.summary, { exact: true }).first().waitFor(WAIT)
  await bar.getByText('Create a chat completion', { exact: true }).click()
  await page.getByRole('heading', { name: 'Create a chat completion' }).waitFor(WAIT)
  expect(page.url()).toEndWith('/docs#tag/openai-api/POST/v1/chat/completions')
  await page.getByText('Why is the sky blue?').first().waitFor(WAIT)
  // No services of Scalar are advertised.
  expect(await page.evaluate<string>('document.body.innerText')).not.toMatch(/Ask AI|Deploy|Share/)
  await assertClean(visit)
}, 240_000)
