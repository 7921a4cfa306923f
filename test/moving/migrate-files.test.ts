// `migrate` with files: into a bucket and back, with the database or alone; copied files, refusals, and the rest for a second run.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { bucketMark } from '../../src/store/bucket-marks.ts'
import { serverClock } from '../../src/store/engines/postgres/heartbeat.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { connectBucket } from '../../src/store/engines/s3/connection.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { beginGateway } from '../../src/store/gateways.ts'
import { takeLock } from '../../src/store/lock.ts'
import { createScene, sceneOfEachTest } from '../app/commands/scene.ts'
import { IS_LONG } from '../support/long.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { startRefusingProxy } from '../support/s3-refusals.ts'
import { hasS3Server, partOf, sharedS3Server, startS3Server } from '../support/s3-server.ts'
import { SEED } from '../support/seed.ts'
import { mayMount, mountSmallDisk } from '../support/small-disk.ts'
import { type Stored, sortedAsHex, storedIn, storeFiles } from '../support/stored-files.ts'

const scene = sceneOfEachTest(async (scene) => {
  await scene.json('account', 'create', 'ada')
  await scene.json('key', 'create', 'ada')
})

const COUNT = IS_LONG ? 250 : 6

function store(count = COUNT, seed = SEED): Stored {
  const db = openDatabase(scene.path('tollgate.db'))
  const stored = storeFiles(db, scene.dir, count, 1 + (seed % 1000))
  db.close()
  return stored
}

const variablesOf = ({ endpoint, access_key_id, secret_access_key }: Bucket) => ({
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: access_key_id,
  AWS_SECRET_ACCESS_KEY: secret_access_key,
})
const addressOf = ({ bucket, prefix }: Bucket) => `s3://${bucket}/${prefix}`
const withoutSlash = (text: string) => text.replace(/\/$/, '')

async function objectsIn(bucket: Bucket): Promise<Stored> {
  const connection = connectBucket(bucket, {
    named_in: 'storage',
    answer_ms: 5_000,
    least_bytes_per_s: 1_000,
  })
  const objects: Stored = new Map()
  for await (const { key, bytes } of connection.list(''))
    if (!key.startsWith('tollgate-')) objects.set(key, await connection.bytes(key, [0, bytes]))
  return objects
}

const expectSame = (one: Stored, other: Stored) => expect(sortedAsHex(one)).toEqual(sortedAsHex(other))
const migrate = (...args: string[]) => scene.run('migrate', ...args)
/** The lines of [storage] in an answer. */
const sectionOf = (out: string): string => /\n\[storage\]\n(?:\w+ = .*\n)+/.exec(out)?.[0] ?? ''
const use = (out: string) => appendFileSync(scene.path('tollgate.toml'), sectionOf(out))

describe('without a bucket', () => {
  test.each([
    [
      ['--files', 's3://bucket'],
      /^error: --files s3:\/\/bucket: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION/,
    ],
    [['--files', 's3://'], /^error: --files: must be the address of a bucket, such as/],
    [['--files', 'https://bucket'], /^error: --files: must be the address of a bucket, such as/],
    [['--files', 's3://bucket/a/../b'], /^error: --files: must not have "\." or "\.\."/],
    [
      ['--files', './elsewhere'],
      /^error: --files \.\/elsewhere: a gateway reads the files of its data folder: write --files/,
    ],
    [
      ['--to', 's3://bucket'],
      /^error: --to: s3:\/\/bucket must be a PostgreSQL database .* Name a bucket for the files in --files\./,
    ],
  ])('%p is refused', async (args, words) => {
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
    scene.env = args[1] === 's3://bucket' ? {} : keys
    const { status, out, err } = await migrate(...args)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toMatch(words)
    expect(existsSync('elsewhere')).toBeFalse()
  })

  test.each([
    [[], 'Give --to for the database, --files for the files, or both.'],
    [['--files', 's3://bucket', '--copy'], '--copy is for --to'],
  ])('%p is wrong usage', async (args, words) => {
    const { status, err } = await migrate(...args)
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(words) })
  })

  test('a move of files from their folder to itself is refused', async () => {
    const { err } = await migrate('--files', scene.dir)
    expect(err).toContain(`The files are in folders already, in ${scene.dir}. Name a bucket`)
  })
})

