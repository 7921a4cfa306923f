// A program that loads the parts of a gateway one after the other, starts it on a data folder, calls it, and prints the cost of each step in lines of JSON.
import { readFileSync } from 'node:fs'
import type { StepCost } from './parts.ts'

const MIB_KIB = 1024

const residentMib = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) / MIB_KIB

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

let cpu_ms = 0
let memory_mib = 0

async function step(name: string, work: () => unknown): Promise<void> {
  await work()
  const [cpu_now_ms, memory_now_mib] = [cpuMs(), residentMib()]
  const cost: StepCost = { name, cpu_ms: cpu_now_ms - cpu_ms, memory_mib: memory_now_mib - memory_mib }
  process.stdout.write(`${JSON.stringify(cost)}\n`)
  // Without the cost of the line itself.
  cpu_ms = cpuMs()
  memory_mib = residentMib()
}

const [data_folder = '', api_key = '', path = '', body = ''] = process.argv.slice(2)

// In the order of a start: a part that others share counts where it is first loaded.
await step('the runtime', () => {})
await step('schemas: TypeBox', () => import('../../../src/domain/validation.ts'))
await step('plugins: their objects and settings', () => import('../../../plugins/index.ts'))
await step('the command line', () => import('../../../src/app/commands/program.ts'))
await step('the log', () => import('../../../src/observe/log.ts'))
await step('Elysia', () => import('elysia'))
await step("Drizzle, the core's tables", () => import('../../../src/store/schema.ts'))
await step('SQLite, its migrations', () => import('../../../src/app/process/engine/sqlite.ts'))
await step('protocols', () => import('../../../src/protocols/registry.ts'))
await step('the catalogue', () => import('../../../src/catalogue/load-file.ts'))
await step('the ledger', () => import('../../../src/money/ledger/ledger.ts'))
await step('the process: everything else of src/', () => import('../../../src/app/process/serve.ts'))
const { startGateway } = await import('../../../src/app/process/serve.ts')
const { plugins } = await import('../../../plugins/index.ts')
const { createLogger } = await import('../../../src/observe/log.ts')
const log = createLogger({
  level: 'error',
  secrets: [],
  destination: { write: () => true, flushSync() {} },
  now: Date.now,
  gather_ms: 100,
})
let url = ''
await step("the start: the database, plugins' parts and routes", async () => {
  url = (await startGateway({ data_folder, plugins, log, env: process.env })).url.href
  Bun.unsafe.setJITPolicy(1)
})

const ask = async (path: string, init?: RequestInit): Promise<void> => {
  const answer = await fetch(new URL(path, url), init)
  await answer.arrayBuffer()
  if (answer.status >= 500) throw new Error(`${path}: ${answer.status}`)
}
const headers = { 'x-goog-api-key': api_key, 'content-type': 'application/json' }
await step('first: /healthz', () => ask('/healthz'))
await step('first: a call', () => ask(path, { method: 'POST', headers, body }))
await step('second: a call', () => ask(path, { method: 'POST', headers, body }))
await step("first: the console's API", () => ask('/console/api/session'))
await step("first: the console's pages", () => ask('/console'))
await step('first: OpenAPI', () => ask('/docs/openapi.json'))
await step('first use: the simulator', () => import('../../../plugins/demo/provider.ts'))
await step('first use: sharp', () => import('sharp'))
await step('first use: PostgreSQL', () => import('../../../src/app/process/engine/postgres.ts'))
process.exit(0)
