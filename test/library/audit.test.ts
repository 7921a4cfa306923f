// The audit of the library and the reconciliation at start, on rows and files that were tampered with.
import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rm, truncate } from 'node:fs/promises'
import { createAccount } from '../../src/access/accounts.ts'
import { auditLibrary } from '../../src/library/audit.ts'
import { findFile } from '../../src/library/files.ts'
import { beginGenerations, findGeneration, storeGenerations } from '../../src/library/generations.ts'
import { beginIntake } from '../../src/library/intake.ts'
import { foldersIn, type Library, openLibrary } from '../../src/library/library.ts'
import { recoverLibrary } from '../../src/library/recovery.ts'
import { FILE_QUOTA_BYTES } from '../../src/media/limits.ts'
import type { Db } from '../../src/store/db.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { paint } from '../media/support.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const png = await paint('png')
const ACCOUNT = 1

const folder = folderOfEachTest()
let connection: Database
let db: Db
let library: Library
/** The key of an uploaded file, and the UUIDs of a stored image and of one that is being made. */
let file: string
let stored: string
let generating: string

beforeEach(async () => {
  makeEmptyDatabase(folder.at('tollgate.db'))
  connection = openDatabase(folder.at('tollgate.db'))
  db = openDb(folder.at('tollgate.db'))
  connection.run('DROP TRIGGER generations_are_of_calls')
  await createAccount(db, { name: 'one', now_ms: 0 })
  library = openLibrary({ db, ...foldersIn(folder.path), now: Date.now, gateway_id: 1, probe: () => {} })
  file = await upload('cat.png', png)
  const order = { account_id: ACCOUNT, kind: 'generation', model: 'm', prompt: 'p', parents: [] } as const
  stored = (await beginGenerations(library, { ...order, call_id: 1 }, 1))[0] ?? ''
  generating = (await beginGenerations(library, { ...order, call_id: 2 }, 1))[0] ?? ''
  const image = { bytes: png, mime: 'image/png', width: 24, height: 18, revised_prompt: null } as const
  await storeGenerations(library, ACCOUNT, [stored], [image])
})
afterEach(async () => {
  await db.close()
  connection.close()
})

async function upload(filename: string, bytes: Uint8Array): Promise<string> {
  const intake = beginIntake(library, ACCOUNT)
  await intake.add({
    filename,
    content: (async function* () {
      yield bytes
    })(),
  })
  return (await intake.commit())[0]?.key ?? ''
}

const imagePath = () => folder.at('images', `${ACCOUNT}/${stored}.png`)
/** The invariants that the audit finds broken. */
const broken = async () =>
  [...new Set((await auditLibrary(library)).map(({ invariant }) => invariant))].sort()

/** The tampering, the invariants that the audit finds broken, and the missing and stray files that a start finds. */
const TAMPERINGS: [string, () => Promise<unknown> | unknown, string[], missing: number, strays: number][] = [
  ['nothing', () => undefined, [], 0, 0],
  ['the bytes of a file are deleted', () => rm(folder.at(file)), ['stored_row_has_its_file'], 1, 0],
  ['the bytes of an image are deleted', () => rm(imagePath()), ['stored_row_has_its_file'], 1, 0],
  ['the row of a file is deleted', () => connection.run('DELETE FROM files'), ['file_has_its_row'], 0, 1],
  [
    'the row of an image is deleted',
    () => connection.run("DELETE FROM generations WHERE state = 'stored'"),
    ['file_has_its_row'],
    0,
    1,
  ],
  [
    'a file without a row among the uploads',
    () => Bun.write(folder.at('files/1/stray.png'), 'x'),
    ['file_has_its_row'],
    0,
    1,
  ],
  [
    'a file in the place of an image that is being made',
    () => Bun.write(folder.at(`images/1/${generating}.png`), 'x'),
    [],
    0,
    1,
  ],
  [
    'a file without a row among the images',
    () => Bun.write(folder.at('images/9/a.png'), 'x'),
    ['file_has_its_row'],
    0,
    1,
  ],
]

describe('the audit of the library, and the start after it', () => {
  test.each(TAMPERINGS)('%s', async (...[_, tamper, invariants, missing_files, stray_files]) => {
    await tamper()
    expect(await broken()).toEqual(invariants)
    const found = { left_behind: 1, missing_files, stray_files, found_files: 0 }
    expect(await recoverLibrary(library)).toEqual(found)
    expect(await broken()).toEqual(missing_files > 0 ? ['stored_row_has_its_file'] : [])
    expect((await findGeneration(db, ACCOUNT, generating))?.state).toBe('failed')
  })

  test('finds a file whose size is not the one in its row', async () => {
    await truncate(folder.at(file), 7)
    expect(await broken()).toEqual(['stored_row_has_its_file', 'used_quota_is_sum_of_files'])
  })

  test('finds an account over its quota', async () => {
    await truncate(folder.at(file), FILE_QUOTA_BYTES + 1)
    connection.query('UPDATE files SET bytes = ?').run(FILE_QUOTA_BYTES + 1)
    expect(await auditLibrary(library)).toEqual([
      {
        invariant: 'quota_is_kept',
        meaning: expect.stringContaining(`${FILE_QUOTA_BYTES / 1024 / 1024} MB`),
        subject: 'account 1',
        expected: `at most ${FILE_QUOTA_BYTES}`,
        found: FILE_QUOTA_BYTES + 1,
      },
    ])
  })

  test('a start removes an unfinished upload, its row and its bytes', async () => {
    connection.run("UPDATE files SET state = 'storing', bytes = 0")
    expect(await broken()).toEqual([])
    expect(await recoverLibrary(library)).toMatchObject({ left_behind: 2, missing_files: 0, stray_files: 1 })
    expect(await findFile(db, ACCOUNT, file)).toBeUndefined()
    expect(await Array.fromAsync(library.files.list())).toEqual([])
  })
})
