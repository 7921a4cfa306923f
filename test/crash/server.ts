// A real server process that kills itself (SIGKILL) when it passes a named point for the k-th time; never at `none`.
//
//   bun test/crash/server.ts <data folder> <point> <passing>
//
// It prints its log, and a line with its address once it listens. SIGTERM stops it as it stops `serve`.

import { writeSync } from 'node:fs'
import { Elysia } from 'elysia'
import { plugins } from '../../plugins/index.ts'
import { startGateway } from '../../src/app/process/serve.ts'
import { createLogger } from '../../src/observe/log.ts'
import { routesPlugin } from '../support/plugins.ts'
import '../support/strict-provider.ts'

const [data_folder = '', point = 'none', passing = '1'] = process.argv.slice(2)

/** Written at once: buffered lines would be lost with the process. */
const destination = { write: (line: string) => void writeSync(1, line), flushSync() {} }

let passings_left = Number(passing)
function probe(passed: string): void {
  if (passed !== point) return
  passings_left -= 1
  if (passings_left === 0) process.kill(process.pid, 'SIGKILL')
}

/** Top-ups through the ledger of this process, so that they share commits with the calls. */
const topUps = routesPlugin('top-ups', ({ calls: { ledger, now } }) =>
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
  ),
)

/** Refunds the whole charge of a call, once, through the same ledger. */
const refunds = routesPlugin('refunds-of-crashes', ({ db, calls: { ledger, now } }) =>
  new Elysia({ name: 'refunds-of-crashes' }).post(
    '/test/refund/:request_id',
    async ({ params: { request_id } }) => {
      const [call] = await db.rows<{ id: number; account_id: number; key_id: number }>(
        'SELECT id, account_id, key_id FROM calls WHERE request_id = $request_id',
        { request_id },
      )
      if (!call) return Response.json({ ok: false })
      const { id: call_id, ...owner } = call
      const request_key = `refund ${request_id}`
      return Response.json(
        await ledger.submit({
          ...{ op: 'refund', ...owner, call_id, amount_nanos: null, note: '', request_key, now_ms: now() },
        }),
      )
    },
  ),
)

const gateway = await startGateway({
  data_folder,
  plugins: [...plugins, topUps, refunds],
  log: createLogger({ level: 'info', secrets: [], destination, now: Date.now }),
  env: process.env,
  probe,
})
process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)))
destination.write(`${JSON.stringify({ message: 'listening', url: gateway.url.href })}\n`)
