// The portal in a browser: a streamed answer with its cost, two models, a chain of pictures, files, usage.
import { describe, expect, test } from 'bun:test'
import { paint } from '../media/support.ts'
import { IMAGE_TOKENS } from '../providers/answer.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'

const { gateway, visit, at } = await fileConsole()
for (const name of ['alice', 'bert', 'cleo']) await gateway.account(name, { balance_usd: '10' })
const ALICE = { account: 'alice' }
const PNG = Buffer.from(await paint('png', { width: 64, height: 48 }))

const calls = () => gateway.rows().calls
const button = ({ page }: ConsolePage, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true })

/** Types a question, sends it, and waits for its charge. */
async function converse(one: ConsolePage, question: string): Promise<void> {
  await one.page.getByLabel('Message').fill(question)
  await one.page.keyboard.press('Enter')
  await button(one, 'Stop').waitFor({ state: 'hidden' })
  await one.page
    .getByText(/tokens in, .* in all/)
    .last()
    .waitFor()
}

test('the first visit: no balance, funds, a key, code for a client, and the first call appears by itself', async () => {
  await gateway.account('newcomer')
  await using one = await visit({ account: 'newcomer' })
  await one.open('/console')
  await one.page.getByRole('heading', { level: 1, name: 'Get started' }).waitFor()
  await one.page.getByText(/Ask your operator to add funds/).waitFor()
  await one.fits()
  const operator = await signedIn(gateway, 'operator')
  await operator.json('POST', '/accounts/newcomer/top-up', { amount: '5' })
  await one.page.getByText('You have 5.00 USD').waitFor()

  await button(one, 'Create key').click()
  const dialog = one.page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('laptop')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const key = await dialog.locator('.secret pre').innerText()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await one.page.getByText('Waiting for your first call…').waitFor()
  const code = one.page.locator('.snippet pre')
  await button(one, 'Python').click()
  for (const [sdk, words] of [
    ['Anthropic', `base_url="${gateway.url.origin}"`],
    ['Google', 'http_options='],
    ['OpenAI', `base_url="${gateway.url.origin}/v1"`],
  ] as const) {
    await button(one, sdk).click()
    expect(await code.innerText()).toContain(key)
    expect(await code.innerText()).toContain(words)
  }
  await one.looksRight()

  await one.open(one.page.url())
  await one.page.getByText(/It was shown only once/).waitFor()
  expect(await one.page.locator('main').innerText()).not.toContain(key)
  const messages = [{ role: 'user', content: 'Hello' }]
  expect((await gateway.call('/v1/chat/completions', { model: 'sim-flash', messages }, { key })).status).toBe(
    200,
  )
  await one.page.getByText(/Your first call worked/).waitFor()
  await one.fits()
  await one.open('/console')
  expect(await one.page.getByRole('heading', { level: 1 }).innerText()).toBe('Overview')
  await one.isClean()
})

describe('the playground for text', () => {
  test('streams an answer, shows its cost to the nano-dollar, continues with a picture, and shows a refusal, which costs nothing', async () => {
    await using one = await visit(ALICE)
    await one.open('/console/playground')
    await converse(one, 'Say hello to the gateway.')
    await gateway.rest()
    const [call] = calls().slice(-1)
    const title = await one.page.locator('.play-answer-foot [title$="USD"]').last().getAttribute('title')
    expect(Number(title?.replace(/[^\d.]/g, ''))).toBeCloseTo((call?.cost_nanos ?? 0) / 1e9, 9)
    const choosing = one.page.waitForEvent('filechooser')
    await button(one, 'Add an image').click()
    await (await choosing).setFiles({ name: 'cat.png', mimeType: 'image/png', buffer: PNG })
    await one.page.getByLabel('Remove cat.png').waitFor()
    await converse(one, 'And what is this?')
    await gateway.rest()
    // The provider received the picture, and charged for it.
    expect(calls().at(-1)?.input_tokens).toBeGreaterThan((call?.input_tokens ?? 0) + IMAGE_TOKENS)
    expect(await one.page.locator('.play-question').allInnerTexts()).toEqual([
      'Say hello to the gateway.',
      'And what is this?',
    ])
    await one.looksRight()
    // The conversation stays in this tab, with the text typed a moment ago.
    await one.page.getByLabel('Message').fill('Half a thought')
    await one.page.reload()
    await one.page.getByText('And what is this?').waitFor()
    expect(await one.page.getByLabel('Message').inputValue()).toBe('Half a thought')

    one.allow(/400/)
    await one.page.getByText('Parameters').click()
    await one.page.getByLabel('Temperature').fill('hot')
    const before = calls().length
    await one.page.getByLabel('Message').fill('Hello')
    await one.page.keyboard.press('Enter')
    await one.page.getByRole('alert').filter({ hasText: 'temperature' }).waitFor()
    expect(calls()).toHaveLength(before)
    await one.isClean()
  })

  test('compares two models, each with its own conversation, and copies as code', async () => {
    const one = await at(ALICE, '/console/playground')
    await button(one, 'Compare with another model').click()
    await one.page.getByLabel('Message').fill('Which of you is it?')
    await button(one, 'Send').click()
    await eventually('both have answered', async () => (await one.page.getByText(/in all/).count()) === 2)
    await gateway.rest()
    const both_calls = calls().slice(-2)
    expect(new Set(both_calls.map(({ model }) => model)).size).toBe(2)
    await one.fits()
    await button(one, 'Copy as code').click()
    await button(one, 'Anthropic').click()
    await button(one, 'Python').click()
    expect(await one.page.getByRole('dialog').innerText()).toContain('client.messages.create(')
    await one.looksRight()
    await one.page.keyboard.press('Escape')
    await one.page.getByRole('dialog').waitFor({ state: 'hidden' })
  })
})

