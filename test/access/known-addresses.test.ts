// Known addresses of people who signed in: the comparison of addresses, their owner, their number, and their lifetime.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createAccount } from '../../src/access/accounts.ts'
import { resetOperator } from '../../src/access/operator-reset.ts'
import { makeOperatorsLink } from '../../src/access/sign-in-links.ts'
import {
  forgetAddresses,
  isKnownAddress,
  rememberAddress,
  sweepAddresses,
} from '../../src/access/sign-in-rate.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { personAtConsole } from '../support/people.ts'

const DAY_MS = 86_400_000
let connection = memoryDatabase()
let db = dbOver(connection)
let alice = 0
let operator = 0
beforeEach(async () => {
  connection = memoryDatabase()
  db = dbOver(connection)
  const { id } = await createAccount(db, { name: 'alice', now_ms: 0 })
  alice = await personAtConsole(db, id)
  operator = await personAtConsole(db, null)
})
afterEach(() => connection.close())

const remember = (address: string | undefined, person_id = operator, now_ms = 0) =>
  rememberAddress(db, { person_id, address, now_ms })
const isKnown = (address: string | undefined, person_id = operator, now_ms = 0) =>
  isKnownAddress(db, { person_id, address, now_ms })
const rows = () =>
  connection.query<{ rows: number }, []>('SELECT count(*) AS rows FROM known_addresses').get()?.rows

describe('an address is known', () => {
  test.each([
    ['the same', '203.0.113.7', '203.0.113.7', true],
    ['another', '203.0.113.7', '203.0.113.8', false],
    ['the same, as a socket of both families writes it', '203.0.113.7', '::ffff:203.0.113.7', true],
    ['another of an IPv6 network', '2001:db8:0:1::5', '2001:db8:0:1:ffff::9', true],
    ['another IPv6 network', '2001:db8:0:1::5', '2001:db8:0:2::5', false],
    ['a missing one', undefined, undefined, false],
    ['a host name', 'proxy.local', 'proxy.local', false],
  ])('%s', async (_, before, now, known) => {
    await remember(before)
    expect(await isKnown(now)).toBe(known)
  })

  test('for the person who signed in there, and for no other', async () => {
    await remember('203.0.113.7', alice)
    expect([await isKnown('203.0.113.7', alice), await isKnown('203.0.113.7', operator)]).toEqual([
      true,
      false,
    ])
  })

  test('for 90 days after the last sign-in', async () => {
    await remember('203.0.113.7', operator, 0)
    await remember('203.0.113.7', operator, DAY_MS)
    expect(rows()).toBe(1)
    expect(await isKnown('203.0.113.7', operator, 91 * DAY_MS - 1)).toBe(true)
    expect(await isKnown('203.0.113.7', operator, 91 * DAY_MS)).toBe(false)
    await sweepAddresses(db, 91 * DAY_MS - 1)
    expect(rows()).toBe(1)
    await sweepAddresses(db, 91 * DAY_MS)
    expect(rows()).toBe(0)
  })

  test('among the last twenty of each person', async () => {
    await remember('203.0.113.7', operator)
    for (let i = 0; i < 30; i++) await remember(`198.51.100.${i}`, alice)
    expect(rows()).toBe(21)
    expect(await isKnown('203.0.113.7', operator)).toBe(true)
    expect(await isKnown('198.51.100.10', alice)).toBe(true)
    expect(await isKnown('198.51.100.9', alice)).toBe(false)
  })
})

test('a reset of the operator forgets only the operator’s addresses', async () => {
  const issuing = { randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)), now_ms: 0 }
  await remember('203.0.113.7', operator)
  await remember('203.0.113.7', alice)
  await makeOperatorsLink(db, issuing)
  expect(await isKnown('203.0.113.7')).toBe(true)
  await resetOperator(db, issuing)
  expect([await isKnown('203.0.113.7'), await isKnown('203.0.113.7', alice)]).toEqual([false, true])
  await forgetAddresses(db, alice)
  expect(rows()).toBe(0)
})
