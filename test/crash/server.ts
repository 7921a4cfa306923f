// Owns a real server process that ends itself: kill -9 at a named point, at its k-th passing. `none` lives until it is killed.
//
//   bun test/crash/server.ts <data folder> <point> <passing>
//
// It prints one line for its address once it listens, and its log. SIGTERM stops it as `serve` does.
import { writeSync } from 'node:fs'
import { Elysia } from 'elysia'
import { plugins } from '../../plugins/index.ts'
import { createLogger } from '../../src/observe/log.ts'
import { startGateway } from '../../src/server/serve.ts'
import type { Gateway } from '../../src/surface/gateway.ts'

const [data_folder = '', point = 'none', passing = '1'] = process.argv.slice(2)

/** Written at once: what waits in a buffer would die with the process. */
const destination = { write: (line: string) => void writeSync(1, line), flushSync() {} }

let passings_left = Number(passing)
function probe(passed: string): void {
  if (passed !== point) return
  passings_left -= 1
  if (passings_left === 0) process.kill(process.pid, 'SIGKILL')
}

/** Top-ups through this process's own ledger, so that they share commits with the calls. */
const topUps = ({ ledger, now }: Gateway) =>
  new Elysia({ name: 'top-ups' }).post('/test/top-up/:account_id/:amount_nanos/:note', async ({ params }) =>
    Response.json(
      await ledger.submit({
        op: 'top_up',
        account_id: Number(params.account_id),
        amount_nanos: Number(params.amount_nanos),
        note: params.note,
        now_ms: now(),
      }),
    ),
  )

const gateway = await startGateway({
  data_folder,
  plugins: [...plugins, topUps],
  log: createLogger({ level: 'info', secrets: [], destination, now: Date.now }),
  env: process.env,
  probe,
})
destination.write(`${JSON.stringify({ message: 'listening', url: gateway.url.href })}\n`)
process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)))
