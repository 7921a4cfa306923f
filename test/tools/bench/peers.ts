// `--peers`: other gateways in front of the same upstream under the same load, each installed from its public source.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { run, start, untilListening } from './processes.ts'
import { nowMs } from './recording.ts'
import { CHAT_MODEL } from './requests.ts'
import type { Subject } from './subjects.ts'

/** The start of a peer. */
interface Launch {
  readonly command: readonly string[]
  readonly environment?: Record<string, string>
  /** Answers with 200 once the peer serves. */
  readonly health_path: string
}

interface Peer {
  readonly name: string
  /**
   * Installs it if its folder lacks it.
   * @throws Error with the reason if that is impossible here
   */
  install(folder: string): Promise<void>
  /** @param models the called models @param scratch a folder for its own files */
  launch(place: {
    folder: string
    port: number
    upstream_url: string
    models: readonly string[]
    scratch: string
  }): Launch
  /** The headers of its calls besides the key. */
  headers?(upstream_url: string): Record<string, string>
}

/** LiteLLM's first start compiles all of it. */
const STARTS_WITHIN_MS = 180_000

function refuseWithout(program: string): void {
  if (!Bun.which(program)) throw new Error(`${program} is not installed`)
}

const PORTKEY: Peer = {
  name: 'Portkey (node)',
  async install(folder) {
    refuseWithout('node')
    if (existsSync(join(folder, 'node_modules'))) return
    refuseWithout('npm')
    await run([
      'npm',
      'install',
      '--silent',
      '--no-audit',
      '--no-fund',
      '--prefix',
      folder,
      '@portkey-ai/gateway',
    ])
  },
  launch: ({ folder, port }) => ({
    command: [
      'node',
      join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js'),
      '--headless',
      `--port=${port}`,
    ],
    health_path: '/',
  }),
  headers: (upstream_url) => ({
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${upstream_url}/v1`,
  }),
}

const LITELLM: Peer = {
  name: 'LiteLLM (Python)',
  async install(folder) {
    if (existsSync(join(folder, 'venv/bin/litellm'))) return
    refuseWithout('python3')
    await run(['python3', '-m', 'venv', join(folder, 'venv')])
    await run([join(folder, 'venv/bin/pip'), 'install', '--quiet', 'litellm[proxy]'])
  },
  launch({ folder, port, upstream_url, models, scratch }) {
    const config = join(scratch, 'litellm.yaml')
    const entryOf = (model: string): string =>
      `  - model_name: ${model}\n    litellm_params:\n      model: openai/${model}\n      api_base: ${upstream_url}/v1\n      api_key: bench\n`
    writeFileSync(config, `model_list:\n${models.map(entryOf).join('')}`)
    return {
      command: [
        join(folder, 'venv/bin/litellm'),
        '--config',
        config,
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
      ],
      // Otherwise it downloads its table of prices; it checks no keys here, which is in its favour.
      environment: {
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY: 'true',
      },
      health_path: '/health/liveliness',
    }
  },
}

const GOMODEL: Peer = {
  name: 'GoModel (Go)',
  async install(folder) {
    if (existsSync(join(folder, 'gomodel-bin'))) return
    const source = join(folder, 'source')
    // Its go.mod names no path for `go install`.
    if (!existsSync(source)) throw new Error(`its source is not in ${source}: clone it there`)
    refuseWithout('go')
    await run(['go', '-C', source, 'build', '-o', join(folder, 'gomodel-bin'), './cmd/gomodel'])
  },
  launch: ({ folder, port, upstream_url, models, scratch }) => ({
    command: [join(folder, 'gomodel-bin')],
    environment: {
      PORT: String(port),
      OPENAI_API_KEY: 'bench',
      OPENAI_BASE_URL: `${upstream_url}/v1`,
      OPENAI_MODELS: models.join(','),
      CONFIGURED_PROVIDER_MODELS_MODE: 'allowlist',
      GOMODEL_CACHE_DIR: scratch,
      SQLITE_PATH: join(scratch, 'gomodel.db'),
      MODEL_LIST_URL: '',
    },
    health_path: '/health',
  }),
}

export const PEERS: readonly Peer[] = [GOMODEL, PORTKEY, LITELLM]

/** A running peer, with the headers of its calls. */
interface StartedPeer extends AsyncDisposable {
  readonly subject: Subject
  readonly headers: Record<string, string>
}

/**
 * Installs a peer if it is missing, and starts it.
 * @param cache the folder that peers are installed into
 * @throws Error with the reason if it cannot be installed or does not start
 */
export async function startPeer(
  peer: Peer,
  cache: string,
  upstream_port: number,
  models: readonly string[] = [CHAT_MODEL],
): Promise<StartedPeer> {
  const folder = join(cache, peer.name.split(' ')[0]?.toLowerCase() ?? '')
  mkdirSync(folder, { recursive: true })
  await peer.install(folder)
  const scratch = mkdtempSync(join(tmpdir(), 'tollgate-peer-'))
  const port = freePort()
  const upstream_url = `http://127.0.0.1:${upstream_port}`
  const {
    command,
    environment = {},
    health_path,
  } = peer.launch({ folder, port, upstream_url, models, scratch })
  const process = start(command, environment)
  const close = async () => {
    await process.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
  try {
    await untilListening(port, nowMs(), health_path, STARTS_WITHIN_MS)
  } catch (failure) {
    await close()
    throw failure
  }
  return {
    subject: { name: peer.name, port, api_key: 'Bearer bench', process },
    headers: peer.headers?.(upstream_url) ?? {},
    [Symbol.asyncDispose]: close,
  }
}
