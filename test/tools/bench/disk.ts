// The effect of a slow disk on the gateway: one on which fsync takes 1 ms.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callsPerSecond } from './calls.ts'
import { type Bench, withContest } from './contest.ts'
import type { Effort } from './effort.ts'
import type { LedgerLoad } from './ledger.ts'
import { type Contest, each, inTurns, type Load, loadOn, warmUp } from './measure.ts'
import { run } from './processes.ts'
import type { Paces } from './recording.ts'
import { addedAtMost, atLeast, type Figure, figureOf, type Goal, ratioAtLeast } from './report.ts'
import { nativeStream, WHOLE_REQUEST } from './requests.ts'
import type { Subject } from './subjects.ts'

const CALLS_OF_THE_LEDGER = atLeast(15_000)
const CALLS = ratioAtLeast(0.35)
const CHUNK_HELD_UP = addedAtMost(2)

/**
 * Compiles the library that makes fsync take 1 ms.
 * @param folder the folder for it
 * @returns its path; undefined on a machine without a C compiler
 */
async function compileSlowFsync(folder: string): Promise<string | undefined> {
  if (!Bun.which('cc')) return undefined
  const library = join(folder, 'slow-fsync.so')
  await run(['cc', '-shared', '-fPIC', '-O2', '-o', library, join(import.meta.dir, 'slow-fsync.c')])
  return library
}

/**
 * Calls a second, and the delay of a stream's chunks beside paid calls, on a disk whose fsync takes 1 ms.
 * @param skip receives the reason if nothing can be measured
 */
export async function measureSlowDisk(bench: Bench, skip: (reason: string) => void): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-disk-'))
  try {
    const library = await compileSlowFsync(folder)
    if (!library) {
      skip('the disk whose fsync takes 1 ms: no C compiler (cc) on this machine')
      return []
    }
    const environment = { LD_PRELOAD: library }
    return [
      ...(await ledgerFigures(bench, folder, environment)),
      ...(await withContest(bench, (contest) => pathFigures(contest, bench.effort), environment)),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const LEDGER_LOADS: (Omit<LedgerLoad, 'database'> & { what: string; goal?: Goal })[] = [
  { what: 'one commit an operation', callers: 1, calls: 1_000, alone: true },
  { what: '64 callers', callers: 64, calls: 60_000, alone: false, goal: CALLS_OF_THE_LEDGER },
]

async function ledgerFigures(
  { checkout, against, effort }: Bench,
  folder: string,
  environment: Record<string, string>,
): Promise<Figure[]> {
  if (checkout === undefined) return []
  const figures: Figure[] = []
  let databases = 0
  for (const { what, goal, ...load } of LEDGER_LOADS) {
    const rateOf = async (source: string): Promise<number> => {
      const options: LedgerLoad = {
        ...load,
        calls: Math.ceil(load.calls * effort.share),
        database: join(folder, `${++databases}.db`),
      }
      // The checkout's own load: it imports that checkout's ledger.
      const command = ['bun', join(source, 'test/tools/bench/ledger.ts'), JSON.stringify(options)]
      return Number(await run(command, environment))
    }
    const gateway: number[] = []
    const before: number[] = []
    for (let round = 0; round < effort.rounds; round++) {
      gateway.push(await rateOf(checkout))
      if (against !== undefined) before.push(await rateOf(against))
    }
    const rates = { gateway, before: against === undefined ? undefined : before }
    figures.push(figureOf(`fsync 1 ms, ledger alone, ${what}`, 'calls/s', rates, goal))
  }
  return figures
}

/** Enough calls to keep the ledger busy, few enough not to fill the machine: about 700 a second. */
const PAID_CALLS: Load = { request: WHOLE_REQUEST, connections: 16, calls: 0, pause_ms: 20 }
const PAID_CALLS_PER_SECOND = 700

async function pathFigures(contest: Contest, effort: Effort): Promise<Figure[]> {
  const calls = Math.ceil(40_000 * effort.share)
  const load = { request: WHOLE_REQUEST, connections: 64, calls }
  await warmUp(contest, { load })
  const [samples] = await inTurns(contest, [{ load }], effort.rounds)
  const { gateway, before, forwarder } = contest
  const delays_ms = { gateway: [] as number[], before: before && ([] as number[]), forwarder: [] as number[] }
  for (let round = 0; round < effort.rounds; round++) {
    delays_ms.gateway.push(await chunkDelayBesideCalls(gateway, effort.streams.few))
    if (before) delays_ms.before?.push(await chunkDelayBesideCalls(before, effort.streams.few))
    delays_ms.forwarder.push(await chunkDelayBesideCalls(forwarder, effort.streams.few))
  }
  return [
    ...(samples
      ? [figureOf('fsync 1 ms, 64 connections: calls', '/s', each(samples, callsPerSecond), CALLS)]
      : []),
    figureOf('fsync 1 ms, 64 streams beside paid calls: chunk delay p99', 'ms', delays_ms, CHUNK_HELD_UP),
  ]
}

async function chunkDelayBesideCalls(subject: Subject, paces: Paces): Promise<number> {
  const streams = loadOn(subject, {
    request: nativeStream(paces),
    connections: 64,
    calls: 64,
    ramp_ms: 200,
  })
  const seconds = (paces.events * paces.pace_ms) / 1_000
  const calls = loadOn(subject, { ...PAID_CALLS, calls: seconds * PAID_CALLS_PER_SECOND })
  const [{ chunk_delay_ms }] = await Promise.all([streams, calls])
  return chunk_delay_ms.p99
}
