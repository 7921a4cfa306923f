// The counters of the guard: they see what a process does, and nothing else.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { difference } from './counted.ts'
import { COUNTING, type Counts } from './counters.ts'

const COUNTERS = join(import.meta.dir, 'counters.ts')

/** What ten rounds of some code do, counted in a process of their own. */
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
  // What a program makes and does not use is left out of it when it is compiled: the code keeps what it makes.
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: { ...process.env, ...COUNTING },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const [before, after] = JSON.parse(await child.stdout.text())
  return difference(before, after, 10)
}

const nothing = await countsOf('')

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
  ['a statement that is prepared each time', 'SQL statements', "db.prepare('SELECT 1').get()", 1],
  [
    'a statement that is kept',
    'SQL statements',
    "db.query('SELECT 1').all(), db.query('SELECT 1').values()",
    2,
  ],
  ['a statement without an answer', 'SQL statements', "db.run('PRAGMA user_version = 1')", 1],
])('%s is counted', async (_, name, code, expected) => {
  const counts = await countsOf(code)
  expect((counts[name] ?? 0) - (nothing[name] ?? 0)).toBe(expected)
})
