// `bun run bench`: its parts in their order, and its output.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureCaches } from './cache.ts'
import { compareLargeBodies, compareStreams, compareWholeAnswers } from './calls.ts'
import { measureConsole } from './console.ts'
import { type Bench, withContest } from './contest.ts'
import { countsTable } from './counts.ts'
import { measureSlowDisk } from './disk.ts'
import { type Effort, FULL, QUICK } from './effort.ts'
import { enginesTable } from './engines.ts'
import { machineFigures, untilQuiet } from './machine.ts'
import type { Contest } from './measure.ts'
import { partsTable } from './parts.ts'
import { peersTable } from './peers-table.ts'
import { type Figure, goalsOf, tableOf } from './report.ts'
import { signUpsTable } from './sign-ups.ts'
import { stagesTable } from './stages.ts'
import { measureStart } from './start.ts'
import { OWN_CHECKOUT, startUpstream } from './subjects.ts'
import { compareSurfaces } from './surfaces.ts'
import { timelineTable } from './timeline.ts'

const HELP = `Compares the gateway with a bare forwarder in front of the same recorded upstream.

bun run bench [--quick] [--only whole|large|streams|surfaces|disk|start|console|cache]... [--against DIR]
              [--gateway DIR | --self] [--metrics] [--busy] [--json]
bun run bench --stages | --counts | --timeline | --parts | --engines | --sign-ups | --peers --cache DIR
              [--against DIR] [--quick] [--busy]

  --quick        fewer rounds, smaller loads
  --only         one part (may be given several times)
  --against DIR  the gateway of another checkout beside this one's, its packages installed: before and after a change
  --gateway DIR  the gateway of another checkout in this one's place
  --metrics      with [metrics] on; the gateway of --against has them off
  --self         puts a second forwarder in the gateway's place: a ratio other than 1 is the machine's noise
  --stages       instead: a small call with one of its stages left out at a time
  --counts       instead: the objects, promises, timers and SQL statements of a call
  --timeline     instead: the steps between the key of a stream and the departure of its request
  --parts        instead: the cost of loading each part of the executable, at a start and at its first use
  --engines      instead: a small call with the rows on SQLite and on PostgreSQL, of one gateway and of three
  --sign-ups     instead: paid calls at a steady rate, with and without 1,000 sign-ups a minute beside them
  --peers        instead: other gateways under the same load, installed into the folder of --cache
  --busy         does not wait for a quiet machine
  --json         the figures as JSON
`

const say = (text: string): void => void process.stderr.write(`${text}\n`)

type Part = (bench: Bench) => Promise<Figure[]>

/** A part that compares gateways and a forwarder, all started for it. */
const contest =
  (compare: (contest: Contest, effort: Effort) => Promise<Figure[]>): Part =>
  (bench) =>
    withContest(bench, (subjects) => compare(subjects, bench.effort))

const PARTS: Record<string, Part> = {
  whole: contest(compareWholeAnswers),
  large: contest(compareLargeBodies),
  streams: contest(compareStreams),
  surfaces: contest(compareSurfaces),
  disk: (bench) => measureSlowDisk(bench, (reason) => say(`skipped: ${reason}`)),
  start: measureStart,
  console: measureConsole,
  cache: measureCaches,
}

/** Tables in place of the figures. @param cache the folder of installed peers */
const TABLES: Record<
  'stages' | 'counts' | 'timeline' | 'parts' | 'peers' | 'engines' | 'sign-ups',
  (bench: Bench, cache: string) => Promise<string>
> = {
  stages: stagesTable,
  counts: countsTable,
  timeline: timelineTable,
  parts: partsTable,
  peers: (bench, cache) => peersTable(bench, cache, say),
  engines: (bench) => enginesTable(bench, say),
  'sign-ups': (bench) => signUpsTable(bench, say),
}

/** @returns the exit status if a folder is not a checkout */
function refuseFolder(flag: string, folder: string | undefined): number | undefined {
  if (folder === undefined || existsSync(join(folder, 'src/main.ts'))) return undefined
  say(`${flag}: ${folder} has no src/main.ts; give the top folder of a checkout.`)
  return 2
}

/** Measures parts by their names, and returns their figures beside the machine's. */
async function figuresText(
  bench: Bench,
  names: readonly string[],
  machine: readonly Figure[],
  json: boolean,
): Promise<string> {
  const figures = [...machine]
  for (const name of names) {
    say(`measuring: ${name}`)
    figures.push(...((await PARTS[name]?.(bench)) ?? []))
  }
  if (json) return JSON.stringify(figures, null, 2)
  return [tableOf(figures), ...(figures.some(({ goal }) => goal) ? [goalsOf(figures)] : [])].join('\n\n')
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      gateway: { type: 'string', default: OWN_CHECKOUT },
      against: { type: 'string' },
      metrics: { type: 'boolean', default: false },
      self: { type: 'boolean', default: false },
      stages: { type: 'boolean', default: false },
      counts: { type: 'boolean', default: false },
      timeline: { type: 'boolean', default: false },
      parts: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      engines: { type: 'boolean', default: false },
      'sign-ups': { type: 'boolean', default: false },
      cache: { type: 'string' },
      busy: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const names = values.only ?? Object.keys(PARTS)
  if (values.help || !names.every((name) => name in PARTS)) {
    say(HELP)
    return values.help ? 0 : 2
  }
  const checkout = values.self ? undefined : resolve(values.gateway)
  const against = values.against === undefined ? undefined : resolve(values.against)
  const refused = refuseFolder('--gateway', checkout) ?? refuseFolder('--against', against)
  if (refused !== undefined) return refused
  if (values.peers && values.cache === undefined) {
    say('--peers: name the folder that the peers are installed into with --cache DIR.')
    return 2
  }
  if (process.platform !== 'linux') {
    say('The bench reads /proc, which only Linux has.')
    return 1
  }
  if (!values.busy) await untilQuiet(say)
  const machine = machineFigures()
  for (const { what, unit, gateway } of machine) say(`${what}: ${gateway.toFixed(2)} ${unit}`.trimEnd())
  const upstream = await startUpstream()
  const effort = values.quick ? QUICK : FULL
  const bench: Bench = { upstream, effort, checkout, against, metrics: values.metrics }
  const table = (['stages', 'counts', 'timeline', 'parts', 'peers', 'engines', 'sign-ups'] as const).find(
    (name) => values[name],
  )
  try {
    const text = table
      ? await TABLES[table](bench, values.cache ?? '')
      : await figuresText(bench, names, machine, values.json)
    process.stdout.write(`${text}\n`)
  } finally {
    await upstream.process.stop()
  }
  return 0
}

process.exit(await main())
