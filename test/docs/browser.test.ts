// The reference in a real browser: it shows every operation, asks no other host for anything, and sends a request when told to.
import { afterAll, describe, expect, test } from 'bun:test'
import { consolePage } from '../support/console-page.ts'
import { startDocumented } from './support.ts'

const { gateway, document, operations } = await startDocumented()
afterAll(() => gateway.stop())

const SHOWN = { timeout: 20_000 }

describe.each(['light', 'dark'] as const)('in %s colours', (theme) => {
  test.each(['wide', 'phone'] as const)('%s', async (size) => {
    await using visit = await consolePage(gateway.url.origin, { size, theme })
    const { page } = visit
    await page.goto('/docs')
    await page.getByRole('heading', { name: 'Tollgate', exact: true }).first().waitFor(SHOWN)
    for (const { name } of document.tags)
      await page
        .getByRole('heading', { name, exact: true })
        .first()
        .waitFor({ ...SHOWN, state: 'attached' })
    expect(await page.title()).toMatch(/Tollgate/)
    expect(await page.evaluate<string>('getComputedStyle(document.body).colorScheme')).toContain(theme)
    await visit.isClean()
  })
})

test('each operation can be linked to, and shows its examples', async () => {
  await using visit = await consolePage(gateway.url.origin)
  const { page } = visit
  await page.goto('/docs')
  await page
    .getByRole('heading', { name: 'Create a chat completion' })
    .first()
    .waitFor({ ...SHOWN, state: 'attached' })
  const text = await page.evaluate<string>('document.body.textContent')
  const missing = operations.filter(({ operation }) => !text.includes(operation.summary))
  expect(missing.map(({ name }) => name)).toEqual([])
  // Nobody is sold anything, and nothing of the page leads elsewhere by itself.
  expect(text).not.toMatch(/Ask AI|Deploy|Share/)
  await visit.isClean()
})
