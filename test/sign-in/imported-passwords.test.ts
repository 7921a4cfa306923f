// Passwords of another gateway: who has one signs in as before, and its bcrypt hash is replaced by one of our own.
import { expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import {
  createPasswords,
  hashOf,
  hasImportedHashes,
  isImportedHash,
  setPassword,
} from '../../src/access/passwords.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { passwordsAtFullCost } from '../support/cheap-passwords.ts'
import { PROBES } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { BEHIND_PROXY } from '../support/guessing.ts'
import { personAtConsole } from '../support/people.ts'

passwordsAtFullCost()

const catalogue = catalogueOf({ upstream_url: 'simulator', server: BEHIND_PROXY })
const gateway = await fileGateway({ catalogue })
const { store } = gateway

/** Made by golang.org/x/crypto/bcrypt v0.59.0, as new-api makes them, at the least cost. */
const OLD_PASS = '$2a$04$4W8yrbOaySLex6hroLXZu.s3ba4Rm/j4TBbgbGPJmwVemaUeal2DK'
const COMPOSED = '$2a$04$CcJDSaDx9jBwd.bByWz90.PCxUrp60uh.Abr918TVgjQITJR7g/zy'
const DECOMPOSED = '$2a$04$CqHzrwprNniqygOzfxqEXO0dOKolG7CSDNNznKfdQTJQ8EOQAP4re'
const LIGATURES = '$2a$04$s08elPX2frCtauaT9yAdIuA0McmYjtVUcEa0U7tVHxFMRkPxBnqRm'
const OF_72_BYTES = '$2a$04$HKPbc26vBicUxoY9Tk61iuJcTQ/mHI11ixklI4cy6/GozP6.WXCci'
const UMLAUTS = 'pässwörter'

let accounts = 0
/** Of the person: failures of one test do not count against the next. */
let address = ''
async function accountWith(hash: string) {
  const { id, name } = await gateway.account(`mover-${++accounts}`)
  address = `198.51.100.${accounts}`
  await setPassword(store, { person_id: await personAtConsole(store, id), hash, now_ms: Date.now() })
  return { id, name }
}

async function signIn(account: string, password: string) {
  const answer = await fetch(new URL('/console/api/session', gateway.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      cookie: PROBES,
      origin: gateway.url.origin,
      'x-forwarded-for': address,
    },
    body: JSON.stringify({ account, password }),
  })
  const { error, viewer } = (await answer.json()) as { error?: object; viewer?: object }
  return { status: answer.status, error, viewer }
}
const OURS = expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)

test.each([
  ['as Go writes it', OLD_PASS, 'old-pass'],
  ['marked $2b$', OLD_PASS.replace('$2a$', '$2b$'), 'old-pass'],
  ['marked $2y$', OLD_PASS.replace('$2a$', '$2y$'), 'old-pass'],
  ['of composed letters, typed as they were', COMPOSED, UMLAUTS.normalize('NFC')],
  ['of composed letters, typed on another keyboard', COMPOSED, UMLAUTS.normalize('NFD')],
  ['of decomposed letters, typed as they were', DECOMPOSED, UMLAUTS.normalize('NFD')],
  ['of decomposed letters, typed on another keyboard', DECOMPOSED, UMLAUTS.normalize('NFC')],
  ['of letters that NFKC changes', LIGATURES, 'ﬁve ﬁne ﬁshes'],
  ['of 72 bytes', OF_72_BYTES, 'x'.repeat(72)],
  ['of more than the 72 bytes that bcrypt read', OF_72_BYTES, 'x'.repeat(80)],
])('a hash %s: its owner signs in, and from then on it is of argon2id', async (_, hash, password) => {
  const { id, name } = await accountWith(hash)
  expect(await signIn(name, `!${password.slice(1)}`)).toMatchObject({ status: 401 })
  expect(await hashOf(store, id)).toBe(hash)
  expect(await signIn(name, password)).toMatchObject({ status: 200, viewer: { account: name } })
  expect(await hashOf(store, id)).toEqual(OURS)
})

test('the password stays the same, whole, though it is shorter than a new one may be', async () => {
  const { name } = await accountWith(OLD_PASS)
  const statuses: number[] = []
  for (const password of ['old-pass', 'old-pass', 'old-pass!'])
    statuses.push((await signIn(name, password)).status)
  expect(statuses).toEqual([200, 200, 401])
})

test('a wrong password is refused in the words for an account that is not there', async () => {
  const { name } = await accountWith(OLD_PASS)
  const [wrong, nobody] = [await signIn(name, 'old-pass!'), await signIn('nobody', 'old-pass')]
  expect(wrong).toEqual(nobody)
  expect(nobody.status).toBe(401)
})

test('wrong passwords are counted as any others', async () => {
  const { id, name } = await accountWith(OLD_PASS)
  const statuses: number[] = []
  for (let at = 0; at < 12; at++) statuses.push((await signIn(name, `guess ${at}`)).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([401, 429])
  expect((await signIn(name, 'old-pass')).status).toBe(429)
  expect(await hashOf(store, id)).toBe(OLD_PASS)
})

test('two first sign-ins at the same time are both let in', async () => {
  const { id, name } = await accountWith(OLD_PASS)
  const both = await Promise.all([signIn(name, 'old-pass'), signIn(name, 'old-pass')])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(await hashOf(store, id)).toEqual(OURS)
})

test('whose account is suspended comes in, to see why', async () => {
  const { name } = await accountWith(OLD_PASS)
  await suspendAccount(store, name, { now_ms: 0 })
  expect((await signIn(name, 'other-pass')).status).toBe(401)
  expect((await signIn(name, 'old-pass')).status).toBe(200)
})

test.each([
  ['a cost that takes too long', OLD_PASS.replace('$04$', '$13$')],
  ['a cost below the least', OLD_PASS.replace('$04$', '$03$')],
  ['another mark', OLD_PASS.replace('$2a$', '$2x$')],
  ['a hash cut short', OLD_PASS.slice(0, -1)],
  ['a hash of argon2id', '$argon2id$v=19$m=19456,t=2,p=1$x$y'],
  ['a password as it was typed', 'old-pass'],
])('%s is no hash to import', (_, hash) => {
  expect(isImportedHash(OLD_PASS)).toBe(true)
  expect(isImportedHash(hash)).toBe(false)
})

test('while any is left, a check for nobody is of both algorithms', async () => {
  const passwords = createPasswords()
  await accountWith(OLD_PASS)
  expect(await hasImportedHashes(store)).toBe(true)
  const timed = async (hash: string | undefined) => {
    const from = performance.now()
    expect(await passwords.verify('nobody has this', hash, { has_imported: true })).toBe(false)
    return performance.now() - from
  }
  const of_mover = await timed(`$2a$10$${OLD_PASS.slice(7)}`)
  // Not a measurement: without bcrypt a check takes a fraction of this.
  expect(await timed(undefined)).toBeGreaterThan(of_mover / 5)
  await store.write((db) => db.rows("DELETE FROM passwords WHERE hash LIKE '$2%'"))
  expect(await hasImportedHashes(store)).toBe(false)
})
