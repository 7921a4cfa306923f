// A gateway that notes when a call passes which of its steps: a process of its own, which writes what it noted when it ends.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { plugins as allPlugins } from '../../../plugins/index.ts'
import type { startGateway as startIt } from '../../../src/app/process/serve.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { createLogger as createLog, standardOutput as output } from '../../../src/observe/log.ts'
import { pluginsOver } from '../../support/plugins.ts'

/** Microseconds from the look at a call's key to each step, one record a call. */
export type Timed = Readonly<Record<string, number>>

const [checkout = '', data_folder = '', written_to = ''] = process.argv.slice(2)
const { plugins }: { plugins: typeof allPlugins } = await import(join(checkout, 'plugins/index.ts'))
const { startGateway }: { startGateway: typeof startIt } = await import(
  join(checkout, 'src/app/process/serve.ts')
)
const log: { createLogger: typeof createLog; standardOutput: typeof output } = await import(
  join(checkout, 'src/observe/log.ts')
)

const calls: Record<string, number>[] = []
let key_at_us = 0

/** Calls are made one after the other: until its request has gone, a call is alone. */
const passed = (step: string): void => {
  const call = calls.at(-1)
  if (call) call[step] ??= Bun.nanoseconds() / 1_000 - key_at_us
}

function timed(gateway: Gateway): Gateway {
  const { gate } = gateway.calls
  const admit: typeof gate.admit = (origin) => {
    calls.push({})
    key_at_us = Bun.nanoseconds() / 1_000
    return gate.admit(origin)
  }
  return { ...gateway, calls: { ...gateway.calls, gate: { ...gate, admit } } }
}

process.on('SIGTERM', () => {
  writeFileSync(written_to, JSON.stringify(calls))
  process.exit(0)
})
await startGateway({
  data_folder,
  plugins: pluginsOver(plugins, (gateway) => timed(gateway)),
  log: log.createLogger({
    level: 'info',
    secrets: [],
    destination: log.standardOutput(),
    now: Date.now,
    gather_ms: 100,
  }),
  env: process.env,
  probe: passed,
  network: (url, options) => {
    passed('sent')
    return fetch(url, options)
  },
})
