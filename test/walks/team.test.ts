// A team in the browser: people are invited, join as strangers or with a sign-in of theirs, switch accounts, get limits and roles, and are removed.
import { describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { reopenAccount } from '../../src/access/closing.ts'
import { personOfEmail } from '../../src/access/emails.ts'
import { limitMember } from '../../src/access/team.ts'
import { walkedGateway } from '../sign-in/walked.ts'
import { PASSWORD } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { signedIn } from '../support/console-session.ts'
import { newPerson } from '../support/people.ts'
import { type Size, WALK_SCREENS } from '../support/screens.ts'

const { gateway, owner, visit, linkTo } = await walkedGateway()
const messages = [{ role: 'user', content: 'Hello' }]
const call = async (key: string): Promise<number> => {
  const response = await gateway.call('/v1/chat/completions', { model: 'sim-flash', messages }, { key })
  await response.arrayBuffer()
  return response.status
}

const button = ({ page }: ConsolePage, name: string) => page.getByRole('button', { name, exact: true })
const heading = ({ page }: ConsolePage, name: string) => page.getByRole('heading', { level: 1, name })

/** @param is_seen the dialog was checked before */
async function invite(one: ConsolePage, email: string, role: string, is_seen = false): Promise<void> {
  await button(one, 'Invite').first().click()
  const dialog = one.page.getByRole('dialog')
  await dialog.getByLabel('Email', { exact: true }).fill(email)
  await choose(one, 'Role', role)
  if (!is_seen) await one.looksRight()
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await dialog.getByText(`An invitation is on its way to ${email}`).waitFor()
  if (!is_seen) await one.looksRight()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
}

async function choose({ page }: ConsolePage, label: string, option: string): Promise<void> {
  await page.getByRole('dialog').getByLabel(label, { exact: true }).click()
  await page.getByRole('option', { name: option }).click()
}

async function manage(one: ConsolePage, person: string, item: string): Promise<void> {
  await button(one, `Manage ${person}`).click()
  await one.page.getByRole('menuitem', { name: item, exact: true }).click()
  await one.page.getByRole('dialog').waitFor()
}

/** Waits for the page after a sign-in: the overview, or the first steps of an account without calls. */
const waitForSignIn = (one: ConsolePage) => heading(one, 'Overview').or(heading(one, 'Get started')).waitFor()

async function openPages({ page }: ConsolePage, size: Size): Promise<void> {
  if (size === 'phone') await page.getByRole('button', { name: 'Pages', exact: true }).click()
}

describe.each(WALK_SCREENS)('screens: %s', (size) => {
  const acme = `acme-${size}`
  const stranger = `sam-${size}@example.net`
  let key = ''

  test('an owner invites two people, and a stranger joins by the link with a name and a password', async () => {
    await owner(acme)
    {
      await using one = await visit({ account: acme }, { size })
      await one.open('/console/team')
      await invite(one, stranger, 'Member')
      await invite(one, `bea-${size}@example.org`, 'Owner', true)
      await one.page.getByText('Open invitations').waitFor()
      await one.fits()
    }

    await using sam = await visit(undefined, { size, theme: 'dark' })
    await sam.open(await linkTo(stranger, 'join'))
    await heading(sam, `Join ${acme}`).waitFor()
    await sam.looksRight()
    sam.allow(/status of 400/)
    await sam.page.getByLabel('Name', { exact: true }).fill('Sam')
    await sam.page.getByLabel('Password', { exact: true }).fill('short')
    await button(sam, 'Join').click()
    await sam.page.getByText('Enter at least 12 characters').waitFor()
    await sam.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await sam.page.keyboard.press('Enter')
    await waitForSignIn(sam)
    expect(sam.page.url()).not.toContain('#')
    await openPages(sam, size)
    expect(await sam.page.getByRole('link', { name: 'Team' }).count()).toBe(0)
    await sam.page.getByText('Sam', { exact: true }).last().waitFor()
    await sam.fits()
    await sam.isClean()
  })

  test('a used link says so', async () => {
    await using one = await visit(undefined, { size })
    one.allow(/status of 404/)
    await one.open(await linkTo(stranger, 'join'))
    await one.page.getByText('This invitation was already used').waitFor()
    await one.looksRight()
  })

  test('a person with an account signs in to join, and switches between both', async () => {
    const { email } = await owner(`bea-${size}`)
    await using one = await visit(undefined, { size })
    const { page } = one
    await one.open(await linkTo(email, 'join'))
    await heading(one, `Join ${acme}`).waitFor()
    await page.getByText('Sign in to join.').waitFor()
    await one.looksRight()
    await page.getByLabel('Account or email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText(`You are signed in as bea-${size}.`).waitFor()
    await one.fits()
    await button(one, 'Join as somebody else').click()
    await page.getByText('Sign in to join.').waitFor()
    await page.reload()
    await button(one, 'Join').click()
    await waitForSignIn(one)
    await openPages(one, size)
    await page.getByText(`Owner of ${acme}`, { exact: true }).last().waitFor()
    await button(one, 'Switch account').last().click()
    await one.fits()
    await page.getByRole('menuitem', { name: `bea-${size}` }).click()
    await page.waitForURL('**/console')
    await waitForSignIn(one)
    await openPages(one, size)
    await button(one, 'Switch account').last().click()
    await page.getByRole('menuitem', { name: acme }).waitFor()

    await suspendAccount(gateway.store, acme, { now_ms: 0 })
    await page.reload()
    await one.quiet()
    await openPages(one, size)
    await button(one, 'Switch account').last().click()
    const item = page.getByRole('menuitem', { name: `${acme} (suspended)`, exact: true })
    await one.looksRight()
    await item.click()
    await page.waitForURL('**/console')
    await page.getByText(`${acme} is suspended.`).waitFor()
    await one.fits()
    await reopenAccount(gateway.store, acme)
    await one.isClean()
  })

  test('a member sees only the calls of their own key, and the limit that an owner set', async () => {
    const account = gateway.rows().accounts.find(({ name }) => name === acme)
    expect(await call(await gateway.key(acme, { name: 'of-owner' }))).toBe(200)
    const person_id = (await personOfEmail(gateway.store, stranger))?.id ?? 0
    const sam = { person_id, account_id: account?.id ?? 0 }
    ;({ text: key } = await (await signedIn(gateway, sam)).json('POST', '/keys', { name: 'laptop' }))
    expect(await call(key)).toBe(200)
    await gateway.rest()
    await gateway.store.begin(async (tx) => {
      await tx.lock(sam.account_id)
      await limitMember(tx, sam, { week: 1 }, Date.now())
    })
    await using one = await visit(sam, { size })
    const { page } = one
    await one.open('/console/calls')
    expect(await page.getByText('laptop').count()).toBeGreaterThan(0)
    expect(await page.getByText('of-owner').count()).toBe(0)
    await one.fits()
    await one.go('/console/keys')
    expect(await page.getByText('of-owner').count()).toBe(0)
    await page.getByText('You have reached your weekly limit').waitFor()
    await page.getByText('; resets').waitFor()
    await one.fits()
  })

  test('an owner limits a person, changes their role, and removes them, and hands their key over', async () => {
    await using one = await visit({ account: acme }, { size })
    const { page } = one
    await one.open('/console/team')
    await one.fits()
    const dialog = page.getByRole('dialog')
    await manage(one, 'Sam', 'Spend limits')
    await one.looksRight()
    await dialog.getByLabel('Weekly limit').fill('')
    await dialog.getByLabel('Daily limit').fill('2')
    await page.keyboard.press('Enter')
    await page.getByText('Spend limits of Sam changed').waitFor()
    await dialog.waitFor({ state: 'detached' })
    // Also on a phone, whose rows have no column for it.
    await page
      .getByRole('row', { name: 'Sam' })
      .getByText('of 2.00 USD today')
      .filter({ visible: true })
      .waitFor()
    await one.fits()

    await manage(one, 'Sam', 'Change role')
    await choose(one, 'Role', 'Billing')
    await dialog.getByText('Calls with them are refused from now on.').waitFor()
    await one.looksRight()
    await choose(one, 'Role', 'Owner')
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await page.getByText('Sam is now owner').waitFor()
    await dialog.waitFor({ state: 'detached' })

    await manage(one, 'Sam', 'Remove')
    await dialog.getByText('Hand over').click()
    await choose(one, 'To', `bea-${size}`)
    await one.looksRight()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Sam removed').waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect(await call(key)).toBe(200)
    expect(await page.getByText(stranger).count()).toBe(0)
  })

  test('staff see the team on the page of its account; an operator manages it, support does not', async () => {
    const { id = 0 } = gateway.rows().accounts.find(({ name }) => name === acme) ?? {}
    await newPerson(gateway.store, { account_id: id, role: 'billing' }, { name: 'Bill' })
    {
      await using one = await visit('operator', { size })
      await one.open(`/console/accounts/${acme}?tab=team`)
      await manage(one, 'Bill', 'Remove')
      await one.fits()
      await button(one, 'Cancel').click()
      await button(one, 'Invite').first().click()
      await one.fits()
    }
    await using other = await visit({ staff: 'support' }, { size })
    await other.open(`/console/accounts/${acme}?tab=team`)
    await other.page.getByText('Bill', { exact: true }).waitFor()
    expect(await button(other, 'Manage Bill').count()).toBe(0)
    expect(await button(other, 'Invite').count()).toBe(0)
    await other.fits()
  })
})
