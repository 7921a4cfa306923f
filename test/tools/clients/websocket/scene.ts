// One run of Codex: a strict provider, a gateway that can be stopped and started again, and the books.
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
  /** The contents of the files that Codex reads. */
  readonly secrets: readonly string[]
  codex: Running
  /** Stops the gateway as an operator does. @returns its exit status */
  stopGateway(): Promise<number>
  /** Starts the gateway again over the same folder, at the same address. */
  startGateway(): Promise<void>
  /** Waits until nothing is held. @returns the calls and the faults */
  books(): Promise<{ calls: readonly Call[]; wrong: string[] }>
}

export interface SceneOptions {
  /** The model's behaviour, in the words of the simulator's names. */
  behaviour: string
  /** The folder of Codex. */
  installed: string
  /** Its working directory and home, which is emptied first: the same for all transports, so that providers get the same paths. */
  work: string
  secrets: readonly string[]
}

/** A refusal in the gateway's log, after which Codex goes on by other means. */
const REFUSED = /"path":"\/v1\/responses","status":400/

/** Replaces the durations of Codex's commands and the names of their outputs, so that the provider reads the same in every run. */
const normalized = (body: string): string =>
  body
    .replaceAll(/(?<=wall_time_seconds\\":|Wall time )[\d.e-]+/g, '0.1')
    .replaceAll(/(?<=chunk_id\\":\\")\w+/g, '123abc')

export async function codexScene(transport: Transport, options: SceneOptions): Promise<CodexScene> {
  const { behaviour, installed, work, secrets } = options
  const model = CURRENT_MODELS.find(({ title }) => title === 'GPT')
  if (!model) throw new Error('GPT is not among the models')
  const providers = startStrictProviders({ sleep, read: normalized })
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
