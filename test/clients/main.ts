// `bun run clients`: installs real clients, tries them against a gateway, and says which of them it serves.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AGENTS } from './agents.ts'
import type { Client } from './client.ts'
import { GO_CLIENTS } from './go.ts'
import { listOf, README, withList } from './list.ts'
import { NPM_CLIENTS } from './npm.ts'
import { PYTHON_CLIENTS } from './python.ts'
import { keepResult, keptResults, type Result } from './results.ts'
import { openTrials } from './trial.ts'

const CLIENTS: readonly Client[] = [...NPM_CLIENTS, ...PYTHON_CLIENTS, ...GO_CLIENTS, ...AGENTS]

const NAME_WIDTH = Math.max(...CLIENTS.map(({ name }) => name.length)) + 2

const USAGE = `bun run clients [--only NAME]... [--cache FOLDER] [--model ID] [--readme]
                [--tools-by script|simulator]

Tests real clients against its own gateway, and prints the results as JSON. It
first installs missing clients into the cache (all of them: several GB, some
minutes).

  --only NAME      only these; the beginning of several names works: python
  --cache FOLDER   the folder for installed clients and results
  --model ID       the model to call instead of each protocol's simulated one
  --tools-by WHO   who calls tools and sees images: script or simulator
  --readme         writes the list in plugins/README.md, with the cache's earlier results

The exit status is 1 if a client was not served, 130 if the run was stopped.

${CLIENTS.map(({ name, version }) => `  ${name.padEnd(NAME_WIDTH)}${version}`).join('\n')}`

/** As shells tell of a program that was interrupted. */
const STOPPED = 130

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    cache: { type: 'string', default: join(tmpdir(), 'tollgate-clients') },
    'tools-by': { type: 'string', default: 'script' },
    model: { type: 'string' },
    readme: { type: 'boolean', default: false },
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

const clients = chosen(values.only)

/** On a second signal it ends at once. */
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(STOPPED)
    process.stderr.write('stopping\n')
    stop.abort(new Error(`stopped by ${signal}`))
  })

const day = new Date().toISOString().slice(0, 10)
const results: Result[] = []
try {
  await using trials = await openTrials({
    cache,
    tools_by,
    stopped: stop.signal,
    ...(model === undefined ? {} : { model }),
  })
  for (const client of clients) {
    const result = { ...(await trials.of(client)), day }
    results.push(result)
    await keepResult(cache, result)
    process.stderr.write(`${summaryOf(result)}\n`)
  }
} catch (thrown) {
  if (!stop.signal.aborted) throw thrown
  process.exit(STOPPED)
}

if (values.readme) {
  const list = listOf(await keptResults(cache, CLIENTS))
  await Bun.write(README, withList(await Bun.file(README).text(), list))
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
