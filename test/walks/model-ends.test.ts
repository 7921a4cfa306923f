// Models that end, in the console: the operator's list on Overview, a state among the models, a warning on a model's page, dates in the form.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogueOf, PROVIDER } from '../support/catalogue.ts'
import { fileConsole } from '../support/console.ts'
import { WALK_SCREENS } from '../support/screens.ts'
import { modelSection } from '../support/sections.ts'

/** By the clock at the start: a test that runs over midnight sees a day less. */
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const NEAR = dayIn(7)
const ending = (id: string, date: string, more = '') =>
  modelSection(id, { [PROVIDER]: 'm' }, { more: `shutdown_date = "${date}"\n${more}` })

const { gateway, visit, at } = await fileConsole({
  catalogue: catalogueOf({
    upstream_url: 'simulator',
    more:
      ending('near-model', NEAR) +
      ending('ended-model', '2026-01-01') +
      ending('far-model', '2099-03-31') +
      modelSection(
        'by-tokens',
        { [PROVIDER]: 'm' },
        { kind: 'image', price: 'input = 5, image_output = 30' },
      ) +
      ending('retired-ended', '2026-01-02', 'retired = true') +
      `
[[models]]
id = "two-routes"
kind = "text"
price = { input = 1, output = 4 }
routes = [{ provider = "${PROVIDER}", model = "old", shutdown_date = "${NEAR}" }, { provider = "${PROVIDER}", model = "new" }]
`,
  }),
})
await gateway.account('alice', { balance_usd: '10' })

test.each(WALK_SCREENS)('the operator’s Overview lists models that end, earliest first: %s', async (size) => {
  const one = await at('operator', '/console/overview', { size })
  const { page } = one
  const table = page.getByRole('table', { name: 'Models that end' })
  await table.waitFor()
  const text = (await table.innerText()).replace(/\s+/g, ' ')
  expect(text).toMatch(
    /ended-model.*has ended.*near-model.*ends in [67] days.*two-routes.*ends in [67] days/i,
  )
  expect(text).toContain(`${PROVIDER}:old`)
  for (const absent of ['far-model', 'retired-ended']) expect(text).not.toContain(absent)
  await one.looksRight()
})

test('the list of models and a model’s page show the end; a date is set in the form, and an impossible one is refused there', async () => {
  const one = await at('operator', '/console/models', { size: 'both' })
  const { page } = one
  await page
    .getByRole('row', { name: /^ended-model/ })
    .getByText('has ended')
    .waitFor()
  await page
    .getByRole('row', { name: /^near-model/ })
    .getByText(/ends in [67] days/)
    .waitFor()
  expect(await page.getByRole('row', { name: /^far-model/ }).innerText()).not.toMatch(/\bend/)
  expect(await page.getByRole('row', { name: /^retired-ended/ }).innerText()).toContain('Retired')
  // Text models have a rate for images, too, which the list leaves out.
  await page
    .getByRole('row', { name: /^far-model/ })
    .getByText(/1\.00 in, 4\.00 out( USD)? \/ M tokens/)
    .waitFor()
  await page
    .getByRole('row', { name: /^by-tokens/ })
    .getByText(/5\.00 in, 30\.00 image out( USD)? \/ M tokens/)
    .waitFor()
  await one.fits()
  await one.go('/console/models/ended-model')
  await page.getByText('This model has ended: its shutdown was on 2026-01-01.').waitFor()
  await one.go('/console/models/near-model')
  await page.getByText(new RegExp(`its shutdown is on ${NEAR}.* Add a route to its replacement`)).waitFor()
  await one.fits()

  await page.getByRole('link', { name: 'Edit model' }).click()
  await one.quiet()
  const field = page.getByLabel('Shutdown date', { exact: true })
  await field.fill('2099-02-30')
  await field.press('Enter')
  await page.getByText('must be a day that exists').first().waitFor()
  await field.fill('2099-02-28')
  await field.press('Enter')
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save changes?' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')).toContain('"2099-02-28"')
})

test('an account sees no list of models that end', async () => {
  await using one = await visit({ account: 'alice' })
  await one.open('/console/overview')
  expect(await one.page.getByRole('table', { name: 'Models that end' }).count()).toBe(0)
  await one.isClean()
})
