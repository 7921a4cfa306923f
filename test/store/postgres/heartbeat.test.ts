// Gateways over one database on PostgreSQL: those alive, by the clock of the server, and the log lines about the others.
import { afterAll, describe, expect, test } from 'bun:test'
import { joinGateways } from '../../../src/app/process/engine/heartbeat.ts'
import type { OwnGateway } from '../../../src/app/process/engine/own-gateway.ts'
import { PostgresDb } from '../../../src/store/engines/postgres/db.ts'
import { examineServer } from '../../../src/store/engines/postgres/examination.ts'
import { isAlive } from '../../../src/store/gateways.ts'
import { eventually } from '../../support/eventually.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { startProxy } from '../../support/postgres-proxy.ts'
import { temporary } from '../../support/temporary.ts'

const { url, db } = await databaseOfFile()
const joined: OwnGateway[] = []
const folders: Disposable[] = []
afterAll(async () => {
  await Promise.all(joined.map((gateway) => gateway.end()))
  for (const folder of folders) folder[Symbol.dispose]()
})

const TIMING = { beat_every_ms: 20, silent_after_ms: 500 }
const SLOWER = { beat_every_ms: 50, silent_after_ms: 3_000 }

interface Joining {
  folder?: string
  clock_off_ms?: number
  /** Never beats by itself. */
  is_silent?: boolean
  over?: PostgresDb
  /** The address of the server for it. */
  by_way_of?: string
  timing?: typeof TIMING
}

async function join({
  folder = newFolder(),
  clock_off_ms = 0,
  is_silent,
  over = db,
  by_way_of = url,
  timing = TIMING,
}: Joining = {}) {
  const log = memoryLog()
  const gateway = await joinGateways(over, by_way_of, {
    version: '1',
    data_folder: folder,
    log: log.log,
    now: () => Date.now() + clock_off_ms,
    timing: is_silent ? { ...timing, beat_every_ms: 2 ** 30 } : timing,
  })
  joined.push(gateway)
  return { gateway, log, folder }
}

function newFolder(): string {
  const folder = temporary()
  folders.push(folder)
  return folder.path
}

/** The time since the gateway last reported to the database. */
async function silentMs({ id }: OwnGateway): Promise<number> {
  const [row] = await db.rows<{ silent_ms: number }>(
    'SELECT now_ms() - seen_at_ms AS silent_ms FROM gateways WHERE id = $id',
    { id },
  )
  return row?.silent_ms ?? Number.POSITIVE_INFINITY
}

const messages = (log: ReturnType<typeof memoryLog>): unknown[] => log.lines().map(({ message }) => message)

