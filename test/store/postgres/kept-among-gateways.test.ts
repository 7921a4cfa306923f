// Kept answers of several gateways in one database: a key whose request ended without an answer has no gateway, and bounds apply to all of them.
import { beforeAll, describe, expect, test } from 'bun:test'
import { createAccount } from '../../../src/access/accounts.ts'
import { createKeptAnswers, type KeptAnswers } from '../../../src/idempotency/kept-answers.ts'
import type { KeyOfAccount } from '../../../src/idempotency/room.ts'
import { createQuota, usedBytes } from '../../../src/library/quota.ts'
import { FILE_QUOTA_BYTES } from '../../../src/media/limits.ts'
import { createFileStore } from '../../../src/media/store.ts'
import { beginGateway } from '../../../src/store/gateways.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { folderOfFile } from '../../support/test-folder.ts'

const { db } = await databaseOfFile()
const folder = folderOfFile()
const clock = { now_ms: 10_000_000_000 }
const LIMITS = { kept_bytes: 10_000, kept_bytes_per_account: 250, keys_per_account: 9 }

interface Keeping {
  answers: KeptAnswers
  gateway_id: number
}

let here: Keeping
let there: Keeping
const join = async (node: string): Promise<Keeping> => {
  const gateway_id = await beginGateway(db, { version: '1', node, name: node, now_ms: 1, is_alone: false })
  const files = createFileStore(folder.at('answers'))
  const answers = createKeptAnswers(db, files, { now: () => clock.now_ms, limits: () => LIMITS, gateway_id })
  return { answers, gateway_id }
}
beforeAll(async () => {
  if (!hasPostgres) return
  here = await join('here')
  there = await join('there')
})

let accounts = 0
const newAccount = async (): Promise<number> => {
  accounts += 1
  return (await createAccount(db, { name: `account-${accounts}`, now_ms: 1 })).id
}
const requestOf = (account_id: number, key: string) => ({
  account_id,
  key,
  request_sha256: Buffer.alloc(32),
  request_id: `${key}-${account_id}`,
})
const none = () => false
const all = () => true

async function keep({ answers }: Keeping, account_id: number, key: string): Promise<void> {
  await answers.begin(requestOf(account_id, key), undefined, none)
  const body = { bytes: new Uint8Array(98) }
  await answers.keep(requestOf(account_id, key), { status: 200, headers: [], body })
}

async function rowsOf(account_id: number): Promise<Record<string, string>> {
  const rows = await db.rows<{ key: string; status: number | null; gateway_id: number | null }>(
    'SELECT key, status, gateway_id FROM idempotency_keys WHERE account_id = $account_id ORDER BY id',
    { account_id },
  )
  const owner = new Map([
    [here.gateway_id, 'here'],
    [there.gateway_id, 'there'],
  ])
  return Object.fromEntries(
    rows.map(({ key, status, gateway_id }) => [
      key,
      `${status === null ? 'taken' : 'kept'}, ${owner.get(gateway_id ?? 0) ?? 'nobody'}`,
    ]),
  )
}

const isElsewhere = async ({ answers }: Keeping, account_id: number, key: string) => {
  const row = await answers.find({ account_id, key })
  return row && (await answers.isElsewhere(row))
}

