// Crashes of a real server over one data folder: it is killed, started again and checked, as often as the test wants.
import { Database } from 'bun:sqlite'
import { parseUsd } from '../../src/domain/money.ts'
import { type Random, randomFrom } from '../money/ledger/random.ts'
import { type DataFolder, prepareDataFolder } from '../support/data-folder.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { callUntilDeath, nothingAcknowledged } from './caller.ts'
import { Checks, type Evidence } from './checks.ts'
import { type ServerProcess, startServer } from './process.ts'
import { PRICE, type Provider, startProvider } from './provider.ts'

/**
 * Points at which the server kills itself. At `outside` another process kills it after some calls, at `moment` after some
 * milliseconds, wherever the server is then.
 */
export const POINTS = [
  'admitted',
  'hold.decided',
  'held',
  'dispatched',
  'settling',
  'settled',
  'batch.started',
  'batch.written',
  'batch.committed',
  'hold.written',
  'batch.synced',
  'outside',
  'moment',
] as const
type Point = (typeof POINTS)[number]

const CALLERS = 4
/** The server dies when it passes its point for the nth time, n being at most this. The sweep's commit at a start passes points, too. */
const MAX_PASSINGS = 16
const MAX_MOMENT_MS = 250
/** A server that never reaches its point would run on: after this time it is killed, which is a complaint. */
const MAX_DYING_MS = 30_000

/** One life of a server, with the faults found at its start in the data of the server before it. */
interface Life {
  point: Point
  /** How often it passed its point; for `moment`: milliseconds. */
  passing: number
  complaints: string[]
}

interface Crashes extends AsyncDisposable {
  /** The number of complete answers that callers have received. */
  readonly acknowledged: number
  /** Starts a server over the folder of the last one, checks and calls it, until it dies at the point. */
  live(point: Point): Promise<Life>
  /** Starts a last server, checks it and stops it. */
  end(): Promise<{ complaints: string[]; exit_code: number }>
}

/** State that all lives share. */
interface Run {
  folder: DataFolder
  provider: Provider
  random: Random
  checks: Checks
  evidence: Evidence
  acknowledged: number
  tags: number
}

/** @param seed the same seed makes the same run, as far as the machine allows */
export async function openCrashes(seed: number): Promise<Crashes> {
  const provider = startProvider()
  const folder = await prepareDataFolder(catalogueOf(provider), { balance_usd: '100000' })
  const run: Run = {
    folder,
    provider,
    random: randomFrom(seed),
    checks: new Checks(),
    evidence: nothing(),
    acknowledged: 0,
    tags: 0,
  }
  return {
    get acknowledged() {
      return run.acknowledged
    },
    live: (point) => live(run, point),
    async end() {
      const last = await startServer(folder.path, 'none', 1)
      const complaints = await checkRestart(run, last)
      last.child.kill('SIGTERM')
      return { complaints, exit_code: await last.child.exited }
    },
    async [Symbol.asyncDispose]() {
      await run.provider.stop()
      folder[Symbol.dispose]()
    },
  }
}

const catalogueOf = ({ url }: Provider): string => `
[server]
listen = "127.0.0.1:0"
${providerSection('provider', 'gemini', url, 'cooldown_ms = 0')}
${modelSection('crash', { provider: 'crash' }, { price: PRICE })}
`

const nothing = (): Evidence => ({
  book: nothingAcknowledged(),
  seen_by_provider: 0,
  reported: { holds: 0, possible_loss_nanos: 0 },
  died_at_start: false,
})

/** Checks the disk and the log after a server has started. */
async function checkRestart(run: Run, { lines, url }: ServerProcess): Promise<string[]> {
  const { evidence, provider, checks, folder } = run
  for (const { possible_loss_usd, holds } of lines) {
    if (possible_loss_usd === undefined) continue
    evidence.reported.holds += Number(holds)
    evidence.reported.possible_loss_nanos += parseUsd(String(possible_loss_usd))
  }
  evidence.died_at_start ||= url === undefined
  if (url === undefined) return []
  const db = new Database(folder.database_path, { readonly: true })
  evidence.seen_by_provider = provider.seen.size
  const complaints = await checks.complaints(db, evidence)
  db.close()
  provider.seen.clear()
  run.acknowledged += evidence.book.charges.size
  run.evidence = nothing()
  return complaints
}

async function callUntilItDies(
  run: Run,
  { url, child }: ServerProcess,
  point: Point,
  passing: number,
): Promise<void> {
  if (url === undefined) return
  const { folder, random, evidence } = run
  let calls = 0
  const goesOn = () => {
    calls += 1
    if (point === 'outside' && calls === passing) child.kill('SIGKILL')
    return calls < 100 * MAX_PASSINGS
  }
  if (point === 'moment') setTimeout(() => child.kill('SIGKILL'), passing)
  const options = {
    url,
    api_key: folder.keys[0] ?? '',
    account_id: 1,
    database_path: folder.database_path,
    random,
    newTag: () => `tag-${run.tags++}`,
    goesOn,
  }
  await Promise.all(Array.from({ length: CALLERS }, () => callUntilDeath(options, evidence.book)))
}

async function live(run: Run, point: Point): Promise<Life> {
  const passing = 1 + run.random.below(point === 'moment' ? MAX_MOMENT_MS : MAX_PASSINGS)
  const server = await startServer(run.folder.path, point, passing)
  const complaints = await checkRestart(run, server)
  await callUntilItDies(run, server, point, passing)
  if (!(await wasKilled(server))) complaints.push(`was not killed, but: ${await server.complaints}`)
  return { point, passing, complaints }
}

/** True if the server dies at its point. Its callers have stopped: it is dying already, or it never will. */
async function wasKilled({ child }: ServerProcess): Promise<boolean> {
  let survived = false
  const deadline = setTimeout(() => {
    survived = true
    child.kill('SIGKILL')
  }, MAX_DYING_MS)
  await child.exited
  clearTimeout(deadline)
  return !survived && child.signalCode === 'SIGKILL'
}
