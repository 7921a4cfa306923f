// The counters of the cost guard: they count the operations of a process, and nothing else.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { difference } from './counted.ts'
import { COUNTING, type Counts } from './counters.ts'

const COUNTERS = join(import.meta.dir, 'counters.ts')

/** The counts of one round of some code: the average of ten rounds in a process of their own. */
async function countsOf(code: string): Promise<Counts> {
  const program = `
    const { startCounting } = await import(${JSON.stringify(COUNTERS)})
    const counts = startCounting()
    const { Database } = await import('bun:sqlite')
    const db = new Database(':memory:')
    const round = async () => { ${code} }
    await round()
    const before = counts()
    for (let i = 0; i < 10; i++) await round()
    console.log(JSON.stringify([before, counts()]))
    process.exit(0)`
  // The compiler removes unused objects, so the code keeps those that it creates.
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: { ...process.env, ...COUNTING },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const [before, after] = JSON.parse(await child.stdout.text())
  return difference(before, after, 10)
}

const baseline = await countsOf('')

test.each([
  ['a promise', 'Promise', 'Promise.resolve({}), Promise.withResolvers()', 2],
  ['a promise that fetch makes', 'Promise', "fetch('data:,x').catch(() => {})", 2],
  ['a closure', 'Function', 'globalThis.kept = [() => db]', 1],
  ['a Headers', 'Headers', 'globalThis.kept = [new Headers(), new Headers()]', 2],
  ['a Response', 'Response', "globalThis.kept = new Response('x')", 1],
  ['an AbortController', 'AbortController', 'new AbortController()', 1],
  ['a signal of any kind', 'AbortSignal', 'AbortSignal.timeout(60000)', 1],
  ['a timer', 'timers', 'clearTimeout(setTimeout(() => {}, 60000))', 1],
  ['a turn of the event loop', 'setImmediate', 'setImmediate(() => {})', 1],
  ['a listener', 'addEventListener', "new EventTarget().addEventListener('x', () => {})", 1],
  ['a statement prepared each time', 'SQL statements', "db.prepare('SELECT 1').get()", 1],
  ['a cached statement', 'SQL statements', "db.query('SELECT 1').all(), db.query('SELECT 1').values()", 2],
  ['a statement without rows', 'SQL statements', "db.run('PRAGMA user_version = 1')", 1],
])('%s is counted', async (_, name, code, expected) => {
  const counts = await countsOf(code)
  expect((counts[name] ?? 0) - (baseline[name] ?? 0)).toBe(expected)
})
