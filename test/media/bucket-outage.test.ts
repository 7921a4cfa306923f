// Outages of a bucket of files: a missing file differs from a failing bucket, and a failing bucket gets no more requests than needed.
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
/** A busy machine needs time for large files. */
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
  /** The reported states of the bucket: a failure, or undefined when it works. */
  let seen: (string | undefined)[]
  beforeAll(async () => {
    s3 = await startS3Server('files')
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())
  function open(limits: BucketFilesLimits): void {
    seen = []
    bucket = openBucketFiles(partOf(s3), { limits, onChange: (failure) => void seen.push(failure?.message) })
    store = bucket.store('images')
  }
  beforeEach(async () => {
    open(LIMITS)
    await store.put('1/a.png', BYTES)
  })
  // Resumes the server, so that a failed test does not affect later ones.
  afterEach(() => s3.resume())
  const recovered = () => eventually('the bucket works', () => !bucket.isFailing())

  const OPERATIONS: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['put', () => store.put('1/b.png', BYTES)],
    ['open', () => store.open('1/a.png')],
    ['open of a missing file', () => store.open('1/none.png')],
    ['has', () => store.has('1/a.png')],
    ['remove', () => store.remove('1/a.png')],
    ['list', () => Array.fromAsync(store.list())],
    ['removeAllOf', () => store.removeAllOf('1')],
  ]

  describe('that is down', () => {
    test.each(OPERATIONS)('%s fails, and works again once the bucket is back', async (_, ask) => {
      await s3.stop()
      const failure = await failureOf(ask)
      expect(failure.trouble).toBe('unreachable')
      expect(failure.message).toContain('check its address and region, and that it runs')
      expect([bucket.isFailing(), seen.length]).toEqual([true, 1])
      await s3.start()
      await recovered()
      expect(seen).toEqual([failure.message, undefined])
      expect((await store.put('1/c.png', BYTES)).bytes).toBe(5)
    })

    test('refuses new files at once, and reads nothing of them', async () => {
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
      await recovered()
      expect(await store.has('1/b.png')).toBe(false)
    })
  })

  test('that accepts requests and answers none fails within its time-out, and a removal does not wait for it again', async () => {
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
    await recovered()
    expect((await store.open('1/a.png'))?.size).toBe(5)
  })

  test('that stops during a read gives the reader an error, not a part as the whole', async () => {
    open(PATIENT)
    const large = new Uint8Array(8 * 1024 * 1024)
    await store.put('1/large.png', large)
    const file = await store.open('1/large.png')
    await s3.stop()
    expect((await failureOf(() => file?.bytes())).trouble).toBe('unreachable')
    const reading = Array.fromAsync(file?.stream() ?? [])
    await expect(reading).rejects.toThrow(StorageFailure)
    await s3.start()
    await recovered()
  })

  test('does not fail if an uploader pauses for longer than the time-out of the bucket', async () => {
    const part = new Uint8Array(4 * 1024 * 1024)
    async function* content() {
      yield part
      yield part
      await Bun.sleep(2 * LIMITS.answer_ms)
      yield BYTES
    }
    expect((await store.put('1/paused.png', content())).bytes).toBe(2 * part.length + BYTES.length)
    expect([bucket.isFailing(), seen]).toEqual([false, []])
  })

  test('does not count as failing if the connection of one slow reader ends', async () => {
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
    expect([bucket.isFailing(), seen]).toEqual([false, []])
  })

  test('that was deleted fails, instead of reporting its files as missing', async () => {
    const path = dirname(s3.file('x'))
    await rename(path, `${path}-away`)
    expect((await failureOf(() => store.open('1/a.png'))).message).toContain('bucket not found')
    expect((await failureOf(() => store.put('1/b.png', BYTES))).message).toContain('is tried again')
    await rename(`${path}-away`, path)
    await recovered()
    expect((await store.open('1/a.png'))?.size).toBe(5)
  })

  test.each([
    ['a wrong secret', { secret_access_key: 'a-secret-of-another' }, 'the secret_access_key is wrong'],
    ['a wrong key', { access_key_id: 'nobody' }, 'the access_key_id is unknown'],
    ['another bucket', { bucket: 'elsewhere' }, 'bucket not found'],
  ])('with %s names the mistake and where to correct it', async (_, changed, words) => {
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
  const watchedHealth = () => {
    const attempts = { count: 0, succeed: false }
    const seen: boolean[] = []
    const health = createBucketHealth({
      async tryOut() {
        attempts.count += 1
        if (!attempts.succeed) throw new Error('not yet')
      },
      onChange: (failure) => void seen.push(failure !== undefined),
      every_ms: 2,
    })
    return { attempts, seen, health }
  }
  const fail = (health: BucketHealth) => failureOf(() => health.run(() => Promise.reject(new Error('away'))))

  test('is not checked while the bucket works, and a failure is reported once however often it occurs', async () => {
    const { attempts, seen, health } = watchedHealth()
    await health.run(async () => 1)
    expect([attempts.count, health.is_failing]).toEqual([0, false])
    for (let time = 0; time < 5; time++) await fail(health)
    await eventually('it was checked', () => attempts.count >= 3)
    expect([health.is_failing, seen]).toEqual([true, [true]])
    attempts.succeed = true
    await eventually('it works', () => !health.is_failing)
    expect(seen).toEqual([true, false])
    await fail(health)
    expect([health.is_failing, seen]).toEqual([true, [true, false, true]])
    health.stop()
  })

  test('is not checked after a stop', async () => {
    const { attempts, health } = watchedHealth()
    await fail(health)
    health.stop()
    const beside = watchedHealth()
    await fail(beside.health)
    await eventually('another one is checked', () => beside.attempts.count >= 5)
    beside.health.stop()
    expect(attempts.count).toBe(0)
  })
})
