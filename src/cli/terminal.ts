// Owns what a command is given from outside, and how it ends: where it writes, the environment, the clock, the exit status.
import type { RandomBytes } from '../access/secret.ts'
import type { Environment } from '../config/providers.ts'
import type { ServeOptions, StartedGateway } from '../server/serve.ts'

/** Where a command writes: its answer, and what is said to a person beside it. Each call is one line or more. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
}

/** What the commands need from outside. */
export interface CliDeps {
  terminal: Terminal
  env: Environment
  now: () => number
  randomBytes: RandomBytes
  /** Starts the gateway with its surfaces. */
  startGateway: (options: Omit<ServeOptions, 'plugins'>) => Promise<StartedGateway>
}

export const EXIT = { ok: 0, failed: 1, usage: 2 } as const

/** A command has said all there is to say, and ends with this status. */
export class Exit extends Error {
  readonly status: number

  constructor(status: number) {
    super(`exit status ${status}`)
    this.name = 'Exit'
    this.status = status
  }
}
