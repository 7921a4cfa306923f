// Backups of a gateway with files in a bucket: ordinary archives, restored into an empty bucket, that gateway's own, or folders.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { openBucketTarget } from '../../plugins/backups/restoring/bucket-target.ts'
import { claimBucket } from '../../src/app/process/files/claim.ts'
import { fileStoresOf } from '../../src/app/process/files/stores.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { createFileStore } from '../../src/media/store.ts'
import { bucketMark } from '../../src/store/bucket-marks.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { createScene, type Scene } from '../app/commands/scene.ts'
import { filesLines } from '../support/files.ts'
import { hasS3Server, partOf, type S3Server, startS3Server } from '../support/s3-server.ts'
import { addUpload, backUp, uploadKey } from './support.ts'

/** The key of an upload. */
const keyOf = (name: string) => uploadKey(name).slice('files/'.length)

const storesOf = (bucket: Bucket) => fileStoresOf({ files: bucket }, '/nowhere')

/** Keys of all objects below a prefix, except the marks. */
const filesIn = async (bucket: Bucket): Promise<string[]> =>
  (await Array.fromAsync(storesOf(bucket).bucket?.connection.list('') ?? []))
    .map(({ key }) => key)
    .filter((key) => !key.startsWith('tollgate-'))

const textOf = async (bucket: Bucket, name: string) =>
  Buffer.from((await (await storesOf(bucket).files.open(keyOf(name)))?.bytes()) ?? []).toString()

