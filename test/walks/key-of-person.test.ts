// The person of a new key, in the browser: an owner and the operator choose a person, members and lone owners have no choice; code samples and their copy buttons.
import { describe, expect, test } from 'bun:test'
import { walkedGateway } from '../sign-in/walked.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { newPerson } from '../support/people.ts'
import { WALK_SCREENS } from '../support/screens.ts'

const { gateway, owner, visit } = await walkedGateway()

const dialogOf = ({ page }: ConsolePage) => page.getByRole('dialog')
const belongsTo = (one: ConsolePage) => dialogOf(one).getByLabel('Belongs to', { exact: true })
const keyNamed = (name: string) => gateway.rows().keys.find((key) => key.name === name)

/** The gap between the text of each sample and its button. */
const GAPS = `[...document.querySelectorAll('.code-block')].map((block) => {
  const [text, button] = ['pre', 'button'].map((part) => block.querySelector(part).getBoundingClientRect())
  return button.left - text.right
})`

async function openForm(one: ConsolePage): Promise<void> {
  await one.open('/console/keys')
  await pressCreate(one)
}

/** Closes the dialog of a created key. */
async function closeDialog(one: ConsolePage): Promise<void> {
  await dialogOf(one).getByRole('button', { name: 'Done' }).click()
  await dialogOf(one).waitFor({ state: 'detached' })
}

async function pressCreate(one: ConsolePage): Promise<void> {
  await one.page.getByRole('button', { name: 'Create key', exact: true }).first().click()
  await dialogOf(one).getByLabel('Name', { exact: true }).waitFor()
  await one.quiet()
}

/** @returns the options, each with its second line */
async function choices(one: ConsolePage): Promise<string[]> {
  await belongsTo(one).click()
  const options = one.page.getByRole('option')
  await options.first().waitFor()
  return (await options.allInnerTexts()).map((text) => text.replace(/\s*\n\s*/g, ': '))
}

async function create(one: ConsolePage, name: string): Promise<void> {
  await dialogOf(one).getByLabel('Name', { exact: true }).fill(name)
  await dialogOf(one).getByRole('button', { name: 'Create key' }).click()
  await dialogOf(one).getByText('Copy the key now').waitFor()
}

/** An account with an owner, a member, somebody of billing, and a member who is disabled. */
async function team(name: string) {
  const { person_id: owner_id } = await owner(name)
  const account_id = gateway.rows().accounts.find((account) => account.name === name)?.id ?? 0
  const add = (role: 'member' | 'billing', person: string) =>
    newPerson(gateway.store, { account_id, role }, { name: person, email: `${person}@${name}.example` })
  const [max] = [await add('member', 'max'), await add('billing', 'bill')]
  const left = await add('member', 'dora')
  await gateway.store.write((db) =>
    db.rows('UPDATE people SET disabled_at_ms = 1 WHERE id = $left', { left }),
  )
  return { account_id, owner_id, max }
}

describe.each(WALK_SCREENS)('screens: %s', (size) => {
  const name = `acme-${size}`

  test('an owner gives a new key to a member; people of billing and disabled ones cannot be chosen; no line of a code sample, and no secret, is under its copy button', async () => {
    const { max, owner_id } = await team(name)
    await using one = await visit({ account: name }, { size })
    await openForm(one)
    expect((await choices(one)).sort()).toEqual([
      'The account: Nobody in particular',
      `${name}: Owner, ${name}@example.org`,
      `max: Member, max@${name}.example`,
    ])
    await one.page.getByRole('option', { name: 'max' }).click()
    await one.looksRight()
    await create(one, `of-max-${size}`)
    expect(keyNamed(`of-max-${size}`)).toMatchObject({ person_id: max })
    await one.looksRight()
    await one.page.locator('.code-block').nth(1).waitFor()
    const gaps = await one.page.evaluate<number[]>(GAPS)
    expect(gaps.filter((gap) => gap < 0)).toEqual([])
    expect(gaps).toHaveLength(2)

    await closeDialog(one)
    await pressCreate(one)
    await create(one, `shared-${size}`)
    expect(keyNamed(`shared-${size}`)).toMatchObject({ person_id: null })
    await closeDialog(one)
    await pressCreate(one)
    await belongsTo(one).click()
    await one.page.getByRole('option', { name: `${name} Owner` }).click()
    await create(one, `of-owner-${size}`)
    expect(keyNamed(`of-owner-${size}`)).toMatchObject({ person_id: owner_id })
    await one.isClean()
  })

  test('the operator chooses among the people of the account that they name', async () => {
    const { max } = await team(`beta-${size}`)
    await using one = await visit('operator', { size })
    one.allow(/status of 404/)
    await openForm(one)
    expect(await belongsTo(one).count()).toBe(0)
    await dialogOf(one).getByLabel('Account', { exact: true }).fill(`beta-${size}`)
    expect(await choices(one)).toHaveLength(3)
    await one.page.getByRole('option', { name: 'max' }).click()
    await dialogOf(one).getByText('As a command').click()
    await dialogOf(one)
      .getByText(`tollgate key create beta-${size} --person max@beta-${size}.example`, { exact: true })
      .waitFor()
    await one.looksRight()

    // A person of another account is dropped.
    await dialogOf(one).getByLabel('Account', { exact: true }).fill(name)
    await dialogOf(one).getByText(`tollgate key create ${name}`, { exact: true }).waitFor()
    await dialogOf(one).getByLabel('Account', { exact: true }).fill(`beta-${size}`)
    await belongsTo(one).waitFor()
    await create(one, `by-operator-${size}`)
    expect(keyNamed(`by-operator-${size}`)).toMatchObject({ person_id: max })
    await closeDialog(one)
    await one.go(`/console/accounts/beta-${size}?tab=keys`)
    await pressCreate(one)
    await belongsTo(one).waitFor()
  })

  test('a member, and an owner without other people, have no choice of a person', async () => {
    const { account_id, max } = await team(`gamma-${size}`)
    {
      await using member = await visit({ person_id: max, account_id }, { size })
      await openForm(member)
      expect(await belongsTo(member).count()).toBe(0)
      await create(member, `own-${size}`)
      expect(keyNamed(`own-${size}`)).toMatchObject({ person_id: max })
      await member.isClean()
    }
    await owner(`lone-${size}`)
    await using lone = await visit({ account: `lone-${size}` }, { size })
    await openForm(lone)
    expect(await belongsTo(lone).count()).toBe(0)
    await lone.isClean()
  })
})
