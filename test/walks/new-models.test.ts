// New models in a browser: each kind with its price beside its cost, the markup, asked once, a price below cost, and a free model.
import { beforeAll, describe, expect, test } from 'bun:test'
import type { ConsolePage } from '../support/console-page.ts'
import { SCREENS } from '../support/screens.ts'
import { holdBack } from './hold-back.ts'
import { houseConsole } from './house-catalogue.ts'

const [INPUT, OUTPUT] = ['Input price per million tokens', 'Output price per million tokens']
const MINUTE = 'Price per minute of audio'
const [CHARACTERS, SEARCHES] = ['Price per million characters', 'Price per thousand searches']

const { visit, file } = await houseConsole()

const plain = (text: string): string => text.replace(/\s+/g, ' ')

/** Actions of a person in the form. */
function formOf({ page }: ConsolePage) {
  const rate = (name: string) => page.getByRole('group', { name, exact: true })
  const form = {
    rate,
    choose: async (label: string, option: string) => {
      await page.getByLabel(label, { exact: true }).click()
      await page.getByRole('option', { name: option, exact: true }).click()
    },
    type: async (label: string, text: string) => {
      await page.getByLabel(label, { exact: true }).fill(text)
      await page.getByLabel(label, { exact: true }).press('Enter')
    },
    price: async (name: string, price: string, cost = '', at = 'attic') => {
      if (cost !== '') {
        await rate(name).getByLabel(`Cost at ${at}`).fill(cost)
        await rate(name).getByLabel(`Cost at ${at}`).press('Enter')
      }
      if (price !== '') {
        await rate(name).getByLabel(name).fill(price)
        await rate(name).getByLabel(name).press('Enter')
      }
    },
    review: async () => {
      await page.getByRole('button', { name: 'Review model' }).click()
      await page.getByRole('button', { name: 'Back' }).waitFor()
      return plain(await page.locator('form').innerText())
    },
    save: async (id: string, verb = 'Save model') => {
      await page.getByRole('button', { name: verb }).click()
      await page.getByRole('heading', { level: 1, name: id }).waitFor()
    },
  }
  return form
}

/** A model in the file. */
const blockOf = (id: string): string =>
  file()
    .split('\n\n')
    .find((block) => block.includes(`\nid = "${id}"\n`)) ?? ''

/** The kinds as the form names them, the unit to choose, its rates with a price and a cost, and the price in the file. */
const KINDS = [
  ['Embeddings', 'embedding', '', [[INPUT, '0.02', '0.01']], 'price = { input = 0.02 }'],
  ['Images', 'image', '', [['Price per image', '0.04', '0.03']], 'price = { per_image = 0.04 }'],
  [
    'Images',
    'image',
    'Tokens',
    [
      ['Text input price per million tokens', '6', '5'],
      ['Image output price per million tokens', '40', '30'],
    ],
    'price = { input = 6, image_output = 40 }',
  ],
  ['Speech', 'speech', '', [[CHARACTERS, '15', '12']], 'price = { per_million_characters = 15 }'],
  [
    'Speech',
    'speech',
    'Tokens',
    [
      [INPUT, '0.6', ''],
      [OUTPUT, '12', ''],
    ],
    'price = { input = 0.6, output = 12 }',
  ],
  ['Transcription', 'transcription', '', [[MINUTE, '0.006', '0.005']], 'price = { per_minute = 0.006 }'],
  ['Reranking', 'rerank', '', [[SEARCHES, '2', '1']], 'price = { per_thousand_searches = 2 }'],
  ['Moderation', 'moderation', '', [[INPUT, '0.1', '']], 'price = { input = 0.1 }'],
] as const

/** The operator's page of all tests: loading it takes longer than most of them. */
let one: ConsolePage
beforeAll(async () => {
  one = await visit('operator')
  await one.open('/console/models')
  one.allow(/status of 422/)
})

