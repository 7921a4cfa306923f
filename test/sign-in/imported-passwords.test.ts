// Imported passwords of another gateway: their owners sign in as before, and the bcrypt hash is replaced by one of argon2id.
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
import { useFullPasswordCost } from '../support/cheap-passwords.ts'
import { PROBES } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { BEHIND_PROXY } from '../support/guessing.ts'
import { personAtConsole } from '../support/people.ts'

useFullPasswordCost()

const catalogue = catalogueOf({ upstream_url: 'simulator', server: BEHIND_PROXY })
const gateway = await fileGateway({ catalogue })
const { store } = gateway

/** Hashes by golang.org/x/crypto/bcrypt v0.59.0, as in new-api, at the minimum cost. */
const OLD_PASS = '$2a$04$4W8yrbOaySLex6hroLXZu.s3ba4Rm/j4TBbgbGPJmwVemaUeal2DK'
const COMPOSED = '$2a$04$CcJDSaDx9jBwd.bByWz90.PCxUrp60uh.Abr918TVgjQITJR7g/zy'
const DECOMPOSED = '$2a$04$CqHzrwprNniqygOzfxqEXO0dOKolG7CSDNNznKfdQTJQ8EOQAP4re'
const LIGATURES = '$2a$04$s08elPX2frCtauaT9yAdIuA0McmYjtVUcEa0U7tVHxFMRkPxBnqRm'
const OF_72_BYTES = '$2a$04$HKPbc26vBicUxoY9Tk61iuJcTQ/mHI11ixklI4cy6/GozP6.WXCci'
const UMLAUTS = 'pässwörter'

let accounts = 0
/** The address of the person, so that failures of one test do not count against the next. */
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
const ARGON2ID = expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)

test.each([
  ['from Go', OLD_PASS, 'old-pass'],
  ['marked $2b$', OLD_PASS.replace('$2a$', '$2b$'), 'old-pass'],
  ['marked $2y$', OLD_PASS.replace('$2a$', '$2y$'), 'old-pass'],
  ['of composed letters, typed composed', COMPOSED, UMLAUTS.normalize('NFC')],
  ['of composed letters, typed decomposed', COMPOSED, UMLAUTS.normalize('NFD')],
  ['of decomposed letters, typed decomposed', DECOMPOSED, UMLAUTS.normalize('NFD')],
  ['of decomposed letters, typed composed', DECOMPOSED, UMLAUTS.normalize('NFC')],
  ['of letters that NFKC changes', LIGATURES, 'ﬁve ﬁne ﬁshes'],
  ['of 72 bytes', OF_72_BYTES, 'x'.repeat(72)],
  ['of more than the 72 bytes that bcrypt reads', OF_72_BYTES, 'x'.repeat(80)],
])('the owner of a hash %s signs in, which replaces it by argon2id', async (_, hash, password) => {
  const { id, name } = await accountWith(hash)
  expect(await signIn(name, `!${password.slice(1)}`)).toMatchObject({ status: 401 })
  expect(await hashOf(store, id)).toBe(hash)
  expect(await signIn(name, password)).toMatchObject({ status: 200, viewer: { account: name } })
  expect(await hashOf(store, id)).toEqual(ARGON2ID)
})

test('the whole password stays the same, even if it is shorter than a new one may be', async () => {
  const { name } = await accountWith(OLD_PASS)
  const statuses: number[] = []
  for (const password of ['old-pass', 'old-pass', 'old-pass!'])
    statuses.push((await signIn(name, password)).status)
  expect(statuses).toEqual([200, 200, 401])
})

test('a wrong password gets the same refusal as an unknown account', async () => {
  const { name } = await accountWith(OLD_PASS)
  const [wrong, nobody] = [await signIn(name, 'old-pass!'), await signIn('nobody', 'old-pass')]
  expect(wrong).toEqual(nobody)
  expect(nobody.status).toBe(401)
})

test('wrong passwords count against the rate limit', async () => {
  const { id, name } = await accountWith(OLD_PASS)
  const statuses: number[] = []
  for (let at = 0; at < 12; at++) statuses.push((await signIn(name, `guess ${at}`)).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([401, 429])
  expect((await signIn(name, 'old-pass')).status).toBe(429)
  expect(await hashOf(store, id)).toBe(OLD_PASS)
})

test('two simultaneous first sign-ins both succeed', async () => {
  const { id, name } = await accountWith(OLD_PASS)
  const both = await Promise.all([signIn(name, 'old-pass'), signIn(name, 'old-pass')])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(await hashOf(store, id)).toEqual(ARGON2ID)
})

test('the owner of a suspended account signs in, to see why', async () => {
  const { name } = await accountWith(OLD_PASS)
  await suspendAccount(store, name, { now_ms: 0 })
  expect((await signIn(name, 'other-pass')).status).toBe(401)
  expect((await signIn(name, 'old-pass')).status).toBe(200)
})

test.each([
  ['too high a cost', OLD_PASS.replace('$04$', '$13$')],
  ['too low a cost', OLD_PASS.replace('$04$', '$03$')],
  ['another mark', OLD_PASS.replace('$2a$', '$2x$')],
  ['a truncated hash', OLD_PASS.slice(0, -1)],
  ['a hash of argon2id', '$argon2id$v=19$m=19456,t=2,p=1$x$y'],
  ['a plain password', 'old-pass'],
])('%s is not accepted as an imported hash', (_, hash) => {
  expect(isImportedHash(OLD_PASS)).toBe(true)
  expect(isImportedHash(hash)).toBe(false)
})

test('while imported hashes remain, a check for an unknown account runs both algorithms', async () => {
  const passwords = createPasswords()
  await accountWith(OLD_PASS)
  expect(await hasImportedHashes(store)).toBe(true)
  const durationOf = async (hash: string | undefined) => {
    const from = performance.now()
    expect(await passwords.verify('nobody has this', hash, { has_imported: true })).toBe(false)
    return performance.now() - from
  }
  const imported_ms = await durationOf(`$2a$10$${OLD_PASS.slice(7)}`)
  // The bound is loose: without bcrypt a check takes a fraction of this.
  expect(await durationOf(undefined)).toBeGreaterThan(imported_ms / 5)
  await store.write((db) => db.rows("DELETE FROM passwords WHERE hash LIKE '$2%'"))
  expect(await hasImportedHashes(store)).toBe(false)
})
