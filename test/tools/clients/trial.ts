// Tries clients against a gateway of their own: the simulator, and the script where a tool is called or an image looked for.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { startUpstream, type Upstream } from '../../support/upstream.ts'
import { clientsCatalogue, SCRIPTED, SCRIPTED_AS_KNOWN, SIMULATED, SIMULATED_AS_KNOWN } from './catalogue.ts'
import type { Client } from './client.ts'
import { complaints, type Evidence, FEATURES, type Feature } from './feature.ts'
import { install } from './install.ts'
import { PNG_BEGINS } from './material.ts'
import { endPrograms } from './process.ts'
import { toolScript } from './tool-script.ts'

export interface TrialOptions {
  /** Where clients are installed. */
  readonly cache: string
  /** Fires when no more is to be tried. */
  readonly stopped: AbortSignal
}

/** What a feature of a client came to: `yes`, or what went wrong. */
export type Verdict = 'yes' | { readonly wrong: string }

export const isServedBy = (verdict: Verdict | undefined): boolean => verdict === 'yes'

export interface Tried {
  readonly client: Client
  readonly verdicts: Readonly<Partial<Record<Feature, Verdict>>>
}

const TOOL_CALLS = 3
const SOCKET_OPENED = /"time":"([^"]*)".*"a WebSocket was opened"/g

interface Trials extends AsyncDisposable {
  /** Installs a client where it is not yet, and tries each of its features. @throws what it was stopped for */
  of(client: Client): Promise<Tried>
}

/** Starts the gateway that clients are tried with. However this process ends, gateway and programs end with it. */
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
            ? await tried(client, feature, { gateway, log_path, upstream, installed })
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

/** The folder of a client's installation, or why there is none. */
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

async function tried(client: Client, feature: Feature, scene: Scene): Promise<Verdict> {
  const { gateway, log_path, upstream, installed } = scene
  const scripted = feature === 'tools' || feature === 'image'
  const models = client.wants_known_models
    ? { scripted: SCRIPTED_AS_KNOWN, simulated: SIMULATED_AS_KNOWN }
    : { scripted: SCRIPTED, simulated: SIMULATED }
  const model = (scripted ? models.scripted : models.simulated)[client.protocol]
  const before = { calls: gateway.books().calls.length, seen: upstream.seen.length }
  const began = new Date().toISOString()
  const work = await mkdtemp(join(tmpdir(), 'tollgate-client-'))
  try {
    const at = { url: gateway.url.origin, key: gateway.key, model }
    const shown = await client.show(feature, at, { installed, work })
    await eventually('nothing is held', () => gateway.books().holds.every(({ state }) => state !== 'pending'))
    const sent = upstream.seen.slice(before.seen)
    const evidence: Evidence = {
      calls: gateway.books().calls.slice(before.calls),
      tool_calls: TOOL_CALLS,
      ...(scripted ? { image_arrived: sent.some(({ body }) => body.includes(PNG_BEGINS)) } : {}),
    }
    const found = complaints(feature, shown, evidence)
    if (client.over_websocket) await eventually('it opened a WebSocket', () => openedSince(log_path, began))
    return found.length === 0 ? 'yes' : { wrong: `${found.join('; ')}; it showed ${JSON.stringify(shown)}` }
  } catch (thrown) {
    return { wrong: wordsOf(thrown) }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

export const wordsOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** @param began in ISO 8601, as the log has it */
const openedSince = async (log_path: string, began: string): Promise<boolean> =>
  [...(await readFile(log_path, 'utf8')).matchAll(SOCKET_OPENED)].some(([, time = '']) => time >= began)
