// A file as the shared catalogue of all gateways: without settings of one machine, and checked as this machine reads it. Pure except for key files.
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
  /** The text to bring into force. */
  text: string
  /** The names of settings of the machine, which the text lacks. */
  left_out: readonly string[]
  /** With lines of the given file; for settings of the machine, with lines of the machine's own file. */
  mistakes: readonly Mistake[]
  warnings: readonly Mistake[]
}

/**
 * @param file its text
 * @param machine the text of this machine's tollgate.toml, at `path`
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

/** Maps the line of a mistake to the text before settings were removed. */
function atLineOf(mistake: Mistake, text: string, whole: string): Mistake {
  const line = text.split('\n')[mistake.line - 1] ?? ''
  const at = whole.split('\n').indexOf(line, mistake.line - 1)
  return at < 0 ? mistake : { ...mistake, line: at + 1 }
}
