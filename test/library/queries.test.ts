// The prepared queries on images: the rows that they write, and changes of a call's rows together or not at all.
import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { listGenerations } from '../../plugins/library/history.ts'
import { createAccount } from '../../src/access/accounts.ts'
import { beginGenerations, findGeneration, storeGenerations } from '../../src/library/generations.ts'
import { beginIntake } from '../../src/library/intake.ts'
import { foldersIn, type Library, openLibrary } from '../../src/library/library.ts'
import { fileQueries, generationQueries } from '../../src/library/queries.ts'
import type { Db } from '../../src/store/db.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver, openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { paint } from '../media/support.ts'
import { makeEmptyDatabase, memoryDatabase } from '../support/empty-database.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const ACCOUNT = 1
const PARENTS = ['files/1/a.png', 'quote " and \\ backslash']
const ORDER = {
  account_id: ACCOUNT,
  call_id: 1,
  kind: 'edit',
  model: 'm',
  prompt: 'p',
  parents: PARENTS,
} as const
const IMAGE = {
  bytes: Uint8Array.of(1, 2, 3),
  mime: 'image/png',
  width: 2,
  height: 1,
  revised_prompt: null,
} as const

const folder = folderOfEachTest()
let connection: Database
let db: Db
let library: Library
beforeEach(async () => {
  makeEmptyDatabase(folder.at('tollgate.db'))
  connection = openDatabase(folder.at('tollgate.db'))
  db = openDb(folder.at('tollgate.db'))
  // These images have no calls.
  connection.run('DROP TRIGGER generations_are_of_calls')
  await createAccount(db, { name: 'one', now_ms: 0 })
  library = openLibrary({ db, ...foldersIn(folder.path), now: () => 7, gateway_id: 1, probe: () => {} })
})
afterEach(async () => {
  await db.close()
  connection.close()
})

const statesOf = (uuids: readonly string[]) =>
  Promise.all(uuids.map(async (uuid) => (await findGeneration(db, ACCOUNT, uuid))?.state ?? 'absent'))

test('the parents of an image are encoded as JSON once, and read back unchanged', async () => {
  const [uuid = ''] = await beginGenerations(library, ORDER, 1)
  expect(connection.query('SELECT parents, typeof(parents) AS type FROM generations').get()).toEqual({
    parents: JSON.stringify(PARENTS),
    type: 'text',
  })
  expect(await findGeneration(db, ACCOUNT, uuid)).toEqual({
    ...ORDER,
    id: 1,
    uuid,
    position: 0,
    state: 'generating',
    parents: PARENTS,
    revised_prompt: null,
    file_key: null,
    mime: null,
    width: null,
    height: null,
    bytes: null,
    sha256: null,
    created_at_ms: 7,
    missing_since_ms: null,
    gateway_id: 1,
  })
  expect((await listGenerations(db, { account_id: ACCOUNT }, { limit: 1 })).rows).toMatchObject([
    { parents: PARENTS },
  ])
})

test('the rows of a call are inserted together or not at all', async () => {
  await beginGenerations(library, ORDER, 1)
  // The last of three positions is taken: (call_id, position) is unique.
  connection.run('UPDATE generations SET position = 2')
  await expect(beginGenerations(library, ORDER, 3)).rejects.toThrow('UNIQUE')
  expect(await generationQueries(db).places.all()).toHaveLength(1)
})

test('the images of a call are stored together, and those that were not made are marked as failed', async () => {
  const uuids = await beginGenerations(library, ORDER, 3)
  await storeGenerations(library, ACCOUNT, uuids, [IMAGE, { ...IMAGE, revised_prompt: 'q' }])
  expect(await statesOf(uuids)).toEqual(['stored', 'stored', 'failed'])
  expect(await findGeneration(db, ACCOUNT, uuids[1] ?? '')).toMatchObject({
    file_key: `${ACCOUNT}/${uuids[1]}.png`,
    mime: 'image/png',
    width: 2,
    height: 1,
    bytes: 3,
    revised_prompt: 'q',
  })
})

test('if one row cannot be stored, none is, and no file is left', async () => {
  const uuids = await beginGenerations(library, ORDER, 2)
  await expect(storeGenerations(library, ACCOUNT, uuids, [IMAGE, { ...IMAGE, width: 0 }])).rejects.toThrow(
    'CHECK',
  )
  expect(await statesOf(uuids)).toEqual(['generating', 'generating'])
  expect(await Array.fromAsync(library.images.list())).toEqual([])
})

test.each(['before', 'after'])(
  'an upload that is abandoned %s its row is inserted leaves no row',
  async (when) => {
    let abandon = async () => {}
    const meanwhile: Db = {
      ...{ orm: db.orm, by: db.by },
      rows: (...parameters) => db.rows(...parameters),
      begin: (...parameters) => db.begin(...parameters),
      snapshot: (...parameters) => db.snapshot(...parameters),
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
      async write(...parameters) {
        if (when === 'before') await abandon()
        const written = await db.write(...parameters)
        await abandon()
        return written
      },
    }
    const intake = beginIntake({ ...library, db: meanwhile }, ACCOUNT)
    abandon = intake.abandon
    const adding = intake.add({ filename: 'a.png', content: new Blob([await paint('png')]).stream() })
    await expect(adding).rejects.toThrow('the intake ended before a file of it was announced')
    expect(connection.query('SELECT count(*) AS n FROM files').get()).toEqual({ n: 0 })
  },
)

test('queries are prepared once for each connection', () => {
  expect(fileQueries(db)).toBe(fileQueries(db))
  const other = memoryDatabase()
  expect(fileQueries(dbOver(other))).not.toBe(fileQueries(db))
  other.close()
})
