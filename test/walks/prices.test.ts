// Prices in a browser: changed by the forms of a model, filled in from the list of a provider, and shown to account holders.
import { describe, expect, test } from 'bun:test'
import { signedIn } from '../support/console-session.ts'
import { houseConsole } from './house-catalogue.ts'

const { gateway, visit, file } = await houseConsole()
const key = await gateway.caller('10')

describe('the operator', () => {
  test('changes the prices of service tiers: a multiplier, and rates of their own', async () => {
    await using one = await visit('operator')
    const { page } = one
    await one.open('/console/models/tiered-model')
    await page.getByRole('button', { name: 'Change price' }).click()
    await one.quiet()
    const priority = page.getByRole('group', { name: 'Service tier: priority' })
    await priority.getByLabel('Multiplier').fill('2.5')
    await priority.getByLabel('Multiplier').press('Enter')
    const flex = page.getByRole('group', { name: 'Service tier: flex' })
    await flex.getByLabel('Input').fill('0.4')
    await flex.getByLabel('Input').press('Enter')
    await one.looksRight()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save the catalogue?' })
    await dialog
      .getByText(/priority tier/)
      .first()
      .waitFor()
    const words = (await dialog.innerText()).replace(/\s+/g, ' ')
    expect(words).toContain('2.00 → 2.50 USD per million tokens')
    expect(words).toContain('0.50 → 0.40 USD per million tokens')
    const save = dialog.getByRole('button', { name: 'Save catalogue' })
    // A phone on its side is as low as a long review is on any.
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
    await using one = await visit('operator')
    const { page } = one
    await one.open('/console/models')
    await one.fits()
    await page.getByRole('link', { name: 'sim-pro' }).click()
    await page.getByRole('button', { name: 'Change price' }).click()
    await one.quiet()
    await page.getByLabel('Input').first().fill('1.50')
    await page.getByLabel('Input').first().press('Enter')
    await page.getByRole('button', { name: 'Review and save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save the catalogue?' })
    await dialog.getByText(/would have cost/).waitFor()
    expect((await dialog.innerText()).replace(/\s+/g, ' ')).toContain(
      'input: 1.25 → 1.50 USD per million tokens (+20 %)',
    )
    await one.looksRight()
    const before = file()
    await dialog.getByRole('button', { name: 'Save catalogue' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(file()).toBe(before.replace('input = 1.25\noutput', 'input = 1.50\noutput'))
    await one.looksRight()
  })

  test('changes two fields one right after the other, over a slow line: both are shown, and what was shown is saved', async () => {
    await using one = await visit('operator')
    const { page } = one
    const typed = Promise.withResolvers<void>()
    const clicked = Promise.withResolvers<void>()
    // The slow line: the first change is checked once all are typed, the others once their review is asked for.
    let checks = 0
    await page.route('**/catalogue/check', async (route) => {
      await (checks++ === 0 ? typed : clicked).promise
      await route.continue()
    })
    await one.open('/console/models/house-model')
    await page.getByRole('button', { name: 'Change price' }).click()
    await one.quiet()
    await page.getByLabel('Input').first().fill('0.07')
    await page.getByLabel('Output').first().fill('0.28')
    await page.getByLabel('Cache read').first().fill('0.01')
    typed.resolve()
    // The last field is left by this click alone.
    await page.getByRole('button', { name: 'Review and save' }).click()
    clicked.resolve()
    const dialog = page.getByRole('dialog', { name: 'Save the catalogue?' })
    await dialog.waitFor()
    const shown = (await dialog.innerText()).replace(/\s+/g, ' ')
    expect(shown).toContain('input: 0.05 → 0.07 USD')
    expect(shown).toContain('output: 0.20 → 0.28 USD')
    expect(shown).toContain('cache read: 0.005 → 0.01 USD')
    const before = file()
    await dialog.getByRole('button', { name: 'Save catalogue' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(file()).toBe(
      before.replace(
        '\nprice = { input = 0.05, output = 0.20 }',
        '\nprice = { input = 0.07, output = 0.28, cache_read = 0.01 }',
      ),
    )
  })

  test('adds a model: its price is empty and required, free is a decision, and the review says what it sells at', async () => {
    await using one = await visit('operator')
    const { page } = one
    const [input, output] = ['Input', 'Output'].map((rate) =>
      page.getByLabel(`${rate} per million tokens`, { exact: true }),
    )
    if (!input || !output) throw new Error('there are two prices')
    const free = page.getByRole('switch', { name: 'Free model' })
    const save = page.getByRole('button', { name: 'Review and save' })
    const dialog = page.getByRole('dialog', { name: 'Save the catalogue?' })
    const reviewed = async () => {
      await save.click()
      await dialog.getByText('Adds the model').waitFor()
      const words = (await dialog.innerText()).replace(/\s+/g, ' ')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      return words
    }
    await one.open('/console/catalogue')
    const before = file()
    await page.getByRole('button', { name: 'Add a model' }).click()
    await page.locator('.field-error').first().waitFor()
    expect([await input.inputValue(), await output.inputValue(), await save.isDisabled()]).toEqual([
      '',
      '',
      true,
    ])
    await one.looksRight()
    await input.fill('0.30')
    await input.press('Enter')
    await one.quiet()
    expect(await save.isDisabled()).toBe(true)
    await output.fill('2.50')
    await output.press('Enter')
    await one.quiet()
    expect(await reviewed()).toMatch(/Sells at: input 0\.30, .*output 2\.50, .* USD per million tokens/)

    await free.click()
    await input.waitFor({ state: 'detached' })
    await one.quiet()
    await one.looksRight()
    expect(await reviewed()).toContain('Sells at 0.00: callers pay nothing for this model.')
    await free.click()
    await input.waitFor()
    await one.quiet()
    expect([await input.inputValue(), await save.isDisabled()]).toEqual(['', true])
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(file()).toBe(before)
    await one.isClean()
  })

  test('adds a well-known model: its list price is filled in, with the month, to be checked', async () => {
    await using one = await visit('operator')
    const { page } = one
    await one.open('/console/catalogue')
    const before = file()
    await page.getByRole('button', { name: 'Add a model' }).click()
    await page.getByText('the list prices of November 2026').waitFor()
    await one.looksRight()
    await page.getByRole('button', { name: 'gemini-2.5-flash-lite' }).click()
    await page.getByText('Google Gemini listed this model in November 2026: 0.10 USD of input').waitFor()
    expect(await page.getByLabel('Input per million tokens', { exact: true }).inputValue()).toBe('0.10')
    expect(await page.getByLabel('Cache read', { exact: true }).inputValue()).toBe('0.01')
    expect(await page.getByRole('link', { name: 'current prices' }).getAttribute('href')).toMatch(/^https:/)
    await one.looksRight()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('button', { name: 'Save catalogue' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const added = `[[models]]
id = "gemini-2.5-flash-lite"
kind = "text"
routes = [{ provider = "google", model = "gemini-2.5-flash-lite" }]
price = { input = 0.10, output = 0.40, cache_read = 0.01 }
context = 1048576
max_output_tokens = 65536

`
    expect(file().replace(added, '')).toBe(before)
  })
})

test('a model of a real provider is suggested before simulated ones', async () => {
  const account = await signedIn(gateway, { account: gateway.rows().accounts[0]?.name ?? '' })
  expect(await account.json('POST', '/keys', {})).toMatchObject({ sample_model: 'house-model' })
  const { text_models } = await account.json('GET', '/play')
  expect(text_models.map(({ id }: { id: string }) => id).slice(0, 4)).toEqual([
    'house-model',
    'tiered-model',
    'gemini-2.5-flash-lite',
    'sim-flash',
  ])
})

test('an account holder sees the models and their prices, and no provider', async () => {
  await using one = await visit({ key })
  const { page } = one
  await one.open('/console/models')
  expect(await page.locator('main').innerText()).toContain('sim-flash')
  await page.getByRole('link', { name: 'sim-flash' }).click()
  await page.getByRole('table', { name: 'Price' }).waitFor()
  const text = await page.locator('main').innerText()
  for (const hidden of ['simulator', 'Change price', 'Try']) expect(text).not.toContain(hidden)
  await one.looksRight()
})
