// Files deleted while an archive is made: their rows leave the copy too, so that the archive is complete in itself.
import { expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeBackup } from '../../plugins/backups/making/make.ts'
import { dataPaths } from '../../src/app/process/data-paths.ts'
import { sqliteEngine } from '../../src/app/process/engine/sqlite.ts'
import { fileStoresOf } from '../../src/app/process/files/stores.ts'
import { deleteNamed, insertRow } from '../../src/responses/rows.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import type { BodyColumns } from '../../src/store/kept/content.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'
import { temporary } from '../support/temporary.ts'
import { addUpload, answerOf, backUp, uploadKey } from './support.ts'

const CONTENT = 'x'.repeat(2_000_000)
const scene = sceneOfEachTest(async (scene) => {
  await scene.run('account', 'create', 'anna')
  await scene.run('credit', 'anna', '5')
  await using db = openDb(scene.path('tollgate.db'))
  mkdirSync(dirname(scene.path(uploadKey('first'))), { recursive: true })
  for (const name of ['first', 'second', 'third']) {
    writeFileSync(scene.path(uploadKey(name)), CONTENT)
    await addUpload(db, uploadKey(name), CONTENT)
  }
})

/** Makes an archive; `meanwhile` runs once its first bytes are read. */
async function archiveWhile(meanwhile: () => unknown) {
  const { result, archive } = await backUp(scene.dir, { meanwhile })
  writeFileSync(scene.path('a.tar.zst'), archive)
  return { result, archive: scene.path('a.tar.zst') }
}

function change(sql: string): void {
  const db = openDatabase(scene.path('tollgate.db'))
  db.run(sql)
  db.close()
}

test('a file deleted with its row is left out and reported, and the archive passes the audit', async () => {
  const { result, archive } = await archiveWhile(() => {
    change(`DELETE FROM files WHERE key = '${uploadKey('second')}'`)
    rmSync(scene.path(uploadKey('second')))
  })
  expect(result).toMatchObject({ deleted_meanwhile: [uploadKey('second')], missing: [] })
  expect(await scene.json('backup', 'verify', archive)).toMatchObject({
    clean: true,
    deleted_meanwhile: [uploadKey('second')],
  })
})

test('a file deleted without its row is reported as missing, and the row stays', async () => {
  const { result, archive } = await archiveWhile(() => rmSync(scene.path(uploadKey('second'))))
  expect(result).toMatchObject({ deleted_meanwhile: [], missing: [uploadKey('second')] })
  expect(await scene.json('backup', 'verify', archive)).toMatchObject({
    clean: false,
    missing: [uploadKey('second')],
  })
})

test('changes made meanwhile are not in the archive', async () => {
  const { archive } = await archiveWhile(() => change("UPDATE files SET name = 'later'"))
  expect(await scene.json('backup', 'verify', archive)).toMatchObject({ clean: true, files: 5 })
})

test('a failure of the place is thrown, and nothing stays', async () => {
  const failing = makeBackup({
    paths: dataPaths(scene.dir),
    engine: sqliteEngine(scene.dir),
    stores: fileStoresOf({ files: undefined }, scene.dir),
    lock: undefined,
    now_ms: 0,
    async put(content) {
      for await (const _ of content) throw new Error('the bucket is full')
      return 0
    },
  })
  await expect(failing).rejects.toThrow('the bucket is full')
  expect((await scene.json('backup', scene.path('again.tar.zst'))).clean).toBe(true)
})

test('a conversation whose end is deleted ends earlier, with the counts of the rest', async () => {
  const body_file = 'ab/large'
  const db = openDb(scene.path('tollgate.db'))
  const keep = (id: string, previous_id: string | undefined, columns: BodyColumns) =>
    insertRow(db, { account_id: 1, id, previous_id, created_at_ms: 1, input: [], response: {} }, columns)
  await keep('one', undefined, { body: Buffer.from('[]'), body_file: null, kept_bytes: 2 })
  await keep('two', 'one', { body: null, body_file, kept_bytes: 4 })
  await keep('three', 'two', { body: Buffer.from('[]'), body_file: null, kept_bytes: 2 })
  mkdirSync(dirname(scene.path(`responses/${body_file}`)), { recursive: true })
  writeFileSync(scene.path(`responses/${body_file}`), 'text')
  const { result, archive } = await archiveWhile(async () => {
    for (const id of ['three', 'two']) {
      await db.begin((tx) => deleteNamed(tx, { account_id: 1, response_id: id, expired_by_ms: 0 }, 0))
    }
    rmSync(scene.path(`responses/${body_file}`))
  })
  await db.close()
  expect(result).toMatchObject({ deleted_meanwhile: [`responses/${body_file}`], missing: [] })
  expect(await scene.json('backup', 'verify', archive)).toMatchObject({ clean: true })
  using fresh = temporary()
  await answerOf(['restore', archive, '--data', fresh.path])
  const restored = openDatabase(fresh.at('tollgate.db'), { readonly: true })
  expect(restored.query('SELECT response_id, later, chain_length FROM responses').all()).toEqual([
    { response_id: 'one', later: 0, chain_length: 1 },
  ])
  restored.close()
})
