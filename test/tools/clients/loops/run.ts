// Tool loops of real agents: each with a model of every current generation, three calls in three turns, against strict providers.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../../../support/gateway-process.ts'
import type { ToolAgent } from '../agents.ts'
import { endPrograms } from '../process.ts'
import { installedOf, type TrialOptions, type Verdict, wordsOf } from '../trial.ts'
import { findLoopFaults } from './judge.ts'
import { CURRENT_MODELS, type CurrentModel, loopsCatalogue } from './models.ts'
import { type StrictProviders, startStrictProviders } from './strict-providers.ts'

const CALLS = 3

/** The verdict on an agent with each model, by the title of the model. */
export type Row = Readonly<Record<string, Verdict>>

interface Loops extends AsyncDisposable {
  /** Installs an agent if it is missing, and runs it with each model. @throws the reason of a stop */
  of(agent: ToolAgent): Promise<Row>
}

/** Starts the providers and the gateway. However this process ends, gateway and programs end with it. */
export async function openLoops(options: TrialOptions): Promise<Loops> {
  const providers = startStrictProviders()
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-loops-'))
  const log_path = join(folder, 'gateway.log')
  const catalogue = loopsCatalogue(providers.url, CALLS)
  const gateway = await startGatewayProcess(catalogue, { balance_usd: '10000' }, { log_path })
  const endAll = () => {
    endPrograms()
    gateway.signal('SIGTERM')
  }
  process.once('exit', endAll)
  options.stopped.addEventListener('abort', endPrograms, { once: true })
  return {
    async of(agent) {
      const installed = await installedOf(agent.client, options.cache)
      const row: Record<string, Verdict> = {}
      for (const model of CURRENT_MODELS) {
        options.stopped.throwIfAborted()
        row[model.title] =
          typeof installed === 'string'
            ? await runLoop(agent, model, { providers, gateway, log_path, installed })
            : installed
      }
      options.stopped.throwIfAborted()
      return row
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', endAll)
      endPrograms()
      await gateway[Symbol.asyncDispose]()
      await providers[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Scene {
  readonly providers: StrictProviders
  readonly gateway: GatewayProcess
  readonly log_path: string
  readonly installed: string
}

async function runLoop(agent: ToolAgent, model: CurrentModel, scene: Scene): Promise<Verdict> {
  const { providers, gateway, log_path, installed } = scene
  const failures = async () =>
    (await readFile(log_path, 'utf8')).split('\n').filter((line) => FAILURE.test(line))
  const before = {
    calls: gateway.books().calls.length,
    exchanges: providers.exchanges.length,
    failures: (await failures()).length,
  }
  const work = await mkdtemp(join(tmpdir(), 'tollgate-client-'))
  const secrets = Array.from({ length: CALLS }, () => `secret ${crypto.randomUUID()}`)
  const files = secrets.map((_, at) => join(work, `step-${at + 1}.txt`))
  try {
    for (const [at, file] of files.entries()) await Bun.write(file, `${secrets[at]}\n`)
    const prompt = `Read the files ${files.join(' , ')} , one after another, and say what they hold.`
    const at = { url: gateway.url.origin, key: gateway.key, model: model.id }
    const ended = await agent.run(prompt, at, { installed, work })
    await eventually('nothing is held', () => gateway.books().holds.every(({ state }) => state !== 'pending'))
    const found = findLoopFaults({
      model,
      loses_signatures: agent.loses_signatures,
      secrets,
      ended,
      exchanges: providers.exchanges.slice(before.exchanges),
      calls: gateway.books().calls.slice(before.calls),
      failures: (await failures()).slice(before.failures),
    })
    return found.length === 0
      ? 'yes'
      : {
          wrong: [...found, `it printed: ${ended.stdout.slice(-500)} ${ended.stderr.slice(-500)}`].join(
            '\n    ',
          ),
        }
  } catch (thrown) {
    return { wrong: wordsOf(thrown) }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const FAILURE = /"status":[45]\d\d/
