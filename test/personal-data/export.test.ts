// `account export`: every row and file of an account at one moment, without secrets and without data of others.
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportAccount } from '../../plugins/personal-data/export.ts'
import { fileStoresOf } from '../../src/app/process/files/stores.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { entriesIn, hashOf, refusalOf, tollgate } from '../backups/support.ts'
import { ALL_TABLES } from '../support/all-tables.ts'
import { ALICE, MARKER, startWithPerson } from './person.ts'

// biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it needs
type Line = any

const person = await startWithPerson()
afterAll(() => person[Symbol.asyncDispose]())
const folder = person.gateway.data_folder
const archive = join(folder, 'alice.tar.zst')
const answer = await person.tollgate('account', 'export', ALICE, '--out', archive)

const entriesOf = async (bytes: Buffer) =>
  new Map((await entriesIn(bytes)).map(({ name, text }) => [name, text]))
const entries = await entriesOf(readFileSync(archive))

const linesOf = (table: string): Line[] =>
  String(entries.get(`${table}.jsonl`))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const rowsOf = (table: string): number => {
  const db = openDatabase(join(folder, 'tollgate.db'), { readonly: true })
  const owner = ALL_TABLES.find(({ name }) => name === table)?.rule?.owner ?? 'id'
  const found = db
    .query<{ rows: number }, []>(`SELECT count(*) AS rows FROM ${table} WHERE ${owner} = 1`)
    .get()
  db.close()
  return found?.rows ?? -1
}

test.each([
  'accounts',
  'keys',
  'holds',
  'entries',
  'calls',
  'generations',
  'files',
  'responses',
  'idempotency_keys',
  'sessions',
])('%s has every row of the account, and none of another', (table) => {
  const lines = linesOf(table)
  expect(lines.length).toBeGreaterThan(0)
  expect([lines.length, answer.rows[table]]).toEqual([rowsOf(table), rowsOf(table)])
  for (const line of lines) expect(table === 'accounts' ? line.id : line.account_id).toBe(1)
})

test('the account, its notes, prompts and names are complete', () => {
  expect(linesOf('accounts')).toMatchObject([{ name: ALICE, status: 'active' }])
  expect(linesOf('entries').map(({ note }) => note)).toContain(`invoice for ${MARKER}`)
  expect(linesOf('generations')).toMatchObject([{ prompt: `${MARKER} at sea`, parents: [] }])
  expect(linesOf('files')).toMatchObject([{ name: `${MARKER}.png` }])
  expect(linesOf('keys')).toMatchObject([{ addresses: null }, { addresses: ['203.0.113.77'] }])
  expect(linesOf('identities')).toMatchObject([{ subject: `s-${MARKER}`, email: `${MARKER}@example.com` }])
  expect(linesOf('sessions')).toMatchObject([{ address: '203.0.113.77', user_agent: `${MARKER} Browser` }])
})

test('passkeys have their names, but not their public keys', () => {
  const [passkey] = linesOf('passkeys')
  expect(passkey).toMatchObject({ name: `${MARKER} laptop`, transports: ['internal'] })
  expect(Object.keys(passkey ?? {})).not.toContain('public_key')
})

test('a call has its price, wherever that is stored, and its trace', () => {
  const calls = linesOf('calls')
  expect(calls.length).toBe(4)
  for (const call of calls) {
    expect(call.price).toBeObject()
    expect(call.trace).toEqual({ failure: { kind: MARKER } })
    expect(Object.keys(call)).not.toContain('provider_cost_nanos')
  }
})

test('alerts have their sendings, without the responses of the operator’s server', () => {
  const [sending] = linesOf('alert_sendings')
  expect(sending).toMatchObject({ event: 'raised', webhook_id: 'msg_1' })
  expect(Object.keys(sending ?? {})).not.toContainAnyValues(['status', 'failure'])
})

test('mails are listed without their links and the messages of the mail server', () => {
  const [mail] = linesOf('mails')
  expect(mail).toMatchObject({
    purpose: 'invitation',
    fields: { account: MARKER },
    recipient: `${MARKER}@example.com`,
  })
  for (const name of ['link', 'failure', 'request_key']) expect(Object.keys(mail)).not.toContain(name)
  expect(linesOf('mail_recipients')).toMatchObject([
    { recipient: `${MARKER}@example.com`, unsubscribed_at_ms: 5 },
  ])
  expect(Object.keys(linesOf('mail_recipients')[0])).not.toContain('token')
})

test('invitations into the account are listed without their links; a key has its person', () => {
  const [invitation] = linesOf('invitations')
  expect(invitation).toMatchObject({ email: `friend-${MARKER}@example.com`, role: 'member', is_mailed: 1 })
  expect(Object.keys(invitation)).not.toContainAnyValues(['sha256', 'invited_by'])
  expect(linesOf('keys')[0]).toMatchObject({ person_id: 11 })
})

