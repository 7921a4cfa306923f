// The files of dropped rows: removed several at once, since each may wait for a bucket, and left behind if that fails.
import { expect, test } from 'bun:test'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import { createRoom } from '../../../src/store/kept/room.ts'

const ROWS = Array.from({ length: 40 }, (_, at) => ({ account_id: 1, kept_bytes: 1, body_file: `f${at}` }))
const AWAY = new StorageFailure('unreachable', { code: 'BUCKET_FAILED', message: 'away' })

function roomOver(remove: (key: string) => Promise<unknown>) {
  const limits = () => ({ kept_bytes: 100, kept_bytes_per_account: 100 })
  return createRoom({ files: { remove }, limits, holdings: () => [], giveUp: async () => [] })
}

test('40 files are removed 16 at a time, and a failing bucket stops none of it', async () => {
  const [removed, peaks]: [string[], number[]] = [[], []]
  let waiting = 0
  const room = roomOver(async (key) => {
    waiting += 1
    peaks.push(waiting)
    await Promise.resolve()
    waiting -= 1
    removed.push(key)
    throw AWAY
  })
  await room.release([...ROWS, { account_id: 1, kept_bytes: 1, body_file: null }])
  expect([removed, Math.max(...peaks)]).toEqual([ROWS.map(({ body_file }) => body_file), 16])
})

test('any other failure is thrown', async () => {
  const room = roomOver(async () => {
    throw new TypeError('a mistake')
  })
  await expect(room.release(ROWS)).rejects.toThrow('a mistake')
})
