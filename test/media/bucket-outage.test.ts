// A bucket of files that fails: what is not there is told from what cannot be asked, and the bucket is asked no more than it has to be.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StorageFailure } from '../../src/domain/storage-failure.ts'
import { type BucketHealth, createBucketHealth } from '../../src/media/bucket-health.ts'
import { type BucketFiles, type BucketFilesLimits, openBucketFiles } from '../../src/media/bucket-store.ts'
import type { FileStore } from '../../src/media/store.ts'
import { eventually } from '../support/eventually.ts'
import { hasS3Server, partOf, type S3Server, startS3Server } from '../support/s3-server.ts'

const LIMITS: BucketFilesLimits = { answer_ms: 1_500, least_bytes_per_s: 1e9, try_every_ms: 20 }
/** A busy machine takes its time for what is large. */
const PATIENT: BucketFilesLimits = { ...LIMITS, answer_ms: 60_000 }
const BYTES = new TextEncoder().encode('a cat')

async function failureOf(work: () => unknown): Promise<StorageFailure> {
  try {
    await work()
  } catch (thrown) {
    if (thrown instanceof StorageFailure) return thrown
    throw thrown
  }
  throw new Error('it did not fail')
}

describe.skipIf(!hasS3Server)('a bucket', () => {
  let s3: S3Server
  let bucket: BucketFiles
  let store: FileStore
  /** What the store told of the bucket. */
  let told: (string | undefined)[]
  beforeAll(async () => {
    s3 = await startS3Server('files')
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())
  function open(limits: BucketFilesLimits): void {
    told = []
    bucket = openBucketFiles(partOf(s3), { limits, onChange: (failure) => void told.push(failure?.message) })
    store = bucket.store('images')
  }
  beforeEach(async () => {
    open(LIMITS)
    await store.put('1/a.png', BYTES)
  })
  // Nor may a test that failed amid it take those after it along.
  afterEach(() => s3.resume())
  const works = () => eventually('the bucket works', () => !bucket.isFailing())

  const ASKED: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['to put', () => store.put('1/b.png', BYTES)],
    ['to open', () => store.open('1/a.png')],
    ['to open what is not there', () => store.open('1/none.png')],
    ['whether it has', () => store.has('1/a.png')],
    ['to remove', () => store.remove('1/a.png')],
    ['to list', () => Array.fromAsync(store.list())],
    ['to remove all', () => store.removeAllOf('1')],
  ]

  describe('that is away', () => {
    test.each(ASKED)('asked %s, fails, and works again once it is back', async (_, ask) => {
      await s3.stop()
      const failure = await failureOf(ask)
      expect(failure.trouble).toBe('unreachable')
      expect(failure.message).toContain('check its address and region, and that it runs')
      expect([bucket.isFailing(), told.length]).toEqual([true, 1])
      await s3.start()
      await works()
      expect(told).toEqual([failure.message, undefined])
      expect((await store.put('1/c.png', BYTES)).bytes).toBe(5)
    })

    test('what is to be put is refused at once, and nothing of it is read', async () => {
      await s3.stop()
      await failureOf(() => store.open('1/a.png'))
      let is_read = false
      async function* content() {
        is_read = true
        yield BYTES
      }
      expect((await failureOf(() => store.put('1/b.png', content()))).message).toContain('is tried again')
      expect(is_read).toBe(false)
      await s3.start()
      await works()
      expect(await store.has('1/b.png')).toBe(false)
    })
  })

  test('that takes requests and answers none fails within its limit, and is not waited for again to remove what it did not take', async () => {
    s3.hang()
    const began_ms = performance.now()
    const failure = await failureOf(() => store.put('1/b.png', BYTES))
    await failureOf(() => store.remove('1/b.png'))
    expect(performance.now() - began_ms).toBeLessThan(LIMITS.answer_ms * 1.9)
    expect([failure.code, failure.message]).toEqual([
      'BUCKET_FAILED',
      expect.stringContaining('has been silent for'),
    ])
    expect(bucket.isFailing()).toBe(true)
    s3.resume()
    await works()
    expect((await store.open('1/a.png'))?.size).toBe(5)
  })

  test('that ends while it is read: the reader is told, not given a part for the whole', async () => {
    open(PATIENT)
    const large = new Uint8Array(8 * 1024 * 1024)
    await store.put('1/large.png', large)
    const file = await store.open('1/large.png')
    await s3.stop()
    expect((await failureOf(() => file?.bytes())).trouble).toBe('unreachable')
    const reading = Array.fromAsync(file?.stream() ?? [])
    await expect(reading).rejects.toThrow(StorageFailure)
    await s3.start()
    await works()
  })

  test('whose uploader pauses for longer than the bucket may does not fail', async () => {
    const part = new Uint8Array(4 * 1024 * 1024)
    async function* content() {
      yield part
      yield part
      await Bun.sleep(2 * LIMITS.answer_ms)
      yield BYTES
    }
    expect((await store.put('1/paused.png', content())).bytes).toBe(2 * part.length + BYTES.length)
    expect([bucket.isFailing(), told]).toEqual([false, []])
  })

  test('whose connection ends under a slow reader does not fail for all others', async () => {
    open(PATIENT)
    await store.put('1/larger.png', new Uint8Array(24 * 1024 * 1024))
    const reading = (await store.open('1/larger.png'))?.stream().getReader()
    await reading?.read()
    await s3.stop()
    await s3.start()
    const rest = async () => {
      while (!(await reading?.read())?.done);
    }
    await expect(rest()).rejects.toThrow(StorageFailure)
    expect([bucket.isFailing(), told]).toEqual([false, []])
  })

  test('that was deleted is not one whose objects are: nothing is told to be absent', async () => {
    const path = dirname(s3.file('x'))
    await rename(path, `${path}-away`)
    expect((await failureOf(() => store.open('1/a.png'))).message).toContain('bucket not found')
    expect((await failureOf(() => store.put('1/b.png', BYTES))).message).toContain('is tried again')
    await rename(`${path}-away`, path)
    await works()
    expect((await store.open('1/a.png'))?.size).toBe(5)
  })

  test.each([
    ['a wrong secret', { secret_access_key: 'a-secret-of-another' }, 'the secret_access_key is wrong'],
    ['a wrong key', { access_key_id: 'nobody' }, 'the access_key_id is unknown'],
    ['another bucket', { bucket: 'elsewhere' }, 'bucket not found'],
  ])('with %s says what is wrong, and where to change it', async (_, changed, words) => {
    const wrong = openBucketFiles({ ...partOf(s3), ...changed }, { limits: LIMITS })
    const store = wrong.store('images')
    for (const ask of [(): Promise<unknown> => store.has('1/a.png'), () => wrong.connection.check()]) {
      const failure = await ask().then(
        () => undefined,
        (thrown: Error) => thrown,
      )
      expect(failure?.message).toContain(words)
      expect(failure?.message).toContain('[storage]')
      expect(failure?.message).not.toContain('a-secret')
    }
    wrong.stop()
  })
})