describe.if(hasS3Server)('a gateway with files in a bucket', () => {
  let s3: S3Server
  let scene: Scene
  let bucket: Bucket
  let archive: string

  beforeAll(async () => {
    s3 = await startS3Server('files')
    bucket = partOf(s3)
    scene = createScene('nothing')
    writeFileSync(scene.path('tollgate.toml'), `${FIRST_CATALOGUE}\n[storage]\n${filesLines(bucket)}`)
    await scene.json('account', 'create', 'anna')
    await withDb(scene, (db) => claimBucket(db, storesOf(bucket), { accept_missing_files: false }))
    await put(scene, 'cat')
    archive = scene.path('a.tar.zst')
    await scene.json('backup', archive)
  })
  afterAll(async () => {
    scene.remove()
    await s3[Symbol.asyncDispose]()
  })

  async function withDb<T>(of: Scene, work: (db: ReturnType<typeof openDb>) => Promise<T>): Promise<T> {
    await using db = openDb(of.path('tollgate.db'))
    return await work(db)
  }

  /** A file of an upload, with its row. */
  async function put(of: Scene, name: string): Promise<void> {
    await storesOf(bucket).files.put(keyOf(name), Buffer.from(name))
    await addRow(of, name)
  }

  const addRow = (of: Scene, name: string) => withDb(of, (db) => addUpload(db, uploadKey(name), name))
  const removeRow = (name: string) =>
    withDb(scene, (db) =>
      db.write((within) => within.rows('DELETE FROM files WHERE key = $key', { key: uploadKey(name) })),
    )

  test('has them in its archive, which passes its drill', async () => {
    expect(await scene.json('backup', 'verify', archive)).toMatchObject({ clean: true, missing: [] })
    expect(existsSync(scene.path('files'))).toBeFalse()
  })

  test('leaves out files deleted meanwhile, and reports missing ones', async () => {
    await put(scene, 'dog')
    await put(scene, 'fox')
    const { result } = await backUp(scene.dir, {
      stores: storesOf(bucket),
      async meanwhile() {
        await removeRow('dog')
        for (const name of ['dog', 'fox']) await storesOf(bucket).files.remove(keyOf(name))
      },
    })
    expect(result).toMatchObject({
      deleted_meanwhile: [uploadKey('dog')],
      missing: [uploadKey('fox')],
    })
    await removeRow('fox')
  })

  test('makes no backup while the bucket is unreachable, and nothing stays', async () => {
    await s3.stop()
    const words = await scene.refusal('backup', scene.path('away.tar.zst'))
    await s3.start()
    expect(words).toMatch(/^error: The bucket files at http.* failed/)
    expect(existsSync(scene.path('away.tar.zst'))).toBeFalse()
  })

  describe('is restored', () => {
    let other: Scene
    let target: Bucket
    beforeEach(() => {
      target = partOf(s3)
      other = createScene('nothing')
    })
    afterEach(() => other.remove())
    const name = (to: Bucket) =>
      writeFileSync(other.path('tollgate.toml'), `${FIRST_CATALOGUE}\n[storage]\n${filesLines(to)}`)
    const restore = () => other.run('restore', archive)
    const markIn = (of: Scene) => withDb(of, bucketMark)

    test('into an empty bucket, which becomes its own', async () => {
      name(target)
      const { status, out } = await restore()
      expect([status, out]).toEqual([
        0,
        expect.stringContaining(`Its files are in s3://files/${target.prefix}.`),
      ])
      expect([await filesIn(target), await textOf(target, 'cat')]).toEqual([[uploadKey('cat')], 'cat'])
      expect([existsSync(other.path('files')), await markIn(other)]).toEqual([false, undefined])
      await withDb(other, (db) => claimBucket(db, storesOf(target), { accept_missing_files: false }))
      expect(await markIn(other)).not.toBe(await markIn(scene))
    })

    test('into its own bucket: present files stay, and lost ones come back', async () => {
      await put(scene, 'new')
      await storesOf(bucket).files.remove(keyOf('cat'))
      name(bucket)
      expect((await restore()).status).toBe(0)
      expect((await filesIn(bucket)).sort()).toEqual([uploadKey('cat'), uploadKey('new')])
      expect([await textOf(bucket, 'cat'), await markIn(other)]).toEqual(['cat', await markIn(scene)])
    })

    test('and removed again if a later step fails, except files put there by others meanwhile', async () => {
      const there = await openBucketTarget(target, true)
      await other.json('account', 'create', 'ben')
      await createFileStore(other.path('files')).put(keyOf('cat'), Buffer.from('cat'))
      await addRow(other, 'cat')
      await storesOf(target).images.put('7/theirs.png', Buffer.from('x'))
      const remove = await there.take(other.dir)
      expect((await filesIn(target)).sort()).toEqual([uploadKey('cat'), 'images/7/theirs.png'])
      await remove()
      expect(await filesIn(target)).toEqual(['images/7/theirs.png'])
    })

    test('into folders, if this machine has no bucket', async () => {
      writeFileSync(other.path('tollgate.toml'), '[server]\nlisten = "127.0.0.1:0"\n')
      expect((await restore()).status).toBe(0)
      expect(readFileSync(other.path(uploadKey('cat')), 'utf8')).toBe('cat')
      expect(await other.json('audit')).toMatchObject({ clean: true })
    })

    test.each<[string, (there: Bucket) => unknown, RegExp]>([
      [
        'that only the archive names, and that its gateway uses',
        () => undefined,
        /^error: The archive names s3:.*A copy of that gateway needs a bucket of its own/,
      ],
      [
        'with objects of others',
        async (there) => {
          await storesOf(there).images.put('1/x.png', Buffer.from('x'))
          name(there)
        },
        /is not empty, and is not marked as a gateway's\. Name an empty bucket/,
      ],
      [
        'of another gateway',
        async (there) => {
          const foreign = createScene()
          await withDb(foreign, (db) => claimBucket(db, storesOf(there), { accept_missing_files: false }))
          foreign.remove()
          name(there)
        },
        /has the files of another gateway than the archive\. Name an empty bucket/,
      ],
      ['of no server', (there) => name({ ...there, bucket: 'no-such' }), /bucket not found\. Create it/],
      [
        'by a wrong secret',
        (there) => name({ ...there, secret_access_key: 'wrong' }),
        /refused: the secret_access_key is wrong\. Check \[storage\]/,
      ],
    ])('not into a bucket %s: nothing is changed', async (_, prepare, words) => {
      await prepare(target)
      const there = [await filesIn(target), await filesIn(bucket)]
      expect(await other.refusal('restore', archive)).toMatch(words)
      for (const left of ['tollgate.db', 'files', '.restore'])
        expect(existsSync(other.path(left))).toBeFalse()
      expect([await filesIn(target), await filesIn(bucket)]).toEqual(there)
    })
  })
})