describe.if(hasPostgres)('a taken key', () => {
  test.each([
    ['in use keeps its gateway', (row: KeyOfAccount) => row.key === 'k', 'taken, here', true],
    ['whose request has ended without an answer loses its gateway', none, 'taken, nobody', false],
  ] as const)('%s', async (_, isUnderWay, left, is_elsewhere) => {
    const account_id = await newAccount()
    await here.answers.begin(requestOf(account_id, 'k'), undefined, none)
    await there.answers.begin(requestOf(account_id, 'other'), undefined, none)
    await keep(here, account_id, 'answered')
    expect(await isElsewhere(there, account_id, 'k')).toBe(true)
    await here.answers.followOthers(isUnderWay)
    expect(await rowsOf(account_id)).toEqual({ k: left, other: 'taken, there', answered: 'kept, here' })
    expect(await isElsewhere(there, account_id, 'k')).toBe(is_elsewhere)
  })

  test('whose request outlasts many sweeps loses its gateway once the request has ended', async () => {
    const account_id = await newAccount()
    await here.answers.begin(requestOf(account_id, 'long'), undefined, none)
    for (let sweep = 0; sweep < 3; sweep += 1) {
      clock.now_ms += 3_600_000
      await here.answers.followOthers(all)
    }
    expect(await rowsOf(account_id)).toEqual({ long: 'taken, here' })
    await here.answers.followOthers(none)
    expect(await rowsOf(account_id)).toEqual({ long: 'taken, nobody' })
  })

  test('without a gateway can be taken by any other', async () => {
    const account_id = await newAccount()
    await here.answers.begin(requestOf(account_id, 'k'), undefined, none)
    await here.answers.followOthers(none)
    const again = { ...requestOf(account_id, 'k'), request_id: 'again' }
    expect(await there.answers.begin(again, `k-${account_id}`, none)).toBe(true)
    expect(await rowsOf(account_id)).toEqual({ k: 'taken, there' })
    await here.answers.followOthers(none)
    expect(await rowsOf(account_id)).toEqual({ k: 'taken, there' })
  })

  test('whose answer was dropped for newer ones has no gateway', async () => {
    const account_id = await newAccount()
    for (const key of ['a', 'b', 'c']) await keep(here, account_id, key)
    expect(await rowsOf(account_id)).toEqual({ a: 'taken, nobody', b: 'kept, here', c: 'kept, here' })
  })
})

describe.if(hasPostgres)('the bound of an account', () => {
  test('applies to the answers of all gateways once they are counted again; an unfinished write stays counted', async () => {
    const account_id = await newAccount()
    await keep(here, account_id, 'a')
    await keep(there, account_id, 'b')
    // As far as this gateway knows 100 bytes are kept, and 100 more are being written.
    const writing = await here.answers.write(account_id, new Uint8Array(100), 1_000)
    await here.answers.followOthers(all)
    await here.answers.sweep()
    expect(await rowsOf(account_id)).toEqual({ a: 'taken, nobody', b: 'kept, there' })
    await here.answers.begin(requestOf(account_id, 'c'), undefined, none)
    await here.answers.keep(requestOf(account_id, 'c'), { status: 200, headers: [], body: writing })
    expect(await rowsOf(account_id)).toEqual({ a: 'taken, nobody', b: 'kept, there', c: 'kept, here' })
  })

  test('applies to its number of keys, too', async () => {
    const account_id = await newAccount()
    await keep(here, account_id, 'first')
    for (let at = 0; at < 8; at += 1) await keep(there, account_id, `t${at}`)
    await here.answers.followOthers(all)
    await keep(here, account_id, 'last')
    const left = Object.keys(await rowsOf(account_id))
    expect([left.length, left.includes('first'), left.includes('last')]).toEqual([9, false, true])
  })
})

test.if(hasPostgres)('an upload is not refused for files that were deleted at another gateway', async () => {
  const account_id = await newAccount()
  const row = { account_id, key: `files/${account_id}/x.png`, bytes: FILE_QUOTA_BYTES - 10 }
  await db.write((db) =>
    db.rows(
      `INSERT INTO files (key, account_id, name, mime, state, bytes, sha256, width, height, created_at_ms)
       VALUES ($key, $account_id, 'x.png', 'image/png', 'stored', $bytes, repeat('0', 64), 1, 1, 1)`,
      row,
    ),
  )
  const upload = createQuota((id) => usedBytes(db, id)).reserve(account_id)
  await upload.take(10)
  await expect(upload.take(1)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  await db.write((db) => db.rows('DELETE FROM files WHERE account_id = $account_id', { account_id }))
  await upload.take(1_000)
})
