// `tollgate audit --files` over a bucket: objects without a row, rows without an object, sizes that differ; and the objects that --remove deletes.
import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { claimBucket } from '../../src/app/process/files/claim.ts'
import { type FileStores, fileStoresOf, storedAt } from '../../src/app/process/files/stores.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { beginGenerations, storeGenerations } from '../../src/library/generations.ts'
import { beginIntake } from '../../src/library/intake.ts'
import { openLibrary } from '../../src/library/library.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { sceneOfEachTest } from '../app/commands/scene.ts'
import { paint } from '../media/support.ts'
import { filesLines } from '../support/files.ts'
import { startRefusingProxy } from '../support/s3-refusals.ts'
import { hasS3Server, partOf, type S3Server, sharedS3Server } from '../support/s3-server.ts'

const PNG = await paint('png')
const HOUR_MS = 3_600_000
const ANSWER = '0d4cf1bc-8f55-4ec8-9f0e-4f1e34f7f7a1'
const RESPONSE = '1d4cf1bc-8f55-4ec8-9f0e-4f1e34f7f7a1'
const STRAY = '2d4cf1bc-8f55-4ec8-9f0e-4f1e34f7f7a1'

describe.skipIf(!hasS3Server)('an audit of files in a bucket', () => {
  let s3: S3Server
  let bucket: Bucket
  let stores: FileStores
  /** The paths of stored files, and of files that are being made. */
  let paths: Record<'image' | 'upload' | 'answer' | 'response' | 'making' | 'storing', string>
  const scene = sceneOfEachTest()
  beforeAll(async () => {
    s3 = await sharedS3Server()
  })
  beforeEach(async () => {
    bucket = partOf(s3)
    stores = fileStoresOf({ files: bucket }, '/nowhere')
    useBucket(bucket)
    await scene.run('account', 'create', 'anna')
    await scene.run('key', 'create', 'anna')
    await using db = openDb(scene.path('tollgate.db'))
    await claimBucket(db, stores, { accept_missing_files: false })
    paths = await fill()
  })

  const useBucket = (used: Bucket) =>
    writeFileSync(scene.path('tollgate.toml'), `${FIRST_CATALOGUE}\n[storage]\n${filesLines(used)}`)
  const objects = async () =>
    (await Array.fromAsync(stores.bucket?.connection.list('') ?? [])).map(({ key }) => key).sort()
  const put = (path: string, bytes: Uint8Array = PNG) => {
    const { store, key } = storedAt(stores, path)
    return store.put(key, bytes)
  }
  /** Makes an object older by the scene's clock. */
  const age = (path: string, hours: number) => {
    const at_s = (scene.now_ms - hours * HOUR_MS) / 1_000
    utimesSync(s3.file(bucket.prefix + path), at_s, at_s)
  }
  const edit = (sql: string) => {
    const db = openDatabase(scene.path('tollgate.db'))
    db.run('PRAGMA foreign_keys = OFF')
    db.run(sql)
    db.close()
  }

  /** Makes an old file of each kind. */
  async function fill() {
    await using db = openDb(scene.path('tollgate.db'))
    edit(
      "INSERT INTO holds SELECT value, 1, 1, 'r' || value, 0, 'expired', 0, 0, NULL, 0, NULL FROM json_each('[1, 2]')",
    )
    const { images, files } = stores
    const library = openLibrary({ db, images, files, now: () => 0, gateway_id: 1, probe: () => {} })
    const intake = beginIntake(library, 1)
    await intake.add({ filename: 'a.png', content: new Blob([PNG]).stream() })
    const [upload] = await intake.commit()
    const order = { account_id: 1, kind: 'generation', model: 'm', prompt: 'p', parents: [] } as const
    const [stored = ''] = await beginGenerations(library, { ...order, call_id: 1 }, 1)
    const [making = ''] = await beginGenerations(library, { ...order, call_id: 2 }, 1)
    const image = { bytes: PNG, mime: 'image/png', width: 24, height: 18, revised_prompt: null } as const
    await storeGenerations(library, 1, [stored], [image])
    edit(`
      INSERT INTO files (key, account_id, name, state, mime, bytes, created_at_ms)
        VALUES ('files/1/storing.png', 1, 'storing', 'storing', 'image/png', 0, 0);
      INSERT INTO idempotency_keys (account_id, key, request_sha256, request_id, after_hold_id, status, headers, body_file, created_at_ms, kept_bytes, replays)
        VALUES (1, 'k', zeroblob(32), 'r', 0, 200, '[]', '${ANSWER}', 0, ${PNG.length}, 0);
      INSERT INTO responses (account_id, response_id, body_file, kept_bytes, chain_bytes, chain_length, later, created_at_ms, deleted)
        VALUES (1, 'resp_1', '${RESPONSE}', ${PNG.length}, ${PNG.length}, 1, 0, 0, 0)`)
    const created = {
      image: `images/1/${stored}.png`,
      upload: upload?.key ?? '',
      answer: `answers/${ANSWER}`,
      response: `responses/${RESPONSE}`,
      making: `images/1/${making}.webp`,
      storing: 'files/1/storing.png',
    }
    for (const path of [created.answer, created.response, created.making, created.storing]) await put(path)
    for (const path of Object.values(created)) age(path, 1_000)
    return created
  }

  test('a bucket in order is clean, and nothing is deleted', async () => {
    const before = await objects()
    for (const flags of [['--files'], ['--files', '--remove', '--yes']])
      expect(await scene.json('audit', ...flags)).toMatchObject({ clean: true, files: [] })
    expect(await objects()).toEqual(before)
  })

  const WRONG: readonly (readonly [string, () => unknown, problem: string, path: () => string])[] = [
    ['an image is gone', () => stores.images.remove(paths.image.slice(7)), 'missing', () => paths.image],
    ['an upload is gone', () => stores.files.remove(paths.upload.slice(6)), 'missing', () => paths.upload],
    ['a kept answer is gone', () => stores.answers.remove(ANSWER), 'missing', () => paths.answer],
    [
      'an image is cut',
      () => truncateSync(s3.file(bucket.prefix + paths.image), 5),
      'size',
      () => paths.image,
    ],
    [
      'an image has no row',
      () => edit("DELETE FROM generations WHERE state = 'stored'"),
      'no row',
      () => paths.image,
    ],
    [
      'an upload has no row',
      () => edit("DELETE FROM files WHERE state = 'stored'"),
      'no row',
      () => paths.upload,
    ],
    ['an answer has no row', () => edit('DELETE FROM idempotency_keys'), 'no row', () => paths.answer],
    ['a response has no row', () => edit('DELETE FROM responses'), 'no row', () => paths.response],
  ]
  test.each(WRONG)('%s, which is found with --files, and not without', async (_, spoil, problem, path) => {
    await spoil()
    const plain = await scene.run('audit')
    expect([plain.status, plain.out]).toEqual([
      0,
      expect.stringMatching(/The files in s3:.* were not checked: add --files\./),
    ])
    const { status, out } = await scene.run('audit', '--files', '--json')
    expect([status, JSON.parse(out)]).toMatchObject([1, { clean: false, files: [{ problem, path: path() }] }])
    const printed = await scene.run('audit', '--files')
    expect(printed.out).toContain('IN BUCKET')
    expect(printed.out).not.toContain('were not checked')
    for (const line of printed.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test('a response whose object is gone is found', async () => {
    await stores.responses.remove(RESPONSE)
    const { status, out } = await scene.run('audit', '--files')
    expect([status, out]).toEqual([1, expect.stringContaining('response resp_1: lacks')])
  })

  describe('--remove', () => {
    const strays = ['images/1/a.png', 'files/2/b.png', `answers/${STRAY}`, `responses/${STRAY}`]
    const trial = 'tollgate-trial/left'
    const other = 'something/else.png'
    /** Objects of gateways with a prefix below a store of this one. */
    const of_others = [
      'files/images/1/a.png',
      'files/tollgate-store/a',
      'images/7/files/2/b.png',
      `answers/answers/${STRAY}`,
      `responses/images/3/c.png`,
    ]
    beforeEach(async () => {
      for (const path of strays) await put(path)
      for (const key of [trial, other]) await stores.bucket?.connection.put(key, PNG)
      for (const path of [...strays, trial, other]) age(path, 25)
      const [mark = ''] = (await objects()).filter((key) => key.startsWith('tollgate-store/'))
      age(mark, 1_000)
    })

    test('deletes objects without a row that are older than 24 hours, and nothing else', async () => {
      const before = await objects()
      const bytes = PNG.length * 5
      expect(await scene.json('audit', '--files', '--remove', '--yes')).toMatchObject({
        clean: true,
        removed: { objects: 5, bytes },
      })
      const gone = [...strays, trial]
      expect(await objects()).toEqual(before.filter((key) => !gone.includes(key)))
    })

    test("keeps objects below another gateway's prefix, and does not report them", async () => {
      for (const key of of_others) {
        await stores.bucket?.connection.put(key, PNG)
        age(key, 1_000)
      }
      expect(await scene.json('audit', '--files', '--remove', '--yes')).toMatchObject({
        clean: true,
        removed: { objects: 5 },
      })
      expect(await objects()).toEqual(expect.arrayContaining(of_others))
    })

    test('keeps objects that are young by the clock of the bucket, even if this machine is days ahead', async () => {
      for (const path of [...strays, trial]) {
        const now_s = Date.now() / 1_000
        utimesSync(s3.file(bucket.prefix + path), now_s, now_s)
      }
      scene.now_ms = Date.now() + 48 * HOUR_MS
      const before = await objects()
      const { out } = await scene.run('audit', '--files', '--remove', '--yes', '--json')
      expect(JSON.parse(out)).toMatchObject({ removed: { objects: 0, bytes: 0 } })
      expect(await objects()).toEqual(before)
    })

    test('keeps younger objects, and does not report them', async () => {
      for (const path of [...strays, trial]) age(path, 23)
      const before = await objects()
      expect(await scene.json('audit', '--files', '--remove', '--yes')).toMatchObject({
        clean: true,
        removed: { objects: 0, bytes: 0 },
      })
      expect(await objects()).toEqual(before)
    })

    test('asks first, with the number and size of the objects', async () => {
      const before = await objects()
      const refused = await scene.run('audit', '--files', '--remove')
      expect([refused.status, refused.err]).toEqual([
        1,
        expect.stringMatching(
          /deletes objects without a row from s3:\/\/.*: 5, .*Add --yes to skip the question/,
        ),
      ])
      const replies = ['no', 'y']
      scene.ask = async () => replies.shift() ?? ''
      expect((await scene.run('audit', '--files', '--remove')).err).toContain('Nothing was changed.')
      expect(await objects()).toEqual(before)
      const { status, out } = await scene.run('audit', '--files', '--remove')
      expect([status, out]).toEqual([0, expect.stringMatching(/Objects deleted from s3:\/\/\S+: 5, \d/)])
    })

    test.each<[string, () => Partial<Bucket>, string]>([
      ['another bucket', () => ({ prefix: 'elsewhere/' }), 'does not have the files of this gateway'],
      ['an unreachable bucket', () => ({ endpoint: 'http://127.0.0.1:9' }), 'check its address and region'],
    ])('in %s is refused', async (_, changed, words) => {
      useBucket({ ...bucket, ...changed() })
      for (const flags of [['--files'], ['--files', '--remove', '--yes']]) {
        expect(await scene.refusal('audit', ...flags)).toContain(words)
      }
      expect((await scene.run('audit')).status).toBe(0)
    })

    test('with a key that may not delete is refused, and an audit without it is not', async () => {
      using proxy = startRefusingProxy(s3, (request) => /^DELETE /.test(request))
      useBucket({ ...bucket, endpoint: proxy.endpoint })
      expect((await scene.run('audit', '--files')).out).toContain('no row')
      expect(await scene.refusal('audit', '--files', '--remove', '--yes')).toContain(
        'the key may not do that in this bucket',
      )
    })

    test('without --files is wrong usage', async () => {
      const { status, err } = await scene.run('audit', '--remove')
      expect([status, err]).toEqual([2, expect.stringContaining('Give --remove together with --files.')])
    })
  })

  test('files in folders are checked with and without --files; --remove is refused', async () => {
    writeFileSync(scene.path('tollgate.toml'), FIRST_CATALOGUE)
    edit('DELETE FROM generations; DELETE FROM files; DELETE FROM responses; DELETE FROM idempotency_keys')
    await Bun.write(scene.path('images/1/a.png'), PNG)
    for (const flags of [[], ['--files']]) {
      const { status, out } = await scene.run('audit', ...flags)
      expect([status, out]).toEqual([1, expect.stringContaining('images/1/a.png')])
    }
    expect(await scene.refusal('audit', '--files', '--remove', '--yes')).toContain(
      'are in its data folder. Leave --remove out',
    )
  })
})
