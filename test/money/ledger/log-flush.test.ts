// The flush of the write-ahead log: on the event loop if the disk is quick, beside it if it is slow.
import { describe, expect, test } from 'bun:test'
import { type Disk, openLogFlush } from '../../../src/money/ledger/executor.ts'

/** A disk whose flushes take these durations, and the operations on it. */
function scripted(...durations_ms: number[]) {
  const operations: string[] = []
  let clock_ms = 0
  const take = (): void => {
    clock_ms += durations_ms.shift() ?? 0
  }
  const disk: Disk = {
    open(path) {
      operations.push(`open ${path}`)
      return 7
    },
    flush() {
      operations.push('loop')
      take()
    },
    async flushBeside() {
      operations.push('beside')
      take()
    },
    close: (file) => void operations.push(`close ${file}`),
    now_ms: () => clock_ms,
  }
  return { disk, operations }
}

const FIVE_SLOW = [1.1, 4, 30, 1.1, 2]
const ON_LOOP = Array.from({ length: 5 }, () => 'loop')

describe('a flush is made', () => {
  test.each([
    ['on the event loop, while it is quick', [0.2, 0.3, 0.2, 0.9, 1, 0.2, 0.2], [...ON_LOOP, 'loop', 'loop']],
    ['on the event loop, if few are slow', [9, 9, 9, 9, 1, 9, 9, 9], [...ON_LOOP, 'loop', 'loop', 'loop']],
    ['beside it, once the last five were slow', [...FIVE_SLOW, 2, 2], [...ON_LOOP, 'beside', 'beside']],
    [
      'on it again, after the first that was quick',
      [...FIVE_SLOW, 2, 0.4, 0.3],
      [...ON_LOOP, 'beside', 'beside', 'loop'],
    ],
    [
      'on it for five more, if only that one was quick',
      [...FIVE_SLOW, 0.4, 2, 2, 2, 2, 2, 2],
      [...ON_LOOP, 'beside', ...ON_LOOP, 'beside'],
    ],
  ])('%s', async (_, durations_ms, expected) => {
    const { disk, operations } = scripted(...durations_ms)
    const log = openLogFlush('folder/tollgate.db', disk)
    for (const _ of durations_ms) await log.flush()
    expect(operations).toEqual(['open folder/tollgate.db-wal', ...expected])
  })
})

test('the log is opened at the start, and closed at the end', () => {
  const { disk, operations } = scripted()
  const log = openLogFlush('tollgate.db', disk)
  void log.flush()
  void log.flush()
  log.close()
  expect(operations).toEqual(['open tollgate.db-wal', 'loop', 'loop', 'close 7'])
})

test('a database in memory has no log', () => {
  const { disk, operations } = scripted()
  const log = openLogFlush(':memory:', disk)
  void log.flush()
  log.close()
  expect(operations).toEqual([])
})

test('a flush that fails throws, on the loop or beside it', async () => {
  const { disk } = scripted(1, ...FIVE_SLOW)
  const failing: Disk = {
    ...disk,
    flush: (file) => {
      disk.flush(file)
      throw new Error('on the loop')
    },
    flushBeside: () => Promise.reject(new Error('beside it')),
  }
  expect(() => openLogFlush('tollgate.db', failing).flush()).toThrow('on the loop')
  const slow = openLogFlush('tollgate.db', { ...disk, flushBeside: failing.flushBeside })
  for (const _ of FIVE_SLOW) void slow.flush()
  await expect(Promise.resolve(slow.flush())).rejects.toThrow('beside it')
})
