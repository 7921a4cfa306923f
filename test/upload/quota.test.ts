// spec.md, Limits: "File storage quota, 200 MB per user"; silent.md, Upload and files: over the quota 413 QUOTA_EXCEEDED.
import { describe, expect, test } from 'bun:test'
import { createQuota } from '../../src/library/quota.ts'
import { FILE_QUOTA_BYTES, MAX_IMAGE_BYTES } from '../../src/media/limits.ts'
import { randomOf } from '../providers/random-numbers.ts'
import { expectRefused, storedIn } from '../support/image-refusals.ts'
import { fileScene } from '../support/scene.ts'
import { SEED } from '../support/seed.ts'
import {
  callerWithQuota,
  formOf,
  MIN_BYTES,
  pictureOf,
  post,
  type Uploaded,
  upload,
  usedBytes,
} from './support.ts'

const { gateway } = await fileScene()

const EXCEEDED = [413, 'QUOTA_EXCEEDED'] as const

const callerWithRoom = (room_bytes: number) => callerWithQuota(gateway, room_bytes)
const filesOf = (...sizes: number[]) => formOf(sizes.map((size) => ({ bytes: pictureOf(size) })))
const removeFile = (key: string, file: Uploaded | undefined) =>
  gateway.call(`/api/v1/files/${file?.key}`, undefined, { key, method: 'DELETE' })

test('the rows are counted again once all earlier uploads have ended', async () => {
  const counted: number[] = []
  const quota = createQuota((account_id) => {
    counted.push(account_id)
    return 0
  })
  const [one, other, third] = [quota.reserve(7), quota.reserve(7), quota.reserve(7)]
  await one.take(5)
  one.end(5)
  await third.take(5)
  third.end(5)
  expect(counted).toEqual([7])
  other.end(0)
  await quota.reserve(7).take(5)
  expect(counted).toEqual([7, 7])
})

describe('while the rows are counted', () => {
  /** A quota whose first count of the stored bytes ends with `finishCount`; later counts find `stored_bytes`. */
  function counting(stored_bytes: number) {
    const first = Promise.withResolvers<number>()
    const counts = [first.promise]
    return { quota: createQuota(() => counts.shift() ?? stored_bytes), finishCount: first.resolve }
  }

  test('all uploads that arrive count together', async () => {
    const { quota, finishCount } = counting(0)
    const taking = Array.from({ length: 3 }, () => quota.reserve(7).take(FILE_QUOTA_BYTES / 2))
    finishCount(0)
    const taken = await Promise.allSettled(taking)
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })

  test('a deletion makes the gateway count again, so that the file is subtracted once', async () => {
    const { quota, finishCount } = counting(FILE_QUOTA_BYTES - 10)
    const upload = quota.reserve(7)
    const taking = upload.take(10)
    quota.removed(7, 10)
    finishCount(FILE_QUOTA_BYTES)
    await taking
    await expect(upload.take(1)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' })
  })

  test('an upload that ends takes nothing from the quota', async () => {
    const { quota, finishCount } = counting(0)
    const [one, other] = [quota.reserve(7), quota.reserve(7)]
    const taking = one.take(FILE_QUOTA_BYTES)
    one.end(0)
    finishCount(0)
    await taking
    await other.take(FILE_QUOTA_BYTES)
  })
})

describe('the quota, to the byte', () => {
  test('a file that fills the quota is stored; a byte more is refused, and so is any later file', async () => {
    const over = await callerWithRoom(10_000)
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await post(gateway, over, filesOf(10_001)), EXCEEDED)
    expect((await post(gateway, over, filesOf(10_000))).status).toBe(200)
    expect(await usedBytes(gateway, over)).toBe(FILE_QUOTA_BYTES)
    const full = await storedIn(gateway)
    await expectRefused(gateway, full, await post(gateway, over, filesOf(MIN_BYTES)), EXCEEDED)
  })

  test('the files of one request count together', async () => {
    const key = await callerWithRoom(10_000)
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await post(gateway, key, filesOf(5_000, 5_001)), EXCEEDED)
    await expectRefused(
      gateway,
      before,
      await post(gateway, key, filesOf(...Array(11).fill(1_000))),
      EXCEEDED,
    )
    expect((await post(gateway, key, filesOf(5_000, 5_000))).status).toBe(200)
  })

  test('a deleted file frees its size', async () => {
    const key = await callerWithRoom(10_000)
    const [file] = await upload(gateway, key, { bytes: pictureOf(10_000) })
    expect((await post(gateway, key, filesOf(MIN_BYTES))).status).toBe(413)
    expect((await removeFile(key, file)).status).toBe(200)
    expect((await post(gateway, key, filesOf(10_000))).status).toBe(200)
  })

  test('a refused upload takes nothing from the quota', async () => {
    const key = await callerWithRoom(10_000)
    for (const body of [filesOf(10_001), filesOf(5_000).subarray(0, -20), formOf([{ bytes: 'no image' }])])
      expect((await post(gateway, key, body)).status).not.toBe(200)
    expect((await post(gateway, key, filesOf(10_000))).status).toBe(200)
  })

  test("another account's files do not count", async () => {
    await callerWithRoom(0)
    expect((await post(gateway, await gateway.caller('0'), filesOf(10_000))).status).toBe(200)
  })

  test('the size limit of a file is checked before the quota', async () => {
    const key = await callerWithRoom(MAX_IMAGE_BYTES + 10)
    const before = await storedIn(gateway)
    const refused = await post(gateway, key, filesOf(MAX_IMAGE_BYTES + 1))
    await expectRefused(gateway, before, refused, [413, 'IMAGE_TOO_LARGE'])
  })
})

