// `bun run mutate`: breaks one line at a time in a copy of the checkout, and prints the broken lines that no test detects.
import { parseArgs } from 'node:util'
import { testsOf } from './areas.ts'
import { type Checkout, checkout, type Outcome, ROOT, type Tested } from './checkout.ts'
import { type Chosen, chosenMutants } from './chosen.ts'

const USAGE = `bun run mutate [--seed N] [--count N] [--skip N] [--only FILE]... [--whole] [--list]

  --seed N     selects the mutants and their order; default: the date, as 20261231
  --count N    the number of mutants to try, after the check of types (60)
  --skip N     the number of mutants to skip first, to continue a run
  --only FILE  the beginnings of names of files or folders
  --whole      runs the whole suite for each survivor of its area's tests
  --list       lists the mutants without trying them`

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
/** Enough names to see whether they are related to the broken line. */
const MAX_NAMED = 2
/** A test that fails by chance does not end the run. */
const MAX_TRIES = 3
const WHOLE: readonly string[] = ['test']

const print = (line: string) => process.stdout.write(`${line}\n`)
const namesOf = (failed: Tested['failed']) =>
  failed.length === 0 ? '' : `, in ${failed.slice(0, MAX_NAMED).join('; ')}`
const wordsOf = ({ file, line, change, before, after }: Chosen) =>
  `${file}:${line + 1} ${change}\n    - ${before.trim()}\n    + ${after.trim()}`

/** Time limits of tests: multiples of their time with nothing broken, measured once. */
function limits(copy: Checkout): (folders: readonly string[]) => Promise<number> {
  const known = new Map<string, Promise<number>>()
  async function measure(folders: readonly string[]): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      const began_ms = performance.now()
      const { outcome, failed } = await copy.test(folders, 3_600_000)
      if (outcome === 'passed') return Math.max(MIN_LIMIT_MS, (performance.now() - began_ms) * SLOWER)
      const message = `${folders.join(' ')}: ${outcome} with nothing broken${namesOf(failed)}`
      if (tries === MAX_TRIES) throw new Error(message)
      print(message)
    }
  }
  return (folders) => known.getOrInsertComputed(folders.join(' '), () => measure(folders))
}

async function main(): Promise<void> {
  const mutants = chosenMutants(ROOT, Number(values.seed), values.only).slice(Number(values.skip))
  print(`seed ${values.seed}, ${mutants.length} mutants`)
  if (values.list) {
    for (const mutant of mutants.slice(0, Number(values.count))) print(wordsOf(mutant))
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
    const verdict = outcome === 'failed' ? 'killed' : outcome === 'passed' ? 'survived' : outcome
    print(`${tried} (${Number(values.skip) + at}) ${verdict}${namesOf(failed)}: ${wordsOf(mutant)}`)
  }
  print(
    `\n${tried} tried: ${counts.failed} killed, ${counts.passed} survived, ${counts['timed out']} timed out`,
  )
  for (const mutant of survivors) print(wordsOf(mutant))
}

if (values.help) print(USAGE)
else await main()
