// Owns what every command takes from its line: the data folder, and whether to answer in words or in JSON.
import type { Command } from 'commander'
import { type DataFolder, dataFolder } from './data-folder.ts'
import type { CliDeps } from './terminal.ts'

export interface Context {
  folder: DataFolder
  /** The command's answer: `value` with --json, otherwise `text`. */
  answer(value: unknown, text: string): void
  /** Said to a person beside the answer; not with --json, whose reader has it all in the answer. */
  remark(text: string): void
  /** Said whatever the form of the answer. */
  warn(text: string): void
}

/** The context of a command that was called; its global options may stand anywhere on the line. */
export function contextOf(command: Command, { terminal, env }: CliDeps): Context {
  const { data, json } = command.optsWithGlobals<{ data?: string; json?: boolean }>()
  return {
    folder: dataFolder(data ?? (env.TOLLGATE_DATA || './data')),
    answer: (value, text) => terminal.out(json ? JSON.stringify(value, null, 2) : text),
    remark: (text) => {
      if (!json) terminal.err(text)
    },
    warn: (text) => terminal.err(`warning: ${text}`),
  }
}
