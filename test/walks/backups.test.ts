// The System page in a browser: backups are made, watched, verified and downloaded, and the alerts’ webhook is tested.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { catalogueOf } from '../support/catalogue.ts'
import { fileConsole } from '../support/console.ts'
import { BACKGROUND_TIMEOUT_MS } from '../support/eventually.ts'

setDefaultTimeout(BACKGROUND_TIMEOUT_MS)

let webhook_status = 204
const posted: string[] = []
const { gateway, visit } = await fileConsole({
  postWebhook: async (_, { body }) => {
    posted.push(JSON.parse(body).type)
    return webhook_status
  },
})
/** Made before the folder is measured, because a measurement is used for minutes. */
const replaced = join(gateway.data_folder, 'before-restore-2026-11-01T000000Z')
mkdirSync(replaced)
writeFileSync(join(replaced, 'tollgate.db'), 'x')

/** A recipient, because a passphrase costs two seconds of work at each use. */
const RECIPIENT = await identityToRecipient(await generateIdentity())
const catalogueWith = (lock: string) => `${catalogueOf({ upstream_url: 'simulator' })}
[backup]
every = "24h"
${lock}
[alerts]
webhook_url = "https://hooks.example.com/in"
webhook_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
`

test('a backup is made, verified and downloaded, unless it is plain; the data replaced by a restore is named, and a test alert is sent', async () => {
  await gateway.recatalogue(catalogueWith(`recipient = "${RECIPIENT}"`))
  await using one = await visit('operator', { size: 'both' })
  const { page } = one
  page.setDefaultTimeout(BACKGROUND_TIMEOUT_MS)
  await one.open('/console/system')
  const section = page.getByRole('region', { name: 'Backups' })
  await section.getByText('No backups yet.').waitFor()
  await section.getByText('The next one is due').waitFor()
  await section.getByRole('button', { name: 'Back up now' }).click()
  const table = section.getByRole('table', { name: 'Backups' })
  await table.waitFor()
  expect(await table.getByRole('row').count()).toBe(2)
  expect(await table.getByText('encrypted', { exact: true }).count()).toBe(1)
  await section.getByText('Backup created:').waitFor()

  const download = page.waitForEvent('download')
  await table.getByRole('link', { name: 'Download' }).click()
  const file = await (await download).path()
  expect(readFileSync(file).subarray(0, 21).toString()).toBe('age-encryption.org/v1')

  await gateway.recatalogue(catalogueWith(''))
  await section.getByRole('button', { name: 'Back up now' }).click()
  const plain = table.getByRole('row').filter({ hasText: 'not encrypted' })
  await plain.getByRole('button', { name: 'Verify' }).click()
  await section.getByText('Verifying').waitFor()
  await section.getByText('can be restored').waitFor()
  await section.getByText(/Unencrypted backups contain the providers’ keys/).waitFor()
  expect(await plain.getByRole('link', { name: 'Download' }).count()).toBe(0)
  await page.getByText('data before a restore').waitFor()

  const alerts = page.getByRole('region', { name: 'Alerts' })
  await alerts.getByText('Alerts are sent to hooks.example.com').waitFor()
  await alerts.getByRole('button', { name: 'Send test alert' }).click()
  await alerts.getByText('hooks.example.com received the test alert (status 204).').waitFor()
  webhook_status = 401
  await alerts.getByRole('button', { name: 'Send test alert' }).click()
  await alerts.getByText('check that webhook_secret is the one').waitFor()
  expect(posted).toEqual(['alert.test', 'alert.test'])
  await one.looksRight()
  await one.isClean()
})