test('files are uploaded, counted and deleted', async () => {
  const one = await at(ALICE, '/console/library?tab=uploaded')
  await one.fits()
  const choosing = one.page.waitForEvent('filechooser')
  await button(one, 'Upload images').click()
  await (await choosing).setFiles([
    { name: 'one.png', mimeType: 'image/png', buffer: PNG },
    { name: 'two.png', mimeType: 'image/png', buffer: PNG },
  ])
  await one.page.getByText('two.png').waitFor()
  await one.quiet()
  await one.fits()
  await button(one, 'More for one.png').click()
  await one.page.getByRole('menuitem', { name: 'Delete file' }).click()
  await button(one, 'Delete file').click()
  await one.page.getByRole('link', { name: 'one.png', exact: true }).waitFor({ state: 'hidden' })
  await one.isClean()
})

test('the overview shows spending by model, key and day, filtered by a press, and no figure of the operator', async () => {
  const one = await at(ALICE, '/console/usage')
  await one.fits()
  const rows = (by: string) => one.page.getByRole('table', { name: `Figures by ${by}` }).locator('tbody tr')
  await rows('model').nth(1).waitFor()
  expect(new URL(one.page.url()).pathname).toEndWith('/console/overview')
  const text = await one.page.locator('main').innerText()
  const of_operator = ['Revenue', 'Margin', 'Cost known', 'By provider', 'By route', 'Balances of accounts']
  for (const words of of_operator) expect(text).not.toContain(words)
  await one.page.getByRole('button', { name: 'sim-flash', exact: true }).click()
  await one.quiet()
  expect(new URL(one.page.url()).searchParams.get('model')).toBe('sim-flash')
  await rows('day').nth(29).waitFor()
  await button(one, 'By key').click()
  await one.page.getByRole('button', { name: /^console/ }).waitFor()
  await one.fits()
})

describe('the playground for images', () => {
  test('makes an image, edits it by a press on it, composes it with an added file, and shows the lineage', async () => {
    await using one = await visit({ account: 'cleo' })
    await one.open('/console/playground?tab=images')
    await one.page.getByLabel('Prompt').fill('a red house on green hills')
    await one.page.getByText(/^1 image: [\d.]+ .*USD/).waitFor()
    await button(one, 'Generate').click()
    await one.page.getByRole('button', { name: 'Work from a red house on green hills' }).click()
    await one.page.getByLabel('Prompt').fill('the same house in the snow')
    await button(one, 'Edit').click()
    await one.page.getByRole('button', { name: 'Work from the same house in the snow' }).waitFor()
    await one.quiet()
    await one.looksRight()
    const choosing = one.page.waitForEvent('filechooser')
    await button(one, 'Add an image').click()
    await (await choosing).setFiles({ name: 'cat.png', mimeType: 'image/png', buffer: PNG })
    await one.page.getByLabel('Remove cat.png').waitFor()
    await one.page.getByLabel('Prompt').fill('the house with a cat before it')
    await button(one, 'Compose').click()
    await one.page.getByRole('button', { name: 'Work from the house with a cat before it' }).waitFor()
    await gateway.rest()
    expect(
      calls()
        .slice(-3)
        .map(({ surface, images }) => [surface, images]),
    ).toEqual([
      ['images', 1],
      ['images', 1],
      ['images', 1],
    ])

    await one.go('/console/library')
    await one.fits()
    await one.page.getByRole('link', { name: /the house with a cat/ }).click()
    await one.page.getByRole('heading', { name: 'Lineage' }).waitFor()
    const lineage = await one.page.locator('.image-lineage li').allInnerTexts()
    expect(lineage.join()).toContain('a red house on green hills')
    expect(lineage.join()).toContain('cat.png')
    await one.quiet()
    await one.looksRight()

    await button(one, 'Delete').click()
    await one.looksRight()
    await button(one, 'Delete image').click()
    await one.page.getByRole('heading', { name: 'Library' }).waitFor()
    await one.quiet()
    expect(await one.page.getByRole('link', { name: /the house with a cat/ }).count()).toBe(0)
    await one.isClean()
  })

  test('the operator sees that images exist, and their pictures only after a press', async () => {
    const one = await at('operator', '/console/images')
    expect(await one.page.locator('main img').count()).toBe(0)
    expect(await one.page.locator('main').innerText()).not.toContain('red house')
    await one.fits()
    await button(one, 'Show images').click()
    await one.page.getByText('a red house on green hills').waitFor()
    await one.quiet()
    await one.fits()
  })
})

test('in the playground, the operator chooses who pays', async () => {
  const one = await at('operator', '/console/playground')
  await one.page.getByRole('button', { name: /bert/ }).click()
  await one.page.getByText(/Calls are billed to bert, with a balance of/).waitFor()
  await converse(one, 'Hello')
  await gateway.rest()
  const [call] = calls().slice(-1)
  expect(call?.account_id).toBe(gateway.rows().accounts.find(({ name }) => name === 'bert')?.id ?? 0)
  await one.fits()
})
