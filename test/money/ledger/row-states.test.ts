// Movements that change the state of rows in their transaction: both or neither, once, whoever else changes them; and their shares.
import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Operation, Outcome, Share } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import type { StateChange } from '../../../src/store/state-changes.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { inOne, type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { change, KEPT, type Kept, THINGS } from './rows-with-states.ts'
import { MAX_NANOS, money, refused } from './steps.ts'
import { brokenInvariants, NOW, openDebt, topUp, withdraw, world } from './world.ts'

interface Place {
  /** Statements before the operations. */
  run(texts: readonly string[]): Promise<void>
  commit(operations: readonly Operation[]): Promise<unknown[]>
  rows<Row>(sql: string): Promise<Row[]>
  broken(): Promise<string[]>
}

const onSqlite = (commit: (db: Database, operations: readonly Operation[]) => Outcome[]) => (): Place => {
  const db = world({ balance: 100 })
  return {
    run: async (texts) => texts.forEach((text) => void db.run(text)),
    commit: async (operations) => commit(db, operations),
    rows: async <Row>(sql: string) => db.query<Row, []>(sql).all(),
    broken: async () => brokenInvariants(db),
  }
}
const here: Readonly<Record<string, () => Place>> = {
  'in one batch': onSqlite((db, operations) => createWriter(db).commit(operations)),
  'each in a batch': onSqlite((db, operations) => {
    const writer = createWriter(db)
    return operations.flatMap((operation) => writer.commit([operation]))
  }),
  'each by a process of its own': onSqlite((db, operations) =>
    operations.flatMap((operation) => createWriter(db).commit([operation])),
  ),
}

const keyed = <O extends Operation>(operation: O, request_key: string): O => ({ ...operation, request_key })
const changing = <O extends Operation>(operation: O, ...changes: StateChange[]): O => ({
  ...operation,
  changes,
})
const wrong = (state?: string) => ({ ...refused('wrong_state'), state })

/** Row 1 is open and of account 1, row 2 has no account, row 3 is of account 2, row 4 is paid and of account 1. */
const ROWS = `INSERT INTO things VALUES (1, 1, 'open', 5), (2, NULL, 'open', 5), (3, 2, 'open', 5), (4, 1, 'paid', 5)`
const UNCHANGED: Record<number, string> = { 1: '1 open 5', 2: 'null open 5', 3: '2 open 5', 4: '1 paid 5' }
const AT = `${NOW}`

interface Case {
  name: string
  steps: readonly (readonly [Operation, unknown])[]
  /** The rows that have changed. */
  rows?: Record<number, string>
  kept?: string[]
  /** Balance and debt of account 1 in the end; 100 and 0 before. */
  after?: [balance: number, debt: number]
}

