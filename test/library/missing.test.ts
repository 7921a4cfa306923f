// Images whose files cannot be found: when a start refuses, how they are marked, and how they come back.
import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, rename, rm } from 'node:fs/promises'
import { removeGeneration } from '../../plugins/library/history.ts'
import { createAccount } from '../../src/access/accounts.ts'
import { auditLibrary, compareLibrary } from '../../src/library/audit.ts'
import { findFile, readFile, removeFile } from '../../src/library/files.ts'
import {
  beginGenerations,
  findGeneration,
  readGeneration,
  storeGenerations,
} from '../../src/library/generations.ts'
import { beginIntake } from '../../src/library/intake.ts'
import { foldersIn, type Library, openLibrary } from '../../src/library/library.ts'
import { findMissing, refuseMissingFolders } from '../../src/library/missing.ts'
import { usedBytes } from '../../src/library/quota.ts'
import { recoverLibrary } from '../../src/library/recovery.ts'
import type { Db } from '../../src/store/db.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { paint } from '../media/support.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { folderOfEachTest } from '../support/test-folder.ts'
import { type Away, pathsIn, takeFiles, takeFolder } from './away.ts'

const png = await paint('png')
const ACCOUNT = 1
const IMAGE = { bytes: png, mime: 'image/png', width: 24, height: 18, revised_prompt: null } as const
const ORDER = { account_id: ACCOUNT, kind: 'generation', model: 'm', prompt: 'p', parents: [] } as const
const NOTHING = { left_behind: 0, stray_files: 0, missing_files: 0, found_files: 0 }

const folder = folderOfEachTest()
let connection: Database
let db: Db
let library: Library
/** Keys of three uploads, and UUIDs of three produced images. */
let uploads: string[]
let images: string[]
let clock_ms = 0

beforeEach(async () => {
  makeEmptyDatabase(folder.at('tollgate.db'))
  connection = openDatabase(folder.at('tollgate.db'))
  db = openDb(folder.at('tollgate.db'))
  connection.run('DROP TRIGGER generations_are_of_calls')
  await createAccount(db, { name: 'one', now_ms: 0 })
  clock_ms = 1_000
  library = openLibrary({
    db,
    ...foldersIn(folder.path),
    now: () => clock_ms,
    gateway_id: 1,
    probe: () => {},
  })
  const intake = beginIntake(library, ACCOUNT)
  for (const filename of ['a.png', 'b.png', 'c.png'])
    await intake.add({ filename, content: new Blob([Buffer.from(png)]).stream() })
  uploads = (await intake.commit()).map(({ key }) => key)
  images = await beginGenerations(library, { ...ORDER, call_id: 1 }, 3)
  await storeGenerations(library, ACCOUNT, images, [IMAGE, IMAGE, IMAGE])
})
afterEach(async () => {
  await db.close()
  connection.close()
})

const rowOf = async (key: string) =>
  (await findFile(db, ACCOUNT, key)) ?? (await findGeneration(db, ACCOUNT, key))
/** The bytes of an image as a caller gets them. */
async function bytesOf(name: string): Promise<Uint8Array | undefined> {
  const file = await findFile(db, ACCOUNT, name)
  if (file) return readFile(library, file)
  const image = await findGeneration(db, ACCOUNT, name)
  return image && readGeneration(library, image)
}
const all = () => [...uploads, ...images]
const rows = () => Promise.all(all().map(rowOf))
async function missing(): Promise<string[]> {
  const found = await rows()
  return all().filter((_, at) => found[at]?.missing_since_ms !== null)
}
const refusal = () =>
  refuseMissingFolders(library, folder.path).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  )

describe('a start', () => {
  const CASES: [name: string, () => Promise<unknown>, refused: RegExp | undefined][] = [
    ['with all files', async () => {}, undefined],
    [
      'without images/',
      () => takeFolder(folder.path, 'images', 'nothing'),
      /^The database names 3 files in images\/, which is missing/,
    ],
    [
      'with an empty files/',
      () => takeFolder(folder.path, 'files', 'empty folder'),
      /^The database names 3 files in files\/, which has none/,
    ],
    [
      'with the images/ of another gateway',
      () => swapForAnother('images'),
      /^The database names 3 files in images\/, which has none/,
    ],
    [
      'without a single file',
      async () => takeFiles(folder.path, (await pathsIn(folder.path)).slice(0, 1)),
      undefined,
    ],
    ['without all files but one of each folder', () => keepOneOfEach(), undefined],
    [
      'without the folder of the only image',
      () => leaveOne('nothing'),
      /^The database names 1 file in images\/, which is missing/,
    ],
    ['without the only image, whose folder is there', () => leaveOne('empty folder'), undefined],
    ['without a folder whose images are marked already', () => takeMarked(), undefined],
  ]
  test.each(CASES)('%s', async (_, take, refused) => {
    await take()
    const before = await rows()
    const found = await refusal()
    if (refused === undefined) return expect(found).toBeUndefined()
    expect(found).toMatch(refused)
    expect(found).toContain('--accept-missing-files')
    expect(await rows()).toEqual(before)
  })

  async function swapForAnother(name: 'images' | 'files') {
    await takeFolder(folder.path, name, 'empty folder')
    await Bun.write(folder.at(name, '1', 'another.png'), 'x')
  }
  async function keepOneOfEach() {
    const paths = await pathsIn(folder.path)
    const kept = ['images/', 'files/'].map((start) => paths.find((path) => path.startsWith(start)))
    await takeFiles(
      folder.path,
      paths.filter((path) => !kept.includes(path)),
    )
  }
  async function leaveOne(leaves: 'nothing' | 'empty folder') {
    for (const uuid of images.slice(1)) await removeGeneration(library, ACCOUNT, uuid)
    await takeFolder(folder.path, 'images', leaves)
  }
  async function takeMarked() {
    await takeFolder(folder.path, 'images', 'nothing')
    await recoverLibrary(library)
  }
})

