// The pages Models, Providers and Catalogue in a browser: a price, a key and a provider are changed, and what came of it.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../src/config/first.ts'
import { fileConsole } from '../support/console.ts'
import { signedIn } from '../support/console-session.ts'

const SECRET = 'key-of-the-attic-1'
const ATTIC = `
[[providers]]
name = "attic"
protocol = "openai"
base_url = "http://127.0.0.1:9/v1"
api_keys = ["${SECRET}"] # of the attic

[[models]]
id = "house-model"
kind = "text"
routes = [{ provider = "attic", model = "qwen3:8b" }]
price = { input = 0.05, output = 0.20 }

[[models]]
id = "tiered-model"
kind = "text"
routes = [{ provider = "attic", model = "qwen3:8b" }]
price = { input = 1, output = 4, service_tiers = { priority = 2, flex = { input = 0.5, output = 2 } } }
`
const GOOGLE = `
[[providers]]
name = "google"
protocol = "gemini"
base_url = "https://generativelanguage.googleapis.com"
api_keys = ["key-of-google"]
`
const { gateway, visit } = await fileConsole({ catalogue: FIRST_CATALOGUE + ATTIC + GOOGLE })
const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')
/** The house model at another price. */
const dearer = (text: string): string =>
  text.replace(/(\nid = "house-model"\n(?:.+\n)*price = \{ input = )[\d.]+/, '$10.09')
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

  test('tries a route, and is told what to do about what fails', async () => {
    await using one = await visit('operator')
    const { page } = one
    await one.open('/console/models/sim-flash')
    await page.getByRole('button', { name: 'Try flash' }).click()
    await page.getByText(/It answered in/).waitFor()
    await one.looksRight()
    await one.open('/console/providers/attic')
    await page.getByRole('button', { name: 'Try attic#1' }).click()
    await page.getByText(/Unreachable after/).waitFor()
    expect(await page.locator('main').innerText()).toContain('Check the address (base_url)')
    await one.looksRight()
  })

  test('replaces a key, which is in the file then, and on no page', async () => {
    await using one = await visit('operator')
    const { page } = one
    await one.open('/console/providers/attic')
    expect(await page.content()).not.toContain(SECRET)
    await page.getByRole('button', { name: 'Change keys and settings' }).click()
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByLabel('API key').fill('another-attic-key-2')
    await one.looksRight()
    await page.getByRole('button', { name: 'Replace key' }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('button', { name: 'Save catalogue' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(file()).toContain('api_keys = ["another-attic-key-2"] # of the attic')
    await one.quiet()
    expect(await page.content()).not.toContain('another-attic-key-2')
    await one.isClean()
  })

  test('adds a provider once it has answered', async () => {
    await using one = await visit('operator', { size: 'phone' })
    const { page } = one
    const before = file()
    await one.open('/console/providers/new')
    await one.fits()
    await page.getByRole('radio', { name: /^Simulator/ }).check()
    // A refusal stands at the field that it is of.
    one.allow(/status of 422/)
    await page.getByLabel('Name', { exact: true }).fill('Not a name')
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page
      .getByRole('textbox', { name: 'Name', exact: true })
      .and(page.locator('[aria-invalid]'))
      .waitFor()
    await page.getByLabel('Name', { exact: true }).fill('simulated')
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText(/It answered in/).waitFor()
    await one.looksRight()
    await page.getByRole('button', { name: 'Save provider' }).click()
    await page.waitForURL(/\/console\/providers\/simulated$/)
    await page.getByText('No model uses this provider').waitFor()
    expect(gateway.started.catalogue().providers.has('simulated')).toBe(true)
    await one.looksRight()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change undone').waitFor()
    await page.waitForURL(/\/console\/providers$/)
    expect(file()).toBe(before)
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

  test('leaves a draft and finds it again: asked by a link, by the back button, and after a reload without its key', async () => {
    await using one = await visit('operator')
    const { page } = one
    const text = page.getByLabel('Text of the catalogue file')
    const draft = (): Promise<string> => text.inputValue()
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
    await one.open('/console/models')
    await page.getByRole('link', { name: 'Change the catalogue' }).click()
    await one.quiet()
    const before = await draft()
    const keyIn = (of: string): string => /"hidden:[\w-]+"(?=\] # of the attic)/.exec(of)?.[0] ?? ''
    const drafted = dearer(before).replace(keyIn(before), '"typed-in-a-draft-3"')
    await text.fill(drafted)
    await page
      .getByRole('button', { name: 'Review and save' })
      .and(page.locator(':not([aria-busy])'))
      .waitFor()

    await page.getByRole('link', { name: 'Calls', exact: true }).click()
    await leaving.waitFor()
    await one.looksRight()
    await leaving.getByRole('button', { name: 'Stay on this page' }).click()
    expect([new URL(page.url()).pathname, await draft()]).toEqual(['/console/catalogue', drafted])
    await page.goBack()
    await leaving.getByRole('button', { name: 'Stay on this page' }).click()
    expect(new URL(page.url()).pathname).toBe('/console/catalogue')
    await page.goBack()
    await leaving.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(/\/console\/models$/)

    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect([stored.includes('input = 0.09'), stored.includes('typed-in-a-draft-3')]).toEqual([true, false])
    await page.getByRole('link', { name: 'Change the catalogue' }).click()
    await one.quiet()
    expect(await draft()).toBe(drafted)
    await page.reload()
    await one.quiet()
    expect(await draft()).toBe(drafted.replace('"typed-in-a-draft-3"', keyIn(await draft())))
    await page.getByText(/must be the key itself/).waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(await draft()).toBe(before)
  })

  test('undoes a save, finds it in the history, and restores it, but not over somebody else’s change', async () => {
    await using one = await visit('operator')
    const { page } = one
    await one.open('/console/catalogue')
    const text = page.getByLabel('Text of the catalogue file')
    const before = file()
    await text.fill(dearer(await text.inputValue()))
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('dialog').getByText('Changed lines').click()
    await page.getByRole('table', { name: 'Changed lines' }).waitFor()
    await one.looksRight()
    await page.getByRole('button', { name: 'Save catalogue' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change undone').waitFor()
    expect(file()).toBe(before)

    await one.go('/console/models/house-model')
    await page.getByRole('link', { name: 'Price history' }).click()
    await page.getByText('Versions that changed').waitFor()
    const versions = page.getByRole('table', { name: 'Versions' })
    await versions.getByText('In force').waitFor()
    await one.looksRight()
    await versions.getByRole('link').nth(1).click()
    await page.getByRole('button', { name: 'If restored now' }).click()
    const lines = page.getByRole('table', { name: 'Changed lines' })
    expect((await lines.innerText()).replace(/\s+/g, ' ')).toMatch(
      /− removed price = .*0\.0.* \+ added price = .*0\.09/,
    )
    await one.looksRight()
    const restore = async () => {
      await page.getByRole('button', { name: 'Restore this version' }).click()
      const dialog = page.getByRole('dialog', { name: /^Restore version \d+\?$/ })
      await dialog.getByText(/input: 0\.0\d → 0\.09 USD/).waitFor()
      return dialog
    }
    const refused = await restore()
    await gateway.recatalogue(`${before}# Somebody else's.\n`)
    one.allow(/status of 409/)
    await refused.getByRole('button', { name: 'Restore version' }).click()
    await refused.getByText(/The file has changed since you read it/).waitFor()
    expect(file()).toBe(`${before}# Somebody else's.\n`)
    await refused.getByRole('button', { name: 'Cancel' }).click()
    await gateway.recatalogue(before)
    await page.reload()
    await one.quiet()
    const dialog = await restore()
    await dialog.getByRole('button', { name: 'Restore version' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(file()).toBe(dearer(before))
    await gateway.recatalogue(before)
  })

  test('finds what a save changed readable on a phone', async () => {
    await using one = await visit('operator', { size: 'phone' })
    await one.open('/console/catalogue/history')
    await one.page.getByRole('table', { name: 'Versions' }).getByRole('link').first().click()
    await one.quiet()
    await one.looksRight()
  })
})

test('a model of a real provider is suggested before simulated ones', async () => {
  const account = signedIn(gateway, { account: gateway.rows().accounts[0]?.name ?? '' })
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
