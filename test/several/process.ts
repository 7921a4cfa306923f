// One of several gateways, as a process that a test stops and kills. Its argument is the folder; the environment sets its times.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { plugins } from '../../plugins/index.ts'
import { startGateway } from '../../src/app/process/serve.ts'
import { createLogger } from '../../src/observe/log.ts'
import '../support/strict-provider.ts'

const [data_folder = ''] = process.argv.slice(2)
const number = (name: string): number => Number(process.env[name] ?? 0)
const now = () => Date.now() + number('CLOCK_OFF_MS')
const destination = {
  write: (text: string) => appendFileSync(join(data_folder, 'log'), text),
  flushSync() {},
}

const gateway = await startGateway({
  data_folder,
  plugins,
  log: createLogger({ level: 'info', secrets: [], destination, now }),
  env: {},
  listen: '127.0.0.1:0',
  accepts_others: number('REFUSES_OTHERS') === 0,
  now,
  gateway_timing: { beat_every_ms: number('BEAT_EVERY_MS'), silent_after_ms: number('SILENT_AFTER_MS') },
  max_busy_wait_ms: number('MAX_BUSY_WAIT_MS') || undefined,
  sweep_every_ms: number('SWEEP_EVERY_MS'),
})
process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)))
process.stdout.write(`listens on ${gateway.url.href}\n`)
