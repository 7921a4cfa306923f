// Owns what is measured: the recorded upstream, the forwarder and the gateway, each a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FULL, QUICK } from './effort.ts'
import { freePort, type Process, run, start, startWithPort, untilListening } from './processes.ts'
import { nowMs, streamModel, WHOLE_MODEL } from './recording.ts'
import { messagesModel } from './requests.ts'

const ROOT = join(import.meta.dir, '../..')
export const SOURCE = ['bun', join(ROOT, 'src/main.ts')]

/** So many fetches at once as no measure reaches: Bun's default of 256 would queue the streams. */
const FETCHES = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' }

/** Something that answers calls. */
export interface Subject {
  readonly name: string
  readonly port: number
  readonly api_key: string
  readonly process: Process
}

/** Starts the upstream that replays the recording. */
export async function startUpstream(): Promise<Subject> {
  const process = await startWithPort(['bun', join(import.meta.dir, 'upstream.ts')], {})
  return { name: 'upstream', port: process.port, api_key: 'bench', process }
}

/** Starts a bare forwarder in front of the upstream. */
export async function startForwarder(upstream: Subject): Promise<Subject> {
  const command = ['bun', join(import.meta.dir, 'forwarder.ts'), `http://127.0.0.1:${upstream.port}`]
  const process = await startWithPort(command, FETCHES)
  return { name: 'forwarder', port: process.port, api_key: 'bench', process }
}

const PRICE = '[models.price]\ninput = 0.30\noutput = 2.50\n'
const STREAMS = [FULL, QUICK].flatMap(({ streams }) => [streams.few, streams.many])

const providerText = (protocol: string, upstream_port: number): string =>
  `[[providers]]\nname = "${protocol}"\nprotocol = "${protocol}"\n` +
  `base_url = "http://127.0.0.1:${upstream_port}"\napi_keys = ["bench"]\n`
const modelText = (provider: string, id: string): string =>
  `[[models]]\nid = "${id}"\nkind = "text"\nroutes = [{ provider = "${provider}", model = "${id}" }]\n${PRICE}`

const catalogueText = (port: number, upstream_port: number): string =>
  [
    `[server]\nlisten = "127.0.0.1:${port}"\n`,
    providerText('gemini', upstream_port),
    providerText('anthropic', upstream_port),
    ...[WHOLE_MODEL, ...STREAMS.map(streamModel)].map((id) => modelText('gemini', id)),
    ...STREAMS.map((paces) => modelText('anthropic', messagesModel(paces))),
  ].join('\n')

/** A data folder with a catalogue of the upstream, and an account that can pay for everything. */
export interface DataFolder {
  readonly path: string
  readonly port: number
  readonly api_key: string
  remove(): void
}

/**
 * Makes a data folder through the gateway's own command line.
 * @param upstream_port where its providers answer
 */
export async function makeDataFolder(upstream_port: number): Promise<DataFolder> {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const port = freePort()
  writeFileSync(join(path, 'tollgate.toml'), catalogueText(port, upstream_port))
  const tollgate = async (...words: string[]) =>
    JSON.parse(await run([...SOURCE, ...words, '--data', path, '--json'])) as { key: string }
  await tollgate('account', 'create', 'bench')
  await tollgate('credit', 'bench', '1000000')
  const { key } = await tollgate('key', 'create', 'bench')
  return { path, port, api_key: key, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Starts the gateway on a data folder, and waits until it answers.
 * @param command the program: from its source, or the executable
 */
export async function startGateway(
  data: DataFolder,
  command: readonly string[] = SOURCE,
  environment: Record<string, string> = {},
): Promise<Subject> {
  const process = start([...command, 'serve', '--data', data.path], { ...FETCHES, ...environment })
  await untilListening(data.port, nowMs(), '/healthz')
  return { name: 'gateway', port: data.port, api_key: data.api_key, process }
}
