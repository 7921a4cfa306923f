// Prices in a browser: changed by the form of a model, and the list of models for the operator and for account holders.
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { priceListOf } from '../fixtures/price-list.ts'
import { signedIn } from '../support/console-session.ts'
import { houseConsole } from './house-catalogue.ts'

const { gateway, visit, at, file } = await houseConsole(`
[[models]]
id = "flash-9"
kind = "text"
routes = [{ provider = "google", model = "flash-9" }]
price = { input = 0.30, output = 2.50 }

[[models]]
id = "cached"
kind = "text"
routes = [{ provider = "attic", model = "gpt-4o", cost = { input = 2.5, output = 10 } }]
price = { input = 3.00, output = 12.00 }
`)
const key = await gateway.caller('10')
const LIST = priceListOf(0, 0, {
  'gemini/flash-9': {
    litellm_provider: 'gemini',
    mode: 'chat',
    input_cost_per_token: 1e-7,
    output_cost_per_token: 1e-6,
  },
})

describe('the operator', () => {
  test('changes the prices of service tiers: a multiplier, and rates of their own', async () => {
    const one = await at('operator', '/console/models/tiered-model/edit')
    const { page } = one
    const priority = page.getByRole('group', { name: 'Service tier: priority' })
    await priority.getByLabel('Multiplier').fill('2.5')
    await priority.getByLabel('Multiplier').press('Enter')
    const flex = page.getByRole('group', { name: 'Service tier: flex' })
    await flex.getByLabel('Input').fill('0.4')
    await flex.getByLabel('Input').press('Enter')
    await one.looksRight()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save changes?' })
    await dialog
      .getByText(/priority tier/)
      .first()
      .waitFor()
    const words = (await dialog.innerText()).replace(/\s+/g, ' ')
    expect(words).toContain('2.00 → 2.50 USD per million tokens')
    expect(words).toContain('0.50 → 0.40 USD per million tokens')
    const save = dialog.getByRole('button', { name: 'Save changes' })
    // A phone in landscape is lower than this review, as any screen is lower than a long one.
    await page.setViewportSize({ width: 390, height: 390 })
    await one.quiet()
    const { y = 0, height = 0 } = (await save.boundingBox()) ?? {}
    expect(y + height).toBeWithin(1, 391)
    const lowest = await page.evaluate("document.elementFromPoint(195, 388)?.className ?? ''")
    expect(lowest).toBe('dialog-actions')
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    expect(file()).toMatch(
      /service_tiers = \{ priority = "?2\.5"?, flex = \{ input = "?0\.4"?, output = 2 \} \}/,
    )
  })

  test('changes a price: sees what last week’s calls would have cost, and saves it', async () => {
    await gateway.call(
      '/v1/chat/completions',
      { model: 'sim-pro', messages: [{ role: 'user', content: 'Hi' }] },
      { key },
    )
    await gateway.rest()
    const one = await at('operator', '/console/models')
    const { page } = one
    await one.fits()
    await page.getByRole('link', { name: 'sim-pro', exact: true }).click()
    await page.getByRole('link', { name: 'Edit model' }).click()
    await one.quiet()
    await page.getByLabel('Input').first().fill('1.50')
    await page.getByLabel('Input').first().press('Enter')
    await page.getByRole('button', { name: 'Review and save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save changes?' })
    await dialog.getByText(/would have cost/).waitFor()
    expect((await dialog.innerText()).replace(/\s+/g, ' ')).toContain(
      'input: 1.25 → 1.50 USD per million tokens (+20 %)',
    )
    await one.looksRight()
    const before = file()
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(file()).toBe(before.replace('input = 1.25\noutput', 'input = 1.50\noutput'))
    await one.fits()
  })

  test('changes fields in quick succession over a slow line: the review shows all of them, and they are saved', async () => {
    const one = await at('operator', '/console/models/house-model/edit')
    const { page } = one
    const typed = Promise.withResolvers<void>()
    const clicked = Promise.withResolvers<void>()
    // The slow line: the first change is checked once all are typed, the others once their review is requested.
    let checks = 0
    await page.route('**/catalogue/check', async (route) => {
      await (checks++ === 0 ? typed : clicked).promise
      await route.continue()
    })
    await page.getByLabel('Input').first().fill('0.07')
    await page.getByLabel('Output').first().fill('0.28')
    await page.getByLabel('Cache read').first().fill('0.01')
    typed.resolve()
    // Only this click leaves the last field.
    await page.getByRole('button', { name: 'Review and save' }).click()
    clicked.resolve()
    const dialog = page.getByRole('dialog', { name: 'Save changes?' })
    await dialog.waitFor()
    const review = (await dialog.innerText()).replace(/\s+/g, ' ')
    expect(review).toContain('input: 0.05 → 0.07 USD')
    expect(review).toContain('output: 0.20 → 0.28 USD')
    expect(review).toContain('cache read: 0.005 → 0.01 USD')
    const before = file()
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(file()).toBe(
      before.replace(
        '\nprice = { input = 0.05, output = 0.20 }',
        '\nprice = { input = 0.07, output = 0.28, cache_read = 0.01 }',
      ),
    )
  })
})

test('a model is shown although the figures of its week fail, and the page says so', async () => {
  const one = await at('operator', '/console')
  one.allow(/status of 400/)
  const { page } = one
  await page.route(/\/console\/api\/overview\?/, (route) =>
    route.fulfill({ status: 400, json: { error: { message: 'Not now.', code: 'x', param: null } } }),
  )
  await one.go('/console/models/house-model')
  await page.getByRole('table', { name: 'Price' }).waitFor()
  await page.getByText('Not now.').waitFor()
  await page.getByText('Calls in 7 days').waitFor()
  await one.fits()
})