const CASES: Case[] = [
  {
    name: 'a top-up makes an order paid',
    steps: [[changing(topUp(10), change(1)), money(110)]],
    rows: { 1: `1 paid ${AT}` },
    kept: ['things 1 open paid webhook of 1 {"event":"evt_1"}'],
    after: [110, 0],
  },
  {
    name: 'a withdrawal begins a refund',
    steps: [
      [
        changing(withdraw(10), change(1, { to: 'debited', source: 'operator', detail: undefined })),
        money(90),
      ],
    ],
    rows: { 1: `1 debited ${AT}` },
    kept: ['things 1 open debited operator of 1 {}'],
    after: [90, 0],
  },
  {
    name: 'a lost dispute is debt, beyond what the balance has',
    steps: [[changing(openDebt(130), change(4, { from: ['paid'], to: 'lost' })), money(0, 30)]],
    rows: { 4: `1 lost ${AT}` },
    kept: ['things 4 paid lost webhook of 1 {"event":"evt_1"}'],
    after: [0, 30],
  },
  {
    name: 'any of several states is accepted, and the recorded change names it',
    steps: [[changing(topUp(10), change(4, { from: ['open', 'paid'], to: 'refunded' })), money(110)]],
    rows: { 4: `1 refunded ${AT}` },
    kept: ['things 4 paid refunded webhook of 1 {"event":"evt_1"}'],
    after: [110, 0],
  },
  {
    name: 'several rows change with one movement',
    steps: [[changing(topUp(10), change(1), change(2)), money(110)]],
    rows: { 1: `1 paid ${AT}`, 2: `1 paid ${AT}` },
    kept: [
      'things 1 open paid webhook of 1 {"event":"evt_1"}',
      'things 2 open paid webhook of 1 {"event":"evt_1"}',
    ],
    after: [110, 0],
  },
  {
    name: 'a row without an account becomes one of the account',
    steps: [[changing(topUp(10, 2), change(2)), money(10)]],
    rows: { 2: `2 paid ${AT}` },
    kept: ['things 2 open paid webhook of 2 {"event":"evt_1"}'],
  },
  {
    name: 'a row in another state is refused, and its state is named',
    steps: [
      [changing(topUp(10), change(4)), wrong('paid')],
      [changing(withdraw(10), change(4)), wrong('paid')],
      [changing(openDebt(10), change(4)), wrong('paid')],
    ],
  },
  {
    name: 'an unknown row is refused',
    steps: [[changing(topUp(10), change(9)), wrong()]],
  },
  {
    name: 'a row of another account is refused, without its state',
    steps: [[changing(topUp(10), change(3)), wrong()]],
  },
  {
    name: 'both rows stay unchanged if one of them is in another state',
    steps: [[changing(topUp(10), change(1), change(4)), wrong('paid')]],
  },
  {
    name: 'a movement that is refused for its amount leaves the row unchanged',
    steps: [
      [changing(withdraw(101), change(1)), refused('insufficient_balance')],
      [changing(topUp(0), change(1)), refused('amount_out_of_range')],
      [changing(topUp(MAX_NANOS), change(1)), refused('amount_out_of_range')],
      [changing(openDebt(-1), change(1)), refused('amount_out_of_range')],
      [changing(topUp(10, 9), change(1)), refused('no_such_account')],
    ],
  },
  {
    name: 'under a used key nothing changes, and the first movement is returned',
    steps: [
      [changing(keyed(topUp(10), 'order:1'), change(1)), money(110)],
      [
        changing(keyed(topUp(10), 'order:1'), change(1)),
        expect.objectContaining({ ...money(110), first: expect.anything() }),
      ],
      [
        changing(keyed(topUp(10), 'order:1'), change(2)),
        expect.objectContaining({ ...money(110), first: expect.anything() }),
      ],
      [
        changing(keyed(topUp(11), 'order:1'), change(2)),
        expect.objectContaining(refused('request_key_used')),
      ],
    ],
    rows: { 1: `1 paid ${AT}` },
    kept: ['things 1 open paid webhook of 1 {"event":"evt_1"}'],
    after: [110, 0],
  },
  {
    name: 'a refused movement does not use its key',
    steps: [
      [changing(keyed(topUp(10), 'order:1'), change(4)), wrong('paid')],
      [changing(keyed(topUp(10), 'order:1'), change(1)), money(110)],
    ],
    rows: { 1: `1 paid ${AT}` },
    kept: ['things 1 open paid webhook of 1 {"event":"evt_1"}'],
    after: [110, 0],
  },
  {
    name: 'the first of several movements gets the row',
    steps: [
      [changing(topUp(10), change(2)), money(110)],
      [changing(topUp(10), change(2)), wrong('paid')],
      [changing(topUp(10, 2), change(2)), wrong()],
    ],
    rows: { 2: `1 paid ${AT}` },
    kept: ['things 2 open paid webhook of 1 {"event":"evt_1"}'],
    after: [110, 0],
  },
  {
    name: 'each change starts from the state that the last one left',
    steps: [
      [changing(topUp(10), change(1)), money(110)],
      [changing(withdraw(4), change(1, { from: ['paid'], to: 'refunded' })), money(106)],
    ],
    rows: { 1: `1 refunded ${AT}` },
    kept: [
      'things 1 open paid webhook of 1 {"event":"evt_1"}',
      'things 1 paid refunded webhook of 1 {"event":"evt_1"}',
    ],
    after: [106, 0],
  },
]

async function expectCase({ run, commit, rows, broken }: Place, specified: Case): Promise<void> {
  await run([ROWS])
  const outcomes = await commit(specified.steps.map(([operation]) => operation))
  expect(outcomes).toEqual(specified.steps.map(([, outcome]) => outcome))
  expect(await thingsIn(rows)).toEqual({ ...UNCHANGED, ...specified.rows })
  expect(await keptIn(rows)).toEqual(specified.kept ?? [])
  const [account] = await rows('SELECT balance_nanos, debt_nanos FROM accounts WHERE id = 1')
  const [balance_nanos, debt_nanos] = specified.after ?? [100, 0]
  expect(account).toEqual({ balance_nanos, debt_nanos })
  expect(await broken()).toEqual([])
}

const thingsIn = async (rows: Place['rows']) =>
  Object.fromEntries(
    (
      await rows<{ id: number; account_id: number | null; state: string; changed_at_ms: number }>(
        'SELECT * FROM things ORDER BY id',
      )
    ).map(({ id, account_id, state, changed_at_ms }) => [id, `${account_id} ${state} ${changed_at_ms}`]),
  )
