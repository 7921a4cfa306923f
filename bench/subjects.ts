// Owns what is measured: the recorded upstream, the forwarder and the gateway, each a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type Process, run, start, startWithPort, untilListening } from './processes.ts'
import { nowMs, streamModel, WHOLE_MODEL } from './recording.ts'

const ROOT = join(import.meta.dir, '..')
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

export interface Paces {
  readonly events: number
  readonly pace_ms: number
}

/** The streams that are measured. A thousand at the pace of the few would be more than two cores can send. */
export const FEW_STREAMS: Paces = { events: 200, pace_ms: 5 }
export const MANY_STREAMS: Paces = { events: 60, pace_ms: 80 }

const STREAM_MODELS = [FEW_STREAMS, MANY_STREAMS].map(({ events, pace_ms }) => streamModel(events, pace_ms))

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
const modelText = (id: string): string =>
  `[[models]]\nid = "${id}"\nkind = "text"\nroutes = [{ provider = "recorded", model = "${id}" }]\n${PRICE}`

const catalogueText = (port: number, upstream_port: number): string =>
  [
    `[server]\nlisten = "127.0.0.1:${port}"\n`,
    `[[providers]]\nname = "recorded"\nprotocol = "gemini"\nbase_url = "http://127.0.0.1:${upstream_port}"`,
    'api_keys = ["bench"]\n',
    ...[WHOLE_MODEL, ...STREAM_MODELS].map(modelText),
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
 * @param upstream_port where its only provider answers
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

export const WHOLE_PATH = `/v1beta/models/${WHOLE_MODEL}:generateContent`
export const streamPath = ({ events, pace_ms }: Paces): string =>
  `/v1beta/models/${streamModel(events, pace_ms)}:streamGenerateContent?alt=sse`
