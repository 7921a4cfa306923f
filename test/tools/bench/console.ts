// The requests of the console's pages to a gateway with a million calls: the time of each answer, and the delay of calls beside them.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { openSessionAt } from '../../support/people.ts'
import type { Bench } from './contest.ts'
import { fillHistory, fillRefusals } from './many-calls.ts'
import { nowMs } from './recording.ts'
import { atMost, type Figure, figureOf, percentile } from './report.ts'
import { makeDataFolder, type Subject, sourceOf, startGateway } from './subjects.ts'

const HISTORY = { calls: 1_000_000, accounts: 40, days: 60 }
const REFUSALS = { refusals: 100_000, accounts: 40 }
const WARM_UP = 2
const TRIES = 9
const MAX_ANSWER_MS = 100
/** The probe of the event loop: a free endpoint that reads nothing. */
const PROBE = '/healthz'
const PROBE_EVERY_MS = 2

const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

/** The requests of the pages, below /console/api. Add those of a new page. */
const pathsFor = (request_id: string): readonly string[] => [
  '/overview?range=today',
  '/overview?range=7',
  '/overview?range=mtd',
  '/overview?range=90',
  '/calls',
  '/calls?account=7',
  '/calls?outcome=failed',
  '/calls?model=none',
  '/calls?status=4xx',
  '/calls?provider=provider-1&status=5xx',
  '/calls?min_cost=1',
  '/calls?account=7&min_cost=1',
  `/calls?since=${day(30)}&until=${day(29)}&model=model-3`,
  `/calls/${request_id}`,
  '/calls/req_nothing',
  '/calls?outcome=refused',
  '/calls?outcome=refused&model=none',
  '/calls?outcome=refused&account=7&status=402',
  `/calls?outcome=refused&since=${day(20)}&until=${day(19)}`,
  '/call-sums?outcome=refused',
  '/refusals?range=hour',
  '/refusals?range=day',
  '/refusals?range=month',
  '/refusals?range=month&account=7',
  '/refusals?range=week&key=1000',
  '/call-filters?account=7',
  '/call-sums',
  '/call-sums?account=account-7',
  '/call-sums?outcome=failed&model=model-3',
  `/call-sums?since=${day(30)}&until=${day(1)}`,
  '/usage?range=7',
  '/usage?range=30&by=account',
  `/usage?since=${day(59)}&until=${day(0)}`,
  '/usage?account=account-7&range=90',
  '/models',
  '/models/detail?id=sim-flash',
  '/accounts',
  '/accounts?order=-spent',
  '/accounts?order=balance&low=yes',
  '/accounts/7',
  '/keys',
  '/keys?account=7',
  '/entries',
  '/entries?account=7',
  '/entries?kind=top_up',
  `/entries?since=${day(30)}&until=${day(29)}`,
  '/books',
  '/search?q=acc',
  `/search?q=${request_id.slice(0, 14)}`,
]

/** Sums by filters that the stored sums do not distinguish read every call; their page shows that it is adding up. */
const SUM_PATHS: readonly string[] = [
  '/call-sums?provider=provider-1',
  '/call-sums?status=5xx',
  '/call-sums?min_cost=0.000001',
]
const MAX_SUM_MS = 1_000

/** The requests of an account's own pages. */
const ACCOUNT_PATHS: readonly string[] = [
  '/overview?range=7',
  '/overview?range=90',
  '/calls',
  '/calls?outcome=failed',
  '/calls?outcome=refused',
  '/refusals?range=month',
  '/call-sums?outcome=failed',
  '/usage?range=30&by=account',
  '/models',
  '/keys',
  '/entries',
  '/search?q=key',
]

/** Fills a data folder, starts the checkout's gateway on it, and reads as the operator and as an account. */
export async function measureConsole({ checkout, upstream }: Bench): Promise<Figure[]> {
  if (checkout === undefined) return []
  const data = await makeDataFolder(sourceOf(checkout), upstream.port)
  try {
    const database_path = join(data.path, 'tollgate.db')
    fillHistory(database_path, HISTORY)
    fillRefusals(database_path, REFUSALS)
    const gateway = await startGateway(data)
    try {
      const operator = await cookieOf(database_path, null)
      const account = await cookieOf(database_path, 7)
      const figures: Figure[] = []
      const paths = pathsFor(callIn(database_path))
      for (const path of paths) figures.push(await measureAnswer(gateway, operator, path, path))
      for (const path of ACCOUNT_PATHS)
        figures.push(await measureAnswer(gateway, account, path, `an account's ${path}`))
      for (const path of SUM_PATHS)
        figures.push(await measureAnswer(gateway, operator, path, path, MAX_SUM_MS))
      return [...figures, await delayBeside(gateway, operator, [...paths, ...SUM_PATHS])]
    } finally {
      await gateway.process.stop()
    }
  } finally {
    data.remove()
  }
}

/** The request id of a call in the middle of the history. */
function callIn(database_path: string): string {
  const db = openDatabase(database_path, { readonly: true })
  const call = db
    .query<{ request_id: string }, []>('SELECT request_id FROM calls ORDER BY id LIMIT 1 OFFSET 500000')
    .get()
  db.close()
  return call?.request_id ?? 'req_nothing'
}

/** Opens a session without a sign-in. @param account_id null: the operator's */
async function cookieOf(database_path: string, account_id: number | null): Promise<string> {
  const db = openDb(database_path)
  const token = randomBytes(32).toString('base64url')
  await openSessionAt(db, account_id, {
    token,
    visitor: { address: '127.0.0.1', user_agent: 'bench' },
    now_ms: Date.now(),
    settings: { enabled: true, insecure_http: false, session_hours: 168, idle_hours: 24 },
  })
  await db.close()
  return `__Host-tollgate=${token}`
}

async function measureAnswer(
  { port }: Subject,
  cookie: string,
  path: string,
  what: string,
  max_ms = MAX_ANSWER_MS,
): Promise<Figure> {
  const times: number[] = []
  for (let nth = 0; nth < WARM_UP + TRIES; nth++) {
    const began_ms = nowMs()
    await ask(port, cookie, path)
    if (nth >= WARM_UP) times.push(nowMs() - began_ms)
  }
  return figureOf(`console: ${what}`, 'ms', { gateway: times }, atMost(max_ms))
}

async function ask(port: number, cookie: string, path: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/console/api${path}`, { headers: { cookie } })
  const text = await response.text()
  if (response.status !== 200 && response.status !== 404)
    throw new Error(`${path}: ${response.status} ${text}`)
}

/** The delay of other requests while pages are read one after the other: the slowest in a hundred. */
async function delayBeside({ port }: Subject, cookie: string, paths: readonly string[]): Promise<Figure> {
  let reading = true
  const delays: number[] = []
  const probing = (async () => {
    while (reading) {
      const began_ms = nowMs()
      await (await fetch(`http://127.0.0.1:${port}${PROBE}`)).text()
      delays.push(nowMs() - began_ms)
      await Bun.sleep(PROBE_EVERY_MS)
    }
  })()
  for (let round = 0; round < TRIES; round++) for (const path of paths) await ask(port, cookie, path)
  reading = false
  await probing
  return figureOf(
    'console: a free call beside the reads, p99',
    'ms',
    { gateway: [percentile(delays, 0.99)] },
    atMost(20),
  )
}
