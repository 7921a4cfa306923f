// The effect of a slow disk on the gateway: one on which fsync takes 1 ms.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Effort } from './effort.ts'
import type { LedgerLoad } from './ledger.ts'
import { type Load, loadOn } from './measure.ts'
import { run } from './processes.ts'
import type { Paces } from './recording.ts'
import { type Figure, median } from './report.ts'
import { nativeStream, WHOLE_REQUEST } from './requests.ts'
import { makeDataFolder, type Subject, sourceOf, startForwarder, startGateway } from './subjects.ts'

const CALLS_PER_SECOND = 15_000
const CHUNK_HELD_UP_MS = 2

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
 * @param checkout whose gateway and ledger are measured
 * @param skip is told why nothing can be measured
 */
export async function measureSlowDisk(
  checkout: string,
  upstream: Subject,
  effort: Effort,
  skip: (reason: string) => void,
): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-disk-'))
  try {
    const library = await compileSlowFsync(folder)
    if (!library) {
      skip('the disk whose fsync takes 1 ms: no C compiler (cc) on this machine')
      return []
    }
    const environment = { LD_PRELOAD: library }
    return [
      ...(await ledgerFigures(checkout, folder, effort, environment)),
      ...(await pathFigures(checkout, upstream, effort, environment)),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const LEDGER_LOADS: (Omit<LedgerLoad, 'database'> & { what: string; goal?: Figure['goal'] })[] = [
  { what: 'one commit an operation', writer: 'inline', callers: 1, calls: 1_000, alone: true },
  { what: '64 callers, on the event loop', writer: 'inline', callers: 64, calls: 60_000, alone: false },
  {
    what: '64 callers, as configured (auto)',
    writer: 'auto',
    callers: 64,
    calls: 60_000,
    alone: false,
    goal: { at_least: CALLS_PER_SECOND },
  },
]

async function ledgerFigures(
  checkout: string,
  folder: string,
  effort: Effort,
  environment: Record<string, string>,
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [index, { what, goal, ...load }] of LEDGER_LOADS.entries()) {
    const rates: number[] = []
    for (let round = 0; round < effort.rounds; round++) {
      const options: LedgerLoad = {
        ...load,
        calls: Math.ceil(load.calls * effort.share),
        database: join(folder, `${index}-${round}.db`),
      }
      // The checkout's own load: it imports that checkout's ledger.
      const command = ['bun', join(checkout, 'test/bench/ledger.ts'), JSON.stringify(options)]
      rates.push(Number(await run(command, environment)))
    }
    figures.push({
      what: `fsync 1 ms, ledger alone, ${what}`,
      unit: 'calls/s',
      gateway: median(rates),
      ...(goal && { goal }),
    })
  }
  return figures
}

/** Enough calls to keep the ledger busy, few enough not to fill the machine: about 700 a second. */
const PAID_CALLS: Load = { request: WHOLE_REQUEST, connections: 16, calls: 0, pause_ms: 20 }
const PAID_CALLS_PER_SECOND = 700

async function pathFigures(
  checkout: string,
  upstream: Subject,
  effort: Effort,
  environment: Record<string, string>,
): Promise<Figure[]> {
  const data = await makeDataFolder(sourceOf(checkout), upstream.port)
  const gateway = await startGateway(data, environment)
  const forwarder = await startForwarder(upstream)
  try {
    const calls = Math.ceil(40_000 * effort.share)
    const load = { request: WHOLE_REQUEST, connections: 64, calls }
    const rates = new Map([gateway, forwarder].map((subject) => [subject, [] as number[]]))
    const delays = new Map([gateway, forwarder].map((subject) => [subject, [] as number[]]))
    for (const subject of [gateway, forwarder]) await loadOn(subject, load)
    for (let round = 0; round < effort.rounds; round++) {
      for (const subject of [gateway, forwarder]) {
        const { duration_ms } = await loadOn(subject, load)
        rates.get(subject)?.push((calls * 1_000) / duration_ms)
        delays.get(subject)?.push(await chunkDelayBesideCalls(subject, effort.streams.few))
      }
    }
    const pair = (samples: Map<Subject, number[]>) => ({
      gateway: median(samples.get(gateway) ?? []),
      peer: median(samples.get(forwarder) ?? []),
    })
    return [
      {
        what: 'fsync 1 ms, 64 connections: calls',
        unit: '/s',
        ...pair(rates),
        goal: { at_least: CALLS_PER_SECOND },
      },
      {
        what: 'fsync 1 ms, 64 streams beside paid calls: chunk delay p99',
        unit: 'ms',
        ...pair(delays),
        goal: { added_at_most: CHUNK_HELD_UP_MS },
      },
    ]
  } finally {
    await Promise.all([gateway.process.stop(), forwarder.process.stop()])
    data.remove()
  }
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
