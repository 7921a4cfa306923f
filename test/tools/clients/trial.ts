// Trials of clients against a gateway of their own, over the simulator, and over the script for tools and images.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { startUpstream, type Upstream } from '../../support/upstream.ts'
import { clientsCatalogue, SCRIPTED, SCRIPTED_AS_KNOWN, SIMULATED, SIMULATED_AS_KNOWN } from './catalogue.ts'
import type { Client } from './client.ts'
import { type Evidence, FEATURES, type Feature, findFaults } from './feature.ts'
import { install } from './install.ts'
import { PNG_BEGINS } from './material.ts'
import { endPrograms } from './process.ts'
import { toolScript } from './tool-script.ts'

export interface TrialOptions {
  /** The folder of installed clients. */
  readonly cache: string
  /** Aborts when the trials must stop. */
  readonly stopped: AbortSignal
}

/** The verdict on a client's feature: `yes`, or the faults. */
export type Verdict = 'yes' | { readonly wrong: string }

export const isServedBy = (verdict: Verdict | undefined): boolean => verdict === 'yes'

export interface Trial {
  readonly client: Client
  readonly verdicts: Readonly<Partial<Record<Feature, Verdict>>>
}

const TOOL_CALLS = 3
const SOCKET_OPENED = /"time":"([^"]*)".*"a WebSocket was opened"/g

interface Trials extends AsyncDisposable {
  /** Installs a client if it is missing, and tries each of its features. @throws the reason of a stop */
  of(client: Client): Promise<Trial>
}

/** Starts the gateway for the trials. However this process ends, gateway and programs end with it. */
export async function openTrials(options: TrialOptions): Promise<Trials> {
  const upstream = await startUpstream(toolScript(TOOL_CALLS))
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-trials-'))
  const log_path = join(folder, 'gateway.log')
  const catalogue = clientsCatalogue(upstream.url)
  const gateway = await startGatewayProcess(catalogue, { balance_usd: '10000' }, { log_path })
  const endAll = () => {
    endPrograms()
    gateway.signal('SIGTERM')
  }
  process.once('exit', endAll)
  options.stopped.addEventListener('abort', endPrograms, { once: true })
  return {
    async of(client) {
      const verdicts: Partial<Record<Feature, Verdict>> = {}
      const installed = await installedOf(client, options.cache)
      for (const feature of FEATURES.filter((each) => client.features.includes(each))) {
        options.stopped.throwIfAborted()
        verdicts[feature] =
          typeof installed === 'string'
            ? await tryFeature(client, feature, { gateway, log_path, upstream, installed })
            : installed
      }
      options.stopped.throwIfAborted()
      return { client, verdicts }
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', endAll)
      endPrograms()
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The folder of a client's installation, or the reason of its failure. */
export async function installedOf(
  { install: wanted }: Client,
  cache: string,
): Promise<string | Exclude<Verdict, 'yes'>> {
  try {
    return wanted ? await install(wanted, cache) : ''
  } catch (thrown) {
    return { wrong: `not installed: ${wordsOf(thrown)}` }
  }
}

interface Scene {
  readonly gateway: GatewayProcess
  readonly log_path: string
  readonly upstream: Upstream
  readonly installed: string
}

async function tryFeature(client: Client, feature: Feature, scene: Scene): Promise<Verdict> {
  const { gateway, log_path, upstream, installed } = scene
  const scripted = feature === 'tools' || feature === 'image'
  const models = client.wants_known_models
    ? { scripted: SCRIPTED_AS_KNOWN, simulated: SIMULATED_AS_KNOWN }
    : { scripted: SCRIPTED, simulated: SIMULATED }
  const model = (scripted ? models.scripted : models.simulated)[client.protocol]
  const before = { calls: gateway.books().calls.length, seen: upstream.requests.length }
  const began = new Date().toISOString()
  const work = await mkdtemp(join(tmpdir(), 'tollgate-client-'))
  try {
    const at = { url: gateway.url.origin, key: gateway.key, model }
    const observation = await client.show(feature, at, { installed, work })
    await eventually('nothing is held', () => gateway.books().holds.every(({ state }) => state !== 'pending'))
    const sent = upstream.requests.slice(before.seen)
    const evidence: Evidence = {
      calls: gateway.books().calls.slice(before.calls),
      tool_calls: TOOL_CALLS,
      ...(scripted ? { image_arrived: sent.some(({ body }) => body.includes(PNG_BEGINS)) } : {}),
    }
    const found = findFaults(feature, observation, evidence)
    if (client.over_websocket) await eventually('it opened a WebSocket', () => openedSince(log_path, began))
    return found.length === 0
      ? 'yes'
      : { wrong: `${found.join('; ')}; it observed ${JSON.stringify(observation)}` }
  } catch (thrown) {
    return { wrong: wordsOf(thrown) }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

export const wordsOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** @param began in ISO 8601, like the log's times */
const openedSince = async (log_path: string, began: string): Promise<boolean> =>
  [...(await readFile(log_path, 'utf8')).matchAll(SOCKET_OPENED)].some(([, time = '']) => time >= began)
