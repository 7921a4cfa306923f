// One run of Codex: a strict provider, a gateway that can be stopped and started again, and what they came to.
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Call } from '../../../../src/store/schema.ts'
import { sleep } from '../../../providers/waiting.ts'
import { prepareDataFolder } from '../../../support/data-folder.ts'
import { eventually } from '../../../support/eventually.ts'
import { startGatewayProcess } from '../../../support/gateway-process.ts'
import { CURRENT_MODELS, type CurrentModel, sectionOf } from '../loops/models.ts'
import { type StrictProviders, startStrictProviders } from '../loops/strict-providers.ts'
import { COMPRESSED, type Running, startCodex, type Transport } from './codex.ts'

export interface CodexScene extends AsyncDisposable {
  readonly model: CurrentModel
  readonly providers: StrictProviders
  /** What the files say that Codex is to read. */
  readonly secrets: readonly string[]
  codex: Running
  /** As an operator stops it. @returns its exit status */
  stopGateway(): Promise<number>
  /** Over the same folder, at the same address. */
  startGateway(): Promise<void>
  /** Nothing is held any more: what was charged, and what is wrong. */
  books(): Promise<{ calls: readonly Call[]; wrong: string[] }>
}

export interface SceneOptions {
  /** Of the model, in the words of the simulator's names. */
  behaviour: string
  /** The folder of Codex. */
  installed: string
  /** Its working directory and its home, which is emptied: the same for all transports, as is what the provider is told of it. */
  work: string
  secrets: readonly string[]
}

/** In the gateway's log: Codex goes on by other means where a request of its own is refused. */
const REFUSED = /"path":"\/v1\/responses","status":400/

/** Codex tells how long its commands took, and names each of their outputs: the provider is to read the same in every run. */
const alike = (body: string): string =>
  body
    .replaceAll(/(?<=wall_time_seconds\\":|Wall time )[\d.e-]+/g, '0.1')
    .replaceAll(/(?<=chunk_id\\":\\")\w+/g, '123abc')

export async function codexScene(transport: Transport, options: SceneOptions): Promise<CodexScene> {
  const { behaviour, installed, work, secrets } = options
  const model = CURRENT_MODELS.find(({ title }) => title === 'GPT')
  if (!model) throw new Error('GPT is not among the models')
  const providers = startStrictProviders({ sleep, read: alike })
  const folder = await prepareDataFolder(sectionOf(model, providers.url, behaviour))
  const log_path = join(folder.path, 'gateway.log')
  let gateway = await startGatewayProcess('', folder, { log_path })
  const { url, key } = gateway
  const end = () => gateway.signal('SIGKILL')
  process.once('exit', end)
  await rm(work, { recursive: true, force: true })
  const files = secrets.map((_, at) => join(work, `step-${at + 1}.txt`))
  for (const [at, file] of files.entries()) await Bun.write(file, `${secrets[at]}\n`)
  const prompt = `Read the files ${files.join(' , ')} , one after another, and say what they hold.`
  const connection = { url: url.origin, key, model: model.id }
  const codex = await startCodex(prompt, transport, connection, { installed, work })
  return {
    model,
    providers,
    secrets,
    codex,
    async stopGateway() {
      gateway.signal('SIGTERM')
      return await gateway.ended
    },
    async startGateway() {
      gateway = await startGatewayProcess('', folder, { listen: url.host, log_path: `${log_path}.2` })
    },
    async books() {
      await eventually('nothing is held', () =>
        gateway.books().holds.every(({ state }) => state !== 'pending'),
      )
      const { calls } = gateway.books()
      const findings = await gateway.findings()
      const log = await readFile(log_path, 'utf8')
      const opened = log.includes('a WebSocket was opened')
      const compressed = (await codex.ended()).stderr.includes(COMPRESSED)
      const wrong = [
        ...(findings.length > 0 ? [`the audit found ${JSON.stringify(findings)}`] : []),
        ...log.split('\n').filter((line) => REFUSED.test(line)),
        ...(opened === (transport === 'WebSocket') && compressed === (transport === 'POST in zstd')
          ? []
          : [`it did not go over ${transport}`]),
      ]
      return { calls, wrong }
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      await gateway[Symbol.asyncDispose]()
      await providers[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
