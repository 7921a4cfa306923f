// `--env-file`: the environment variables of a file, read as systemd reads an EnvironmentFile.
import { readFileSync } from 'node:fs'
import { unprocessable } from '../../domain/errors.ts'
import { withPath } from '../command-line/failure.ts'

const BLANK = /\s*/y
/** A backslash at the end of a line continues the comment. */
const COMMENT = /[#;](?:\\[\s\S]|[^\n\\])*/y
const NAME = /([A-Za-z_][A-Za-z0-9_]*)[ \t]*=/y
const QUOTED = /[ \t]*(?:'([^']*)'|"((?:\\[\s\S]|[^"\\])*)")/y
const PLAIN = /[ \t]*((?:\\[\s\S]|[^\n\\])*)/y
const OPEN_QUOTE = /^["']/

/**
 * Reads lines of NAME=value, with comments, quotes and continued lines as in systemd.exec(5), "EnvironmentFile=". Nothing is expanded.
 * @returns the values by name; the last one of a repeated name
 * @throws RangeError with the number of an invalid line, without its text, which may be a secret. systemd skips
 * such a line, and the service then lacks the variable
 */
export function parseEnvFile(file: string): Map<string, string> {
  const text = file.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const values = new Map<string, string>()
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match
  }
  const refused = (what: string) => new RangeError(`line ${text.slice(0, at).split('\n').length}: ${what}`)
  for (;;) {
    take(BLANK)
    if (at >= text.length) return values
    if (take(COMMENT)) continue
    const [, name] = take(NAME) ?? []
    if (name === undefined) throw refused('write NAME=value, or # before a comment')
    let value = ''
    for (let quoted = take(QUOTED); quoted; quoted = take(QUOTED))
      value += quoted[1] ?? unescapedInQuotes(quoted[2] ?? '')
    const start = at
    const plain = take(PLAIN)?.[1] ?? ''
    if (OPEN_QUOTE.test(plain)) {
      at = start
      throw refused(`add the closing quote after ${name}=`)
    }
    values.set(name, value + unescaped(plain.trimEnd()))
  }
}

const unescaped = (text: string): string =>
  text.replace(/\\(\n|[\s\S])/g, (_, char) => (char === '\n' ? '' : char))

/** Between double quotes a backslash before any other character is literal. */
const unescapedInQuotes = (text: string): string =>
  text.replace(/\\(["\\`$\n])/g, (_, char) => (char === '\n' ? '' : char))

/**
 * Adds a file's variables to the environment, where they override others: the file is meant to be the service's environment.
 * @throws GatewayError unprocessable for a file with a mistake; the file system's error if it cannot be read
 */
export function addEnvFile(path: string, env: Record<string, string | undefined>): void {
  const text = textOf(path)
  try {
    for (const [name, value] of parseEnvFile(text)) env[name] = value
  } catch (thrown) {
    throw thrown instanceof RangeError ? unprocessable(`${path}: ${thrown.message}.`) : thrown
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (failure) {
    throw withPath(failure, path)
  }
}
