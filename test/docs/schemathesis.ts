// `bun run schemathesis`: random requests by the API's document to every free route of a gateway of its own. Nothing may be
// answered that is not documented, and nothing with a 500. Needs python3; the program is installed into a cache first.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { install } from '../clients/install.ts'
import { endPrograms, runProgram } from '../clients/process.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { documentedCatalogue } from './catalogue.ts'

const VERSION = '4.24.2'
const TIMEOUT_MS = 900_000

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'ignored_auth',
]

const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: join(tmpdir(), 'tollgate-clients') },
    examples: { type: 'string', default: '200' },
    seed: { type: 'string' },
  },
})

process.on('exit', endPrograms)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

const folder = await install(
  { by: 'pip', folder: 'schemathesis', packages: [`schemathesis==${VERSION}`] },
  values.cache,
)
await using gateway = await startGatewayProcess(
  documentedCatalogue('[limits]\nreads_per_minute = 1_000_000\n'),
  { balance_usd: '1000' },
)
const { key, url } = gateway

/** Something to find: a picture, and a response. */
async function call(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
}
await call('/v1/images/generations', { model: 'sim-image', prompt: 'a house', size: '256x256' })
await call('/v1/responses', { model: 'sim-gpt', input: 'Hi' })

const { status, stdout, stderr } = await runProgram(
  [
    join(folder, 'venv/bin/schemathesis'),
    'run',
    `${url.origin}/docs/openapi.json`,
    ...['GET', 'DELETE'].flatMap((method) => ['--include-method', method]),
    // It never ends.
    ...['--exclude-path', '/api/v1/events'],
    ...['--header', `Authorization: Bearer ${key}`],
    ...['--checks', CHECKS.join(',')],
    ...['--max-examples', values.examples],
    ...(values.seed === undefined ? [] : ['--seed', values.seed]),
    '--no-color',
  ],
  { cwd: folder, timeout_ms: TIMEOUT_MS, any_status: true },
)
process.stdout.write(`${stdout}${stderr}\n`)
process.exitCode = status
