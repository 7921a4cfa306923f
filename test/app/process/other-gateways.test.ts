// A gateway beside another one, whose rows are made by hand: the work of the other is left alone until its row has ended.
import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { beginGenerations } from '../../../src/library/generations.ts'
import { foldersIn, openLibrary } from '../../../src/library/library.ts'
import { fileQueries } from '../../../src/library/queries.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { hold } from '../../money/ledger/world.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { eventually } from '../../support/eventually.ts'
import { type Restarts, type Run, restarts } from '../../support/restarts.ts'

/** The owners of unfinished work, with their gateway_id in the rows. */
const OWNERS = { earlier_version: null, ended: 6, alive: 7 } as const
type Owner = keyof typeof OWNERS

let gateway: Restarts
let db: Database
let run: Run

/** A hold long past its time limit. @returns its id */
function holdOf(owner: Owner): number {
  const operation = hold(10, { request_id: owner, expires_at_ms: 1 })
  const [outcome] = createWriter(db, undefined, OWNERS[owner]).commit([operation])
  if (!outcome || !('hold_id' in outcome)) throw new Error('no hold')
  return outcome.hold_id
}

async function begin(owner: Owner): Promise<void> {
  const order = { account_id: 1, kind: 'edit', model: 'm', prompt: owner, parents: [] } as const
  // Drizzle writes null as well.
  const gateway_id = OWNERS[owner] as number
  const parts = {
    db: dbOver(db),
    now: Date.now,
    probe: () => {},
    ...foldersIn(gateway.folder.path),
    gateway_id,
  }
  await beginGenerations(openLibrary(parts), { ...order, call_id: holdOf(owner) }, 1)
  const mime = 'image/png'
  const upload = {
    key: `files/1/${owner}.png`,
    account_id: 1,
    name: owner,
    mime,
    created_at_ms: 1,
    gateway_id,
  } as const
  await fileQueries(parts.db).insert.get(upload)
}

const pending = (): string[] =>
  db
    .query<{ request_id: string }, []>("SELECT request_id FROM holds WHERE state = 'pending' ORDER BY id")
    .all()
    .map(({ request_id }) => request_id)
/** The unfinished work, by its owners. */
const unfinished = () => ({
  holds: pending(),
  images: db.query("SELECT prompt FROM generations WHERE state = 'generating'").values().flat(),
  uploads: db.query("SELECT name FROM files WHERE state = 'storing'").values().flat(),
})
const gateways = () => db.query('SELECT id, ended_at_ms FROM gateways ORDER BY id').values()
const start = async () => {
  run = await gateway.start({ sweep_every_ms: 20 })
}

beforeAll(async () => {
  gateway = await restarts(catalogueOf({ upstream_url: 'simulator' }))
  db = openDatabase(gateway.folder.database_path)
  db.run(
    "INSERT INTO gateways (id, version, started_at_ms, ended_at_ms) VALUES (6, 'v', 1, 2), (7, 'v', 1, NULL)",
  )
  // A start ends all other gateways of its machine: the trigger stands for a gateway on another machine.
  db.run(
    'CREATE TRIGGER elsewhere BEFORE UPDATE ON gateways WHEN old.id = 7 BEGIN SELECT RAISE (IGNORE); END',
  )
  for (const owner of ['earlier_version', 'ended', 'alive'] as const) await begin(owner)
  await start()
})
afterAll(async () => {
  await run.stop()
  db.close()
  gateway[Symbol.dispose]()
})

describe('the unfinished work of another gateway', () => {
  test('is left alone by a start, which resolves the work of ended gateways', () => {
    expect(unfinished()).toEqual({ holds: ['alive'], images: ['alive'], uploads: ['alive'] })
    expect(db.query("SELECT prompt FROM generations WHERE state = 'failed'").values()).toHaveLength(2)
    expect(gateways()).toEqual([
      [7, null],
      [8, null],
    ])
  })

  test('is left alone by sweeps', async () => {
    holdOf('ended')
    await eventually('a sweep has expired another hold', () => pending().length === 1)
    expect(unfinished()).toEqual({ holds: ['alive'], images: ['alive'], uploads: ['alive'] })
  })

  test('ends once its row has ended: holds with a sweep, images and uploads with a start', async () => {
    db.run('DROP TRIGGER elsewhere')
    db.run('UPDATE gateways SET ended_at_ms = 3 WHERE id = 7')
    await eventually('its hold has expired', () => pending().length === 0)
    expect(unfinished()).toEqual({ holds: [], images: ['alive'], uploads: ['alive'] })
    await run.stop()
    await start()
    expect(unfinished()).toEqual({ holds: [], images: [], uploads: [] })
    expect(gateways()).toEqual([[9, null]])
  })
})
