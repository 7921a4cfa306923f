// What a command is given from outside (output, environment, clock, randomness), and its exit status.
import type { RandomBytes } from '../access/secret.ts'
import type { Environment } from '../config/providers.ts'
import type { ServeOptions, StartedGateway } from '../server/serve.ts'
import type { Fetch } from '../upstream/transport.ts'

/** Standard output, for a command's answer, and standard error, for notes beside it. Each call writes whole lines. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** The width of the terminal that standard output goes to; undefined where it goes elsewhere. */
  columns?: number | undefined
  /** Asks the person at the terminal; empty where they end the input. Undefined where nobody is there to be asked. */
  ask?: ((question: string) => Promise<string>) | undefined
}

/** What commands need from outside. */
export interface CliDeps {
  terminal: Terminal
  env: Environment
  now: () => number
  randomBytes: RandomBytes
  /** How providers are reached. */
  network: Fetch
  /** Starts the gateway with its surfaces. */
  startGateway: (options: Omit<ServeOptions, 'plugins'>) => Promise<StartedGateway>
}

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const

/** Ends a command that has already written its answer with an exit status. */
export class Exit extends Error {
  readonly status: number

  constructor(status: number) {
    super(`exit status ${status}`)
    this.name = 'Exit'
    this.status = status
  }
}
