// Snapshots that outlive their sessions: prepared transactions, replication slots and standbys keep versions of rows from being removed, as VACUUM shows.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SQL } from 'bun'
import { PostgresDb } from '../../../src/store/engines/postgres/db.ts'
import { snapshotsOn } from '../../../src/store/engines/postgres/snapshots.ts'
import { eventually, retryUntilDone } from '../../support/eventually.ts'
import { NATIVE } from '../../support/postgres-program.ts'
import { startReplicated } from '../../support/postgres-server.ts'

setDefaultTimeout(60_000)

const SLOT = 'berlin'
const REPORTS_EVERY_S = 1
const VACUUMS_EVERY_MS = 100

type Servers = Awaited<ReturnType<typeof startReplicated>>

describe.if(NATIVE !== undefined)('versions of rows', () => {
  let servers: Servers
  let sql: SQL
  let db: PostgresDb
  beforeAll(async () => {
    servers = await startReplicated(NATIVE ?? '', {
      primary: ['max_prepared_transactions=4', 'wal_level=logical', 'synchronous_standby_names='],
      standby: [
        'hot_standby_feedback=on',
        `wal_receiver_status_interval=${REPORTS_EVERY_S}`,
        'max_prepared_transactions=4',
        'wal_level=logical',
      ],
    })
    sql = new SQL({ url: servers.primary.url, max: 1 })
    await retryUntilDone('the primary answers', () => sql.unsafe('SELECT 1'))
    await sql.unsafe('CREATE TABLE counted (id int PRIMARY KEY, value int)')
    await sql.unsafe('INSERT INTO counted VALUES (1, 0)')
    db = new PostgresDb(servers.primary.url, { readonly: true })
  })
  afterAll(async () => {
    await db.close()
    await sql.end()
    await servers[Symbol.asyncDispose]()
  })

  let tables = 0
  /** True if versions of rows deleted now are kept for longer than a standby takes to report that it reads none of them. */
  async function keepsVersions(): Promise<boolean> {
    tables += 1
    const table = `counted_${tables}`
    await sql.unsafe(`CREATE TABLE ${table} AS SELECT * FROM generate_series(1, 1000)`)
    await sql.unsafe(`DELETE FROM ${table}`)
    const due_ms = performance.now() + 3 * REPORTS_EVERY_S * 1_000
    for (;;) {
      await sql.unsafe(`VACUUM ${table}`)
      const [size] = await sql.unsafe(`SELECT pg_relation_size('${table}')::int AS bytes`)
      if (size.bytes === 0) return false
      if (performance.now() > due_ms) return true
      await Bun.sleep(VACUUMS_EVERY_MS)
    }
  }

  test('are removed without a snapshot', async () => {
    expect(await keepsVersions()).toBe(false)
    expect((await snapshotsOn(db)).oldest).toBeUndefined()
  })

  test('are kept for a prepared transaction', async () => {
    await sql.unsafe("BEGIN; INSERT INTO counted VALUES (2, 0); PREPARE TRANSACTION 'bob''s'").simple()
    try {
      expect(await keepsVersions()).toBe(true)
      const { oldest } = await snapshotsOn(db)
      expect(oldest).toEqual({
        kind: 'prepared',
        name: "bob's",
        user: 'tollgate',
        application: '',
        age_ms: expect.any(Number),
        transactions: expect.any(Number),
      })
      expect(oldest?.age_ms).toBeGreaterThan(0)
      expect(oldest?.transactions).toBeGreaterThan(2)
    } finally {
      await sql.unsafe("ROLLBACK PREPARED 'bob''s'")
    }
    expect((await snapshotsOn(db)).oldest).toBeUndefined()
  })

  test('are not kept for a prepared transaction of another database', async () => {
    await sql.unsafe('CREATE DATABASE other')
    const other = new SQL({
      url: Object.assign(new URL(servers.primary.url), { pathname: '/other' }).href,
      max: 1,
    })
    await other.unsafe("BEGIN; CREATE TABLE one (id int); PREPARE TRANSACTION 'elsewhere'").simple()
    expect((await snapshotsOn(db)).oldest).toBeUndefined()
    await other.unsafe("ROLLBACK PREPARED 'elsewhere'")
    await other.end()
  })

  test('are kept for a logical slot only in system tables', async () => {
    await sql.unsafe("SELECT pg_create_logical_replication_slot('changes', 'pgoutput')")
    const [slot] = await sql.unsafe('SELECT xmin, catalog_xmin FROM pg_replication_slots')
    expect([slot.xmin, slot.catalog_xmin]).toEqual([null, expect.anything()])
    expect(await keepsVersions()).toBe(false)
    expect((await snapshotsOn(db)).oldest).toBeUndefined()
    await sql.unsafe("SELECT pg_drop_replication_slot('changes')")
  })

  /** Looks while a query on the standby reads as of one moment. */
  async function whileStandbyReads(look: () => Promise<void>): Promise<void> {
    await using reader = new SQL({ url: servers.standby.url, max: 1 })
    await retryUntilDone('the standby answers', () => reader.unsafe('SELECT count(*) FROM counted'))
    const session = await reader.reserve()
    await session.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ').simple()
    await session.unsafe('SELECT count(*) FROM counted')
    try {
      await look()
    } finally {
      // Otherwise its connection would wait for it, and hide the failure.
      await session.unsafe('ROLLBACK').simple()
      await session.release()
    }
  }

  test('are kept for a standby that reports its reads', async () => {
    await whileStandbyReads(async () => {
      await eventually('versions are kept for it', keepsVersions)
      const { undated } = await snapshotsOn(db)
      expect(undated).toMatchObject({
        kind: 'standby',
        user: 'tollgate',
        application: 'walreceiver',
        age_ms: null,
      })
      // Counted from its report: at least the transaction that deleted the kept versions.
      expect(undated?.transactions).toBeGreaterThan(0)
    })
    expect(await keepsVersions()).toBe(false)
  })

  test('are kept for a slot while its standby reads, and after the standby is away', async () => {
    await sql.unsafe(`SELECT pg_create_physical_replication_slot('${SLOT}')`)
    const standby = new SQL({ url: servers.standby.url, max: 1 })
    await standby.unsafe(`ALTER SYSTEM SET primary_slot_name = '${SLOT}'`)
    await standby.unsafe('SELECT pg_reload_conf()')
    await whileStandbyReads(async () => {
      await eventually('its slot has them', async () => (await snapshotsOn(db)).undated?.kind === 'slot')
      expect(await keepsVersions()).toBe(true)
      const { undated } = await snapshotsOn(db)
      expect(undated).toMatchObject({ kind: 'slot', name: SLOT, user: '', application: '', age_ms: null })
    })
    await standby.end()
    await servers.standby[Symbol.asyncDispose]()
    await eventually('the standby is away', async () => {
      const [slot] = await sql.unsafe('SELECT active FROM pg_replication_slots')
      return slot.active === false
    })
    expect(await keepsVersions()).toBe(true)
    const { oldest, undated } = await snapshotsOn(db)
    expect(oldest ?? undated).toMatchObject({ kind: 'slot', name: SLOT })
    if (Number((await sql.unsafe('SHOW server_version_num'))[0].server_version_num) >= 170_000)
      expect(oldest?.age_ms).toBeGreaterThan(0)
    await sql.unsafe(`SELECT pg_drop_replication_slot('${SLOT}')`)
    expect(await keepsVersions()).toBe(false)
  })
})
