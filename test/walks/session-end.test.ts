// The end of a session in the middle of a form, and of a connection: the page reports both, and keeps typed text.
import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { startGateway } from '../../src/app/process/serve.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { fileConsole, givePasswords, PASSWORD, pageOf } from '../support/console.ts'
import { consoleAddress } from '../support/console-port.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { memoryLog } from '../support/memory-log.ts'

describe('a restart of the gateway', () => {
  test('is shown as a lost connection, which ends by itself; typed text stays', async () => {
    using folder = await prepareDataFolder(FIRST_CATALOGUE)
    const start = (listen: string) =>
      startGateway({ data_folder: folder.path, plugins, log: memoryLog().log, env: {}, listen })
    const store = openDb(folder.database_path)
    await givePasswords({ store }, [])
    let running = await start(consoleAddress())
    await using _last = { [Symbol.asyncDispose]: () => running.stop() }
    const { url } = running
    await using one = await pageOf({ url, store }, 'operator')
    await store.close()
    const { page } = one
    await one.open('/console/setup')
    await page.getByRole('button', { name: 'New account' }).click()
    const form = page.getByRole('dialog', { name: 'New account' })
    await form.getByLabel('Name', { exact: true }).fill('dave')
    await form.getByLabel('Email').fill('dave@example.com')

    await running.stop()
    one.allow(/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_SOCKET|network error/)
    await form.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('Connection lost, retrying').first().waitFor()
    await one.looksRight()

    running = await start(url.host)
    await page.locator('.banner').waitFor({ state: 'detached' })
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('dave')
    await form.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('link', { name: 'dave' }).waitFor()

    // The code of another page is requested while nothing answers.
    one.allow(/ERR_FAILED|Failed to fetch dynamically imported/)
    await page.route('**/console/assets/**', (route) => route.abort(), { times: 1 })
    await page.evaluate("history.pushState(null, '', '/console/system/configuration')")
    await page.getByText('It loads by itself once the gateway answers').waitFor()
    await page.getByRole('heading', { name: 'Configuration file' }).waitFor()

    // A slow answer: the frame appears before the viewer is known.
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/console/api/session', async (route) => {
      await answered
      await route.continue()
    })
    await page.reload()
    await page.locator('.frame').waitFor({ state: 'visible' })
    answer()
    await page.getByRole('heading', { name: 'Configuration file' }).waitFor()
    await page.unrouteAll()
    await one.isClean()
  })
})

describe('a session that ends while a form is filled in', () => {
  test('is renewed in a dialog over the page, and the form is unchanged', async () => {
    const { gateway, visit } = await fileConsole()
    await gateway.account('carol')
    await using one = await visit('operator')
    const { page } = one
    await one.open('/console/setup?account=carol')
    await page.getByRole('button', { name: 'Top up' }).click()
    const form = page.getByRole('dialog', { name: 'Top up carol' })
    await form.getByLabel('Amount').fill('12.34')
    await form.getByLabel('Note').fill('INV-7')

    gateway.db.run('DELETE FROM sessions')
    one.allow(/status of 401/)
    await form.getByRole('button', { name: 'Top up carol' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.waitFor()
    await one.looksRight()
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await form.getByText('Your session had ended. Try again.').waitFor()
    expect(await form.getByLabel('Amount').inputValue()).toBe('12.34')
    expect(await form.getByLabel('Note').inputValue()).toBe('INV-7')
    await form.getByRole('button', { name: 'Top up carol' }).click()
    await form.waitFor({ state: 'detached' })
    expect(gateway.rows().accounts.find(({ name }) => name === 'carol')?.balance_nanos).toBe(12_340_000_000)
    await one.isClean()
  })
})