describe.skipIf(!hasS3Server)('files alone', () => {
  let bucket: Bucket
  let to: string
  beforeEach(async () => {
    bucket = partOf(await sharedS3Server())
    to = withoutSlash(addressOf(bucket))
    scene.env = variablesOf(bucket)
  })

  test('are copied into a bucket for the gateway of this database, and back, byte by byte', async () => {
    const stored = store()
    const { status, out } = await migrate('--files', to)
    expect(status).toBe(0)
    expect(out).toContain(`files ${stored.size}, `)
    expect(out).toContain(`${stored.size} copied now.`)
    expect(sectionOf(out)).toBe(
      `\n[storage]\nfiles = "${to}"\nendpoint = "${bucket.endpoint}"\naccess_key_id = "env:AWS_ACCESS_KEY_ID"\nsecret_access_key = "env:AWS_SECRET_ACCESS_KEY"\n`,
    )
    expectSame(await objectsIn(bucket), stored)
    expectSame(storedIn(scene.dir), stored)
    expect(await scene.json('audit-log')).toMatchObject({
      actions: expect.arrayContaining([
        expect.objectContaining({ action: 'files.moved', command: 'migrate', subject: addressOf(bucket) }),
      ]),
    })
    use(out)
    expect((await migrate('--files', to)).err).toContain(
      `[storage] names ${to} already, so the files are there.`,
    )
    for (const name of ['images', 'files', 'answers', 'responses'])
      rmSync(scene.path(name), { recursive: true })
    const back = await migrate('--files', scene.dir)
    expect(back.status).toBe(0)
    expect(back.out).toContain('Remove `files` and the lines of the bucket from [storage]')
    expectSame(storedIn(scene.dir), stored)
    writeFileSync(
      scene.path('tollgate.toml'),
      readFileSync(scene.path('tollgate.toml'), 'utf8').replace(sectionOf(out), ''),
    )
    expect(await scene.json('audit')).toMatchObject({ clean: true, findings: [] })
  })

  test('are copied only if a row names them, and only once at the same size', async () => {
    const stored = store(3)
    mkdirSync(scene.path('images/2'))
    writeFileSync(scene.path('images/2/stray.png'), 'stray')
    expect(await scene.json('migrate', '--files', to)).toMatchObject({
      files: 12,
      copied: 12,
      complete: true,
      missing: [],
    })
    const later = store(1, SEED + 1)
    const [[cut = ''] = []] = stored
    await Bun.write(scene.path(cut), 'cut short, as if by a tool that copied it')
    const view = await scene.json('migrate', '--files', to)
    expect(view).toMatchObject({ files: 16, copied: 5 })
    expect([...(await objectsIn(bucket)).keys()].sort()).toEqual([...stored.keys(), ...later.keys()].sort())
  })

  test('are copied beside a gateway, without a line to write yet; the rest once it has stopped', async () => {
    store(2)
    {
      using _served = takeLock(scene.path('serve.lock'))
      const { status, out } = await migrate('--files', to)
      expect([status, sectionOf(out)]).toEqual([0, ''])
      expect(out).toContain(
        `A gateway still stores files in ${scene.dir}. Stop it and run the same command again`,
      )
      store(1, SEED + 1)
      expect(await scene.json('migrate', '--files', to)).toMatchObject({ copied: 4, complete: false })
    }
    expect(await scene.json('migrate', '--files', to)).toMatchObject({ files: 12, copied: 0, complete: true })
  })

  test('a damaged image is reported, and copied unchanged', async () => {
    const [path = ''] = [...store(1).keys()].filter((key) => key.startsWith('images/'))
    const content = readFileSync(scene.path(path))
    writeFileSync(scene.path(path), content.with(0, (content[0] ?? 0) ^ 1))
    const { out, err } = await migrate('--files', to, '--json')
    expect(JSON.parse(out)).toMatchObject({ copied: 4, damaged: [path] })
    expect(err).toContain(`Damaged images in ${scene.dir}`)
  })

  test('a missing file is reported and its row marked; the others are copied', async () => {
    const stored = store(2)
    const [image = ''] = stored.keys()
    const missing = [image, ...[...stored.keys()].filter((path) => path.startsWith('answers/')).slice(0, 1)]
    for (const path of missing) rmSync(scene.path(path))
    const { status, err, out } = await migrate('--files', to, '--json')
    expect(status).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ files: 6, copied: 6, missing })
    expect(err).toContain('2 files that rows name are not in')
    await using db = openDb(scene.path('tollgate.db'), { readonly: true })
    const marked = await db.rows<{ file_key: string }>(
      'SELECT file_key FROM generations WHERE missing_since_ms IS NOT NULL',
    )
    expect(marked).toEqual([{ file_key: image.slice('images/'.length) }])
  })

  describe('is refused, and nothing is copied', () => {
    const expectRefused = async (words: RegExp, place = to) => {
      const { status, out, err } = await migrate('--files', place)
      expect({ status, out }).toEqual({ status: 1, out: '' })
      expect(err).toMatch(words)
      expect((await objectsIn(bucket)).size).toBe(0)
    }
    beforeEach(() => void store(1))

    test.each([
      [
        'a wrong secret',
        { AWS_SECRET_ACCESS_KEY: 'x' },
        /the secret_access_key is wrong\. Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/,
      ],
      [
        'an unknown key',
        { AWS_ACCESS_KEY_ID: 'x' },
        /the access_key_id is unknown there\. Check AWS_ACCESS_KEY_ID/,
      ],
      ['an unreachable server', { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }, /check its address and region/],
      [
        'an invalid address of a server',
        { AWS_ENDPOINT_URL: 'nowhere' },
        /^error: AWS_ENDPOINT_URL: must be the address of an S3 server/,
      ],
    ])('%s', async (_, changed, words) => {
      scene.env = { ...scene.env, ...changed }
      await expectRefused(words)
    })

    test('an unknown bucket', () =>
      expectRefused(/bucket not found\. Create it, or name another\./, 's3://elsewhere'))

    test("another database's bucket", async () => {
      const connection = connectBucket(bucket, {
        named_in: 'storage',
        answer_ms: 5_000,
        least_bytes_per_s: 1_000,
      })
      await connection.put(`tollgate-store/${crypto.randomUUID()}`, new Uint8Array([1]))
      await expectRefused(/has the files of another Tollgate\. Name another bucket or prefix/)
    })

    test.each([
      ['put', /^PUT /],
      ['delete', /^DELETE /],
    ])('a key that may not %s', async (_, request) => {
      using proxy = startRefusingProxy(await sharedS3Server(), (begin) => request.test(begin))
      scene.env = { ...scene.env, AWS_ENDPOINT_URL: proxy.endpoint }
      await expectRefused(/the key may not do that in this bucket/)
    })

    test('a move from a bucket to another one', async () => {
      const { out } = await migrate('--files', to)
      use(out)
      const other = partOf(await sharedS3Server())
      expect((await migrate('--files', addressOf(other))).err).toMatch(
        /The files are in a bucket already, s3:.*Copy its objects/,
      )
      expect((await objectsIn(other)).size).toBe(0)
    })

    test('a move to a bucket of the same name on another server', async () => {
      use((await migrate('--files', to)).out)
      scene.env.AWS_ENDPOINT_URL = 'http://127.0.0.1:9'
      expect((await migrate('--files', to)).err).toMatch(
        /The files are in a bucket already, s3:\S+ at http:.*Copy its objects/,
      )
    })
  })

  test.skipIf(!mayMount)('are not copied back to a disk without room for them', async () => {
    using disk = mountSmallDisk()
    store(1)
    const [path = ''] = storedIn(scene.dir).keys()
    truncateSync(scene.path(path), 23_000_000)
    use((await migrate('--files', to)).out)
    const folder = `${disk.path}/data`
    const onDisk = createScene('nothing', folder)
    onDisk.env = scene.env
    cpSync(scene.dir, folder, {
      recursive: true,
      filter: (from) => !/(images|files|answers|responses)$/.test(from),
    })
    const { status, err } = await onDisk.run('migrate', '--files', folder)
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringMatching(
        /The files do not fit: 23\.\d MB are to be copied, and the disk of .* has room for 2[12]\.?\d? MB/,
      ),
    })
    expect(readdirSync(folder)).not.toContain('images')
  })

  test('a bucket that fails midway: the progress is reported, and a second run copies the rest', async () => {
    const stored = store(10)
    await using s3 = await startS3Server('files')
    const own = partOf(s3)
    let puts = 0
    using proxy = startRefusingProxy(s3, (begin) => begin.startsWith('PUT ') && ++puts > 15)
    scene.env = { ...variablesOf(own), AWS_ENDPOINT_URL: proxy.endpoint }
    const { status, err } = await migrate('--files', addressOf(own))
    expect(status).toBe(1)
    expect(err).toMatch(/[1-9]\d* of 40 files copied: run this again, and it copies the others/)
    const copied_files = (await objectsIn(own)).size
    expect(copied_files).toBeGreaterThan(5)
    scene.env = variablesOf(own)
    expect(await scene.json('migrate', '--files', addressOf(own))).toMatchObject({
      files: 40,
      copied: 40 - copied_files,
    })
    expectSame(await objectsIn(own), stored)
  })
})

