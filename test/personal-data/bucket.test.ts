// A person's data in a bucket: exported, and erased completely, or not at all while the bucket is unusable.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eraseAccount } from '../../plugins/personal-data/erase.ts'
import { fileStoresOf } from '../../src/app/process/files/stores.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { fileScrubbing } from '../../src/store/engines/sqlite/scrubbing.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { endedHere, entriesIn, refusalHere } from '../backups/support.ts'
import { ALL_TABLES } from '../support/all-tables.ts'
import { filesLines } from '../support/files.ts'
import { startRefusingProxy } from '../support/s3-refusals.ts'
import { hasS3Server, partOf, type S3Server, startS3Server } from '../support/s3-server.ts'
import { ALICE, MARKER, type Person, placesOf, startWithPerson } from './person.ts'

describe.skipIf(!hasS3Server)('with files in a bucket', () => {
  let s3: S3Server
  let bucket: Bucket
  let person: Person
  let folder: string
  beforeAll(async () => {
    s3 = await startS3Server('files')
    bucket = partOf(s3)
    person = await startWithPerson(bucket)
    folder = person.gateway.data_folder
    const refused = await refusal('account', 'erase', ALICE, '--yes')
    const debit = /tollgate (debit .+) --note/.exec(refused)?.[1]?.split(' ') ?? []
    await person.tollgate(...debit, '--note', 'paid back')
  })
  afterAll(async () => {
    await person[Symbol.asyncDispose]()
    await s3[Symbol.asyncDispose]()
  })

  const command = (...args: string[]) => endedHere([...args, '--data', folder])
  const refusal = (...args: string[]) => refusalHere([...args, '--data', folder])
  const personalPlaces = () => placesOf(s3.file(bucket.prefix.slice(0, -1)), MARKER)
  const status = async () => (await person.tollgate('account', 'show', ALICE)).status

  /** Runs work with changed lines of [storage], which the running gateway does not read. */
  async function withStorage(changed: Partial<Bucket>, work: () => Promise<void>): Promise<void> {
    const path = join(folder, 'tollgate.toml')
    const text = readFileSync(path, 'utf8')
    await Bun.write(
      path,
      text.replace(/\[storage\]\nfiles[\s\S]*$/, `[storage]\n${filesLines({ ...bucket, ...changed })}`),
    )
    try {
      await work()
    } finally {
      await Bun.write(path, text)
    }
  }

  test('an export has every object, byte for byte', async () => {
    const archive = join(folder, 'alice.tar.zst')
    const answer = await person.tollgate('account', 'export', ALICE, '--out', archive)
    const entries = new Map((await entriesIn(readFileSync(archive))).map(({ name, text }) => [name, text]))
    const paths = [...entries.keys()].filter((path) => /^(images|files|answers|responses)\//.test(path))
    expect([paths.length, answer.files, answer.missing]).toEqual([4, 4, []])
    for (const path of paths)
      expect([path, entries.get(path)?.equals(readFileSync(s3.file(bucket.prefix + path)))]).toEqual([
        path,
        true,
      ])
    rmSync(archive)
  })

  const COMMANDS = [
    ['account', 'erase', ALICE, '--yes'],
    ['account', 'close', ALICE, '--yes'],
  ]
  const UNUSABLE: readonly (readonly [string, () => Partial<Bucket>, RegExp])[] = [
    ['is down', () => ({ endpoint: 'http://127.0.0.1:9' }), /check its address and region, and that it runs/],
    ['refuses the secret', () => ({ secret_access_key: 'another' }), /the secret_access_key is wrong/],
    [
      'is another one that no gateway has claimed',
      () => ({ prefix: 'elsewhere/' }),
      /does not have the files of this gateway.*Name the bucket that has them in \[storage\]/,
    ],
  ]
  describe.each(COMMANDS.map((args) => [args.join(' '), args] as const))('%s', (_, args) => {
    test.each(UNUSABLE)(
      'while the bucket %s is refused with advice, and nothing changes',
      async (_, changed, words) => {
        const before = personalPlaces()
        await withStorage(changed(), async () => {
          expect(await refusal(...args)).toMatch(words)
        })
        expect([await status(), personalPlaces(), before.length]).toEqual(['active', before, 3])
      },
    )

    test.each([
      ['delete', /^DELETE /],
      ['put', /^PUT /],
    ])('with a key that may not %s is refused, and nothing changes', async (_, request) => {
      using proxy = startRefusingProxy(s3, (begin) => request.test(begin))
      const before = personalPlaces()
      await withStorage({ endpoint: proxy.endpoint }, async () => {
        expect(await refusal(...args)).toContain('the key may not do that in this bucket')
      })
      expect([await status(), personalPlaces()]).toEqual(['active', before])
    })
  })

  test('an export from another bucket is refused, because it would have no files', async () => {
    await withStorage({ prefix: 'elsewhere/' }, async () => {
      expect(await refusal('account', 'export', ALICE, '--out', join(folder, 'none.tar.zst'))).toContain(
        'does not have the files of this gateway',
      )
    })
  })

  test('an erasure during which the bucket fails ends with advice, and is completed by a second run', async () => {
    const path = join(folder, 'tollgate.db')
    await using db = openDb(path)
    using scrubbing = fileScrubbing(path)
    const limits = { answer_ms: 1_000, least_bytes_per_s: 1e9, try_every_ms: 1_000 }
    using files = fileStoresOf({ files: bucket }, folder, { limits })
    const options = {
      scrubbing,
      tables: ALL_TABLES,
      data_folder: folder,
      files,
      account: ALICE,
      now_ms: Date.now(),
    }
    const points: string[] = []
    const interrupted = eraseAccount(db, {
      ...options,
      probe(point) {
        points.push(point)
        if (point === 'erase.started') s3.hang()
      },
    })
    await expect(interrupted).rejects.toThrow('has been silent for 1 s: see whether it runs, and try again.')
    expect([points.includes('erase.renamed'), personalPlaces().length]).toEqual([false, 3])
    s3.resume()
    const erased = await person.tollgate('account', 'erase', ALICE, '--yes')
    expect(erased).toMatchObject({ name: 'erased-1', files: 4 })
    expect([...personalPlaces(), ...placesOf(folder, MARKER)]).toEqual([])
    expect(await person.tollgate('audit', '--files')).toMatchObject({ clean: true })
  })

  test('an erasure without the bucket in [storage] says that the bucket may still have data', async () => {
    const path = join(folder, 'tollgate.toml')
    const text = readFileSync(path, 'utf8')
    await Bun.write(path, text.replace(/\[storage\]\nfiles[\s\S]*$/, ''))
    const { out } = await command('account', 'erase', 'erased-1', '--yes')
    await Bun.write(path, text)
    expect(out).toContain(
      'The bucket that this gateway had, or that its files were copied to, may still have it',
    )
  })
})
