// A list of blocks in the settings, in a browser: plans are added, changed and deleted by forms, and each of it is undone; an identity provider.
import { beforeAll, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { planSettings } from '../../plugins/plans/settings.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { signedIn } from '../support/console-session.ts'

const { gateway, visit } = await fileConsole({ catalogue: FIRST_CATALOGUE })

const offered = () =>
  planSettings.of(gateway.started.catalogue()).map(({ name, title }) => `${name}: ${title}`)

let one: ConsolePage
beforeAll(async () => {
  one = await visit('operator', { size: 'both' })
  one.allow(/status of (422|409)/)
})

/** Opens a dialog and fills its fields, by their labels. */
async function fill(button: string, title: string, fields: Record<string, string>): Promise<Locator> {
  await one.page.getByRole('button', { name: button, exact: true }).click()
  const dialog = one.page.getByRole('dialog', { name: title, exact: true })
  for (const [label, text] of Object.entries(fields))
    await dialog.getByLabel(label, { exact: true }).fill(text)
  return dialog
}
const save = () => one.page.getByRole('dialog').locator('button[type=submit]').click()
const closed = () => one.page.getByRole('dialog').waitFor({ state: 'detached' })
async function undo(): Promise<void> {
  await one.page.getByRole('button', { name: 'Undo' }).click()
  await one.page.getByText('Change undone').waitFor()
}

const PRO = { Name: 'pro', Title: 'Pro', Models: '*', 'Price a month': '20', 'Limit of the paid month': '60' }
const MINI = { Name: 'mini', Models: 'sim-*', 'Price a month': '20', 'Limit of a day (UTC)': '1' }

test('a plan is added: a mistake stands at its field and saves nothing, and the addition can be undone', async () => {
  await one.open('/console/settings/plans')
  await one.page.getByText('No plan yet.').waitFor()
  const dialog = await fill('Add plan', 'New plan', {})
  expect(await dialog.getByRole('button', { name: 'Add plan' }).isDisabled()).toBe(true)
  for (const [label, text] of Object.entries({ ...PRO, 'Price a month': 'dear' }))
    await dialog.getByLabel(label, { exact: true }).fill(text)
  await save()
  await dialog.locator('.field-error').first().waitFor()
  expect(offered()).toEqual([])
  await one.looksRight()
  await dialog.getByLabel('Price a month').fill('20')
  expect(await dialog.getByText(/^tollgate config set /).textContent()).toBe(
    "tollgate config set 'plans.offered.pro.title=Pro' 'plans.offered.pro.price_usd=20' 'plans.offered.pro.models=*' " +
      "'plans.offered.pro.usd_per_month=60'",
  )
  await save()
  await closed()
  expect(planSettings.of(gateway.started.catalogue())).toMatchObject([
    { name: 'pro', title: 'Pro', price_nanos: 20_000_000_000 },
  ])
  await undo()
  expect(offered()).toEqual([])
})

test('a second plan stands beside the first, which is changed alone, and changed back', async () => {
  const { page } = one
  await page.getByText('No plan yet.').waitFor()
  await fill('Add plan', 'New plan', PRO)
  await save()
  await closed()
  await fill('Add plan', 'New plan', MINI)
  await save()
  await closed()
  await fill('Edit Pro', 'Pro', { Title: 'Professional' })
  await save()
  await closed()
  await page.getByRole('cell', { name: 'Professional', exact: true }).waitFor()
  expect(offered()).toEqual(['pro: Professional', 'mini: mini'])
  await one.fits()
  await undo()
  expect(offered()).toEqual(['pro: Pro', 'mini: mini'])
})

test('a change is not saved in another plan that came to its place meanwhile', async () => {
  await one.page.getByRole('cell', { name: 'Pro', exact: true }).waitFor()
  const dialog = await fill('Edit Pro', 'Pro', { 'Price a month': '99' })
  const operator = await signedIn(gateway, 'operator')
  const { hash } = (await operator.json('GET', '/catalogue')) as { hash: string }
  await operator.json('POST', '/catalogue/save', {
    hash,
    edits: [{ op: 'remove', path: ['plans', 'offered', 0] }],
  })
  await save()
  await dialog.getByText('Not saved: somebody else changed this list.').waitFor()
  await one.fits()
  expect(planSettings.of(gateway.started.catalogue())).toMatchObject([
    { name: 'mini', price_nanos: 20_000_000_000 },
  ])
  await one.page.keyboard.press('Escape')
  await closed()
})

test('a plan is deleted after a question, and the deletion can be undone', async () => {
  const { page } = one
  await one.open('/console/settings/plans')
  await page.getByRole('button', { name: 'Delete mini' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete mini?' })
  await dialog.getByText('This plan is removed from the configuration file.').waitFor()
  await dialog.getByRole('button', { name: 'Delete plan' }).click()
  await closed()
  expect(offered()).toEqual([])
  await undo()
  expect(offered()).toEqual(['mini: mini'])
})

test('an identity provider is added, and its secret is hidden', async () => {
  const { page } = one
  const operator = await signedIn(gateway, 'operator')
  const path = ['server', 'public_url']
  await operator.json('POST', '/catalogue/values', { values: [{ path, value: 'https://gateway.example' }] })
  await one.open('/console/settings/sign_in')
  await fill('Add identity provider', 'New identity provider', {
    Name: 'acme',
    Issuer: 'https://login.acme.example',
    'Client ID': 'tollgate',
    'Client secret': 'a secret of acme',
  })
  await save()
  await closed()
  await page.getByRole('button', { name: 'Edit acme' }).click()
  const secret = page.getByRole('dialog').getByLabel('Client secret', { exact: true })
  expect(await secret.inputValue()).toMatch(/^hidden:/)
  expect(await page.content()).not.toContain('a secret of acme')
  await page.keyboard.press('Escape')
  await closed()
  await one.fits()
})