describe.if(hasPostgres)('a gateway', () => {
  test('knows the others, and they know it', async () => {
    const [one, other] = [await join(), await join()]
    await eventually('each knows both', () =>
      [one, other].every(({ gateway }) =>
        [one, other].every((each) => gateway.alive.some(({ id }) => id === each.gateway.id)),
      ),
    )
    // The doctor sees the same.
    const { gateways } = await examineServer(url, Date.now)
    expect(gateways.map(({ id }) => id)).toEqual(one.gateway.alive.map(({ id }) => id))
    await other.gateway.end()
    await eventually('it is gone', () => one.gateway.alive.every(({ id }) => id !== other.gateway.id))
  })

  test.each([90_000, -90_000, 0])(
    'whose clock is %p ms off shows the time of the server',
    async (clock_off_ms) => {
      const { gateway } = await join({ clock_off_ms })
      const [row] = await db.rows<{ now_ms: number }>('SELECT now_ms() AS now_ms')
      const corrected_ms = Date.now() + clock_off_ms + gateway.clock_offset_ms
      expect(Math.abs(corrected_ms - (row?.now_ms ?? 0))).toBeLessThan(1_000)
    },
  )

  test.each([
    ['', 0],
    [', even if the clock of the server was set back by an hour since', 3_600_000],
  ])('that is silent is considered dead by any other, and goes on under its id%s', async (_, ahead_ms) => {
    const silent = await join({ is_silent: true })
    await db.write((db) =>
      db.rows('UPDATE gateways SET seen_at_ms = seen_at_ms + $ahead_ms WHERE id = $id', {
        id: silent.gateway.id,
        ahead_ms,
      }),
    )
    const { gateway, log } = await join()
    await eventually('it is considered dead', async () => {
      await gateway.endSilent()
      return messages(log).includes('a gateway has stopped reporting, and is treated as stopped')
    })
    expect(await isAlive(db, silent.gateway.id)).toBe(false)
    await silent.gateway.revive()
    expect(await isAlive(db, silent.gateway.id)).toBe(true)
  })

  test('that is silent does not count as alive, even before another has ended it', async () => {
    const silent = await join({ is_silent: true })
    const { gateway } = await join()
    await eventually('it is not', () => gateway.alive.every(({ id }) => id !== silent.gateway.id))
    expect(await isAlive(db, silent.gateway.id)).toBe(true)
  })

  test('that has just started, or could not report for long itself, considers no other dead', async () => {
    await using proxy = await startProxy(url)
    const silent = await join({ is_silent: true })
    await Bun.sleep(TIMING.silent_after_ms + 50)
    const { gateway } = await join({ by_way_of: proxy.url })
    await gateway.endSilent()
    expect(await isAlive(db, silent.gateway.id)).toBe(true)
    // Long enough to consider others dead.
    await Bun.sleep(TIMING.silent_after_ms + 200)
    proxy.redirect('postgres://127.0.0.1:1/')
    proxy.cutAll()
    await silent.gateway.revive()
    const working = await join()
    await Bun.sleep(TIMING.silent_after_ms + 50)
    await gateway.endSilent()
    expect(await isAlive(db, working.gateway.id)).toBe(true)
    proxy.redirect(url)
    await eventually('it reports again', async () => (await silentMs(gateway)) < 200)
    await gateway.endSilent()
    expect(await isAlive(db, silent.gateway.id)).toBe(true)
  })

  test('whose connections fall silent queries over new ones, once its beat is not answered', async () => {
    await using proxy = await startProxy(url)
    await using there = new PostgresDb(proxy.url)
    const { gateway, log } = await join({ over: there, by_way_of: proxy.url, timing: SLOWER })
    const ask = () => there.rows('SELECT 1 AS one')
    await Promise.all([ask(), ask(), ask(), ask()])
    proxy.silence()
    await eventually('it says so', () =>
      messages(log).includes('this gateway could not report to the database that it is alive'),
    )
    expect(await Promise.race([ask(), Bun.sleep(10_000)])).toEqual([{ one: 1 }])
    await gateway.end()
  })

  test('whose connections fall silent reports over another one, before it seems dead', async () => {
    await using proxy = await startProxy(url)
    const { gateway } = await join({ by_way_of: proxy.url, timing: SLOWER })
    await Bun.sleep(100)
    proxy.silence()
    let longest_ms = 0
    for (let at = 0; at < 40; at += 1) {
      longest_ms = Math.max(longest_ms, await silentMs(gateway))
      await Bun.sleep(50)
    }
    expect(longest_ms).toBeGreaterThan(500)
    expect(longest_ms).toBeLessThan(SLOWER.silent_after_ms)
    await eventually('it reports as before', async () => (await silentMs(gateway)) < 300)
  })

  test('that was considered dead revives with its next heartbeat, even if its row is deleted', async () => {
    const { gateway, log } = await join()
    for (const lost of [
      'UPDATE gateways SET ended_at_ms = 1 WHERE id = $id',
      'DELETE FROM gateways WHERE id = $id',
    ]) {
      await db.write((db) => db.rows(lost, { id: gateway.id }))
      await eventually('it is alive again', () => isAlive(db, gateway.id))
    }
    const times = () =>
      messages(log).filter((message) => String(message).startsWith('other gateways treated this one')).length
    // Its row exists a moment before the log line.
    await eventually('it says so', () => times() >= 2)
    expect(times()).toBe(2)
  })

  test('ends the earlier one in its folder, and no other', async () => {
    const other = await join()
    const killed = await join({ is_silent: true })
    const next = await join({ folder: killed.folder })
    expect(await isAlive(db, killed.gateway.id)).toBe(false)
    expect(await isAlive(db, other.gateway.id)).toBe(true)
    expect(await isAlive(db, next.gateway.id)).toBe(true)
  })

  test('logs once that it cannot reach the database, and once that it can again', async () => {
    await using proxy = await startProxy(url)
    const { gateway, log } = await join({ by_way_of: proxy.url })
    proxy.redirect('postgres://127.0.0.1:1/')
    proxy.cutAll()
    await eventually('it says so', () =>
      messages(log).includes('this gateway could not report to the database that it is alive'),
    )
    expect(gateway.unreached).toBe('the database does not answer')
    await Bun.sleep(100)
    proxy.redirect(url)
    await eventually('it reports again', () =>
      messages(log).includes('this gateway reaches the database again, and reports that it is alive'),
    )
    expect(gateway.unreached).toBeUndefined()
    expect(messages(log).filter((message) => String(message).includes('could not report')).length).toBe(1)
  })
})