describe('a model is added', () => {
  test('in a form that appears with its final fields: placeholders would lose text typed into them', async () => {
    const { page } = one
    const held = await holdBack(one, /\/console\/api\/catalogue\/settings$/)
    await page.goto('/console/models/new')
    await held.requested
    await page.locator('[aria-busy="true"]').first().waitFor()
    expect(await page.getByLabel(INPUT).count()).toBe(0)
    held.release()
    const input = page.getByRole('group', { name: INPUT })
    await input.getByLabel(INPUT).fill('0.50')
    await one.quiet()
    expect(await input.getByLabel(INPUT).inputValue()).toBe('0.50')
    await one.fits()
  })

  test('of a provider that lists it: the list price is its cost, and the markup, asked once, makes the price', async () => {
    const { page } = one
    const form = formOf(one)
    await one.go('/console/models')
    await one.go('/console/models/new')
    await form.choose('Provider', 'google')
    await form.type('Name at google', 'gemini-2.5-flash-lite')
    await page.getByText('Google Gemini listed this model in November 2026: 0.10 USD of input').waitFor()
    expect(await page.getByRole('link', { name: 'current prices' }).getAttribute('href')).toMatch(/^https:/)
    expect(await page.getByLabel('Name for callers').inputValue()).toBe('gemini-2.5-flash-lite')

    // No model is free by default: an empty price is refused.
    await page.getByRole('button', { name: 'Review model' }).click()
    await page.getByText('Enter a price, or switch on “Free model”.').first().waitFor()
    await one.fits()
    expect(await page.getByText('Enter a price, or switch on').count()).toBe(2)

    expect(await page.getByLabel('Markup on costs').count()).toBe(0)
    await page.getByRole('button', { name: 'Use list price as cost' }).click()
    await form.type('Markup on costs', '25')
    await page.getByRole('button', { name: 'Set prices to cost + 25 %' }).click()
    await form.rate(OUTPUT).getByText('Margin 0.10 USD, 20 %').waitFor()
    await one.quiet()
    await one.looksRight()
    expect(await form.rate(INPUT).getByLabel(INPUT).inputValue()).toBe('0.125')
    expect(await page.getByLabel('Cache read', { exact: true }).inputValue()).toBe('0.0125')

    const before = file()
    const words = await form.review()
    expect(words).toMatch(
      /Adds the model gemini-2\.5-flash-lite.* Sells at: input 0\.125, .*output 0\.50 USD per million tokens/,
    )
    expect(words).toContain(
      'At google (gemini-2.5-flash-lite): input costs 0.10, margin 0.025 USD, 20 %; output costs 0.40, margin 0.10 USD, 20 %',
    )
    await one.looksRight()
    await form.save('gemini-2.5-flash-lite')
    await one.fits()
    expect(file()).toContain(`[[models]]
id = "gemini-2.5-flash-lite"
kind = "text"
routes = [
  { provider = "google", model = "gemini-2.5-flash-lite", cost = { input = 0.10, output = 0.40, cache_read = 0.01 } },
]
price = { input = 0.125, output = 0.50, cache_read = 0.0125 }
context = 1048576
max_output_tokens = 65536
`)
    expect(file()).toMatch(/\[catalogue\]\nmarkup = "?25"?\n/)
    expect(before).not.toContain('\n[catalogue]')
    await one.isClean()
  })

  test('of each other kind: its price is empty and required, in the unit that it is sold by', async () => {
    const { page } = one
    const form = formOf(one)
    for (const [label, kind, unit, rates, written] of KINDS) {
      const id = `new-${kind}-${unit || 'usual'}`
      await one.go('/console/models/new')
      await form.choose('Kind', label)
      await form.type('Name at attic', id)
      if (unit !== '') await page.getByRole('button', { name: unit, exact: true }).click()
      await page.getByRole('button', { name: 'Review model' }).click()
      await page.getByText('Enter a price, or switch on').first().waitFor()
      expect([id, await page.getByText('Enter a price, or switch on').count()]).toEqual([id, rates.length])
      for (const [name, price, cost] of rates) await form.price(name, price, cost)
      await one.quiet()
      await one.fits()
      const words = await form.review()
      expect(words).toContain(rates.some(([, , cost]) => cost !== '') ? `At attic (${id})` : 'Cost unknown')
      await form.save(id)
      expect(blockOf(id)).toContain(`kind = "${kind}"`)
      expect(blockOf(id)).toContain(written)
    }
  })

  test('for free, only by a switch', async () => {
    const { page } = one
    const form = formOf(one)
    await one.go('/console/models/new')
    await form.type('Name at attic', 'gift')
    await page.getByRole('switch', { name: 'Free model' }).click()
    await form.price(INPUT, '', '0.50')
    await form.price(OUTPUT, '', '1')
    await page.getByText('Free for callers: you pay 0.50 USD.').waitFor()
    await one.quiet()
    await one.fits()
    const words = await form.review()
    expect(words).toContain('Sells at 0.00: callers pay nothing for this model.')
    expect(words).toContain(
      'gift, input: sells at 0.00, costs 0.50 at attic. You lose 0.50 USD per million tokens.',
    )
    await form.save('gift', 'Save below cost')
    expect(file()).toContain('price = { input = 0.00, output = 0.00 }')
  })

  test('in a form that keeps what is typed when the file with the last saved model arrives', async () => {
    const { page } = one
    const form = formOf(one)
    await one.go('/console/models/new')
    await form.choose('Kind', 'Moderation')
    await form.type('Name at attic', 'just-saved')
    await page.getByRole('switch', { name: 'Free model' }).click()
    await form.review()
    // The save reads the file first.
    const held = await holdBack(one, /\/console\/api\/catalogue$/, 1)
    await form.save('just-saved')
    await page.evaluate("history.pushState(null, '', '/console/models/new')")
    await held.requested
    await form.type('Name at attic', 'typed-early')
    held.release()
    await one.quiet()
    await form.price(INPUT, '2')
    expect(await page.getByLabel('Name for callers').inputValue()).toBe('typed-early')
    expect(await form.rate(INPUT).getByLabel(INPUT).inputValue()).toBe('2.00')
  })

  test('only with a free name: a taken one is reported at its field, and nothing is saved', async () => {
    const { page } = one
    const form = formOf(one)
    const before = file()
    await one.go('/console/models/new')
    await form.type('Name at attic', 'house-model')
    await form.price(INPUT, 'abc')
    await form.price(OUTPUT, '1')
    await page.getByRole('button', { name: 'Review model' }).click()
    await page.getByText('must be unique: there is already a model "house-model"').waitFor()
    await one.looksRight()
    await form.type('Name for callers', 'house-model-2')
    await page.getByRole('button', { name: 'Review model' }).click()
    await page.getByText('an amount in USD of at most nine decimals').first().waitFor()
    expect(file()).toBe(before)
  })
})

test('a price below cost is shown beside its field and in the review, and confirmed once, as wide as a phone', async () => {
  const { page } = one
  await page.setViewportSize(SCREENS.phone)
  const form = formOf(one)
  await one.go('/console/models/house-model')
  await page.getByRole('link', { name: 'Edit model' }).click()
  await one.quiet()
  await form.price(INPUT, '', '0.06')
  await form.price(OUTPUT, '', '0.10')
  await form.rate(INPUT).getByText('Below cost: you lose 0.01 USD, −20 %').waitFor()
  await form.rate(OUTPUT).getByText('Margin 0.10 USD, 50 %').waitFor()
  await one.looksRight()
  await page.getByRole('button', { name: 'Review and save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save changes?' })
  await dialog.getByText('You lose 0.01 USD per million tokens').waitFor()
  await one.looksRight()
  await dialog.getByRole('button', { name: 'Save below cost' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(file()).toContain('model = "qwen3:8b", cost = { input = 0.06, output = 0.10 } }]')
  await page.getByRole('link', { name: 'Close' }).click()
  await page.getByText('below cost by 0.01, −20 %').first().waitFor()
  await one.fits()
})
