// `bun run clients`: installs real clients, tries them against a gateway, and says which of them it serves.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AGENTS } from './agents.ts'
import type { Client } from './client.ts'
import { GO_CLIENTS } from './go.ts'
import { NPM_CLIENTS } from './npm.ts'
import { PYTHON_CLIENTS } from './python.ts'
import { keepResult, keptResults, type Result } from './results.ts'
import { README, tableOf, withTable } from './table.ts'
import { openTrials } from './trial.ts'

const CLIENTS: readonly Client[] = [...NPM_CLIENTS, ...PYTHON_CLIENTS, ...GO_CLIENTS, ...AGENTS]

const USAGE = `bun run clients [--only NAME]... [--cache FOLDER] [--tools-by script|simulator] [--model ID] [--table]

Installs what is missing into the cache (several GB, some minutes), and prints the results as JSON. A name
may be the beginning of several: --only python. --table writes them into plugins/README.md, with what the
cache has of earlier runs. The exit status is 1 where a client was not served.

${CLIENTS.map(({ name, version }) => `  ${name.padEnd(44)}${version}`).join('\n')}`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    cache: { type: 'string', default: join(tmpdir(), 'tollgate-clients') },
    'tools-by': { type: 'string', default: 'script' },
    model: { type: 'string' },
    table: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n\n${USAGE}\n`)
  process.exit(2)
}

function chosen(only: readonly string[] | undefined): readonly Client[] {
  const unknown = only?.find((name) => !CLIENTS.some((client) => client.name.startsWith(name)))
  if (unknown !== undefined) refuse(`There is no client "${unknown}".`)
  return only ? CLIENTS.filter(({ name }) => only.some((start) => name.startsWith(start))) : CLIENTS
}

if (values.help) {
  process.stdout.write(`${USAGE}\n`)
  process.exit(0)
}
const tools_by = values['tools-by']
if (tools_by !== 'script' && tools_by !== 'simulator') refuse('--tools-by: must be script or simulator.')
const { model, cache } = values

const day = new Date().toISOString().slice(0, 10)
const results: Result[] = []
{
  await using trials = await openTrials({ cache, tools_by, ...(model === undefined ? {} : { model }) })
  for (const client of chosen(values.only)) {
    const result = { ...(await trials.of(client)), day }
    results.push(result)
    await keepResult(cache, result)
    process.stderr.write(`${summaryOf(result)}\n`)
  }
}

if (values.table) {
  const table = tableOf(await keptResults(cache, CLIENTS))
  await Bun.write(README, withTable(await Bun.file(README).text(), table))
}
const shown = results.map(({ client: { name, title, version }, verdicts }) => ({
  name,
  title,
  version,
  verdicts,
}))
process.stdout.write(`${JSON.stringify({ day, tools_by, results: shown }, null, 2)}\n`)
process.exit(results.every(isServed) ? 0 : 1)

function isServed({ verdicts }: Result): boolean {
  return Object.values(verdicts).every((verdict) => verdict === 'yes')
}

function summaryOf(result: Result): string {
  const { name, version } = result.client
  const wrong = Object.entries(result.verdicts).flatMap(([feature, verdict]) =>
    verdict === 'yes' ? [] : [`  ${feature}: ${verdict.wrong}`],
  )
  return [`${name} ${version}: ${isServed(result) ? 'served' : 'NOT SERVED'}`, ...wrong].join('\n')
}
