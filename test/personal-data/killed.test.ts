// An erasure that ends early at any point: a second run completes it, and no data of the person is left.
import { afterAll, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eraseAccount } from '../../plugins/personal-data/erase.ts'
import { fileStoresOf } from '../../src/app/process/files/stores.ts'
import { fullAudit } from '../../src/app/process/full-audit.ts'
import { beginIntake } from '../../src/library/intake.ts'
import { foldersIn, openLibrary } from '../../src/library/library.ts'
import { createFileStore } from '../../src/media/store.ts'
import { fileIntegrity } from '../../src/store/engines/sqlite/integrity.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { fileScrubbing } from '../../src/store/engines/sqlite/scrubbing.ts'
import { dbOver, openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { tollgate } from '../backups/support.ts'
import { paint } from '../media/support.ts'
import { ALL_TABLES } from '../support/all-tables.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { IS_LONG } from '../support/long.ts'
import { commandOf } from '../support/programs.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'
import { MARKER, placesOf } from './person.ts'

/** A folder with an account that has images, calls and entries, and another account with an upload. */
function filledFolder(rows: number): TemporaryFolder {
  const folder = temporary()
  makeEmptyDatabase(folder.at('tollgate.db'))
  const db = openDatabase(folder.at('tollgate.db'))
  const hash = '0'.repeat(64)
  db.run(
    `
    INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, '${MARKER}', 'active', 0, 0, 0, 0), (2, 'bert', 'active', 0, 0, 0, 0);
    INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
    VALUES (1, 1, '${MARKER}', 'tg_', randomblob(32), 0, 0, 0);
    INSERT INTO entries SELECT value, 1, 'top_up', 0, NULL, '${MARKER} ' || value, 0, '${MARKER} ' || value FROM generate_series(1, ${rows});
    INSERT INTO calls SELECT value, 'r', 1, 1, 's', 'm', 'p', 'u', 'failed', 500, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '',
      value, NULL, 1, 0, 0, json_quote('${MARKER}'), NULL, NULL, '', NULL, NULL, 0, NULL, 0, NULL FROM generate_series(1, ${rows});
    INSERT INTO generations SELECT value, format('%036d', value), 1, value, 0, 'generation', 'stored', 'm', '${MARKER}', NULL, '[]',
      '1/' || value || '.png', 'image/png', 1, 1, 8, '${hash}', 0, NULL, NULL FROM generate_series(1, ${rows});
    INSERT INTO files VALUES (1, 'files/2/a.png', 2, 'a', 'stored', 'image/png', 1, '${hash}', 1, 1, 0, NULL, NULL)`.replaceAll(
      /FROM generate_series\(1, (\d+)\)/g,
      'FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < $1) SELECT value FROM n)',
    ),
  )
  db.close()
  for (const path of ['images/1', 'images/.strays/1', 'files/2'])
    mkdirSync(folder.at(path), { recursive: true })
  for (let file = 1; file <= rows; file += 1)
    writeFileSync(folder.at(`images/1/${file}.png`), MARKER.slice(0, 8))
  writeFileSync(folder.at('images/.strays/1/x.png'), MARKER)
  writeFileSync(folder.at('files/2/a.png'), '1')
  return folder
}

const small = filledFolder(5)
afterAll(() => small[Symbol.dispose]())

/** A copy of a filled folder with few rows. */
function smallFolder(): TemporaryFolder {
  const folder = temporary()
  cpSync(small.path, folder.path, { recursive: true })
  return folder
}

const openIn = (dir: string) => openDatabase(join(dir, 'tollgate.db'))

async function erase(dir: string, account: string, probe: (point: string) => void = () => {}) {
  const path = join(dir, 'tollgate.db')
  await using db = openDb(path)
  using scrubbing = fileScrubbing(path)
  const files = fileStoresOf({ files: undefined }, dir)
  return await eraseAccount(db, {
    scrubbing,
    tables: ALL_TABLES,
    data_folder: dir,
    files,
    account,
    now_ms: 0,
    probe,
  })
}

async function expectErased(dir: string): Promise<void> {
  expect(placesOf(dir, MARKER.slice(0, 8))).toEqual([])
  expect(existsSync(join(dir, 'files/2/a.png'))).toBe(true)
  const db = openIn(dir)
  const responses = createFileStore(join(dir, 'responses'))
  const { findings } = await fullAudit({
    db: dbOver(db),
    integrity: fileIntegrity(db),
    ...foldersIn(dir),
    responses,
  })
  db.close()
  expect(findings).toEqual([])
}

async function probePoints(): Promise<string[]> {
  using folder = smallFolder()
  const points: string[] = []
  await erase(folder.path, MARKER, (point) => void points.push(point))
  return points
}
const points = await probePoints()

test('an erasure has probe points before, between and after all steps', () => {
  expect(points).toEqual(
    expect.arrayContaining([
      'erase.started',
      'erase.keys',
      'erase.generations',
      'erase.folders',
      'erase.rewritten',
    ]),
  )
  expect(points.at(-1)).toBe('erase.renamed')
})

test.each(points)(
  'an erasure that ends after "%s" is completed by a second run, by the current name',
  async (last) => {
    using folder = smallFolder()
    const ended = erase(folder.path, MARKER, (point) => {
      if (point === last) throw new Error('ended')
    })
    await expect(ended).rejects.toThrow('ended')
    // From the first point on, calls of the account are refused.
    const db = openIn(folder.path)
    const account = db
      .query<{ name: string; status: string }, []>('SELECT name, status FROM accounts WHERE id = 1')
      .get()
    db.close()
    expect(account).toEqual({ name: last === 'erase.renamed' ? 'erased-1' : MARKER, status: 'suspended' })
    expect(await erase(folder.path, account?.name ?? '')).toMatchObject({ pseudonym: 'erased-1' })
    await expectErased(folder.path)
  },
)

test('an erasure killed with SIGKILL at random moments, again and again, can be completed', async () => {
  using folder = filledFolder(IS_LONG ? 6_000 : 2_500)
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  const delays = Array.from(
    { length: IS_LONG ? 5 : 3 },
    (_, index) => 150 + ((seed >>> (index * 6)) & 63) * (IS_LONG ? 15 : 10),
  )
  for (const delay_ms of delays) {
    const args = ['account', 'erase', MARKER, '--yes', '--data', folder.path]
    const child = Bun.spawn([...commandOf('gateway'), ...args], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), delay_ms)
    await child.exited
    clearTimeout(timer)
  }
  // By its name, or by its new name if the last killed erasure had renamed it.
  const last = await tollgate(['account', 'erase', MARKER, '--yes', '--data', folder.path])
  if (last.status !== 0) {
    expect([seed, last.err]).toEqual([seed, expect.stringContaining('not found')])
    expect((await tollgate(['account', 'erase', 'erased-1', '--yes', '--data', folder.path])).status).toBe(0)
  }
  await expectErased(folder.path)
})

test('a request that began before the erasure cannot add rows after it', async () => {
  using folder = smallFolder()
  await erase(folder.path, MARKER)
  const db = openIn(folder.path)
  const insert = (account_id: number) =>
    db.run(
      `INSERT INTO files (key, account_id, name, state, mime, bytes, created_at_ms)
       VALUES ('files/${account_id}/late', ${account_id}, 'late', 'storing', 'image/png', 0, 0)`,
    )
  expect(() => insert(1)).toThrow('the account is erased')
  insert(2)
  db.close()
})

test('an upload that began before the erasure is refused at its end, and its file is deleted', async () => {
  using folder = smallFolder()
  const db = openIn(folder.path)
  const library = openLibrary({
    db: dbOver(db),
    ...foldersIn(folder.path),
    now: Date.now,
    gateway_id: 1,
    probe: () => {},
  })
  const intake = beginIntake(library, 1)
  const content = new Blob([await paint('png')]).stream()
  await intake.add({ filename: 'late.png', content })
  await erase(folder.path, MARKER)
  await expect(intake.commit()).rejects.toThrow('This account is erased')
  await intake.abandon()
  expect(await Array.fromAsync(library.files.list())).toMatchObject([{ key: '2/a.png', bytes: 1 }])
  db.close()
})
