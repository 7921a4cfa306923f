// `bun run mutate`: breaks one line at a time in a copy of the checkout, and says which broken lines no test notices.
import { parseArgs } from 'node:util'
import { testsOf } from './areas.ts'
import { type Checkout, checkout, type Outcome, ROOT, type Tested } from './checkout.ts'
import { type Chosen, chosenMutants } from './chosen.ts'

const USAGE = `bun run mutate [--seed N] [--count N] [--skip N] [--only FILE]... [--whole] [--list]

  --seed N     which mutants, and in which order; the date, as 20261231, where there is none
  --count N    how many that the types allow are tried (60)
  --skip N     how many are passed over first, to go on where a run ended
  --only FILE  files or folders whose names begin so
  --whole      asks the whole suite about each survivor of its area's tests
  --list       says them, and tries none`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10).replaceAll('-', '') },
    count: { type: 'string', default: '60' },
    skip: { type: 'string', default: '0' },
    only: { type: 'string', multiple: true, default: [] },
    whole: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** A busy machine is several times slower than it was when the unbroken tests were timed. */
const SLOWER = 3
const MIN_LIMIT_MS = 60_000
/** Enough to see whether they have to do with the broken line. */
const MAX_NAMED = 2
/** A test that fails by chance does not end the run. */
const MAX_TRIES = 3
const WHOLE: readonly string[] = ['test']

const say = (line: string) => process.stdout.write(`${line}\n`)
const said = (failed: Tested['failed']) =>
  failed.length === 0 ? '' : `, in ${failed.slice(0, MAX_NAMED).join('; ')}`
const wordsOf = ({ file, line, how, before, after }: Chosen) =>
  `${file}:${line + 1} ${how}\n    - ${before.trim()}\n    + ${after.trim()}`

/** How long tests may take: of the time that they take unbroken, measured once. */
function limits(copy: Checkout): (folders: readonly string[]) => Promise<number> {
  const known = new Map<string, Promise<number>>()
  async function measure(folders: readonly string[]): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      const began_ms = performance.now()
      const { outcome, failed } = await copy.test(folders, 3_600_000)
      if (outcome === 'passed') return Math.max(MIN_LIMIT_MS, (performance.now() - began_ms) * SLOWER)
      const told = `${folders.join(' ')}: ${outcome} with nothing broken${said(failed)}`
      if (tries === MAX_TRIES) throw new Error(told)
      say(told)
    }
  }
  return (folders) => known.getOrInsertComputed(folders.join(' '), () => measure(folders))
}

async function main(): Promise<void> {
  const mutants = chosenMutants(ROOT, Number(values.seed), values.only).slice(Number(values.skip))
  say(`seed ${values.seed}, ${mutants.length} mutants`)
  if (values.list) {
    for (const mutant of mutants.slice(0, Number(values.count))) say(wordsOf(mutant))
    return
  }
  using copy = checkout()
  if (!(await copy.typesAllow())) throw new Error('The types are wrong with nothing broken.')
  const limitOf = limits(copy)
  const counts: Record<Outcome, number> = { passed: 0, failed: 0, 'timed out': 0 }
  const survivors: Chosen[] = []
  let tried = 0
  for (const [at, mutant] of mutants.entries()) {
    if (tried === Number(values.count)) break
    const folders = testsOf(mutant.file)
    const limit_ms = await limitOf(folders)
    const whole_ms = values.whole ? await limitOf(WHOLE) : 0
    using _ = copy.break(mutant)
    if (!(await copy.typesAllow())) continue
    tried += 1
    let tested = await copy.test(folders, limit_ms)
    if (tested.outcome === 'passed' && values.whole) tested = await copy.test(WHOLE, whole_ms)
    const { outcome, failed } = tested
    counts[outcome] += 1
    if (outcome !== 'failed') survivors.push(mutant)
    const what = outcome === 'failed' ? 'killed' : outcome === 'passed' ? 'survived' : outcome
    say(`${tried} (${Number(values.skip) + at}) ${what}${said(failed)}: ${wordsOf(mutant)}`)
  }
  say(
    `\n${tried} tried: ${counts.failed} killed, ${counts.passed} survived, ${counts['timed out']} timed out`,
  )
  for (const mutant of survivors) say(wordsOf(mutant))
}

if (values.help) say(USAGE)
else await main()
