// The claim of a bucket: the first start marks it and later ones recognize it; a bucket of another database, without the files, or without permissions is refused.
import type { Database } from 'bun:sqlite'
import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createAccount } from '../../../../src/access/accounts.ts'
import { claimBucket } from '../../../../src/app/process/files/claim.ts'
import { type FileStores, fileStoresOf } from '../../../../src/app/process/files/stores.ts'
import type { Bucket } from '../../../../src/domain/catalogue.ts'
import { beginIntake } from '../../../../src/library/intake.ts'
import { openLibrary } from '../../../../src/library/library.ts'
import { bucketMark } from '../../../../src/store/bucket-marks.ts'
import { dbOver } from '../../../../src/store/engines/sqlite/sqlite.ts'
import { paint } from '../../../media/support.ts'
import { catalogueOf } from '../../../support/catalogue.ts'
import { memoryDatabase } from '../../../support/empty-database.ts'
import { filesLines } from '../../../support/files.ts'
import { restarts } from '../../../support/restarts.ts'
import { startRefusingProxy } from '../../../support/s3-refusals.ts'
import { hasS3Server, partOf, type S3Server, sharedS3Server } from '../../../support/s3-server.ts'
import { temporary } from '../../../support/temporary.ts'

const PNG = await paint('png')
const open: Database[] = []
afterEach(() => {
  for (const db of open.splice(0)) db.close()
})

/** A new database. */
function database() {
  const db = memoryDatabase()
  open.push(db)
  return dbOver(db)
}

const storesOf = (bucket: Bucket): FileStores => fileStoresOf({ files: bucket }, '/nowhere')
const claim = (db: ReturnType<typeof database>, bucket: Bucket, accept_missing_files = false) =>
  claimBucket(db, storesOf(bucket), { accept_missing_files })

/** Keys of all objects below a prefix. */
const objectsIn = async (bucket: Bucket): Promise<string[]> =>
  (await Array.fromAsync(storesOf(bucket).bucket?.connection.list('') ?? [])).map(({ key }) => key)

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it was not refused',
    (thrown: Error) => thrown.message,
  )

/** Stores an uploaded image of account 1. */
async function upload(db: ReturnType<typeof database>, { images, files }: FileStores): Promise<void> {
  await createAccount(db, { name: 'one', now_ms: 0 })
  const library = openLibrary({ db, images, files, now: () => 0, gateway_id: 1, probe: () => {} })
  const intake = beginIntake(library, 1)
  await intake.add({ filename: 'a.png', content: new Blob([PNG]).stream() })
  await intake.commit()
}

