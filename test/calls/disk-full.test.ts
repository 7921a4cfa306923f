// A disk that is full when calls end: every delivered answer is paid once there is room again.
import { expect, test } from 'bun:test'
import { fillDiskInRounds } from '../support/disk-full.ts'
import { mayMount } from '../support/small-disk.ts'

// Without the right to mount a disk, late-settlement.test.ts covers this with a write lock of another process.
test.skipIf(!mayMount).each(['inline', 'thread'] as const)(
  'every delivered answer is paid, and no call is answered with 500, with the writer %s',
  async (writer) => {
    const { delivered, withheld, recovery_ms: _, ...rest } = await fillDiskInRounds(2, writer)
    expect(rest).toEqual({ unpaid: [], wrong: [], findings: 0 })
    // Proves that the disk was full: most ends of calls came while it was.
    expect(delivered).toBeGreaterThanOrEqual(6)
    expect(withheld).toBeGreaterThanOrEqual(8)
  },
  60_000,
)
