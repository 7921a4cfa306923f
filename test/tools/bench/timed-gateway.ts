// A timed gateway: a process of its own that records when each call passes its steps, and writes the records at its end.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { plugins as allPlugins } from '../../../plugins/index.ts'
import type { startGateway as startIt } from '../../../src/app/process/serve.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { createLogger as createLog, standardOutput as output } from '../../../src/observe/log.ts'
import { pluginsOver } from '../../support/plugins.ts'

/** Microseconds from the check of a call's key to each step, one record per call. */
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

/** Calls are made one after the other: a call is alone until its request is sent. */
const recordStep = (step: string): void => {
  const call = calls.at(-1)
  if (call) call[step] ??= Bun.nanoseconds() / 1_000 - key_at_us
}

function timeCalls(gateway: Gateway): Gateway {
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
  plugins: pluginsOver(plugins, (gateway) => timeCalls(gateway)),
  log: log.createLogger({
    level: 'info',
    secrets: [],
    destination: log.standardOutput(),
    now: Date.now,
    gather_ms: 100,
  }),
  env: process.env,
  probe: recordStep,
  network: (url, options) => {
    recordStep('sent')
    return fetch(url, options)
  },
})
