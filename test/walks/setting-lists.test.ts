// A list of blocks in the settings, in a browser: plans are added, changed and deleted by forms, and a deletion is undone.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { planSettings } from '../../plugins/plans/settings.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'

const { gateway, visit } = await fileConsole({ catalogue: FIRST_CATALOGUE })

const offered = () => planSettings.of(gateway.started.catalogue()).map(({ name, title }) => [name, title])

let one: ConsolePage
beforeAll(async () => {
  one = await visit('operator', { size: 'both' })
  one.allow(/status of 422/)
})
afterAll(() => one[Symbol.asyncDispose]())

const save = () => one.page.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click()
const closed = () => one.page.getByRole('dialog').waitFor({ state: 'detached' })

test('a plan is added: a mistake stands at its field and saves nothing', async () => {
  const { page } = one
  await one.open('/console/settings/plans')
  await page.getByText('No plan yet.').waitFor()
  await page.getByRole('button', { name: 'Add plan' }).click()
  const dialog = page.getByRole('dialog', { name: 'New plan' })
  await dialog.getByLabel('Name').fill('pro')
  await dialog.getByLabel('Title').fill('Pro')
  await dialog.getByLabel('Models').fill('*')
  await dialog.getByLabel('Price a month').fill('dear')
  await dialog.getByLabel('Limit of the paid month').fill('60')
  await save()
  await dialog.locator('.field-error').first().waitFor()
  expect(offered()).toEqual([])
  await one.looksRight()
  await dialog.getByLabel('Price a month').fill('20')
  await save()
  await closed()
  expect(planSettings.of(gateway.started.catalogue())).toMatchObject([
    { name: 'pro', title: 'Pro', price_nanos: 20_000_000_000 },
  ])
})

test('a second plan stands beside the first, which is changed alone', async () => {
  const { page } = one
  await page.getByRole('button', { name: 'Add plan' }).click()
  const dialog = page.getByRole('dialog', { name: 'New plan' })
  await dialog.getByLabel('Name').fill('mini')
  await dialog.getByLabel('Models').fill('sim-*')
  await dialog.getByLabel('Price a month').fill('5')
  await dialog.getByLabel('Limit of a day (UTC)').fill('1')
  await save()
  await closed()
  await page.getByRole('button', { name: 'Edit Pro' }).click()
  await page.getByRole('dialog', { name: 'Pro' }).getByLabel('Title').fill('Professional')
  await save()
  await closed()
  await page.getByRole('cell', { name: 'Professional', exact: true }).waitFor()
  expect(offered()).toEqual([
    ['pro', 'Professional'],
    ['mini', 'mini'],
  ])
  await one.fits()
})

test('a plan is deleted after a question, and the deletion can be undone', async () => {
  const { page } = one
  const before = offered()
  await page.getByRole('button', { name: 'Delete Professional' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Professional?' })
  await dialog.getByText('This plan is removed from the configuration file.').waitFor()
  await dialog.getByRole('button', { name: 'Delete plan' }).click()
  await closed()
  expect(offered()).toEqual([['mini', 'mini']])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Change undone').waitFor()
  expect(offered()).toEqual(before)
})
