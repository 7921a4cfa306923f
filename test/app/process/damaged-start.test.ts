// A start over a damaged database: an unreadable table refuses it before it listens; damage found later is logged, and the gateway goes on.
import { Database } from 'bun:sqlite'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { closeSync, openSync, writeSync } from 'node:fs'
import { sqliteEngine } from '../../../src/app/process/engine/sqlite.ts'
import { fileStoresOf } from '../../../src/app/process/files/stores.ts'
import { auditAtStart } from '../../../src/app/process/start-audit.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { freePort } from '../../support/free-port.ts'
import { memoryLog } from '../../support/memory-log.ts'
import { restarts } from '../../support/restarts.ts'
import { fillHistory } from '../../tools/bench/many-calls.ts'

setDefaultTimeout(60_000)

const CATALOGUE = catalogueOf({ upstream_url: 'simulator', more: '' })

/** Overwrites the first page of a table or an index. */
function damage(path: string, name: string, pageOf: (size: number) => Buffer): void {
  const db = new Database(path)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const found = db
    .query<{ rootpage: number; page_size: number }, [string]>(
      'SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size() WHERE name = ?',
    )
    .get(name)
  db.close()
  if (!found) throw new Error(`there is no ${name}`)
  const file = openSync(path, 'r+')
  const page = pageOf(found.page_size)
  writeSync(file, page, 0, page.length, (found.rootpage - 1) * found.page_size)
  closeSync(file)
}

const garbage = (size: number) => Buffer.alloc(size, 0xff)
/** An empty leaf, readable (https://sqlite.org/fileformat2.html#b_tree_pages): a query by it finds nothing. */
const emptyIndex = (size: number) => {
  const page = Buffer.alloc(size)
  page[0] = 0x0a
  page.writeUInt16BE(size, 5)
  return page
}

/** Empties the list of free pages, which then are neither free nor used (https://sqlite.org/fileformat2.html#the_freelist). */
function forgetFreePages(path: string): void {
  const db = new Database(path)
  db.run('CREATE TABLE large AS SELECT zeroblob(100000) AS bytes')
  db.run('DROP TABLE large')
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(8), 0, 8, 32)
  closeSync(file)
}

describe('a small database', () => {
  test.each(['entries', 'calls', 'keys', 'people', 'mails'])(
    'with an unreadable table %s is refused before any request is answered',
    async (table) => {
      using gateway = await restarts(CATALOGUE)
      damage(gateway.folder.database_path, table, garbage)
      const listen = `127.0.0.1:${freePort()}`
      let ended = false
      const start = gateway.start({ listen }).finally(() => {
        ended = true
      })
      const answers: number[] = []
      const polling = (async () => {
        while (!ended) {
          const answer = await fetch(`http://${listen}/healthz`).catch(() => undefined)
          if (answer) answers.push(answer.status)
        }
      })()
      await expect(start).rejects.toThrow(
        /^The database .*tollgate\.db is damaged: .+\. Keep a copy of the folder, then restore a backup by `tollgate restore`\.$/,
      )
      await polling
      expect(answers).toEqual([])
    },
  )

  test('with a damaged header is refused as not a database', async () => {
    using gateway = await restarts(CATALOGUE)
    const file = openSync(gateway.folder.database_path, 'r+')
    writeSync(file, Buffer.alloc(100, 0x2a), 0, 100, 0)
    closeSync(file)
    await expect(gateway.start()).rejects.toThrow('not a database')
  })

  test('with unused pages serves, and the audit reports them', async () => {
    using gateway = await restarts(CATALOGUE)
    forgetFreePages(gateway.folder.database_path)
    await using run = await gateway.start()
    const { findings } = await run.log.waitForLine((line) => line.findings !== undefined)
    expect(JSON.stringify(findings)).toContain('never used')
  })

  test('with an empty index serves, and the audit reports it', async () => {
    using gateway = await restarts(CATALOGUE)
    damage(gateway.folder.database_path, 'entries_by_account', emptyIndex)
    await using run = await gateway.start()
    const { findings } = await run.log.waitForLine((line) => line.findings !== undefined)
    expect(JSON.stringify(findings)).toContain('entries_by_account')
  })
})

test('an audit at the start that cannot read the database is logged, because the gateway serves by then', async () => {
  using gateway = await restarts(CATALOGUE)
  const { path, database_path } = gateway.folder
  const db = openDatabase(database_path)
  damage(database_path, 'entries', garbage)
  const log = memoryLog()
  const audit = await auditAtStart({
    db: dbOver(db),
    own_gateway: { id: 1, alive: [] },
    engine: sqliteEngine(path),
    files: fileStoresOf({ files: undefined }, path),
    data_folder: path,
    log: log.log,
  })
  audit.stop()
  expect(log.lines()).toMatchObject([
    { level: 'warn', message: 'the audit could not run: run `tollgate audit`' },
  ])
  db.close()
})

test('a large database is checked while the gateway serves', async () => {
  using gateway = await restarts(CATALOGUE)
  const { database_path } = gateway.folder
  fillHistory(database_path, { calls: 20_000, accounts: 3, days: 3 })
  damage(database_path, 'mails', garbage)
  await using run = await gateway.start()
  const { message } = await run.log.waitForLine(
    ({ level, message }) => level !== 'info' && /audit/.test(message),
  )
  expect(message).toBeString()
})
