// The error message for a plugin that cannot be loaded: file, problem, line, and advice.
import { basename, dirname } from 'node:path'

/** @param thrown the error of the import or the plugin's function; errors of Bun's loader have a separate `position` */
export function pluginRefusal(path: string, thrown: unknown): Error {
  const name = `${basename(dirname(path))}/${basename(path)}`
  const problem = problemOf(path, thrown)
  const what = /[.!?]$/.test(problem) ? problem : `${problem}.`
  return new Error(
    `The plugin ${name} cannot be loaded: ${what} Correct it, or remove it from the folder; ` +
      '`tollgate plugin check` tries all plugins without a start.',
    { cause: thrown },
  )
}

interface RuntimeMessage {
  message: string
  position: { file: string; line: number; column: number } | null
  /** The import that was not found. */
  specifier?: string
}

const MAX_PROBLEMS = 3

function problemOf(path: string, thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0)
    return thrown.errors
      .slice(0, MAX_PROBLEMS)
      .map((error) => problemOf(path, error))
      .join('; ')
  if (isRuntimeMessage(thrown)) return problemOfFile(thrown)
  if (!(thrown instanceof Error)) return String(thrown)
  const line = lineIn(path, thrown.stack)
  return line === undefined ? thrown.message : `${thrown.message} (line ${line})`
}

const isRuntimeMessage = (thrown: unknown): thrown is RuntimeMessage =>
  typeof thrown === 'object' && thrown !== null && 'position' in thrown && 'message' in thrown

function problemOfFile({ message, position, specifier }: RuntimeMessage): string {
  const place = position?.file ? `${position.file}:${position.line}:${position.column}: ` : ''
  const is_package = specifier !== undefined && /^(?![./]|node:|file:)/.test(specifier)
  const advice = is_package
    ? `. The package must be in the node_modules of the plugins' folder: run \`bun add ${specifier}\` there`
    : ''
  return place + message + advice
}

/** Finds the line of the plugin in the stack; undefined if the stack does not contain it. */
function lineIn(path: string, stack = ''): string | undefined {
  const at = stack.indexOf(`${path}:`)
  return at < 0 ? undefined : /^\d+/.exec(stack.slice(at + path.length + 1))?.[0]
}