describe('parallel uploads are counted exactly', () => {
  test('64 at once, with room for ten: ten are stored, and never a byte over', async () => {
    const key = await callerWithRoom(10 * 60_000)
    let over = 0
    const watch = setInterval(() => {
      const { bytes } = gateway.db
        .query<{ bytes: number }, []>(
          'SELECT max(total) AS bytes FROM (SELECT sum(bytes) AS total FROM files GROUP BY account_id)',
        )
        .get() ?? { bytes: 0 }
      if (bytes > FILE_QUOTA_BYTES) over += 1
    }, 1)
    const answers = await Promise.all(Array.from({ length: 64 }, () => post(gateway, key, filesOf(60_000))))
    clearInterval(watch)
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 413)).toHaveLength(54)
    expect([over, await usedBytes(gateway, key)]).toEqual([0, FILE_QUOTA_BYTES])
    await gateway.rest()
  })

  test('64 at once with room for all: all are stored', async () => {
    const key = await callerWithRoom(64 * 20_000)
    const answers = await Promise.all(Array.from({ length: 64 }, () => post(gateway, key, filesOf(20_000))))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await usedBytes(gateway, key)).toBe(FILE_QUOTA_BYTES)
  })

  test('random sizes with deletions in between: the used quota is the sum of the stored files', async () => {
    const chance = randomOf(SEED)
    const room = 400_000
    const key = await callerWithRoom(room)
    let expected = FILE_QUOTA_BYTES - room
    const stored: Uploaded[] = []
    for (let round = 0; round < 6; round += 1) {
      const sizes = Array.from({ length: 12 }, () => MIN_BYTES + Math.floor(chance() * 80_000))
      const deleted = stored.splice(0, Math.floor(chance() * stored.length))
      const [answers] = await Promise.all([
        Promise.all(sizes.map((size) => post(gateway, key, filesOf(size)))),
        Promise.all(deleted.map((file) => removeFile(key, file))),
      ])
      for (const { size } of deleted) expected -= size
      for (const answer of answers) {
        expect(answer.status === 200 || answer.status === 413).toBe(true)
        const { uploaded = [] } = (await answer.json()) as { uploaded?: Uploaded[] }
        for (const file of uploaded) {
          stored.push(file)
          expected += file.size
        }
      }
      expect({ seed: SEED, used: await usedBytes(gateway, key) }).toEqual({ seed: SEED, used: expected })
      expect(expected).toBeLessThanOrEqual(FILE_QUOTA_BYTES)
    }
    await gateway.rest()
  })
})
