// The console by keyboard: the search with all kinds of results, pages by `g` and a letter, the list of shortcuts, and the focus.
import { expect, test } from 'bun:test'
import { fileConsole } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'

const { gateway, visit } = await fileConsole()
const alice = await gateway.account('alice', { balance_usd: '10' })
const key = await gateway.key('alice', { name: 'laptop' })
const body = { model: 'sim-pro', messages: [{ role: 'user', content: 'Hello' }] }
const answer = await gateway.call('/v1/chat/completions', body, { key })
await answer.arrayBuffer()
const request_id = answer.headers.get('x-request-id') ?? ''

const FOCUS_AFTER_SLASH = `new Promise((resolve) => {
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => resolve(document.activeElement.role)
  port2.postMessage(0)
})`

test('/ finds accounts, keys, calls and models; g and a letter opens a page, ? lists the shortcuts, Esc closes', async () => {
  await using one = await visit('operator')
  const { page } = one
  const dialog = page.getByRole('dialog')
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const focused = (what: string) => page.evaluate<string>(`document.activeElement.${what}`)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  /** Types into the search at once, and waits for the first result. */
  const find = async (words: string, first: string) => {
    await page.keyboard.press('/')
    await page.keyboard.type(words)
    await page.getByRole('option', { name: first, selected: true }).waitFor()
  }

  await one.open('/console/system')
  // The search box has the focus before the next key, not only with the next frame.
  expect(await page.evaluate<string>(FOCUS_AFTER_SLASH)).toBe('combobox')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await find('lic', 'alice')
  await page.keyboard.press('Enter')
  await heading('alice')
  expect(new URL(page.url()).pathname).toBe(`/console/accounts/${alice.id}`)
  await eventually('the focus is on the heading', async () => (await focused('tagName')) === 'H1')

  await find(key, 'laptop')
  expect(sent.filter((url) => url.includes(key.slice(0, 12)))).toEqual([])
  await page.keyboard.press('Enter')
  await heading('laptop')
  await dialog.waitFor({ state: 'detached' })
  // Enter waits for no results, so the test need not wait either.
  await page.keyboard.press('/')
  await page.keyboard.type(request_id)
  await page.keyboard.press('Enter')
  await heading('Call of sim-pro')

  // A page is found by its content, too.
  await find('backup', 'System')
  await page.keyboard.press('Enter')
  await heading('System')

  await find('sim-', 'sim-flash')
  const options = await page.getByRole('option').allInnerTexts()
  expect(options.length).toBeGreaterThan(2)
  for (const press of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(press)
  const second = options[1]?.split('\n')[0]?.trim() ?? ''
  await page.getByRole('option', { name: second, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await heading(second)

  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await heading('Accounts')
  const box = page.getByLabel('Search accounts')
  await box.focus()
  await page.keyboard.type('gk?/')
  expect(await box.inputValue()).toBe('gk?/')
  expect(new URL(page.url()).pathname).toBe('/console/accounts')
  expect(await dialog.count()).toBe(0)

  const search = page.getByRole('complementary').getByRole('button', { name: /^Search/ })
  await search.click()
  await dialog.waitFor()
  await page.keyboard.type('nobody-is-called-so')
  await page.getByText(/No results for/).waitFor()
  await one.looksRight()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await eventually('the focus is back', async () => (await focused('textContent')).startsWith('Search'))

  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Transactions').waitFor()
  await one.looksRight()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await eventually('the focus is back again', async () => (await focused('textContent')).startsWith('Search'))
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await heading('Transactions')
  await one.isClean()
})
