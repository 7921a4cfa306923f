// Roles of the console in the browser: each has its own pages, and an account sees nothing of others.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fileConsole } from '../support/console.ts'
import { type ConsolePage, NEXT_FRAME } from '../support/console-page.ts'
import type { ConsoleUser } from '../support/console-session.ts'

const { gateway, visit } = await fileConsole()
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('bob', { balance_usd: '10' })
const keys = {
  alice: await gateway.key('alice', { name: 'laptop' }),
  bob: await gateway.key('bob', { name: 'phone' }),
}
for (const key of Object.values(keys)) {
  const messages = [{ role: 'user', content: 'Hello' }]
  await gateway.call('/v1/chat/completions', { model: 'sim-flash', messages }, { key })
}
await gateway.rest()

const SIDE_BAR = [
  ...['Overview', 'Calls', 'Playground', 'Library'],
  ...['Accounts', 'Keys', 'Transactions'],
  ...['Models', 'Providers'],
  ...['Audit log', 'System', 'Settings'],
]
const OF_OPERATOR_TITLES = ['Accounts', 'Providers', 'Audit log', 'System']
const OF_KEYS = SIDE_BAR.filter((title) => !OF_OPERATOR_TITLES.includes(title))
/** An account also has a page of its people, below its money. */
const OF_ACCOUNTS = OF_KEYS.toSpliced(OF_KEYS.indexOf('Models'), 0, 'Team')
const OF_OPERATOR = [
  '/accounts',
  '/accounts/1',
  '/providers',
  '/catalogue',
  '/system/health-check',
  '/system',
  '/audit-log',
]
/** Pixels of the side bar that are visible only by scrolling. */
const HIDDEN_OF_BAR = "((bar) => bar.scrollHeight - bar.clientHeight)(document.querySelector('.side-bar'))"

const VIEWERS: readonly (readonly [string, ConsoleUser, readonly string[]])[] = [
  ['an account', { account: 'alice' }, OF_ACCOUNTS],
  ['a key', { key: keys.alice }, OF_KEYS],
]

const pagesIn = ({ page }: ConsolePage): Promise<string[]> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts()

test('the operator has twelve pages in the side bar, which a small laptop shows whole', async () => {
  await using one = await visit('operator')
  await one.open('/console/system')
  expect(SIDE_BAR).toHaveLength(12)
  expect(await pagesIn(one)).toEqual(SIDE_BAR)
  const bar = one.page.getByRole('complementary', { name: 'Console' })
  for (const [width, height] of [
    [1440, 768],
    [768, 1024],
  ] as const) {
    await one.page.setViewportSize({ width, height })
    await one.page.evaluate(NEXT_FRAME)
    expect([width, await one.page.evaluate(HIDDEN_OF_BAR)]).toEqual([width, 0])
    for (const title of SIDE_BAR)
      expect(await bar.getByRole('link', { name: title, exact: true }).isVisible()).toBe(true)
    await one.fits()
  }
})

describe.each(VIEWERS)('%s', (_, as, titles) => {
  let one: ConsolePage
  beforeAll(async () => {
    one = await visit(as)
    await one.open('/console/calls')
  })
  afterAll(() => one[Symbol.asyncDispose]())

  test('cannot open the operator’s pages, by the side bar or by their addresses', async () => {
    expect(await pagesIn(one)).toEqual([...titles])
    for (const path of OF_OPERATOR) {
      await one.go(`/console${path}`)
      await one.page.getByText('Page not found').waitFor()
    }
    // The page looks the same for each viewer.
    if (titles === OF_ACCOUNTS) await one.looksRight()
  })

  test('sees its own calls and keys, and nothing of another account', async () => {
    for (const path of ['/', '/calls', '/keys', '/library', '/library?tab=uploaded']) {
      await one.go(`/console${path}`)
      const text = await one.page.locator('body').innerText()
      expect(text).not.toContain('bob')
      expect(text).not.toContain(keys.bob.slice(0, 12))
    }
    await one.isClean()
  })

  test('gets "not found" for a call of another account', async () => {
    const { accounts, calls } = gateway.rows()
    const bob = accounts.find(({ name }) => name === 'bob')
    const call = calls.find(({ account_id }) => account_id === bob?.id)
    one.allow(/status of 404/)
    await one.go(`/console/calls/${call?.request_id}`)
    await one.page.getByText('Call not found').waitFor()
    expect(await one.page.getByRole('main').innerText()).not.toContain('sim-flash')
    await one.isClean()
  })
})

test('a limited key sees a notice that it has its own calls only, and no page about the whole account', async () => {
  const key = await gateway.key('alice', { name: 'website', spend_limit_nanos: 1_000_000_000 })
  await using one = await visit({ key })
  await one.open('/console')
  await one.page.getByText(/signed in with the limited key website: you see its calls/).waitFor()
  const OF_ACCOUNT = ['Transactions']
  expect(await pagesIn(one)).toEqual(OF_KEYS.filter((title) => !OF_ACCOUNT.includes(title)))
  await one.looksRight()
})
