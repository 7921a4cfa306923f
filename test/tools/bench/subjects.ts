// The subjects of the bench: the recorded upstream, the forwarder and the gateway, each a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { COUNTED, FULL, QUICK } from './effort.ts'
import { type Process, run, start, startWithPort, untilListening } from './processes.ts'
import { nowMs, streamModel, WHOLE_MODEL } from './recording.ts'
import {
  AGENT_MODEL,
  AGENT_UPSTREAM_MODEL,
  CHAT_MODEL,
  chatModel,
  messagesModel,
  TRANSLATED_AGENT_MODEL,
} from './requests.ts'

/** The top folder of the checkout that the bench itself belongs to. */
export const OWN_CHECKOUT = join(import.meta.dir, '../../..')

/** The gateway's command, from the source of a checkout. */
export const sourceOf = (checkout: string): string[] => ['bun', join(checkout, 'src/main.ts')]

/** More fetches at once than any load makes: Bun's default of 256 would queue the streams. The gateway sets it by itself. */
const FETCHES = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' }

/** A process that answers calls. */
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
const STREAMS = [FULL, QUICK]
  .flatMap(({ streams }) => [streams.few, streams.many])
  .concat(FULL.streams.short, COUNTED)

const providerText = (protocol: string, base_url: string): string =>
  `[[providers]]\nname = "${protocol}"\nprotocol = "${protocol}"\nbase_url = "${base_url}"\napi_keys = ["bench"]\n`
const modelText = (provider: string, id: string, upstream_id = id): string =>
  `[[models]]\nid = "${id}"\nkind = "text"\nroutes = [{ provider = "${provider}", model = "${upstream_id}" }]\n${PRICE}`

const catalogueText = (port: number, upstream_port: number, server: string, sections: string): string =>
  [
    `[server]\nlisten = "127.0.0.1:${port}"\n${server}\n`,
    sections,
    providerText('gemini', `http://127.0.0.1:${upstream_port}`),
    providerText('anthropic', `http://127.0.0.1:${upstream_port}`),
    providerText('openai', `http://127.0.0.1:${upstream_port}/v1`),
    ...[WHOLE_MODEL, ...STREAMS.map(streamModel)].map((id) => modelText('gemini', id)),
    ...STREAMS.map((paces) => modelText('anthropic', messagesModel(paces))),
    modelText('anthropic', AGENT_MODEL, AGENT_UPSTREAM_MODEL),
    modelText('openai', TRANSLATED_AGENT_MODEL, AGENT_UPSTREAM_MODEL),
    ...[CHAT_MODEL, ...STREAMS.map(chatModel)].map((id) => modelText('openai', id)),
  ].join('\n')

/** A data folder whose catalogue names the upstream, and the key of an account that can pay for everything. */
export interface DataFolder {
  /** The gateway's program that made it, and runs on it. */
  readonly command: readonly string[]
  readonly path: string
  readonly port: number
  readonly api_key: string
  remove(): void
}

/**
 * Makes a data folder with the gateway's own command line.
 * @param command the gateway's program
 * @param upstream_port the port of its providers
 * @param server further lines of the catalogue's `[server]` @param sections further sections of it
 */
export async function makeDataFolder(
  command: readonly string[],
  upstream_port: number,
  server = '',
  sections = '',
): Promise<DataFolder> {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const port = freePort()
  writeFileSync(join(path, 'tollgate.toml'), catalogueText(port, upstream_port, server, sections))
  const tollgate = async (...words: string[]) =>
    JSON.parse(await run([...command, ...words, '--data', path, '--json'])) as { key: string }
  await tollgate('account', 'create', 'bench')
  await tollgate('credit', 'bench', '1000000')
  const { key } = await tollgate('key', 'create', 'bench')
  return { command, path, port, api_key: key, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts the gateway on a data folder, and waits until it answers. */
export async function startGateway(
  data: DataFolder,
  environment: Record<string, string> = {},
): Promise<Subject> {
  const process = start([...data.command, 'serve', '--data', data.path], environment)
  await untilListening(data.port, nowMs(), '/healthz')
  return { name: 'gateway', port: data.port, api_key: data.api_key, process }
}
