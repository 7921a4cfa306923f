// Actions of an operator on the console's pages, with their effect on the file and the books.
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { editedToml } from '../../src/catalogue/edit.ts'
import { fileConsole } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { changeText } from './changed-text.ts'

const { gateway, visit } = await fileConsole()
await gateway.account('alice', { balance_usd: '10' })
const file = () => readFileSync(join(gateway.data_folder, 'tollgate.toml'), 'utf8')

/** The operator's page of all tests: loading it takes longer than most of them. */
const one = await visit('operator')
beforeAll(() => one.open('/console/system'))

describe('the catalogue', () => {
  test('is refused with a mistake, at its line; without one it is previewed, saved with its comments, and in force', async () => {
    const { page } = one
    await one.go('/console/system/configuration')
    const before = file()
    const text = page.getByLabel('Text of the catalogue file')
    const content = await text.inputValue()

    await changeText(text, 'input = 0.30, output = 2.50', 'input = "much", output = 2.50')
    const mistakes = page.getByRole('region', { name: 'Mistakes' })
    await mistakes.waitFor()
    const line = content.split('\n').findIndex((each) => each.includes('input = 0.30')) + 1
    expect(await mistakes.innerText()).toContain(`Line ${line}`)
    expect(await page.getByRole('button', { name: 'Review and save' }).isDisabled()).toBe(true)
    await one.looksRight()

    await changeText(text, 'input = "much", output = 2.50', 'input = 0.45, output = 2.50')
    await page.getByRole('button', { name: 'Review and save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save changes?' })
    await dialog.waitFor()
    expect(await dialog.innerText()).toContain('sim-flash')
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(file()).toBe(before.replace('input = 0.30, output = 2.50', 'input = 0.45, output = 2.50'))
    const price = gateway.started.catalogue().models.get('sim-flash')?.price
    expect(price).toMatchObject({ tiers: [{ rates: { input_tokens: 450_000_000 } }] })
    await one.isClean()
  })

  test('is not saved over a save of somebody else', async () => {
    const { page } = one
    await one.go('/console/system/configuration')
    const text = page.getByLabel('Text of the catalogue file')
    const theirs = file().replace('# A simulated provider', '# Our simulated provider')
    await gateway.recatalogue(theirs)
    await changeText(text, 'output = 15.00', 'output = 16.00')
    await page.getByRole('button', { name: 'Review and save' }).click()
    one.allow(/status of 409/)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/The file has changed since you read it/).waitFor()
    await page.getByText('Changed since you opened it').waitFor()
    await page.getByText('# Our simulated provider').waitFor()
    expect(file()).toBe(theirs)
    await one.looksRight()
    await page.getByRole('button', { name: 'Reload file' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await eventually('the text is theirs', async () => (await text.inputValue()) === theirs)
    expect(await page.getByText(/The file has changed/).count()).toBe(0)
  })

  test('keeps a form at its model, although one before it is deleted meanwhile', async () => {
    const { page } = one
    const before = file()
    await one.go('/console/models/sim-pro/edit')
    const id = page.getByLabel('ID', { exact: true })
    await page.getByLabel('Display name').fill('Another name')
    await page.getByLabel('Display name').press('Enter')
    await gateway.recatalogue(editedToml(before, [{ op: 'remove', path: ['models', 0] }]))
    await page.getByRole('button', { name: 'Review and save' }).click()
    one.allow(/status of 409/)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Reload file' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await one.quiet()
    expect(await id.inputValue()).toBe('sim-pro')
    expect(await page.getByLabel('Display name').inputValue()).not.toBe('Another name')
    await gateway.recatalogue(before)
  })
})

describe('refunds', () => {
  const nanosOf = (name: string) =>
    gateway.rows().accounts.find((account) => account.name === name)?.balance_nanos ?? 0

  test('the operator refunds a part of a call on its page, and the rest of all calls of a filter, as counted before', async () => {
    const key = await gateway.key('alice')
    const messages = [{ role: 'user', content: 'Why tides?' }]
    const makeCall = async () => {
      const answer = await gateway.call('/v1/chat/completions', { model: 'sim-gpt', messages }, { key })
      await answer.arrayBuffer()
      return (await gateway.lastCall()).request_id
    }
    const before = nanosOf('alice')
    const request_id = await makeCall()
    await makeCall()
    const charged = before - nanosOf('alice')
    const { page } = one
    await one.go(`/console/calls/${request_id}`)
    await page.getByRole('button', { name: 'Refund', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Refund this call' })
    await dialog.getByText(/after the refund/).waitFor()
    await one.looksRight()
    one.allow(/status of 422/)
    await dialog.getByLabel('Amount').fill('5')
    await dialog.getByRole('button', { name: 'Refund a part' }).click()
    await dialog.getByText(/Enter at most/).waitFor()
    await dialog.getByLabel('Amount').fill('0.000001')
    await dialog.getByLabel('Reason').fill('empty answer')
    await dialog.getByRole('button', { name: 'Refund a part' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(/refunded by the operator/).waitFor()
    expect(nanosOf('alice')).toBe(before - charged + 1_000)

    const { id = 0 } = gateway.rows().accounts.find(({ name }) => name === 'alice') ?? {}
    await one.go(`/console/calls?account=${id}&outcome=completed`)
    await page.getByRole('button', { name: 'Refund these calls' }).click()
    const all = page.getByRole('dialog', { name: 'Refund the filtered calls' })
    await all.getByText('2 completed calls').waitFor()
    // The command takes names, not ids.
    const command = all.getByText("tollgate refund --account 'alice' --outcome 'completed'")
    await command.waitFor({ state: 'attached' })
    await one.looksRight()
    await makeCall()
    await all.getByRole('button', { name: 'Refund 2 calls' }).click()
    await all.waitFor({ state: 'detached' })
    await page.getByText(/2 calls refunded/).waitFor()
    const [newest] = (await gateway.atRest()).calls.toSorted((one, other) => other.id - one.id)
    expect(nanosOf('alice')).toBe(before - (newest?.cost_nanos ?? 0))
    await one.fits()

    // The link from a provider's figures: its outcome is the default of the command, which leaves it out.
    const provider = newest?.provider
    await one.go(`/console/calls?provider=${provider}&outcome=answered`)
    await page.getByRole('button', { name: 'Refund these calls' }).click()
    await all
      .getByText(`tollgate refund --provider '${provider}'`, { exact: true })
      .waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')

    // An outcome that does not exist filters nothing, so there is nothing to refund at once.
    await one.go('/console/calls?outcome=gone')
    await page.getByRole('combobox', { name: 'Outcome' }).getByText('Any outcome').waitFor()
    expect(await page.getByRole('button', { name: 'Refund these calls' }).count()).toBe(0)
  })
})
