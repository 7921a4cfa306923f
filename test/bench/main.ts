// Owns `bun run bench`: what is measured, in which order, and how it is shown.
import { parseArgs } from 'node:util'
import { type Contest, compareStreams, compareWholeAnswers } from './calls.ts'
import { measureSlowDisk } from './disk.ts'
import { type Effort, FULL, QUICK } from './effort.ts'
import { machineFigures } from './machine.ts'
import { type Figure, tableOf } from './report.ts'
import { measureStart } from './start.ts'
import { makeDataFolder, type Subject, startForwarder, startGateway, startUpstream } from './subjects.ts'
import { compareSurfaces } from './surfaces.ts'

const HELP = `Compares the gateway with a bare forwarder in front of the same recorded upstream.

bun run bench [--quick] [--only whole|streams|surfaces|disk|start]... [--json] [--self]

  --quick  about five minutes instead of twenty: fewer rounds, smaller loads
  --only   one part (may be given several times)
  --json   the figures as JSON
  --self   puts a second forwarder in the gateway's place: what differs from a ratio of 1 is the machine's noise
`

const say = (text: string): void => void process.stderr.write(`${text}\n`)

async function inContest(
  upstream: Subject,
  self: boolean,
  compare: (contest: Contest) => Promise<Figure[]>,
): Promise<Figure[]> {
  const data = self ? undefined : await makeDataFolder(upstream.port)
  const gateway = data ? await startGateway(data) : await startForwarder(upstream)
  const forwarder = await startForwarder(upstream)
  try {
    return await compare({ gateway, forwarder, upstream })
  } finally {
    await Promise.all([gateway.process.stop(), forwarder.process.stop()])
    data?.remove()
  }
}

type Part = (upstream: Subject, effort: Effort, self: boolean) => Promise<Figure[]>

const PARTS: Record<string, Part> = {
  whole: (upstream, effort, self) =>
    inContest(upstream, self, (contest) => compareWholeAnswers(contest, effort)),
  streams: (upstream, effort, self) =>
    inContest(upstream, self, (contest) => compareStreams(contest, effort)),
  surfaces: (upstream, effort, self) =>
    inContest(upstream, self, (contest) => compareSurfaces(contest, effort)),
  disk: async (upstream, effort, self) =>
    self ? [] : measureSlowDisk(upstream, effort, (reason) => say(`skipped: ${reason}`)),
  start: async (upstream, effort, self) => (self ? [] : measureStart(upstream.port, effort)),
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      self: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const names = values.only ?? Object.keys(PARTS)
  const parts = names.map((name) => PARTS[name])
  if (values.help || parts.includes(undefined)) {
    say(HELP)
    return values.help ? 0 : 2
  }
  if (process.platform !== 'linux') {
    say('The bench reads /proc, which only Linux has.')
    return 1
  }
  const figures: Figure[] = machineFigures()
  for (const { what, unit, gateway } of figures) say(`${what}: ${gateway.toFixed(2)} ${unit}`.trimEnd())
  const upstream = await startUpstream()
  try {
    for (const [index, part] of parts.entries()) {
      say(`measuring: ${names[index]}`)
      figures.push(...((await part?.(upstream, values.quick ? QUICK : FULL, values.self)) ?? []))
    }
  } finally {
    await upstream.process.stop()
  }
  process.stdout.write(`${values.json ? JSON.stringify(figures, null, 2) : tableOf(figures)}\n`)
  return 0
}

process.exit(await main())