describe('the health of a bucket', () => {
  const trials = () => {
    const tried = { count: 0, succeeds: false }
    const told: boolean[] = []
    const health = createBucketHealth({
      async tryOut() {
        tried.count += 1
        if (!tried.succeeds) throw new Error('not yet')
      },
      onChange: (failure) => void told.push(failure !== undefined),
      every_ms: 2,
    })
    return { tried, told, health }
  }
  const fail = (health: BucketHealth) => failureOf(() => health.run(() => Promise.reject(new Error('away'))))

  test('is not asked for while it works, and told once however often it fails', async () => {
    const { tried, told, health } = trials()
    await health.run(async () => 1)
    expect([tried.count, health.is_failing]).toEqual([0, false])
    for (let time = 0; time < 5; time++) await fail(health)
    await eventually('it was tried', () => tried.count >= 3)
    expect([health.is_failing, told]).toEqual([true, [true]])
    tried.succeeds = true
    await eventually('it works', () => !health.is_failing)
    expect(told).toEqual([true, false])
    await fail(health)
    expect([health.is_failing, told]).toEqual([true, [true, false, true]])
    health.stop()
  })

  test('is not tried once it is stopped', async () => {
    const { tried, health } = trials()
    await fail(health)
    health.stop()
    const beside = trials()
    await fail(beside.health)
    await eventually('others are tried', () => beside.tried.count >= 5)
    beside.health.stop()
    expect(tried.count).toBe(0)
  })
})