test('the sign-up and the accepted terms are listed, without the invitation', () => {
  const [sign_up] = linesOf('sign_ups')
  expect(sign_up).toMatchObject({ email: `${MARKER}@example.com`, network: '203.0.113.77', proof: 'mail' })
  expect(Object.keys(sign_up)).not.toContainAnyValues(['sha256', 'code_id'])
  expect(linesOf('terms_acceptances')).toMatchObject([
    { person_id: 11, version: '2026-11', accepted_at_ms: 5 },
  ])
})

test('actions at the console name the person, but not the operator', () => {
  const of_console = linesOf('actions').filter(({ actor }) => actor === 'account' || actor === 'operator')
  expect(of_console).toMatchObject([
    { actor: 'account', person_id: 11, address: '203.0.113.77' },
    { actor: 'operator', person_id: null, address: null },
  ])
})

test('stored content is readable: in its row as text, in files byte for byte', async () => {
  const [first, second] = linesOf('responses')
  expect([first.body, second.body]).toEqual([null, expect.stringContaining(MARKER)])
  const paths = [...entries.keys()].filter((path) => /^(images|files|answers|responses)\//.test(path))
  expect([paths.length, answer.files]).toEqual([4, 4])
  for (const path of paths)
    expect([path, entries.get(path)?.equals(readFileSync(join(folder, path)))]).toEqual([path, true])
})

test('the archive has no secrets', () => {
  const all = Buffer.concat([...entries.values()]).toString('latin1')
  for (const secret of [person.key, '$argon2id$']) expect(all).not.toContain(secret)
  const db = openDatabase(join(folder, 'tollgate.db'), { readonly: true })
  const hashes = db.query<{ hash: string }, []>('SELECT hex(sha256) AS hash FROM keys').all()
  db.close()
  for (const { hash } of hashes) expect(all.toUpperCase()).not.toContain(hash)
})

test('the manifest has every entry with its hash; README.txt describes them', () => {
  const manifest = JSON.parse(String(entries.get('manifest.json')))
  expect(manifest).toMatchObject({ tollgate_export: 1, account: ALICE, account_id: 1, missing: [] })
  const hashes = manifest.entries.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256])
  const others = [...entries].filter(([path]) => path !== 'README.txt' && path !== 'manifest.json')
  expect(hashes).toEqual(others.map(([path, bytes]) => [path, hashOf(bytes)]))
  const text = String(entries.get('README.txt'))
  for (const path of entries.keys())
    if (path.endsWith('.jsonl')) expect(text).toContain(`  ${path.slice(0, -'.jsonl'.length)} `)
})

test('only the owner of the archive can read it', () => {
  expect(statSync(archive).mode & 0o777).toBe(0o600)
})

test('a missing file is named', async () => {
  const db = openDatabase(join(folder, 'tollgate.db'))
  db.run("UPDATE idempotency_keys SET body_file = 'gone' WHERE body_file IS NOT NULL AND account_id = 1")
  db.close()
  const out = join(folder, 'second.tar.zst')
  const { status, err } = await tollgate(['account', 'export', ALICE, '--out', out, '--data', folder])
  expect([status, err]).toEqual([0, expect.stringContaining('Files not found and left out: answers/gone.')])
  const manifest = JSON.parse(String((await entriesOf(readFileSync(out))).get('manifest.json')))
  expect(manifest.missing).toEqual(['answers/gone'])
})

test.each([
  ['an account that does not exist', 'nobody', 'new.tar.zst', 'Account "nobody" not found'],
  ['an existing file', ALICE, 'alice.tar.zst', 'already exists: name another'],
  ['a missing folder', ALICE, 'no/such.tar.zst', 'Folder not found'],
])('%s is refused, and nothing is written', async (_, name, file, words) => {
  const before = readFileSync(archive)
  expect(
    await refusalOf(['account', 'export', name, '--out', join(folder, file), '--data', folder]),
  ).toContain(words)
  expect(existsSync(join(folder, 'new.tar.zst'))).toBe(false)
  expect(readFileSync(archive).equals(before)).toBe(true)
})

test('all tables are of one moment, without rows written meanwhile', async () => {
  await using db = openDb(join(folder, 'tollgate.db'), { readonly: true })
  const out = join(folder, 'moment.tar.zst')
  await exportAccount(db, {
    tables: ALL_TABLES,
    data_folder: folder,
    files: fileStoresOf({ files: undefined }, folder),
    account: ALICE,
    service: 'Acme AI',
    now_ms: 0,
    async put(content) {
      const blocks: Uint8Array[] = []
      for await (const block of content) {
        if (blocks.length === 0) await person.tollgate('credit', ALICE, '1', '--note', 'meanwhile')
        blocks.push(block)
      }
      writeFileSync(out, Buffer.concat(blocks))
      return 0
    },
  })
  const read = await entriesOf(readFileSync(out))
  const [account] = String(read.get('accounts.jsonl')).split('\n')
  const lines = String(read.get('entries.jsonl')).split('\n').slice(0, -1)
  const amounts: number[] = lines.map((line) => JSON.parse(line).amount_nanos)
  expect(amounts.reduce((sum, nanos) => sum + nanos, 0)).toBe(JSON.parse(account ?? '').balance_nanos)
})
