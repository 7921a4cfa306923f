// `bun run schemathesis`: random requests by the API's document to every free route of a gateway of its own. Every answer must be
// documented, and none a 500. Needs python3; the program is installed into a cache first.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PICTURE, SAMPLE_IDS } from '../../src/app/reference/samples.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { install } from '../tools/clients/install.ts'
import { endPrograms, runProgram } from '../tools/clients/process.ts'
import { documentedCatalogue } from './catalogue.ts'

/** The generator of values of this schemathesis does not fit into hypothesis from 6.150 on. */
const PACKAGES = ['schemathesis==4.24.2', 'hypothesis==6.149.1']
const TIMEOUT_MS = 900_000

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]

const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: join(tmpdir(), 'tollgate-clients') },
    examples: { type: 'string', default: '100' },
    seed: { type: 'string' },
  },
})

process.on('exit', endPrograms)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

const folder = await install({ by: 'pip', folder: 'schemathesis', packages: PACKAGES }, values.cache)
await using gateway = await startGatewayProcess(
  documentedCatalogue('[limits]\nreads_per_minute = 1_000_000\n'),
  { balance_usd: '1000' },
)
const { key, url } = gateway

const authorization = `Bearer ${key}`

async function answer<T>(path: string, body?: object | FormData): Promise<T> {
  const is_form = body === undefined || body instanceof FormData
  const response = await fetch(new URL(path, url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization, ...(is_form ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: is_form ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

/** The document, with ids of new objects of each kind in place of those in its examples. */
async function documentWithRealIds(): Promise<string> {
  const form = new FormData()
  form.append('files', new Blob([Uint8Array.fromBase64(PICTURE)], { type: 'image/png' }), 'house.png')
  const image = { model: 'sim-image', prompt: 'a house', size: '256x256' }
  const images = await answer<{ svc_generation_ids: [string] }>('/v1/images/generations', image)
  const response = await answer<{ id: string }>('/v1/responses', { model: 'sim-gpt', input: 'Hi' })
  const { uploaded } = await answer<{ uploaded: [{ key: string }] }>('/api/v1/upload', form)
  return JSON.stringify(await answer('/docs/openapi.json'))
    .replaceAll(SAMPLE_IDS.generation, images.svc_generation_ids[0])
    .replaceAll(SAMPLE_IDS.response, response.id)
    .replaceAll(SAMPLE_IDS.file, uploaded[0].key)
}

const document_path = join(folder, 'openapi.json')
// test/app/process/routes.test.ts tests the methods that a path does not have.
await Bun.write(join(folder, 'schemathesis.toml'), '[phases.coverage]\nunexpected-methods = []\n')

const env = { PYTHONPATH: import.meta.dir, SCHEMATHESIS_HOOKS: 'schemathesis_hooks' }

/** @param selection of operations @returns the exit status: 0 without findings */
async function run(...selection: string[]): Promise<number> {
  await Bun.write(document_path, await documentWithRealIds())
  const command = [
    join(folder, 'venv/bin/schemathesis'),
    'run',
    document_path,
    ...['--url', url.origin],
    ...selection,
    // The feed never ends.
    ...['--exclude-path', '/api/v1/events'],
    ...['--header', `Authorization: ${authorization}`],
    ...['--checks', CHECKS.join(',')],
    ...['--max-examples', values.examples],
    ...(values.seed === undefined ? [] : ['--seed', values.seed]),
    '--no-color',
  ]
  const ended = await runProgram(command, { cwd: folder, env, timeout_ms: TIMEOUT_MS, any_status: true })
  process.stdout.write(`${ended.stdout}${ended.stderr}\n`)
  return ended.status
}

const FREE_POSTS = ['/v1/messages/count_tokens', '/v1beta/models/{model}:countTokens', '/api/v1/upload']

// One after the other, because deleted objects cannot be read any more.
const statuses = [
  await run('--include-method', 'GET'),
  await run('--include-method', 'DELETE'),
  await run(...FREE_POSTS.flatMap((path) => ['--include-path', path])),
]
process.exitCode = Math.max(...statuses)
