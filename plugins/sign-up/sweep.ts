// The sweep of sign-up: deletes pending sign-ups with an expired link, counters of past time windows, and old invitations.
import type { Db } from '../../src/store/db.ts'
import { sweepCodes } from './codes.ts'
import { sweepCounts } from './counts.ts'
import { sweepPending } from './sign-ups.ts'

export async function sweepSignUps(db: Db, now_ms: number): Promise<void> {
  await sweepPending(db, now_ms)
  await sweepCounts(db, now_ms)
  await sweepCodes(db, now_ms)
}
