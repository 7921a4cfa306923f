// The doctor's check of a bucket of files: faults of its address, its key and the key's rights, in the words of the start.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { checkStoredFiles } from '../../plugins/doctor/checks/stored-files.ts'
import { claimBucket } from '../../src/app/process/files/claim.ts'
import { fileStoresOf } from '../../src/app/process/files/stores.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { startRefusingProxy } from '../support/s3-refusals.ts'
import { hasS3Server, partOf, type S3Server, sharedS3Server } from '../support/s3-server.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'

describe.skipIf(!hasS3Server)('a bucket', () => {
  let s3: S3Server
  let bucket: Bucket
  let folder: TemporaryFolder
  beforeAll(async () => {
    s3 = await sharedS3Server()
    bucket = partOf(s3)
    folder = temporary()
    openDatabase(folder.at('tollgate.db')).close()
    await claim(bucket)
  })
  afterAll(() => folder[Symbol.dispose]())

  async function claim(files: Bucket): Promise<void> {
    await using db = openDb(folder.at('tollgate.db'))
    await claimBucket(db, fileStoresOf({ files }, folder.path), { accept_missing_files: false })
  }
  const check = (changed: Partial<Bucket> = {}, data_folder = folder.path) =>
    checkStoredFiles({ data_folder, storage: { database: undefined, files: { ...bucket, ...changed } } })
  const objects = async (files: Bucket) =>
    (await Array.fromAsync(fileStoresOf({ files }, '').bucket?.connection.list('') ?? [])).length

  test('that works is ok, and keeps no object of the check', async () => {
    expect(await check()).toMatchObject([
      {
        check: 'stored files',
        level: 'ok',
        found: expect.stringContaining('an object was put, read and deleted'),
      },
    ])
    expect(await objects(bucket)).toBe(1)
  })

  test('that no start has claimed is a warning, and is not claimed', async () => {
    const files = partOf(s3)
    expect(await check(files)).toMatchObject([
      { level: 'warn', found: expect.stringContaining('has not started with it yet') },
    ])
    expect(await objects(files)).toBe(0)
  })

  test('before the first start is checked without a database', async () => {
    using empty = temporary()
    expect(await check(partOf(s3), empty.path)).toMatchObject([{ level: 'ok' }])
    expect(await check({}, empty.path)).toMatchObject([
      { level: 'fail', found: expect.stringContaining('has the files of another Tollgate') },
    ])
  })

  test('of another database fails', async () => {
    using other = temporary()
    openDatabase(other.at('tollgate.db')).close()
    expect(await check({}, other.path)).toMatchObject([
      {
        level: 'fail',
        found: expect.stringContaining('has the files of another Tollgate. Name another bucket'),
      },
    ])
  })

  test.each<[string, Partial<Bucket>, RegExp]>([
    ['a wrong secret', { secret_access_key: 'another' }, /the secret_access_key is wrong/],
    ['an unknown key', { access_key_id: 'nobody' }, /the access_key_id is unknown there/],
    ['an unknown name', { bucket: 'elsewhere' }, /bucket not found\. Create it/],
    ['an unreachable server', { endpoint: 'http://127.0.0.1:9' }, /check its address and region/],
  ])('with %s fails', async (_, changed, words) => {
    expect(await check(changed)).toMatchObject([
      {
        level: 'fail',
        found: expect.stringMatching(words),
        advice: expect.stringContaining('Until then no gateway can start'),
      },
    ])
  })

  test.each([
    ['list', /^GET \/files\/?\?/],
    ['put', /^PUT /],
    ['read', /^(GET|HEAD) \/files\/part/],
    ['delete', /^DELETE /],
  ])('whose key may not %s fails', async (_, request) => {
    using proxy = startRefusingProxy(s3, (begin) => request.test(begin))
    expect(await check({ endpoint: proxy.endpoint })).toMatchObject([
      { level: 'fail', found: expect.stringContaining('the key may not do that in this bucket') },
    ])
    expect(proxy.refused()).toBeGreaterThan(0)
  })
})
