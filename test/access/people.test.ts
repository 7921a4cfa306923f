// People who sign in: the person behind a typed name, the account in which they start, and the ends of their access.
import { beforeEach, describe, expect, test } from 'bun:test'
import { listActions } from '../../plugins/audit-log/listing.ts'
import { startErasing } from '../../plugins/personal-data/closing.ts'
import { closeAccount } from '../../src/access/closing.ts'
import { hashOf } from '../../src/access/passwords.ts'
import {
  entranceOf,
  personNamed,
  personOnSide,
  requireFirstOperator,
  requireOwners,
} from '../../src/access/people.ts'
import { sessionByToken, viewerOf } from '../../src/access/session-rows.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { openSessionAt } from '../support/people.ts'

const NOW = 1_000
let connection = memoryDatabase()
let db = dbOver(connection)

/** Person 1 operates; 2 owns ada (1), 3 owns bob (2) and is in ada, 4 owns nothing, 5 owns eve (3) and is disabled. */
beforeEach(() => {
  connection = memoryDatabase()
  db = dbOver(connection)
  connection.run(`
    INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'ada', 'active', 0, 0, 0, 0), (2, 'bob', 'active', 0, 0, 0, 0), (3, 'eve', 'active', 0, 0, 0, 0);
    INSERT INTO people VALUES (1, NULL, 'operator', 'op@example.com', 5, NULL, 0), (2, 1, 'Ada', 'ada@example.com', 5, NULL, 0),
      (3, 2, 'Bob', 'bob@example.com', NULL, NULL, 0), (4, NULL, 'Nina', 'nina@example.com', 5, NULL, 0), (5, 3, 'Eve', 'eve@example.com', 5, 7, 0);
    INSERT INTO staff VALUES (1, 1, 'operator', 0);
    INSERT INTO memberships VALUES (1, 2, 1, 'owner', 0), (2, 3, 2, 'owner', 0), (3, 3, 1, 'owner', 0), (4, 5, 3, 'owner', 0);
    INSERT INTO passwords VALUES (1, '$argon2id$a', 0, 2), (2, '$argon2id$b', 0, 3)`)
})

describe('a typed name finds', () => {
  beforeEach(() => {
    connection.run(`
      INSERT INTO people VALUES (6, 1, 'Mia', 'mia@example.com', 5, NULL, 0), (7, NULL, 'Otto', 'otto@example.com', 5, NULL, 0);
      INSERT INTO memberships VALUES (6, 6, 1, 'member', 0);
      INSERT INTO staff VALUES (3, 7, 'auditor', 0)`)
  })

  test.each([
    ['the operator by no name', undefined, 1, null],
    ['the operator by "operator"', 'operator', 1, null],
    ['the operator by "Operator"', 'Operator', 1, null],
    ['the first owner by the name of an account', 'ada', 2, 1],
    ['the first owner of another account', 'bob', 3, 2],
    ['a person by a verified address', 'ada@example.com', 2, 1],
    ['a person by their address in capitals', 'ADA@example.com', 2, 1],
    ['an operator by their address', 'op@example.com', 1, null],
    ['a person by an unverified address', 'bob@example.com', 3, 2],
    ['a member by their address', 'mia@example.com', 6, 1],
    ['an auditor by their address', 'otto@example.com', 7, null],
  ])('%s', async (_, typed, person_id, account_id) => {
    expect(await personNamed(db, typed)).toMatchObject({ person: { id: person_id }, account_id })
  })

  test.each([
    ['an unknown name', 'mia'],
    ['the address of a person without an account', 'nina@example.com'],
    ['the address of a disabled person', 'eve@example.com'],
    ['the name of an account with a disabled owner', 'eve'],
  ])('nobody by %s', async (_, typed) => {
    expect(await personNamed(db, typed)).toBeUndefined()
  })

  test('an account before a person whose address is the name of the account', async () => {
    connection.run("UPDATE accounts SET name = 'ada@example.com' WHERE id = 2")
    expect(await personNamed(db, 'ada@example.com')).toMatchObject({ person: { id: 3 }, account_id: 2 })
  })
})

test('a person starts as an operator if they are one, otherwise in their oldest account', async () => {
  expect(await entranceOf(db, 3)).toMatchObject({ account_id: 2 })
  connection.run("INSERT INTO staff VALUES (2, 3, 'operator', 0)")
  expect(await entranceOf(db, 3)).toMatchObject({ account_id: null })
})