describe.skipIf(!hasS3Server || !hasPostgres)('with the database', () => {
  let bucket: Bucket
  let to: string
  let database: Awaited<ReturnType<typeof makeDatabase>>
  beforeEach(async () => {
    database = await makeDatabase()
    bucket = partOf(await sharedS3Server())
    to = withoutSlash(addressOf(bucket))
    scene.env = { ...variablesOf(bucket), DATABASE_URL: database.url }
  })
  afterEach(() => dropDatabase(database.name))
  const migrateBoth = (...more: string[]) => migrate('--to', 'env:DATABASE_URL', '--files', to, ...more)
  const markThere = async () => {
    await using db = await openPostgres(database.url, { readonly: true })
    return await bucketMark(db)
  }

  test('both move to a server by the printed lines, and back into a new folder: rows and bytes are the same', async () => {
    const stored = store()
    const { status, out, err } = await migrateBoth()
    expect({ status, err }).toEqual({ status: 0, err: '' })
    expect(out).toContain('audit clean on both sides')
    expect(out).toContain(`${stored.size} copied now.`)
    expect(out).toContain(
      'with DATABASE_URL set to that address, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY set as now',
    )
    expect(sectionOf(out)).toStartWith(`\n[storage]\ndatabase = "env:DATABASE_URL"\nfiles = "${to}"\n`)
    expectSame(await objectsIn(bucket), stored)
    expect(await markThere()).toBeString()
    use(out)
    const other = scene.path('new')
    const back = await migrate('--to', other)
    expect({ status: back.status, err: back.err }).toEqual({ status: 0, err: '' })
    expect(back.out).toContain(`${stored.size} copied now.`)
    expectSame(storedIn(other), stored)
    expect(statSync(other).mode & 0o77).toBe(0)
    const rows = (path: string) => {
      const db = openDatabase(path, { readonly: true })
      const tables = ['generations', 'files', 'responses', 'idempotency_keys', 'accounts', 'bucket_marks']
      const all = tables.map((table) => db.query(`SELECT * FROM ${table} ORDER BY id`).all())
      db.close()
      return all
    }
    expect(rows(`${other}/tollgate.db`)).toEqual(rows(scene.path('tollgate.db')))
  })

  test('a later erasure names the data that the folder still has', async () => {
    store(1)
    use((await migrateBoth()).out)
    const { status, out } = await scene.run('account', 'erase', 'ada', '--yes')
    expect({ status, out }).toEqual({
      status: 0,
      out: expect.stringContaining('Earlier copies still have it, for you to delete: tollgate.db.'),
    })
    expect(out).toContain(
      'Earlier folders may still have it, for you to delete: images/, files/, answers/, responses/.',
    )
  })

  test('after a first run of the files beside the gateway, only new ones are copied', async () => {
    store(2)
    {
      using _served = takeLock(scene.path('serve.lock'))
      expect(await scene.json('migrate', '--files', to)).toMatchObject({ copied: 8, complete: false })
      expect((await migrateBoth()).err).toContain('stop it first')
    }
    store(1, SEED + 1)
    expect(await scene.json('migrate', '--to', 'env:DATABASE_URL', '--files', to)).toMatchObject({
      clean: true,
      files: { files: 12, copied: 4, missing: [] },
    })
  })

  test('a missing file is marked in the new database, and not in the old one', async () => {
    const [image = ''] = store(1).keys()
    rmSync(scene.path(image))
    const { status, err } = await migrateBoth()
    expect(status).toBe(0)
    expect(err).toContain(`1 file that rows name is not in ${scene.dir}`)
    const marked = 'SELECT id FROM generations WHERE missing_since_ms IS NOT NULL'
    await using db = await openPostgres(database.url)
    await using old = openDb(scene.path('tollgate.db'), { readonly: true })
    expect([await db.rows(marked), await old.rows(marked)]).toEqual([[{ id: 1 }], []])
  })

  test('a database that has rows is refused before any file is copied', async () => {
    store(1)
    await using db = await openPostgres(database.url)
    await db.write((within) => within.rows("INSERT INTO gateways (version, started_at_ms) VALUES ('1', 0)"))
    const { status, err } = await migrateBoth()
    expect({ status, err }).toEqual({ status: 1, err: expect.stringContaining('The database is not empty') })
    expect((await objectsIn(bucket)).size).toBe(0)
  })

  test('a move back while a gateway runs is refused before any file is copied; a copy beside it forgets the bucket', async () => {
    store(1)
    use((await migrateBoth()).out)
    await using db = await openPostgres(database.url)
    await beginGateway(db, {
      version: '1',
      node: 'n',
      name: 'web-1',
      is_alone: false,
      now_ms: await serverClock(db),
    })
    const back = scene.path('back')
    expect((await migrate('--to', back)).err).toContain('Gateways are running over this database')
    expect(existsSync(back)).toBeFalse()
    expect(await scene.json('migrate', '--files', scene.dir)).toMatchObject({ complete: false })
    expect(await scene.json('migrate', '--to', back, '--copy')).toMatchObject({
      files: { files: 4, copied: 4 },
    })
    await using copy = openDb(`${back}/tollgate.db`, { readonly: true })
    expect(await bucketMark(copy)).toBeUndefined()
    expect(await bucketMark(db)).toBeString()
  })

  test('the database moves back alone, and its files stay in the bucket', async () => {
    store(1)
    use((await migrateBoth()).out)
    const back = scene.path('back')
    const view = await scene.json('migrate', '--to', back, '--files', to)
    expect(view).toMatchObject({ clean: true })
    expect(view.files).toBeUndefined()
    expect(existsSync(`${back}/images`)).toBeFalse()
    await using copy = openDb(`${back}/tollgate.db`, { readonly: true })
    expect(await bucketMark(copy)).toBe((await markThere()) ?? '')
  })
})
