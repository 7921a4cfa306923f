// A gateway in this process that a test can stop and start again over the same data folder.
import { plugins } from '../../plugins/index.ts'
import { type ServeOptions, startGateway } from '../../src/app/process/serve.ts'
import { type DataFolder, prepareDataFolder } from './data-folder.ts'
import { type MemoryLog, memoryLog } from './memory-log.ts'
import './strict-provider.ts'

/** One run of the gateway. */
export interface Run extends AsyncDisposable {
  log: MemoryLog
  /** Calls the gateway with the key of the account at this position; default: the first. */
  call(path: string, init?: RequestInit & { account?: number }): Promise<Response>
  /** Stops the gateway, as a signal does. */
  stop(): Promise<void>
}

export interface Restarts extends Disposable {
  folder: DataFolder
  /** @throws the gateway's reason for refusing to start */
  start(
    options?: Partial<
      Pick<ServeOptions, 'accept_missing_files' | 'sweep_every_ms' | 'listen' | 'max_busy_wait_ms'>
    >,
  ): Promise<Run>
}

/** @param catalogue the catalogue's text */
export async function restarts(catalogue: string, accounts = 1): Promise<Restarts> {
  const folder = await prepareDataFolder(catalogue, { accounts })
  return {
    folder,
    async start(options = {}) {
      const log = memoryLog()
      const gateway = await startGateway({
        listen: '127.0.0.1:0',
        ...options,
        data_folder: folder.path,
        plugins,
        log: log.log,
        env: {},
      })
      return {
        log,
        call(path, { account = 0, headers, ...init } = {}) {
          const url = new URL(path, gateway.url)
          return fetch(url, {
            ...init,
            headers: { authorization: `Bearer ${folder.keys[account]}`, ...headers },
          })
        },
        stop: () => gateway.stop(),
        [Symbol.asyncDispose]: () => gateway.stop(),
      }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
