// README, "every log line about the request has it as `request_id`": for the console's routes, and for the work that they start beside them.
import { setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { makeInvitation } from '../../src/access/sign-in-links.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { fileConsole, givePasswords, PASSWORD } from '../support/console.ts'
import { type ConsoleRequest, clientOf, signedIn } from '../support/console-session.ts'
import { BACKGROUND_TIMEOUT_MS } from '../support/eventually.ts'
import { expectLines, idOf, onFullDisk } from '../support/request-lines.ts'

setDefaultTimeout(BACKGROUND_TIMEOUT_MS)

const { gateway } = await fileConsole({ catalogue: catalogueOf({ upstream_url: 'simulator' }) })
await gateway.account('alice', { balance_usd: '10' })
await givePasswords(gateway, ['alice'])
const operator = await signedIn(gateway, 'operator')
const nobody = clientOf(gateway)

/** Asserts the log lines of a request. @param by the client that sends it */
const expectOf = (
  says: readonly string[],
  by: typeof operator,
  method: string,
  path: string,
  body?: unknown,
) => expectLines(gateway, { says, make: async () => idOf(await by.send(method, path, sentOf(body))) })
const sentOf = (body: unknown): ConsoleRequest => (body === undefined ? {} : { body })

const SIGNED_IN = ['signed in to the console']
const REFUSED = ['request refused']
const LOOKED = ['operator viewed private content of an account']

test('signing in by a password, a key and a link, and a change of password', async () => {
  await expectOf(SIGNED_IN, nobody, 'POST', '/session', { account: 'alice', password: PASSWORD })
  await expectOf(SIGNED_IN, nobody, 'POST', '/session', { key: await gateway.key('alice') })
  const { token } = await makeInvitation(gateway.store, 'alice', {
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    now_ms: Date.now(),
  })
  await expectOf(SIGNED_IN, nobody, 'POST', '/links/accept', { token, password: 'another, longer' })
  const alice = await signedIn(gateway, { account: 'alice' })
  const change = { old_password: 'another, longer', new_password: PASSWORD }
  await expectOf(['password of the console changed'], alice, 'PUT', '/password', change)
})

test('refusals of visitors, of accounts, and of bodies', async () => {
  await expectOf(REFUSED, nobody, 'POST', '/session', { account: 'alice', password: 'a wrong one' })
  await expectOf(REFUSED, nobody, 'POST', '/session', '{')
  await expectOf(REFUSED, nobody, 'GET', '/accounts')
  await expectOf(REFUSED, nobody, 'POST', '/links/look', { token: 'x'.repeat(43) })
  const alice = await signedIn(gateway, { account: 'alice' })
  await expectOf(REFUSED, alice, 'GET', '/catalogue')
  // The surface that serves it refuses it, under the id in the answer.
  await expectOf(REFUSED, alice, 'POST', '/play/images', {})
  await expectOf(REFUSED, operator, 'POST', '/accounts', {})
  await expectOf(REFUSED, operator, 'POST', '/catalogue/save', { hash: 'another', edits: [] })
})

test.each([['/images?content=shown'], ['/files?content=shown&account=alice']])(
  'the operator looks at %s',
  (path) => expectOf(LOOKED, operator, 'GET', path),
)

test('the catalogue is saved', async () => {
  const { hash } = await operator.json('GET', '/catalogue')
  const edits = [{ op: 'set', path: ['models', 0, 'price', 'input'], value: 5 }]
  const saved = ['the catalogue was saved in the console', 'catalogue reloaded']
  await expectOf(saved, operator, 'POST', '/catalogue/save', { hash, edits })
})

test('a backup is made, and verified', async () => {
  await expectOf(['backup: make done'], operator, 'POST', '/backups')
  const { backups } = await operator.json('GET', '/backups')
  await expectOf(['backup: verify done'], operator, 'POST', `/backups/${backups[0].name}/verify`)
})

test('a full disk during a change, and while a session is marked as seen, with a body and without', async () => {
  const failing = ['request failed']
  const make = async () => idOf(await operator.send('POST', '/accounts', { body: { name: 'bob' } }))
  await expectLines(gateway, { says: failing, make: () => onFullDisk(gateway, 'INSERT ON accounts', make) })
  for (const [method, path, body] of [
    ['GET', '/accounts'],
    ['POST', '/invitations', { account: 'alice' }],
  ] as const) {
    const earlier = await signedIn(gateway, 'operator', Date.now() - 3_600_000)
    await expectLines(gateway, {
      says: ['could not mark a session as seen'],
      make: () =>
        onFullDisk(gateway, 'UPDATE ON sessions', async () =>
          idOf(await earlier.send(method, path, sentOf(body))),
        ),
    })
  }
})

test('a data folder that cannot be measured', async () => {
  const steps = Array.from({ length: 10 }, () => 'n'.repeat(250))
  const upper = join(gateway.data_folder, 'upper', ...steps)
  const lower = join(gateway.data_folder, 'lower', ...steps)
  for (const path of [upper, lower]) mkdirSync(path, { recursive: true })
  // Moved below the other, its path is longer than any system allows.
  const [apart, together] = [join(gateway.data_folder, 'lower'), join(upper, 'lower')]
  renameSync(apart, together)
  await expectOf(['the data folder could not be measured'], operator, 'GET', '/system')
  renameSync(together, apart)
})

test('served pages leave no line', () => expectOf([], operator, 'GET', '/accounts'))
