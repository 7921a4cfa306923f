// A disk that is full at the moment when calls end: whatever was delivered is paid once there is room again.
import { expect, test } from 'bun:test'
import { fillDiskInRounds } from '../support/disk-full.ts'
import { mayMount } from '../support/small-disk.ts'

// Where no disk may be mounted, the write lock of another process stands for it: late-settlement.test.ts.
test.skipIf(!mayMount).each(['inline', 'thread'] as const)(
  'no delivered answer stays unpaid, and nothing is answered with 500, with the writer %s',
  async (writer) => {
    const { delivered, withheld, recovery_ms: _, ...rest } = await fillDiskInRounds(2, writer)
    expect(rest).toEqual({ unpaid: [], wrong: [], findings: 0 })
    // The disk was really full, and most of it really came when it was.
    expect(delivered).toBeGreaterThanOrEqual(6)
    expect(withheld).toBeGreaterThanOrEqual(8)
  },
  60_000,
)