describe('a person with several accounts starts in', () => {
  const suspend = (id: number) => connection.run(`UPDATE accounts SET status = 'suspended' WHERE id = ${id}`)
  const close = (id: number) => {
    suspend(id)
    connection.run(`INSERT INTO closed_accounts (account_id, closed_at_ms) VALUES (${id}, 1)`)
  }

  /** Bob (3) owns bob (2), his oldest account, and ada (1). */
  test.each<[string, { suspended?: number[]; closed?: number[] }, number, number?]>([
    ['the first one', {}, 2],
    ['the second one if the first is suspended and not named', { suspended: [2] }, 1, 2],
    ['the second one if the first is closed', { closed: [2] }, 1],
    ['the suspended one if the other is closed', { closed: [2], suspended: [1] }, 1],
    ['the first one if all are suspended', { suspended: [1, 2] }, 2],
  ])('%s', async (_, { suspended = [], closed = [] }, account_id, named = account_id) => {
    suspended.forEach(suspend)
    closed.forEach(close)
    for (const found of [await entranceOf(db, 3), await personNamed(db, 'bob@example.com')])
      expect(found).toMatchObject({ person: { id: 3 }, account_id })
    expect(await personNamed(db, 'bob')).toMatchObject({ person: { id: 3 }, account_id: named })
  })

  test('none of them if all are closed', async () => {
    close(1)
    close(2)
    expect(await entranceOf(db, 3)).toBeUndefined()
    expect(await personNamed(db, 'bob@example.com')).toBeUndefined()
    expect(await personNamed(db, 'bob')).toBeUndefined()
  })

  test('the staff’s side if they belong to the staff, whatever the state of the accounts', async () => {
    connection.run("INSERT INTO staff VALUES (2, 3, 'auditor', 0)")
    close(1)
    close(2)
    expect(await entranceOf(db, 3)).toMatchObject({ account_id: null })
    expect(await personNamed(db, 'bob')).toMatchObject({ account_id: null })
  })

  test('no closed account, even by a session in it', async () => {
    expect(await personOnSide(db, { person_id: 3, account_id: 2 })).toMatchObject({ role: 'owner' })
    close(2)
    expect(await personOnSide(db, { person_id: 3, account_id: 2 })).toBeUndefined()
  })
})

describe('a session ends at once', () => {
  const opening = {
    token: 'x'.repeat(43),
    visitor: { address: undefined, user_agent: '' },
    now_ms: NOW,
    settings: { enabled: true, insecure_http: false, session_hours: 1, idle_hours: 1 },
  }
  const viewer = async () => {
    const row = await sessionByToken(db, opening.token)
    return row && (await viewerOf(db, row, { now_ms: NOW, address: undefined }))
  }

  test.each([
    ['of a disabled person', 1, 'UPDATE people SET disabled_at_ms = 1 WHERE id = 2'],
    ['of a person removed from the account', 1, 'DELETE FROM memberships WHERE person_id = 2'],
    ['of a former operator', null, 'DELETE FROM staff'],
    ['of a disabled operator', null, 'UPDATE people SET disabled_at_ms = 1 WHERE id = 1'],
  ])('%s', async (_, account_id, change) => {
    await openSessionAt(db, account_id, opening)
    expect(await viewer()).toMatchObject({ person_id: account_id === null ? 1 : 2 })
    connection.run(change)
    await expect(viewer()).rejects.toMatchObject({ code: 'session_required' })
  })

  test.each([
    [
      'an owner who becomes billing',
      1,
      "UPDATE memberships SET role = 'billing' WHERE person_id = 2",
      'billing',
    ],
    [
      'an owner who becomes a member',
      1,
      "UPDATE memberships SET role = 'member' WHERE person_id = 2",
      'member',
    ],
    [
      'an operator who becomes support',
      null,
      "UPDATE staff SET role = 'support' WHERE person_id = 1",
      'support',
    ],
  ] as const)('or gets the new role at once: %s', async (_, account_id, change, role) => {
    await openSessionAt(db, account_id, opening)
    connection.run(change)
    expect(await viewer()).toMatchObject({ role })
  })

  test('but not a session of another person or in another account', async () => {
    await openSessionAt(db, 2, opening)
    connection.run(
      'DELETE FROM memberships WHERE id IN (1, 3); UPDATE people SET disabled_at_ms = 1 WHERE id = 2',
    )
    expect(await viewer()).toMatchObject({ role: 'owner', person_id: 3, account_id: 2 })
    expect(await personOnSide(db, { person_id: 3, account_id: 1 })).toBeUndefined()
  })
})

