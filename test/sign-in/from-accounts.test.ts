// Databases of versions without people: everybody who could sign in still can, by the same password, link and session.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { hashOf } from '../../src/access/passwords.ts'
import { personNamed } from '../../src/access/people.ts'
import { sessionByToken, viewerOf } from '../../src/access/session-rows.ts'
import { readLink } from '../../src/access/sign-in-links.ts'
import { isKnownAddress } from '../../src/access/sign-in-rate.ts'
import type { Db } from '../../src/store/db.ts'
import { Connection } from '../../src/store/engines/postgres/connection.ts'
import {
  migrate as migratePostgres,
  MIGRATIONS as ON_POSTGRES,
} from '../../src/store/engines/postgres/migrate.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { MIGRATIONS, migrate } from '../../src/store/engines/sqlite/migrate.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'

const BEFORE = 37
const LINK = 'l'.repeat(32)
const TOKENS = ['o', 'a', 'k'].map((letter) => letter.repeat(43))
const hex = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** Ada has a password and is signed in, as is her key; Bob was invited; Eve never was; Mia is erased. @param bytes a literal of hexadecimal bytes */
const rowsBefore = (bytes: (text: string) => string) => `
  INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'ada', 'active', 0, 0, 0, 5), (2, 'bob', 'active', 0, 0, 0, 6), (3, 'eve', 'active', 0, 0, 0, 7), (4, 'erased-4', 'suspended', 0, 0, 0, 8);
  INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms) VALUES (1, 1, 'k', 'tg_', ${bytes(hex('key'))}, 0, 0, 0);
  INSERT INTO known_addresses VALUES (1, NULL, '203.0.113.7', 0), (2, 1, '203.0.113.8', 0), (3, 4, '203.0.113.9', 0);
  INSERT INTO erased_accounts VALUES (4, 9);
  INSERT INTO passwords VALUES (1, NULL, '$argon2id$operator', 3), (2, 1, '$2y$10$ada', 4);
  INSERT INTO sign_in_links VALUES (1, ${bytes(hex(LINK))}, 2, 0, 99);
  INSERT INTO sessions VALUES (1, ${bytes(hex(TOKENS[0] ?? ''))}, 'operator', NULL, NULL, NULL, '', 0, 0, 99),
    (2, ${bytes(hex(TOKENS[1] ?? ''))}, 'account', 1, NULL, '::1', '', 0, 0, 99), (3, ${bytes(hex(TOKENS[2] ?? ''))}, 'key', 1, 1, NULL, '', 0, 0, 99);
  INSERT INTO actions (id, created_at_ms, action, actor, session_id) VALUES (1, 0, 'session.started', 'operator', 1)`

async function onSqlite(look: (db: Db) => Promise<void>): Promise<void> {
  const connection = new Database(':memory:', { strict: true })
  migrate(connection, MIGRATIONS.slice(0, BEFORE))
  connection.run(rowsBefore((text) => `x'${text}'`))
  migrate(connection)
  expect(connection.query('PRAGMA foreign_key_check').all()).toEqual([])
  await look(dbOver(connection))
}

async function onPostgres(look: (db: Db) => Promise<void>): Promise<void> {
  const { name, url } = await makeDatabase('template0')
  const connection = await Connection.open(url)
  await migratePostgres(
    connection,
    ON_POSTGRES.filter(({ version }) => version <= BEFORE),
  )
  await connection.script(`SET search_path = tollgate; ${rowsBefore((text) => `decode('${text}', 'hex')`)}`)
  await migratePostgres(connection)
  await connection.close()
  const db = await openPostgres(url)
  await look(db)
  await db.close()
  await dropDatabase(name)
}

async function viewers(db: Db) {
  const rows = await Promise.all(TOKENS.map((token) => sessionByToken(db, token)))
  const at = { now_ms: 1, address: undefined }
  return await Promise.all(rows.map((row) => row && viewerOf(db, row, at)))
}

async function expectTheSame(db: Db): Promise<void> {
  const [operator, ada, bob] = [
    await personNamed(db, undefined),
    await personNamed(db, 'ada'),
    await personNamed(db, 'bob'),
  ]
  expect(operator).toMatchObject({
    person: { name: 'operator', account_id: null, email: null, created_at_ms: 0 },
  })
  expect(ada).toMatchObject({ person: { name: 'ada', account_id: 1, created_at_ms: 5 }, account_id: 1 })
  expect(bob).toMatchObject({ person: { name: 'bob', account_id: 2 }, account_id: 2 })
  expect([await personNamed(db, 'eve'), await personNamed(db, 'erased-4')]).toEqual([undefined, undefined])
  const [operator_id = 0, ada_id = 0, bob_id = 0] = [operator, ada, bob].map((found) => found?.person.id)
  expect([await hashOf(db, operator_id), await hashOf(db, ada_id), await hashOf(db, bob_id)]).toEqual([
    '$argon2id$operator',
    '$2y$10$ada',
    undefined,
  ])
  expect(await readLink(db, LINK, 1)).toMatchObject({
    person: { id: bob_id },
    account: { name: 'bob' },
    has_password: false,
  })
  expect(await viewers(db)).toEqual([
    { side: 'operator', role: 'operator', session_id: 1, person_id: operator_id, confirmed_at_ms: null },
    {
      side: 'account',
      role: 'owner',
      session_id: 2,
      account_id: 1,
      account: 'ada',
      person_id: ada_id,
      sees: 'account',
      confirmed_at_ms: null,
    },
    { side: 'key', role: 'key', session_id: 3, account_id: 1, account: 'ada', key_id: 1, sees: 'account' },
  ])
  const known = (person_id: number, address: string) => isKnownAddress(db, { person_id, address, now_ms: 1 })
  expect([
    await known(operator_id, '203.0.113.7'),
    await known(ada_id, '203.0.113.8'),
    await known(ada_id, '203.0.113.7'),
  ]).toEqual([true, true, false])
  expect(await db.rows('SELECT count(*) AS people FROM people')).toEqual([{ people: 3 }])
}

describe('a migration keeps all passwords, links and sessions', () => {
  test('on SQLite', () => onSqlite(expectTheSame))
  test.if(hasPostgres)('on PostgreSQL', () => onPostgres(expectTheSame))
})