describe('an image whose file is missing', () => {
  /** Ways in which the gateway notices that a file is missing, and that it is back. */
  const WAYS: Record<string, () => Promise<unknown>> = {
    'a start': () => recoverLibrary(library),
    'a read': () => Promise.all(all().map(bytesOf)),
  }
  const BACK = { ...WAYS, 'a sweep': () => findMissing(library) }
  const AWAY: [string, () => Promise<Away[]>][] = [
    ['with its folder', async () => [await takeFolder(folder.path, 'images', 'nothing')]],
    [
      'with both folders',
      async () => [
        await takeFolder(folder.path, 'images', 'empty folder'),
        await takeFolder(folder.path, 'files', 'empty folder'),
      ],
    ],
    ['alone', async () => [await takeFiles(folder.path, (await pathsIn(folder.path)).slice(-1))]],
  ]
  const ROUNDS = AWAY.flatMap(([what, take]) =>
    Object.keys(WAYS).flatMap((noticed_by) =>
      Object.keys(BACK).map((back) => [what, noticed_by, back, take] as const),
    ),
  )

  test.each(ROUNDS)(
    '%s, noticed by %s, is found again by %s, with its whole row',
    async (_, noticed_by, back, take) => {
      const before = await rows()
      const away = await take()
      clock_ms = 5_000
      await WAYS[noticed_by]?.()
      expect((await missing()).length).toBeGreaterThan(0)
      for (const name of await missing()) {
        expect(await rowOf(name)).toMatchObject({ state: 'stored', missing_since_ms: 5_000 })
        expect(await bytesOf(name)).toBeUndefined()
      }
      for (const one of away) await one.back()
      await BACK[back as keyof typeof BACK]?.()
      expect(await rows()).toEqual(before)
      expect(await auditLibrary(library)).toEqual([])
      expect(await recoverLibrary(library)).toEqual(NOTHING)
    },
  )

  test('is reported as missing by the audit, before and after it is marked', async () => {
    const [path = ''] = await pathsIn(folder.path)
    await takeFiles(folder.path, [path])
    const { files, findings } = await compareLibrary(library)
    expect(files).toMatchObject([{ problem: 'missing', path, row_bytes: png.length, disk_bytes: null }])
    expect(findings.map(({ invariant }) => invariant)).toEqual(['stored_row_has_its_file'])
    await recoverLibrary(library)
    expect((await compareLibrary(library)).files).toMatchObject([{ path, missing_since_ms: clock_ms }])
  })

  test('still counts against the quota, and can be deleted', async () => {
    await takeFolder(folder.path, 'files', 'nothing')
    await takeFolder(folder.path, 'images', 'nothing')
    await recoverLibrary(library)
    expect(await usedBytes(db, ACCOUNT)).toBe(3 * png.length)
    for (const key of uploads) expect(await removeFile(library, ACCOUNT, key)).toBe(true)
    for (const uuid of images) expect(await removeGeneration(library, ACCOUNT, uuid)).toBe('removed')
    expect(await usedBytes(db, ACCOUNT)).toBe(0)
    expect(await auditLibrary(library)).toEqual([])
  })

  test('is only not found if the database is read-only', async () => {
    const reading = openDb(folder.at('tollgate.db'), { readonly: true })
    const beside = openLibrary({
      db: reading,
      ...foldersIn(folder.path),
      now: () => 1,
      gateway_id: 1,
      probe: () => {},
    })
    await takeFolder(folder.path, 'files', 'nothing')
    const file = await findFile(reading, ACCOUNT, uploads[0] ?? '')
    expect(file && (await readFile(beside, file))).toBeUndefined()
    await reading.close()
    expect(await missing()).toEqual([])
  })
})

describe('a file that an older database quarantined', () => {
  test('is restored by a newer one', async () => {
    const before = await rows()
    const newer = folder.at('newer.db')
    connection.query('VACUUM INTO ?').run(newer)
    connection.run('DELETE FROM files')
    connection.run('DELETE FROM generations')
    expect(await recoverLibrary(library)).toEqual({ ...NOTHING, stray_files: 6 })
    expect(await pathsIn(folder.path)).toEqual([])
    await db.close()
    connection.close()
    for (const suffix of ['', '-wal', '-shm']) await rm(folder.at(`tollgate.db${suffix}`), { force: true })
    await rename(newer, folder.at('tollgate.db'))
    connection = openDatabase(folder.at('tollgate.db'))
    db = openDb(folder.at('tollgate.db'))
    library = openLibrary({
      db,
      ...foldersIn(folder.path),
      now: () => clock_ms,
      gateway_id: 1,
      probe: () => {},
    })
    expect(await recoverLibrary(library)).toEqual(NOTHING)
    expect(await rows()).toEqual(before)
    expect(await Promise.all(all().map(bytesOf))).toEqual(all().map(() => png))
  })

  test('does not replace another file in its place', async () => {
    const [path = ''] = await pathsIn(folder.path)
    const key = path.slice(path.indexOf('/') + 1)
    const store = path.startsWith('images/') ? library.images : library.files
    await store.folder?.quarantine(key)
    await mkdir(folder.at('elsewhere'))
    await Bun.write(folder.at(path), 'another')
    expect(await store.folder?.takeBack(key)).toBe(false)
    expect(await Bun.file(folder.at(path)).text()).toBe('another')
  })
})