const keptIn = async (rows: Place['rows']) =>
  (await rows<Kept>(KEPT)).map(
    ({ subject, subject_id, from_state, to_state, source, account_id, detail }) =>
      `${subject} ${subject_id} ${from_state} ${to_state} ${source} of ${account_id} ${detail}`,
  )

const share = (amount_nanos: number, account_id = 2, request_key = 'referral:1'): Share => ({
  account_id,
  amount_nanos,
  note: 'referral',
  request_key,
})
const sharing = (amount_nanos: number, ...shares: Share[]) => ({ ...topUp(amount_nanos), shares })

/** A top-up that makes row 2 paid, and pays for the purchase that row 1 stands for. */
const buying = (credit_nanos: number, amount_nanos: number, ...changes: StateChange[]) => ({
  ...changing(topUp(credit_nanos), change(2)),
  purchase: { amount_nanos, note: 'plan', request_key: 'plan:1', changes },
})
const PAID = 'things 2 open paid webhook of 1 {"event":"evt_1"}'
const BOUGHT = 'things 1 open paid webhook of 1 {"event":"evt_1"}'
const credited = { rows: { 2: `1 paid ${AT}` }, kept: [PAID] }

const PURCHASES: Case[] = [
  {
    name: 'the top-up pays for it',
    steps: [[buying(20, 20, change(1)), money(100)]],
    rows: { 1: `1 paid ${AT}`, 2: `1 paid ${AT}` },
    kept: [PAID, BOUGHT],
    after: [100, 0],
  },
  {
    name: 'the rest of the credit stays',
    steps: [[buying(21, 20, change(1)), money(101)]],
    rows: { 1: `1 paid ${AT}`, 2: `1 paid ${AT}` },
    kept: [PAID, BOUGHT],
    after: [101, 0],
  },
  {
    name: 'for a row in another state only the credit is made',
    steps: [[buying(20, 20, change(4)), money(120)]],
    ...credited,
    after: [120, 0],
  },
  {
    name: 'for a row of another account, too',
    steps: [[buying(20, 20, change(3)), money(120)]],
    ...credited,
    after: [120, 0],
  },
  {
    name: 'under a used key, too',
    steps: [
      [keyed(withdraw(20), 'plan:1'), money(80)],
      [buying(20, 20, change(1)), money(100)],
    ],
    ...credited,
    after: [100, 0],
  },
  {
    name: 'for an amount of 0, too',
    steps: [[buying(20, 0, change(1)), money(120)]],
    ...credited,
    after: [120, 0],
  },
  {
    name: 'debt comes first: the rest does not pay for it',
    steps: [
      [openDebt(105), money(0, 5)],
      [buying(20, 20, change(1)), money(15)],
    ],
    ...credited,
    after: [15, 0],
  },
  {
    name: 'a refused top-up pays for nothing',
    steps: [[{ ...buying(20, 20, change(1)), changes: [change(4)] }, wrong('paid')]],
    after: [100, 0],
  },
  {
    name: 'a repeated top-up pays for nothing more',
    steps: [
      [keyed(topUp(20), 'order:1'), money(120)],
      [keyed(buying(20, 20, change(1)), 'order:1'), expect.objectContaining(money(120))],
    ],
    after: [120, 0],
  },
]

interface SharesCase {
  name: string
  steps: readonly (readonly [Operation, unknown])[]
  /** Balance and debt of account 2 in the end. */
  theirs: [balance: number, debt: number]
  /** The audit log of account 2. */
  log: string[]
}

const LINE = 'balance.topped_up'
const SHARES: SharesCase[] = [
  {
    name: 'another account is credited with the top-up',
    steps: [[sharing(10, share(3)), money(110)]],
    theirs: [3, 0],
    log: [LINE],
  },
  {
    name: 'its debt is paid first',
    steps: [
      [openDebt(5, 2), money(0, 5)],
      [sharing(10, share(3)), money(110)],
      [sharing(10, share(4, 2, 'referral:2')), money(120)],
    ],
    theirs: [2, 0],
    log: ['balance.debt_opened', LINE, LINE],
  },
  {
    name: 'under a key that the other account has used nothing more is credited, and the top-up is made',
    steps: [
      [sharing(10, share(3)), money(110)],
      [sharing(10, share(3)), money(120)],
      [sharing(10, share(4)), money(130)],
    ],
    theirs: [3, 0],
    log: [LINE],
  },
  {
    name: 'nothing is credited to an unknown account, and the top-up is made',
    steps: [[sharing(10, share(3, 9), share(3)), money(110)]],
    theirs: [3, 0],
    log: [LINE],
  },
  {
    name: 'shares of 0, below it, of half a nano-dollar and above the safe integers are left out, and the top-up is made',
    steps: [
      [keyed(topUp(1, 2), 'first'), money(1)],
      ...[0, -1, 0.5, Number.NaN, MAX_NANOS].map(
        (amount, at) => [sharing(10, share(amount, 2, `referral:${at}`)), money(110 + 10 * at)] as const,
      ),
    ],
    theirs: [1, 0],
    log: [LINE],
  },
  {
    name: 'a refused top-up credits nobody',
    steps: [
      [sharing(0, share(3)), refused('amount_out_of_range')],
      [changing(sharing(10, share(3)), change(4)), wrong('paid')],
    ],
    theirs: [0, 0],
    log: [],
  },
  {
    name: 'a repeated top-up credits nobody again',
    steps: [
      [keyed(sharing(10), 'order:1'), money(110)],
      [keyed(sharing(10, share(3)), 'order:1'), expect.objectContaining(money(110))],
    ],
    theirs: [0, 0],
    log: [],
  },
]

