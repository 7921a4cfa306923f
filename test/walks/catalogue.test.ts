// The pages of providers and of the configuration file in a browser: changes of a key, a provider and the file, with their effect.
import { beforeAll, describe, expect, test } from 'bun:test'
import { chooseProvider } from '../support/chosen-provider.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { changeText } from './changed-text.ts'
import { houseConsole, SECRET } from './house-catalogue.ts'

const { gateway, visit, file } = await houseConsole()

/** The house model at another price. */
const DEARER = ['\nprice = { input = 0.05', '\nprice = { input = 0.09'] as const
const dearer = (text: string): string => text.replace(...DEARER)

/** The operator's page of all tests: loading it takes longer than most of them. */
let one: ConsolePage
beforeAll(async () => {
  one = await visit('operator', { size: 'both' })
  await one.open('/console/models/sim-flash')
})

describe('the operator', () => {
  test('tests a route, and reads what to do about a failure', async () => {
    const { page } = one
    await one.go('/console/models/sim-flash')
    await page.getByRole('button', { name: 'Test flash' }).click()
    await page.getByText(/It answered in/).waitFor()
    await one.go('/console/providers/attic')
    await page.getByRole('button', { name: 'Test attic#1' }).click()
    await page.getByText(/Unreachable after/).waitFor()
    expect(await page.locator('main').innerText()).toContain('Check the address, and that the server runs')
    await one.looksRight()
  })

  test('replaces a key, which is then in the file, and on no page', async () => {
    const { page } = one
    await one.go('/console/providers/attic')
    expect(await page.content()).not.toContain(SECRET)
    await page.getByRole('link', { name: 'Edit provider' }).click()
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByLabel('API key').fill('another-attic-key-2')
    await one.looksRight()
    await page.getByRole('button', { name: 'Replace key' }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(file()).toContain('api_keys = ["another-attic-key-2"] # of the attic')
    await one.quiet()
    expect(await page.content()).not.toContain('another-attic-key-2')
    await one.isClean()
  })

  test('renames a provider with its routes, adds a header and fields of requests, and cannot read the header again', async () => {
    const { page } = one
    const before = file()
    await one.go('/console/providers/attic')
    await page.getByRole('link', { name: 'Edit provider' }).click()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('cellar')
    await name.press('Enter')
    await page.getByRole('button', { name: 'Add a header' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a header' })
    await dialog.getByLabel('Name').fill('x-team')
    await dialog.getByLabel('Value', { exact: true }).fill('value-of-a-header')
    await one.looksRight()
    await dialog.getByRole('button', { name: 'Add header' }).click()
    await dialog.waitFor({ state: 'detached' })
    const fields = page.getByLabel('Fields set in requests')
    await fields.fill('[1]')
    await fields.blur()
    await page.locator('.field-error').getByText('Enter a JSON object').waitFor()
    await fields.fill('{"safe_prompt": true}')
    await fields.blur()
    await one.quiet()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL(/\/console\/providers\/cellar$/)
    const { providers, models } = gateway.started.catalogue()
    expect(providers.get('cellar')).toMatchObject({ headers: { 'x-team': 'value-of-a-header' } })
    expect(['house-model', 'tiered-model'].map((id) => models.get(id)?.routes[0]?.provider)).toEqual([
      'cellar',
      'cellar',
    ])
    await one.quiet()
    expect(await page.content()).not.toContain('value-of-a-header')
    await gateway.recatalogue(before)
    await one.isClean()
  })

  test('deletes a provider: the dialog names the models deleted with it, and undo brings it back with its key', async () => {
    const { page } = one
    const before = file()
    await one.open('/console/providers/attic/edit')
    await page.getByRole('button', { name: 'Delete provider' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete attic?' })
    await dialog.getByText('house-model, tiered-model').waitFor()
    await one.looksRight()
    await dialog.getByRole('button', { name: 'Delete provider and models' }).click()
    await page.waitForURL(/\/console\/providers$/)
    const { providers, models } = gateway.started.catalogue()
    expect([providers.has('attic'), models.has('house-model'), models.has('sim-flash')]).toEqual([
      false,
      false,
      true,
    ])
    expect(file()).not.toContain('attic')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change undone').waitFor()
    expect(file() === before).toBe(true)
    await one.isClean()
  })

  test('adds a provider once it has answered', async () => {
    const { page } = one
    const before = file()
    await one.go('/console/providers/new')
    await one.fits()
    await chooseProvider(page, 'Simulator')
    // A refusal is shown at its field.
    one.allow(/status of 422/)
    await page.getByLabel('Name', { exact: true }).fill('Not a name')
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page
      .getByRole('textbox', { name: 'Name', exact: true })
      .and(page.locator('[aria-invalid]'))
      .waitFor()
    await page.getByLabel('Name', { exact: true }).fill('simulated')
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText(/It answered in/).waitFor()
    await page.getByRole('button', { name: 'Save provider' }).click()
    await page.waitForURL(/\/console\/providers\/simulated$/)
    await page.getByText('No model uses this provider').waitFor()
    expect(gateway.started.catalogue().providers.has('simulated')).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change undone').waitFor()
    await page.waitForURL(/\/console\/providers$/)
    expect(file()).toBe(before)
  })

  test('leaves a draft and finds it again: links and the back button ask first, and a reload drops the typed key', async () => {
    const { page } = one
    const text = page.getByLabel('Text of the catalogue file')
    const draft = (): Promise<string> => text.inputValue()
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
    await one.go('/console/system')
    await page.getByRole('link', { name: 'Configuration file' }).click()
    await one.quiet()
    const before = await draft()
    const keyIn = (of: string): string => /"hidden:[\w-]+"(?=\] # hidden:)/.exec(of)?.[0] ?? ''
    const drafted = dearer(before).replace(keyIn(before), '"typed-in-a-draft-3"')
    await changeText(text, ...DEARER)
    await changeText(text, keyIn(before), '"typed-in-a-draft-3"')
    await page
      .getByRole('button', { name: 'Review and save' })
      .and(page.locator(':not([aria-busy])'))
      .waitFor()

    await page.getByRole('link', { name: 'Calls', exact: true }).click()
    await leaving.waitFor()
    await one.looksRight()
    await leaving.getByRole('button', { name: 'Stay on this page' }).click()
    expect([new URL(page.url()).pathname, await draft()]).toEqual(['/console/system/configuration', drafted])
    await page.goBack()
    await leaving.getByRole('button', { name: 'Stay on this page' }).click()
    expect(new URL(page.url()).pathname).toBe('/console/system/configuration')
    await page.goBack()
    await leaving.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(/\/console\/system$/)

    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect([stored.includes('input = 0.09'), stored.includes('typed-in-a-draft-3')]).toEqual([true, false])
    await page.getByRole('link', { name: 'Configuration file' }).click()
    await one.quiet()
    expect(await draft()).toBe(drafted)
    await page.reload()
    await one.quiet()
    expect(await draft()).toBe(drafted.replace('"typed-in-a-draft-3"', keyIn(await draft())))
    await page.getByText(/must be the key itself/).waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    expect(await draft()).toBe(before)
  })

  test('undoes a save, finds it in the history, and restores it, but not over somebody else’s change; an earlier address of the history leads to it', async () => {
    const { page } = one
    await one.go('/console/system/configuration')
    const text = page.getByLabel('Text of the catalogue file')
    const before = file()
    await changeText(text, ...DEARER)
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('dialog').getByText('Changed lines').click()
    await page.getByRole('table', { name: 'Changed lines' }).waitFor()
    await one.looksRight()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Change undone').waitFor()
    expect(file()).toBe(before)

    await one.go('/console/models/house-model')
    await page.getByRole('link', { name: 'Price history' }).click()
    await page.getByText('Versions that changed').waitFor()
    const versions = page.getByRole('table', { name: 'Versions' })
    await versions.getByText('In force').waitFor()
    await versions.getByRole('link').nth(1).click()
    await page.getByRole('button', { name: 'If restored now' }).click()
    const lines = page.getByRole('table', { name: 'Changed lines' })
    expect((await lines.innerText()).replace(/\s+/g, ' ')).toMatch(
      /− removed price = .*0\.0.* \+ added price = .*0\.09/,
    )
    await one.looksRight()
    const restore = async () => {
      await page.getByRole('button', { name: 'Restore this version' }).click()
      const dialog = page.getByRole('dialog', { name: /^Restore version \d+\?$/ })
      await dialog.getByText(/input: 0\.0\d → 0\.09 USD/).waitFor()
      return dialog
    }
    const refused = await restore()
    await gateway.recatalogue(`${before}# Somebody else's.\n`)
    one.allow(/status of 409/)
    await refused.getByRole('button', { name: 'Restore version' }).click()
    await refused.getByText(/The file has changed since you read it/).waitFor()
    expect(file()).toBe(`${before}# Somebody else's.\n`)
    await refused.getByRole('button', { name: 'Cancel' }).click()
    await gateway.recatalogue(before)
    await page.reload()
    await one.quiet()
    const dialog = await restore()
    await dialog.getByRole('button', { name: 'Restore version' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(file()).toBe(dearer(before))
    await gateway.recatalogue(before)

    // The address from before the page was below System.
    await one.go('/console/catalogue/history')
    await page.waitForURL(/\/console\/system\/configuration\/history$/)
    await versions.waitFor()
  })
})
