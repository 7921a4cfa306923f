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

/** Standard output, for a command's answer, and standard error, for notes beside it. Each call writes whole lines. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Waits until the reader of standard output has taken all that was written. @returns false once they have left */
  taken?: (() => Promise<boolean>) | undefined
  columns?: number | undefined
  /** The terminal that standard error goes to, for the progress line; undefined if it goes elsewhere. */
  progress?: ProgressTerminal | undefined
  /** Asks the person at the terminal; empty if they end the input. Undefined if nobody is there to be asked. */
  ask?: ((question: string) => Promise<string>) | undefined
}

export interface ProgressTerminal {
  /** As it is now: a window changes its size. */
  columns(): number
  /** Writes at once. What cannot be written is dropped. */
  write(text: string): void
}

export interface CliDeps {
  terminal: Terminal
  /** The environment of the process and of those that it starts; --env-file adds to it. */
  env: Record<string, string | undefined>
  now: () => number
  randomBytes: RandomBytes
  network: Fetch
  simulator: Simulator
  /** Commands of plugins, by their first words; in the help they come last. */
  commands: Commands
  tables: () => Promise<readonly StoredTable[]>
  checks: readonly GatewayCheck[]
  startGateway: (options: ServeOptions) => Promise<StartedGateway>
}

/** `reader_left`: 128 and the number of SIGPIPE. */
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

/** Adds one command, with its options and what it does, to the program. */
export type AddCommand = (program: Command, deps: CliDeps) => void

/** The command of this name, to which several plugins add commands of their own, such as `account`. */
export const commandGroup = (program: Command, name: string): Command =>
  program.commands.find((each) => each.name() === name) ?? program.command(name)

/** By their first words, each loaded when it is needed: a command begins in a third of the time that all of them take. */
export type Commands = Readonly<Record<string, () => Promise<AddCommand>>>
