// A gateway killed while it sends a mail: the next one sends it again with the same Message-ID, then deletes its link.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { prepareDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { startSmtp } from '../support/smtp.ts'

test('a gateway that is killed while it sends a mail does not lose it', async () => {
  const taking = Promise.withResolvers<void>()
  await using smtp = await startSmtp({
    script: {
      beforeTaking: () => {
        taking.resolve()
        return new Promise(() => {})
      },
    },
  })
  const catalogue = FIRST_CATALOGUE.replace('#public_url', 'public_url').replace(
    /#\[mail\]\n#smtp = .*\n#from/,
    `[mail]\nsmtp = "smtp://127.0.0.1:${smtp.port}"\nfrom`,
  )
  const folder = await prepareDataFolder(catalogue)
  const db = new Database(join(folder.path, 'tollgate.db'))
  db.run(`INSERT INTO mails VALUES (1, 1, 'k1', 'invitation', '{"account":"anna"}', 'anna@example.org', 'en',
    '/console/invitation#SECRET', ${Date.now() + 3_600_000}, 'message-1', 'queued', 0, ${Date.now()}, 0, NULL, NULL)`)
  const killed = await startGatewayProcess(catalogue, folder)
  await taking.promise
  killed.signal('SIGKILL')
  await killed.ended
  const row = () => db.query('SELECT state, attempts, link FROM mails').get()
  expect(row()).toEqual({ state: 'queued', attempts: 1, link: '/console/invitation#SECRET' })
  delete smtp.script.beforeTaking
  // As if two minutes had passed.
  db.run('UPDATE mails SET next_at_ms = 0')
  await using _ = await startGatewayProcess(catalogue, folder)
  await eventually(
    'the mail is sent',
    () => db.query("SELECT 1 FROM mails WHERE state = 'sent'").get() !== null,
  )
  expect(smtp.received.map((mail) => mail.header('message-id'))).toEqual(['<message-1@example.com>'])
  expect(row()).toEqual({ state: 'sent', attempts: 2, link: null })
  db.close()
})
