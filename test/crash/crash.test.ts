// Crashes: a real server is killed at named points, again and again over one data folder. After each restart the audit is
// clean, and no acknowledged charge, top-up or hold is missing.
//
// The long run: TOLLGATE_CRASH_CYCLES=1000 bun test test/crash --timeout 3600000, or bun run attack --only kills
// The same run again: TOLLGATE_SEED=<the seed that it printed>
import { expect, test } from 'bun:test'
import { SEED } from '../support/seed.ts'
import { openCrashes, POINTS } from './run.ts'

const CYCLES = Number(process.env.TOLLGATE_CRASH_CYCLES ?? 12)

test(`${CYCLES} crashes lose nothing that was acknowledged`, async () => {
  await using crashes = await openCrashes(SEED)
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const { complaints, ...life } = await crashes.live(POINTS[cycle % POINTS.length] ?? 'outside')
    expect({ seed: SEED, cycle, ...life, complaints }).toEqual({ seed: SEED, cycle, ...life, complaints: [] })
  }
  expect({ seed: SEED, ...(await crashes.end()) }).toEqual({ seed: SEED, complaints: [], exit_code: 0 })
}, 3_600_000)