async function expectShares({ run, commit, rows, broken }: Place, specified: SharesCase): Promise<void> {
  await run([ROWS])
  const outcomes = await commit(specified.steps.map(([operation]) => operation))
  expect(outcomes).toEqual(specified.steps.map(([, outcome]) => outcome))
  const [account] = await rows('SELECT balance_nanos, debt_nanos FROM accounts WHERE id = 2')
  const [balance_nanos, debt_nanos] = specified.theirs
  expect(account).toEqual({ balance_nanos, debt_nanos })
  const log = await rows<{ action: string }>('SELECT action FROM actions WHERE account_id = 2 ORDER BY id')
  expect(log.map(({ action }) => action)).toEqual(specified.log)
  expect(await broken()).toEqual([])
}

/** Invalid names: refused before any statement, and without harm to others in the batch. */
const INVALID_NAMES: [string, Partial<StateChange>][] = [
  ['a table', { table: 'things; DROP TABLE things' }],
  ['a table in quotes', { table: '"things"' }],
  ['no table', { table: '' }],
  ['a state', { to: "paid' --" }],
  ['a state before', { from: ['open', 'Open'] }],
]

describe.each(Object.entries(here))('on SQLite, %s', (_, place) => {
  const withThings = async () => {
    const made = place()
    await made.run([THINGS])
    return made
  }
  test.each(CASES)('$name', async (specified) => expectCase(await withThings(), specified))
  test.each(PURCHASES)('purchase: $name', async (specified) => expectCase(await withThings(), specified))
  test.each(SHARES)('shares: $name', async (specified) => expectShares(await withThings(), specified))

  test.each(INVALID_NAMES)('an invalid name throws: %s', async (_, named) => {
    const { run, commit, rows } = await withThings()
    await run([ROWS])
    await expect((async () => commit([changing(topUp(10), change(1, named))]))()).rejects.toThrow(
      'not a name',
    )
    expect(await thingsIn(rows)).toEqual(UNCHANGED)
  })
})

describe.if(hasPostgres)('on PostgreSQL', () => {
  let there: PostgresWorld
  beforeAll(async () => {
    there = await postgresWorld()
    await there.run(THINGS)
  })
  afterAll(() => there[Symbol.asyncDispose]())

  const place = async (commit: Place['commit']): Promise<Place> => {
    await there.begin({ balance: 100 })
    await there.run(inOne(['DELETE FROM things']))
    return {
      run: async (texts) => there.run(texts.join(';')),
      commit,
      rows: async <Row>(sql: string) => await there.db.rows<Row>(sql),
      broken: there.brokenInvariants,
    }
  }
  const WAYS: [string, Place['commit']][] = [
    ['in one batch', (operations) => there.commit([...operations])],
    [
      'each in a batch',
      async (operations) => {
        const outcomes: unknown[] = []
        for (const operation of operations) outcomes.push(...(await there.commit([operation])))
        return outcomes
      },
    ],
  ]

  describe.each(WAYS)('%s', (_, commit) => {
    test.each(CASES)('$name', async (specified) => expectCase(await place(commit), specified))
    test.each(PURCHASES)('purchase: $name', async (specified) => expectCase(await place(commit), specified))
    test.each(SHARES)('shares: $name', async (specified) => expectShares(await place(commit), specified))
  })

  test.each(INVALID_NAMES)('an invalid name fails alone: %s', async (_, named) => {
    const { run, commit, rows } = await place((operations) => there.commit([...operations]))
    await run([ROWS])
    const outcomes = await commit([changing(topUp(10), change(1, named)), topUp(1)])
    expect(outcomes).toEqual([
      {
        failure: expect.objectContaining({
          unavailable: false,
          cause: expect.stringContaining('not a name'),
        }),
      },
      money(101),
    ])
    expect(await thingsIn(rows)).toEqual(UNCHANGED)
  })
})