test('a model of a real provider is suggested before simulated ones', async () => {
  const account = await signedIn(gateway, { account: gateway.rows().accounts[0]?.name ?? '' })
  expect(await account.json('POST', '/keys', {})).toMatchObject({ sample_model: 'house-model' })
  const { text_models } = await account.json('GET', '/play')
  expect(text_models.map(({ id }: { id: string }) => id).slice(0, 6)).toEqual([
    'house-model',
    'tiered-model',
    'flash-9',
    'cached',
    'sim-flash',
    'sim-pro',
  ])
})

test('the operator imports a price list: sets the markup, chooses the file, reviews the changes, and saves', async () => {
  const one = await at('operator', '/console/models')
  const { page } = one
  const dialog = page.getByRole('dialog', { name: 'Import prices' })
  await page.getByRole('button', { name: 'Import prices' }).click()
  await dialog.getByText('First set your markup').waitFor()
  expect(await dialog.getByRole('button', { name: 'Choose a list' }).count()).toBe(0)
  await dialog.getByRole('link', { name: 'Set markup' }).click()
  await page.getByLabel('Markup').fill('25')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Settings saved').waitFor()

  await one.go('/console/models')
  await page.getByRole('button', { name: 'Import prices' }).click()
  await dialog.getByText('Your prices become the cost + 25 %').waitFor()
  const choose = (text: string) =>
    dialog
      .locator('input[type=file]')
      .setInputFiles({ name: 'list.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  one.allow(/status of 400/)
  await choose('no list')
  await dialog.getByRole('alert').or(dialog.locator('.notice-bad')).first().waitFor()
  await choose(LIST)
  const review = page.getByRole('dialog', { name: 'Import these prices?' })
  await review.getByText('Changes the model flash-9').waitFor()
  await one.looksRight()
  const words = (await review.innerText()).replace(/\s+/g, ' ')
  expect(words).toContain('0.30 → 0.125 USD per million tokens')
  expect(words).toContain('input costs 0.10, margin 0.025 USD, 20 %')
  expect(words).toContain('house-model at attic (not listed)')
  await review.getByRole('button', { name: 'Import prices' }).click()
  await review.waitFor({ state: 'detached' })
  expect(await dialog.count()).toBe(0)
  expect(file()).toMatch(/cost = \{ input = "?0\.10"?, output = "?1\.00"? \}/)
  await one.isClean()
})

test('cache reads below cost get a price at the press of a button', async () => {
  const one = await at('operator', '/console/models/cached/edit')
  const { page } = one
  await page.getByText('Cache reads cost you 1.25 USD, more than they would sell at.').waitFor()
  await page.getByRole('button', { name: 'Set cache reads to 1.50' }).click()
  await page.getByText('Cache reads cost you').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save changes?' })
  await dialog.getByText('cache read: 0.30 → 1.50 USD').waitFor()
  await dialog.getByRole('button', { name: 'Save changes' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(file()).toContain('cache_read = 1.50')
})

test('models are searched, sorted, copied and tried; an account holder sees neither routes nor costs', async () => {
  const ids = (page: Page) => page.locator('tbody .row-link').allInnerTexts()
  {
    const one = await at('operator', '/console/models')
    const { page } = one
    await page.getByRole('button', { name: 'Model', exact: true }).click()
    expect((await ids(page))[0]).toStartWith('tiered-model')
    await page.getByRole('button', { name: 'Price in USD' }).click()
    expect((await ids(page))[0]).toStartWith('sim-speech')
    await page.getByRole('button', { name: 'Price in USD' }).click()
    expect((await ids(page))[0]).toStartWith('sim-moderation')
    expect(page.url()).toContain('sort=price')
    for (const title of ['Cost in USD', 'Routes', 'State', 'Calls, 7 days'])
      await page.getByRole('button', { name: title, exact: true }).click()
    await page.getByLabel('Search models').fill('attic')
    await page.getByText('sim-flash').waitFor({ state: 'detached' })
    expect((await ids(page)).toSorted()).toEqual(['cached', 'house-model', 'tiered-model'])
    await page.getByLabel('Search models').fill('nobody')
    await page.getByText('No results for “nobody”.').waitFor()
    await one.fits()
  }
  await using one = await visit({ key }, { size: 'both' })
  const { page } = one
  await one.open('/console/models?q=sim-')
  const text = await page.locator('main').innerText()
  for (const hidden of ['simulator', 'Routes', 'Cost', 'Add a model', 'tiered-model'])
    expect(text).not.toContain(hidden)
  await page.getByRole('button', { name: 'Copy id sim-pro' }).click()
  await page.getByText('Copied the id sim-pro.').waitFor()
  expect(page.url()).toContain('/console/models?q=sim-')
  expect(await page.getByRole('link', { name: 'Try sim-embedding' }).count()).toBe(0)
  await page.getByRole('link', { name: 'sim-flash', exact: true }).click()
  await page.getByRole('table', { name: 'Price' }).waitFor()
  const detail = await page.locator('main').innerText()
  for (const hidden of ['simulator', 'Edit model', 'Cost at']) expect(detail).not.toContain(hidden)
  await one.looksRight()
  await page.goBack()
  await page.getByRole('link', { name: 'Try sim-pro' }).click()
  await page.getByRole('combobox', { name: 'Model' }).getByText('sim-pro').waitFor()
  await one.isClean()
})
