// The context of a command: its data folder, and its answer as text or as JSON.
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Environment } from '../../catalogue/providers.ts'
import { type CsvColumns, csvHead, csvRows } from '../../http/csv.ts'
import { type DataFolder, dataFolder, dataFolderOf } from './data-folder.ts'
import { type Column, table } from './table.ts'
import type { CliDeps } from './terminal.ts'

/** The user who runs the command, also under sudo. Bun's `userInfo` reads only the environment. */
function machineUser({ SUDO_USER, USER }: Environment): string | undefined {
  const uid = process.getuid?.()
  return SUDO_USER || nameOf(uid) || USER || (uid === undefined ? undefined : `user ${uid}`)
}

function nameOf(uid: number | undefined): string | undefined {
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n')
    return users.map((line) => line.split(':')).find(([, , id]) => Number(id) === uid)?.[0]
  } catch {
    // Dropped: not every system has such a file.
    return undefined
  }
}

export interface Context {
  folder: DataFolder
  /** Whether --json was given: then every line on standard error is a JSON object, too. */
  json: boolean
  /** Prints the command's answer: `value` with --json, otherwise `text`. */
  answer(value: unknown, text: string): void
  /** Prints a long list, and builds only the requested form. --csv with --json is wrong usage. */
  answerList(
    as_csv: boolean | undefined,
    forms: { value: () => unknown; text: () => string; csv: () => string },
  ): void
  /**
   * Prints the rows of all pages as CSV while they are read. Reading pauses while standard output is blocked, and ends when it is closed.
   * With --json it is wrong usage.
   */
  answerCsv<Row>(columns: CsvColumns<Row>, pages: AsyncIterable<readonly Row[]>): Promise<void>
  /** Formats rows as text, fitted to the terminal if standard output is one. */
  tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], empty: string): string
  /** Prints a note on standard error; omitted with --json, whose answer is complete. */
  remark(text: string): void
  /** Prints a warning on standard error, with --json too. */
  warn(text: string): void
}

/** Returns the context of a running command. Global options may stand anywhere on the command line. */
export function contextOf(command: Command, { terminal, env, now }: CliDeps): Context {
  const { data, json = false } = command.optsWithGlobals<{ data?: string; json?: boolean }>()
  const answer = (value: unknown, text: string) => terminal.out(json ? JSON.stringify(value, null, 2) : text)
  const note = (name: 'note' | 'warning', text: string) =>
    terminal.err(json ? JSON.stringify({ [name]: text }) : name === 'note' ? text : `${name}: ${text}`)
  const refuseBoth = () => {
    if (json) command.error('error: Give --csv or --json, not both.')
  }
  return {
    folder: {
      ...dataFolder(dataFolderOf({ data }, env), env),
      remark: (text) => note('note', text),
      by: {
        actor: { kind: 'command', command: wordsOf(command), machine_user: machineUser(env) },
        now_ms: now(),
      },
    },
    json,
    answer,
    tableOf: (columns, rows, empty) => table(columns, rows, empty, terminal.columns),
    async answerCsv(columns, pages) {
      refuseBoth()
      let has_head = false
      // The head is printed with the first rows: if reading fails, the output must not look like a complete file.
      const begin = () => {
        if (!has_head) terminal.out(csvHead(columns))
        has_head = true
      }
      for await (const rows of pages) {
        begin()
        if (rows.length > 0) terminal.out(csvRows(columns, rows))
        if ((await terminal.drained?.()) === false) return
      }
      begin()
    },
    answerList(as_csv, { csv, value, text }) {
      if (as_csv) refuseBoth()
      if (as_csv) terminal.out(csv())
      else if (json) answer(value(), '')
      else answer(undefined, text())
    },
    remark: (text) => {
      if (!json) terminal.err(text)
    },
    warn: (text) => note('warning', text),
  }
}

/** The words of a command, such as `key create`. */
function wordsOf(command: Command): string {
  const words: string[] = []
  for (let each: Command | null = command; each?.parent; each = each.parent) words.unshift(each.name())
  return words.join(' ')
}
