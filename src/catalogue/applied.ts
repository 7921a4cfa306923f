// A file as the catalogue for all gateways over a database: without what is of a machine, and checked as one machine reads it. Pure, but for key files.
import { dirname } from 'node:path'
import { createRedactor } from '../observe/redact.ts'
import { redactorFor } from './drafts.ts'
import { keyFilesIn } from './key-files.ts'
import { type FileReadOptions, readCatalogue } from './load.ts'
import { withoutMachine } from './machine-text.ts'
import type { Mistake } from './mistakes.ts'
import { isOfTheMachine } from './of-the-machine.ts'
import { keysWrittenIn, marksIn } from './shared-bounds.ts'
import { readToml, withoutMark } from './toml.ts'

export interface Applied {
  /** The catalogue that is to be in force. */
  text: string
  /** Settings of the machine, by name, that it lacks. */
  left_out: readonly string[]
  /** By the lines of the file; those of settings of the machine by the lines of its own file. */
  mistakes: readonly Mistake[]
  warnings: readonly Mistake[]
}

/**
 * @param file its text
 * @param machine the text of this machine's tollgate.toml, which is at `path`
 */
export function applied(
  file: string,
  { path, machine, ...options }: FileReadOptions & { path: string; machine: string },
): Applied {
  const whole = withoutMark(file)
  const own = readToml(machine)
  const { read: read_key_file } = keyFilesIn(dirname(path))
  const reading = readCatalogue(whole, { ...options, read_key_file, machine: own.ok ? own : undefined })
  if (!readToml(whole).ok)
    return { text: whole, left_out: [], mistakes: reading.ok ? [] : reading.mistakes, warnings: [] }
  const { text, left_out } = withoutMachine(whole)
  const redactor = reading.ok ? redactorFor(reading.catalogue) : createRedactor([])
  const marks = marksIn(text)
  const written = keysWrittenIn(text, redactor).filter(({ line }) =>
    marks.every((mark) => mark.line !== line),
  )
  const keys = [...marks, ...written].map((mistake) => atLineOf(mistake, text, whole))
  const of_text = reading.ok ? [] : reading.mistakes
  return {
    text,
    left_out,
    mistakes: [...of_text, ...keys].toSorted((one, other) => one.line - other.line),
    warnings: reading.ok ? reading.warnings.filter(({ path }) => !isOfTheMachine(path)) : [],
  }
}

/** The line of a mistake in what a text was made from. */
function atLineOf(mistake: Mistake, text: string, whole: string): Mistake {
  const line = text.split('\n')[mistake.line - 1] ?? ''
  const at = whole.split('\n').indexOf(line, mistake.line - 1)
  return at < 0 ? mistake : { ...mistake, line: at + 1 }
}
