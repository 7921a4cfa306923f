// Providers at known servers in a browser: added with the fields of their server, mistakes at their fields, and models.
import { beforeAll, describe, expect, test } from 'bun:test'
import { chooseProvider } from '../support/chosen-provider.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { ACCOUNT, PRIVATE_KEY } from '../support/google.ts'
import { ADDED } from './added-providers.ts'
import { KEY, press, serversConsole, type } from './server-providers.ts'

const {
  gateway,
  visit,
  upstream,
  sent,
  file,
  key_file: of_vertex,
} = await serversConsole(`
[[models]]
id = "drawn"
kind = "image"
routes = [{ provider = "azure-here", model = "pictures" }]
price = { input = 5, image_output = 32 }
`)

/** The operator's page of all tests. */
let one: ConsolePage
beforeAll(async () => {
  one = await visit('operator')
  one.allow(/status of 4(?:00|22)/)
  await one.open('/console/providers')
})

describe('a provider at a known server', () => {
  test.each(ADDED)('%s is tested and added', async (title, added) => {
    const { fields = {}, by_file, model, url, header, name, written } = added
    const key_file = by_file ? of_vertex : undefined
    const { page } = one
    await one.go('/console/providers/new')
    await chooseProvider(page, title)
    for (const [label, text] of Object.entries(fields)) await type(page, label, text)
    if (key_file === undefined) await type(page, 'API key', KEY)
    else {
      await page.locator('input[type=file]').setInputFiles(key_file)
      await page.getByText(ACCOUNT).waitFor()
    }
    await type(page, 'Model to test', model)
    await press(page, 'Test connection')
    await page.getByText(/It answered in/).waitFor()
    expect(sent.at(-1)).toBe(url)
    expect(upstream.last().headers[header]).toContain(key_file === undefined ? KEY : 'ya29.')
    await one.fits()
    await press(page, 'Save provider')
    await page.waitForURL(new RegExp(`/console/providers/${name}$`))
    await page.getByRole('definition').getByText(title, { exact: true }).waitFor()
    expect(blockOf(name)).toEqual([`name = "${name}"`, ...written])
    const [secret = ''] = key_file === undefined ? [KEY] : PRIVATE_KEY.split('\n').slice(1)
    expect(gateway.started.catalogue().providers.get(name)?.api_keys[0]).toContain(secret)
    expect(await page.content()).not.toContain(secret)
    await one.fits()
  })
})

test.each([
  ['provider', '/console/providers'],
  ['model', '/console/models'],
])('the form of a new %s is left by Cancel, and nothing is saved', async (_, list) => {
  const before = file()
  await one.go(`${list}/new`)
  await one.fits()
  await press(one.page, 'Cancel')
  await one.page.waitForURL(`**${list}`)
  expect(file()).toBe(before)
})

/** The lines of a provider in the file, without its keys. */
function blockOf(name: string): string[] {
  const block = file()
    .split('[[')
    .find((each) => each.startsWith(`providers]]\nname = "${name}"`))
  return (block ?? '').split('\n').filter((line) => line.includes(' = ') && !line.startsWith('api_keys'))
}

describe('a mistake in the form', () => {
  /** Valid values for the fields of every server; each test replaces one. */
  const FILLED = {
    Resource: 'acme',
    Region: 'us-east-1',
    'Region (optional)': '',
    'API version (optional)': '',
    'Service account key': '',
    'API key': KEY,
  }
  beforeAll(() => one.go('/console/providers/new'))

  test.each([
    ['a model left out', 'Azure OpenAI', 'Model to test', '', "Enter the provider's own ID of the model."],
    ['a resource left out', 'Azure OpenAI', 'Resource', '', 'Enter the name of the Azure resource.'],
    ['a region left out', 'Amazon Bedrock', 'Region', '', 'Enter the region of the account.'],
    ['another shape of region', 'Vertex AI', 'Region (optional)', 'europe_west1', 'the name of a region'],
    ['an invalid version', 'Azure OpenAI', 'API version (optional)', 'latest', 'such as'],
    ['a file of the server', 'Vertex AI', 'Service account key', 'file:other.json', 'paste the text'],
  ])('%s is reported at its field, and nothing is sent: %s', async (_, title, label, text, words) => {
    const { page } = one
    const chosen = await page.getByRole('combobox', { name: 'Provider' }).innerText()
    if (!chosen.startsWith(title)) await chooseProvider(page, title)
    const filled: Record<string, string> = { ...FILLED, [label]: text }
    for (const [each, value] of Object.entries(filled)) {
      const field = page.getByLabel(each, { exact: true })
      if ((await field.count()) > 0 && (await field.inputValue()) !== value) await field.fill(value)
    }
    if (label !== 'Model to test') await type(page, 'Model to test', 'm')
    const before = sent.length
    await press(page, 'Test connection')
    await page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid]')).waitFor()
    await page.locator('.field-error').filter({ hasText: words }).first().waitFor()
    expect(sent.length).toBe(before)
    await one.isClean()
  })
})

test('a model of a deployment has its generation, and a cost of images has the units of their price', async () => {
  const { page } = one
  const save = async () => {
    await press(page, 'Review and save')
    await press(page, 'Save changes')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await one.go('/console/models/of-vertex-here/edit')
  await page.getByLabel('Upstream model').waitFor()
  expect(await page.getByLabel('Generation (optional)').count()).toBe(0)
  await one.go('/console/models/of-azure-here/edit')
  await page.getByLabel('Generation (optional)').fill('gpt-5.4')
  await page.getByLabel('Generation (optional)').press('Enter')
  await save()
  await one.go('/console/models/drawn/edit')
  await page.getByLabel('Generation (optional)').fill('gpt-image-2')
  await page.getByLabel('Generation (optional)').press('Enter')
  for (const [rate, cost] of [
    ['Text input', '4'],
    ['Image output', '30'],
  ] as const) {
    const field = page.getByRole('group', { name: new RegExp(`^${rate}`) }).getByLabel('Cost at azure-here')
    await field.fill(cost)
    await field.press('Enter')
  }
  await save()
  expect(file()).toContain('model = "m", generation = "gpt-5.4" }')
  expect(file()).toMatch(
    /model = "pictures", generation = "gpt-image-2", cost = \{ input = "?4"?, image_output = "?30"? \}/,
  )
  await one.fits()
})