describe('a missing person is created', () => {
  test('as the first operator, once', async () => {
    await db.begin((tx) => requireFirstOperator(tx, NOW))
    connection.run('DELETE FROM staff')
    const made = await db.begin((tx) => requireFirstOperator(tx, NOW))
    expect(made).toMatchObject({ id: 6, account_id: null, name: 'operator' })
    expect(await db.begin((tx) => requireFirstOperator(tx, NOW))).toEqual(made)
  })

  test('as the owner of each account without one who can sign in', async () => {
    const accounts = [1, 2, 3].map((account_id) => ({ account_id, name: `account ${account_id}` }))
    const owners = await db.begin((tx) => requireOwners(tx, accounts, NOW))
    expect([...owners].toSorted()).toEqual([
      [1, 2],
      [2, 3],
      [3, 6],
    ])
    expect(await personNamed(db, 'eve')).toMatchObject({ person: { id: 6, name: 'account 3' } })
  })
})

test('an account’s first owner is its oldest member, not the oldest person', async () => {
  connection.run("INSERT INTO memberships VALUES (5, 2, 2, 'owner', 0)")
  const owners = await db.begin((tx) => requireOwners(tx, [{ account_id: 2, name: 'bob' }], NOW))
  expect([owners.get(2), (await personNamed(db, 'bob'))?.person.id]).toEqual([3, 3])
})

test('the audit log never attributes actions of an erased person to a later person with the same number', async () => {
  const record = (created_at_ms: number) =>
    connection.run(`INSERT INTO actions (created_at_ms, action, actor, session_id, account_id, person_id)
      VALUES (${created_at_ms}, 'session.started', 'account', 1, 3, 5)`)
  record(NOW - 1)
  connection.run('DELETE FROM memberships WHERE person_id = 5; DELETE FROM people WHERE id = 5')
  const made = await db.begin((tx) => requireOwners(tx, [{ account_id: 3, name: 'eve' }], NOW))
  expect(made.get(3)).toBe(5)
  record(NOW)
  const { rows } = await listActions(db, {}, { limit: 9 })
  expect(rows.map(({ person_name }) => person_name)).toEqual(['eve', null])
})

describe('closing an account removes the password of', () => {
  test('a person without another account', async () => {
    await closeAccount(db, 'ada', NOW)
    expect([await hashOf(db, 2), await hashOf(db, 3)]).toEqual([undefined, '$argon2id$b'])
  })

  test('a person whose other accounts are closed', async () => {
    await closeAccount(db, 'bob', NOW)
    expect(await hashOf(db, 3)).toBe('$argon2id$b')
    await closeAccount(db, 'ada', NOW)
    expect(await hashOf(db, 3)).toBeUndefined()
  })

  test('no member of the staff', async () => {
    connection.run("INSERT INTO staff VALUES (2, 2, 'operator', 0)")
    await closeAccount(db, 'ada', NOW)
    expect(await hashOf(db, 2)).toBe('$argon2id$a')
  })
})

describe('erasing an account erases', () => {
  const homes = () =>
    connection
      .query<{ home: number | null }, []>('SELECT account_id AS home FROM people ORDER BY id')
      .values()

  test('people without another account, and keeps the others', async () => {
    await startErasing(db, 'bob', NOW)
    expect(homes().flat()).toEqual([null, 1, 1, null, 3])
    await startErasing(db, 'ada', NOW)
    // Bob's account is erased, too: he is erased with the last one.
    expect(homes().flat()).toEqual([null, 1, 1, null, 3])
  })

  test('their memberships and sessions elsewhere, which would keep them', async () => {
    connection.run(`INSERT INTO sessions VALUES (1, randomblob(32), 'operator', NULL, NULL, NULL, '', 0, 0, 9, 3, NULL, NULL, NULL, NULL),
      (2, randomblob(32), 'operator', NULL, NULL, NULL, '', 0, 0, 9, 1, NULL, NULL, NULL, NULL)`)
    // The erasure does not run to its end: the rest is deleted later.
    await startErasing(db, 'bob', NOW)
    await startErasing(db, 'ada', NOW)
    expect(await db.rows('SELECT id FROM sessions')).toEqual([{ id: 2 }])
    expect(await db.rows('SELECT id FROM memberships WHERE person_id = 3')).toEqual([{ id: 3 }])
  })

  test('no member of the staff', async () => {
    connection.run("INSERT INTO staff VALUES (2, 2, 'operator', 0)")
    await startErasing(db, 'ada', NOW)
    expect(homes().flat()).toEqual([null, null, 2, null, 3])
  })
})
