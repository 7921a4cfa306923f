// The surroundings of a command (output, environment, clock, randomness), and its exit status.
import type { Command } from 'commander'
import type { RandomBytes } from '../../access/secret.ts'
import type { StoredTable } from '../../store/stored-table.ts'
import type { Fetch } from '../../upstream/transport.ts'
import type { GatewayCheck } from '../checks/check.ts'
import type { ServeOptions, StartedGateway } from '../process/serve-options.ts'
import type { Simulator } from '../process/simulator.ts'

/** @param example without the program's name: `refusals --since 24h` */
export const addExample = (command: Command, example: string): Command =>
  command.addHelpText('after', `\nExample:\n  $ tollgate ${example}`)

/** Standard output, for a command's answer, and standard error, for notes. Each call writes whole lines. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Waits until the reader of standard output has read everything. @returns false once the reader has closed it */
  drained?: (() => Promise<boolean>) | undefined
  columns?: number | undefined
  /** The terminal of standard error, for the progress line; undefined if it is redirected. */
  progress?: ProgressTerminal | undefined
  /** Asks the person at the terminal; returns '' if they end the input. Undefined without a terminal. */
  ask?: ((question: string) => Promise<string>) | undefined
}

export interface ProgressTerminal {
  /** The current width: a window may be resized. */
  columns(): number
  /** Writes synchronously. On failure the text is dropped. */
  write(text: string): void
}

export interface CliDeps {
  terminal: Terminal
  /** The environment of the process and its child processes; --env-file adds to it. */
  env: Record<string, string | undefined>
  now: () => number
  randomBytes: RandomBytes
  network: Fetch
  simulator: Simulator
  /** Commands of plugins by their first words; the help lists them last. */
  commands: Commands
  tables: () => Promise<readonly StoredTable[]>
  checks: readonly GatewayCheck[]
  startGateway: (options: ServeOptions) => Promise<StartedGateway>
}

/** `reader_left`: 128 plus the number of SIGPIPE. */
export const EXIT = { ok: 0, failed: 1, usage: 2, reader_left: 141 } as const

/** Ends a command that has already written its answer with an exit status. */
export class Exit extends Error {
  readonly status: number

  constructor(status: number) {
    super(`exit status ${status}`)
    this.name = 'Exit'
    this.status = status
  }
}

/** Adds one command, with its options and its action, to the program. */
export type AddCommand = (program: Command, deps: CliDeps) => void

/** Returns the command group of this name, such as `account`, to which several plugins add commands. */
export const commandGroup = (program: Command, name: string): Command =>
  program.commands.find((each) => each.name() === name) ?? program.command(name)

/** Commands by their first words, each loaded on use: a command starts in a third of the time that loading all of them takes. */
export type Commands = Readonly<Record<string, () => Promise<AddCommand>>>