describe.skipIf(!hasS3Server)('a bucket', () => {
  let s3: S3Server
  beforeAll(async () => {
    s3 = await sharedS3Server()
  })

  test('that is new is marked once, and recognized later', async () => {
    const [db, bucket] = [database(), partOf(s3)]
    await claim(db, bucket)
    const mark = await bucketMark(db)
    expect(await objectsIn(bucket)).toEqual([`tollgate-store/${mark}`])
    await claim(db, bucket)
    await claim(db, { ...bucket })
    expect(await objectsIn(bucket)).toEqual([`tollgate-store/${mark}`])
  })

  test('that is new is marked once by gateways of one database that start at the same moment', async () => {
    const [db, bucket] = [database(), partOf(s3)]
    await Promise.all(Array.from({ length: 8 }, () => claim(db, bucket)))
    expect(await objectsIn(bucket)).toEqual([`tollgate-store/${await bucketMark(db)}`])
  })

  test('that is new never belongs to two databases that claim it at the same moment', async () => {
    for (let time = 0; time < 5; time++) {
      const bucket = partOf(s3)
      const all = Array.from({ length: 4 }, database)
      const claimed = await Promise.allSettled(all.map((db) => claim(db, bucket)))
      expect(claimed.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
      const again = []
      for (const db of all) again.push((await messageOf(claim(db, bucket))) === 'it was not refused')
      expect(again.filter(Boolean)).toHaveLength(1)
      expect(await objectsIn(bucket)).toHaveLength(1)
    }
  })

  test('of another database is refused, and nothing changes', async () => {
    const [first, other, bucket] = [database(), database(), partOf(s3)]
    await claim(first, bucket)
    const before = await objectsIn(bucket)
    for (const accept of [false, true])
      expect(await messageOf(claim(other, bucket, accept))).toMatch(
        /has the files of another Tollgate\. Name another bucket or prefix in \[storage\].*delete the object tollgate-store\//,
      )
    expect([await objectsIn(bucket), await bucketMark(other)]).toEqual([before, undefined])
    await claim(first, bucket)
  })

  // versitygw lists the first of these names while it writes, and forever if it is killed meanwhile.
  test.each([
    (mark: string) => `.${mark}.sgwtmp.1764460800000000000`,
    (mark: string) => `${mark}.bak`,
    (mark: string) => `copies/${mark}`,
    () => 'README',
  ])('with an object beside its mark that is no mark is claimed and recognized: %#', async (nameOf) => {
    const [db, bucket] = [database(), partOf(s3)]
    const foreign = `tollgate-store/${nameOf(crypto.randomUUID())}`
    await storesOf(bucket).bucket?.connection.put(foreign, PNG)
    await claim(db, bucket)
    await claim(db, bucket)
    const mark = `tollgate-store/${await bucketMark(db)}`
    expect((await objectsIn(bucket)).toSorted()).toEqual([foreign, mark].toSorted())
    expect(await messageOf(claim(database(), bucket))).toContain(`delete the object ${mark} there`)
  })

  test('with a different prefix is claimed separately', async () => {
    const bucket = partOf(s3)
    for (const prefix of ['a/', 'ab/', 'a/b/'])
      await claim(database(), { ...bucket, prefix: bucket.prefix + prefix })
    expect(await objectsIn({ ...bucket, prefix: `${bucket.prefix}a/b/` })).toHaveLength(1)
  })

  describe('without the files that the database names', () => {
    test('is refused, and nothing changes; it is claimed once they are copied', async () => {
      using folder = temporary()
      const [db, bucket] = [database(), partOf(s3)]
      const there = fileStoresOf({ files: undefined }, folder.path)
      await upload(db, there)
      expect(await messageOf(claim(db, bucket))).toMatch(
        /none of them is in s3:\/\/.*Copy images\/, files\/, answers\/ and responses\/.*--accept-missing-files/,
      )
      expect([await objectsIn(bucket), await bucketMark(db)]).toEqual([[], undefined])
      const here = storesOf(bucket)
      for await (const { key } of there.files.list())
        await here.files.put(key, (await (await there.files.open(key))?.bytes()) ?? new Uint8Array())
      await claim(db, bucket)
      expect(await objectsIn(bucket)).toHaveLength(2)
    })

    test('is claimed with --accept-missing-files', async () => {
      using folder = temporary()
      const [db, bucket] = [database(), partOf(s3)]
      await upload(db, fileStoresOf({ files: undefined }, folder.path))
      await claim(db, bucket, true)
      expect(await objectsIn(bucket)).toHaveLength(1)
      await claim(db, bucket)
    })

    test('is refused in place of the claimed bucket', async () => {
      const [db, bucket, other] = [database(), partOf(s3), partOf(s3)]
      await claim(db, bucket)
      await upload(db, storesOf(bucket))
      expect(await messageOf(claim(db, other))).toContain('none of them is in')
      expect(await objectsIn(other)).toEqual([])
      await claim(db, bucket)
    })
  })

  const WRONG: readonly (readonly [string, Partial<Bucket>, RegExp])[] = [
    ['a wrong secret', { secret_access_key: 'another' }, /the secret_access_key is wrong. Check \[storage\]/],
    ['an unknown key', { access_key_id: 'nobody' }, /the access_key_id is unknown there. Check \[storage\]/],
    ['a missing bucket', { bucket: 'elsewhere' }, /not found. Create it, or name another in \[storage\]/],
    [
      'an unreachable server',
      { endpoint: 'http://127.0.0.1:9' },
      /check its address and region, and that it runs/,
    ],
    ['a server of another protocol', { endpoint: 'http://127.0.0.1:1' }, /check its address and region/],
  ]
  test.each(WRONG)('with %s is refused, and nothing changes', async (_, changed, message) => {
    const [db, bucket] = [database(), partOf(s3)]
    expect(await messageOf(claim(db, { ...bucket, ...changed }))).toMatch(message)
    expect([await objectsIn(bucket), await bucketMark(db)]).toEqual([[], undefined])
  })

  test.each([
    ['list', /^GET \/files\/?\?/],
    ['put objects', /^PUT /],
    ['read objects', /^(GET|HEAD) \/files\/part/],
    ['delete objects', /^DELETE /],
  ])('with a key that may not %s is refused at the first start and at later ones', async (_, request) => {
    const [db, bucket] = [database(), partOf(s3)]
    using proxy = startRefusingProxy(s3, (begin) => request.test(begin))
    const refused = { ...bucket, endpoint: proxy.endpoint }
    expect(await messageOf(claim(db, refused))).toMatch(
      /the key may not do that in this bucket. Check \[storage\]/,
    )
    expect([proxy.refused() > 0, await bucketMark(db)]).toEqual([true, undefined])
    await claim(db, bucket)
    expect(await messageOf(claim(db, refused))).toContain('the key may not do that')
  })

  describe('at a start', () => {
    const catalogue = (bucket: Bucket) =>
      `${catalogueOf({ upstream_url: 'simulator' })}\n[storage]\n${filesLines(bucket)}`

    test.each(WRONG.slice(0, 4))(
      'a gateway with %s does not start, and starts once the catalogue is corrected',
      async (_, changed, message) => {
        const bucket = partOf(s3)
        using made = await restarts(catalogue({ ...bucket, ...changed }))
        for (let time = 0; time < 2; time++) expect(await messageOf(made.start())).toMatch(message)
        expect(await objectsIn(bucket)).toEqual([])
        await Bun.write(`${made.folder.path}/tollgate.toml`, catalogue(bucket))
        await using run = await made.start()
        expect((await run.call('/readyz')).status).toBe(200)
      },
    )

    test('a gateway recognizes its bucket at each start, and a gateway of another folder is refused', async () => {
      const bucket = partOf(s3)
      using one = await restarts(catalogue(bucket))
      using other = await restarts(catalogue(bucket))
      await (await one.start()).stop()
      await (await one.start()).stop()
      expect(await messageOf(other.start())).toContain('has the files of another Tollgate')
      await (await one.start()).stop()
    })
  })
})
