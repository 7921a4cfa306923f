// The console for support and auditors: its pages and their buttons, on a desktop and on a phone; and the page of the staff.
import { expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import { newPerson } from '../support/people.ts'
import { SCREENS } from '../support/screens.ts'

const { gateway, at } = await fileConsole({
  catalogue: `${FIRST_CATALOGUE}\n[staff]\nsupport_credit_usd = 5\n`,
})
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('shut', { balance_usd: '0' })
const key = await gateway.key('alice', { name: 'laptop' })
const messages = [{ role: 'user', content: 'Hello' }]
await (await gateway.call('/v1/chat/completions', { model: 'sim-flash', messages }, { key })).text()
const { request_id } = await gateway.lastCall()

const PEOPLE = {
  support: await newPerson(
    gateway.store,
    { account_id: null, role: 'support' },
    { name: 'Mia Berg', email: 'mia@example.com' },
  ),
  auditor: await newPerson(
    gateway.store,
    { account_id: null, role: 'auditor' },
    { name: 'Otto', email: 'otto@example.com' },
  ),
}
type Role = keyof typeof PEOPLE
const as = (role: Role) => ({ person_id: PEOPLE[role], account_id: null })

/** The buttons depend on the role, and their place on the screen: one role is seen on both screens. */
const SIZES = { auditor: ['wide'], support: ['wide', 'phone'] } as const

/** The texts of the visible buttons in the page itself, and of links that look like buttons, but for those that copy a text. */
const BUTTONS = `
  [...document.querySelectorAll('#main .button')]
    .filter((button) => button.checkVisibility({ visibilityProperty: true }))
    .map((button) => (button.getAttribute('aria-label') ?? button.innerText).trim())
    .filter((text) => text !== '' && !/^Copy (?!as)/.test(text))
`

const PAGES: readonly [string, Record<Role, string[]>][] = [
  [
    '/accounts',
    {
      support: ['Vouchers', 'Referrals', 'Sign-ups', 'Export CSV'],
      auditor: ['Vouchers', 'Referrals', 'Sign-ups', 'Export CSV'],
    },
  ],
  [`/calls/${request_id}`, { support: ['Refund', 'Copy as curl'], auditor: ['Copy as curl'] }],
  ['/providers', { support: ['Export CSV'], auditor: ['Export CSV'] }],
  ['/providers/demo', { support: [], auditor: [] }],
  ['/models', { support: ['Export CSV', 'Price groups'], auditor: ['Export CSV', 'Price groups'] }],
  ['/system/health-check', { support: [], auditor: [] }],
  ['/system/incidents', { support: ['Status page'], auditor: ['Status page'] }],
  ['/system/mails', { support: ['Export CSV'], auditor: ['Export CSV'] }],
  ['/system/staff', { support: ['Export CSV'], auditor: ['Export CSV'] }],
  ['/keys', { support: ['Export CSV'], auditor: ['Export CSV'] }],
]

const NOT_FOUND = [
  ...['/setup', '/models/new', '/providers/new', '/providers/demo/edit'],
  ...['/settings/server', '/system/configuration', '/playground'],
]

test.each(['auditor', 'support'] as const)(
  '%s finds no page that changes the configuration or makes calls, and on the others only the buttons for their rights; no request is refused',
  async (role) => {
    const one = await at(as(role), '/console')
    const { page } = one
    const title = () => page.getByRole('heading', { level: 1 }).innerText()
    expect(await title()).toBe('Overview')
    const foot = await page.locator('.side-who').first().innerText()
    expect(foot.split('\n')).toEqual(role === 'support' ? ['Mia Berg', 'Support'] : ['Otto', 'Auditor'])
    const bar = page.getByRole('navigation', { name: 'Pages' })
    expect(await bar.getByRole('link', { name: 'Playground' }).count()).toBe(0)
    expect(await bar.getByRole('link', { name: 'Accounts' }).count()).toBe(1)

    for (const address of NOT_FOUND) {
      await one.go(`/console${address}`)
      expect([address, await title()]).toEqual([address, 'Page not found'])
    }

    for (const [address, expected] of PAGES) {
      await one.go(`/console${address}`)
      for (const size of SIZES[role]) {
        if (SIZES[role].length > 1) await page.setViewportSize(SCREENS[size])
        expect([address, size, await page.evaluate(BUTTONS)]).toEqual([address, size, expected[role]])
        await one.fits()
      }
    }
  },
)

test('support can suspend, invite and top up within the limit; the field of the amount shows the limit', async () => {
  const one = await at(as('support'), '/console/accounts/alice')
  const { page } = one
  await page.getByRole('button', { name: 'More' }).first().click()
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Invite', 'Suspend'])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Top up' }).click()
  await page.getByLabel('Amount').fill('6')
  one.allow(/422/)
  await page.getByRole('dialog').getByRole('button', { name: 'Top up' }).click()
  await page.getByText('You may credit 5.00 USD a day').waitFor()
  await page.getByLabel('Amount').fill('5')
  await page.getByRole('dialog').getByRole('button', { name: 'Top up' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const [alice] = await gateway.store.rows<{ balance_nanos: number }>(
    "SELECT balance_nanos FROM accounts WHERE name = 'alice'",
  )
  expect(Number(alice?.balance_nanos)).toBeGreaterThan(14_900_000_000)
})

test('an operator adds a person, gets the link, and removes them', async () => {
  const one = await at('operator', '/console/system')
  const { page } = one
  await page.getByRole('link', { name: 'Staff' }).click()
  await page.getByRole('button', { name: 'Add person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Nina Roth')
  await dialog.getByLabel('Email').fill('nina@example.com')
  await dialog.getByRole('button', { name: 'Add person' }).click()
  await page.getByRole('dialog', { name: 'Nina Roth added' }).waitFor()
  expect(await dialog.innerText()).toContain('/console/invitation#')
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /Nina Roth/ })
  expect(await row.innerText()).toContain('Invited')
  await page.getByRole('button', { name: 'More for Nina Roth' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove Nina Roth' }).click()
  await row.waitFor({ state: 'hidden' })
  await one.go('/console/audit-log')
  await page.getByText('Staff removed').first().waitFor()
  await one.isClean()
})
