// The prices of a provider, changed by per cent in a browser: each before and after, losses, unchanged prices, and a file that somebody else saved.
import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import { signedIn } from '../support/console-session.ts'

const ACME = `
[[providers]]
name = "acme"
protocol = "openai"
base_url = "https://acme.example/v1"
api_keys = ["secret-of-acme"]

[[providers]]
name = "other"
protocol = "openai"
base_url = "https://other.example/v1"
api_keys = ["secret-of-other"]

[[models]]
id = "flash"
kind = "text"
routes = [
  { provider = "acme", model = "gpt-4o", cost = { input = 2.50, output = 10 } },
  { provider = "other", model = "gpt-4o", cost = { input = 3.20, output = 10 } },
]
price = { input = 3, output = 12, tiers = [{ above = 100_000, input = 6, output = 24 }] }

[[models]]
id = "painter"
kind = "image"
routes = [{ provider = "acme", model = "painter-1" }]
price = { per_image = 0.04 }

[[models]]
id = "free-vectors"
kind = "embedding"
routes = [{ provider = "acme", model = "vectors-1" }]
price = { input = 0 }
`
const { gateway, visit } = await fileConsole({ catalogue: FIRST_CATALOGUE + ACME })
const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')

/** The operator's page of all tests: loading it takes longer than most of them. */
const one = await visit('operator', { size: 'both' })
beforeAll(() => one.open('/console/providers/acme'))

test('the operator raises all prices, sees each before and after, and saves the reviewed ones', async () => {
  const { page } = one
  await page.getByRole('link', { name: 'Change prices' }).click()
  await page.getByText('Enter a percentage to see').waitFor()
  const review = page.getByRole('button', { name: 'Review and save' })
  expect(await review.isDisabled()).toBe(true)

  one.allow(/status of 400/)
  await page.getByLabel('Per cent').fill('ten')
  await page.getByText(/^Enter a percentage above -100/).waitFor()
  expect(await page.getByRole('table', { name: 'Prices' }).count()).toBe(0)
  expect(await review.isDisabled()).toBe(true)

  await page.getByLabel('Per cent').fill('10')
  const table = page.getByRole('table', { name: 'Prices' })
  await table.waitFor()
  await one.looksRight()
  const rows = async () =>
    (await table.locator('tbody tr').allInnerTexts()).map((row) => row.replace(/\s+/g, ' ').trim())
  expect(await rows()).toEqual([
    'flash input acme million tokens 3.00 3.30 2.50 0.80, 24.2 %',
    'flash cache read acme million tokens 0.30 0.33 1.25 loses 0.92, −278.8 %',
    'flash output acme million tokens 12.00 13.20 10.00 3.20, 24.2 %',
    'flash input (prompts above 100,000 tokens) acme million tokens 6.00 6.60 2.50 4.10, 62.1 %',
    'flash cache read (prompts above 100,000 tokens) acme million tokens 0.60 0.66 1.25 loses 0.59, −89.4 %',
    'flash output (prompts above 100,000 tokens) acme million tokens 24.00 26.40 10.00 16.40, 62.1 %',
    'flash input other million tokens 3.00 3.30 3.20 0.10, 3 %',
    'flash cache read other million tokens 0.30 0.33 1.60 loses 1.27, −384.8 %',
    'flash output other million tokens 12.00 13.20 10.00 3.20, 24.2 %',
    'flash input (prompts above 100,000 tokens) other million tokens 6.00 6.60 3.20 3.40, 51.5 %',
    'flash cache read (prompts above 100,000 tokens) other million tokens 0.60 0.66 1.60 loses 0.94, −142.4 %',
    'flash output (prompts above 100,000 tokens) other million tokens 24.00 26.40 10.00 16.40, 62.1 %',
    'painter per image acme image 0.04 0.044 unknown –',
  ])
  const words = (await page.locator('main').innerText()).replace(/\s+/g, ' ')
  expect(words).toContain('4 prices are below cost')
  expect(words).toContain('Also served by other providers: flash.')
  expect(words).toContain('Free, and stays free: free-vectors.')

  await page.getByLabel('What changes').click()
  await page.getByRole('option', { name: 'Costs and my prices' }).click()
  await page.getByText('Cost at acme unknown, so it stays: painter, free-vectors.').waitFor()
  expect((await rows())[0]).toBe('flash input acme million tokens 3.00 3.30 2.50 → 2.75 0.55, 16.7 %')

  const before = file()
  await review.click()
  const dialog = page.getByRole('dialog', { name: 'Change prices of acme?' })
  await dialog.getByText('These prices are below your cost').waitFor()
  expect(await dialog.getByText(/^Changes the model/).allInnerTexts()).toEqual([
    'Changes the model flash: routes',
    'Changes the model painter',
  ])
  await one.looksRight()
  await dialog.getByRole('button', { name: 'Save below cost' }).click()
  await page.getByRole('heading', { name: 'acme', exact: true }).waitFor()
  expect(file()).toBe(
    before
      .replace('cost = { input = 2.50, output = 10 }', 'cost = { input = 2.75, output = 11.00 }')
      .replace(
        'price = { input = 3, output = 12, tiers = [{ above = 100_000, input = 6, output = 24 }] }',
        'price = { input = 3.30, output = 13.20, tiers = [{ above = 100_000, input = 6.60, output = 26.40 }] }',
      )
      .replace(
        'price = { per_image = 0.04 }\n\n[[models]]\nid = "free',
        'price = { per_image = 0.044 }\n\n[[models]]\nid = "free',
      ),
  )
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Change undone').waitFor()
  expect(file()).toBe(before)
  await one.isClean()
})

test('the operator lowers prices of selected models; a file that somebody else saved is reloaded first', async () => {
  const { page } = one
  await one.go('/console/providers/acme/prices')
  await page.getByLabel('Direction').click()
  await page.getByRole('option', { name: 'Down' }).click()
  await page.getByLabel('Per cent').fill('12.5')
  await page.getByRole('combobox', { name: 'Models' }).click()
  await page.getByRole('option', { name: 'Selected models' }).click()
  await page.getByText('Select the models whose prices change.').waitFor()
  await page.getByRole('switch', { name: 'painter' }).click()
  await page.getByRole('table', { name: 'Prices' }).getByText('0.035').waitFor()
  await one.looksRight()
  expect(await page.locator('main').textContent()).toContain(
    'tollgate prices change acme --by -12.5% --model painter',
  )
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change prices of acme?' })
  await dialog.getByText('0.04 → 0.035 USD per image').waitFor()

  const operator = await signedIn(gateway, 'operator')
  const values = [{ path: ['server', 'log_level'], value: 'warn' }]
  await operator.json('POST', '/catalogue/values', { values })
  one.allow(/status of 409/)
  await dialog.getByRole('button', { name: 'Save prices' }).click()
  await dialog.getByRole('button', { name: 'Reload file' }).click()
  await dialog.waitFor({ state: 'detached' })
  await one.quiet()
  await page.getByRole('button', { name: 'Review and save' }).click()
  await dialog.getByRole('button', { name: 'Save prices' }).click()
  await page.getByRole('heading', { name: 'acme', exact: true }).waitFor()
  expect(file()).toContain('per_image = 0.035')
  expect(file()).toContain('log_level = "warn"')
})
