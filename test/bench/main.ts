// `bun run bench`: what is measured, in which order, and how it is shown.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Contest, compareLargeBodies, compareStreams, compareWholeAnswers } from './calls.ts'
import { measureSlowDisk } from './disk.ts'
import { type Effort, FULL, QUICK } from './effort.ts'
import { machineFigures } from './machine.ts'
import { type Figure, tableOf } from './report.ts'
import { measureStart } from './start.ts'
import {
  makeDataFolder,
  OWN_CHECKOUT,
  type Subject,
  sourceOf,
  startForwarder,
  startGateway,
  startUpstream,
} from './subjects.ts'
import { compareSurfaces } from './surfaces.ts'

const HELP = `Compares the gateway with a bare forwarder in front of the same recorded upstream.

bun run bench [--quick] [--only whole|large|streams|surfaces|disk|start]... [--json] [--gateway DIR | --self]

  --quick        about six minutes instead of over twenty: fewer rounds, smaller loads
  --only         one part (may be given several times)
  --json         the figures as JSON
  --gateway DIR  the gateway of another checkout, its packages installed: for figures before and after a change
  --self         puts a second forwarder in the gateway's place: a ratio other than 1 is the machine's noise
`

const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** One run of the bench. */
interface Bench {
  readonly upstream: Subject
  readonly effort: Effort
  /** The folder of the gateway's source; undefined: a second forwarder takes the gateway's place. */
  readonly checkout: string | undefined
}

type Part = (bench: Bench) => Promise<Figure[]>

/** A part that compares a gateway and a forwarder, both started for it. */
const contest =
  (compare: (contest: Contest, effort: Effort) => Promise<Figure[]>): Part =>
  async ({ upstream, effort, checkout }) => {
    const data = checkout === undefined ? undefined : await makeDataFolder(sourceOf(checkout), upstream.port)
    const gateway = data ? await startGateway(data) : await startForwarder(upstream)
    const forwarder = await startForwarder(upstream)
    try {
      return await compare({ gateway, forwarder, upstream }, effort)
    } finally {
      await Promise.all([gateway.process.stop(), forwarder.process.stop()])
      data?.remove()
    }
  }

const PARTS: Record<string, Part> = {
  whole: contest(compareWholeAnswers),
  large: contest(compareLargeBodies),
  streams: contest(compareStreams),
  surfaces: contest(compareSurfaces),
  disk: async ({ upstream, effort, checkout }) =>
    checkout === undefined
      ? []
      : measureSlowDisk(checkout, upstream, effort, (reason) => say(`skipped: ${reason}`)),
  start: async ({ upstream, effort, checkout }) =>
    checkout === undefined ? [] : measureStart(checkout, upstream.port, effort),
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      gateway: { type: 'string', default: OWN_CHECKOUT },
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
  const checkout = values.self ? undefined : resolve(values.gateway)
  if (checkout !== undefined && !existsSync(join(checkout, 'src/main.ts'))) {
    say(`--gateway: ${checkout} has no src/main.ts; give the top folder of a checkout.`)
    return 2
  }
  if (process.platform !== 'linux') {
    say('The bench reads /proc, which only Linux has.')
    return 1
  }
  const figures: Figure[] = machineFigures()
  for (const { what, unit, gateway } of figures) say(`${what}: ${gateway.toFixed(2)} ${unit}`.trimEnd())
  const effort = values.quick ? QUICK : FULL
  const upstream = await startUpstream()
  try {
    for (const [index, part] of parts.entries()) {
      say(`measuring: ${names[index]}`)
      figures.push(...((await part?.({ upstream, effort, checkout })) ?? []))
    }
  } finally {
    await upstream.process.stop()
  }
  process.stdout.write(`${values.json ? JSON.stringify(figures, null, 2) : tableOf(figures)}\n`)
  return 0
}

process.exit(await main())
