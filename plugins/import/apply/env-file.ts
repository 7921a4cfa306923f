// The environment file with the API keys of imported providers: NAME=value lines, readable by its owner only. Existing lines stay.
import { existsSync, readFileSync } from 'node:fs'
import { addEnvFile } from '../../../src/app/commands/env-file.ts'
import type { IncomingProvider, MoveIn, Secret } from '../move-in.ts'
import { replaceForOwner } from './secret-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface PlannedVariables {
  /** Names of the source, mapped to names in the file. They differ if the variable has another value, or the catalogue uses it. */
  readonly names: ReadonlyMap<string, string>
  /** New lines: values by name. */
  readonly added: ReadonlyMap<string, string>
  /** Variables that the source itself reads from its environment, and that are not set here. */
  readonly missing: readonly string[]
  /** All values by name, for the check of the catalogue. */
  readonly values: Environment
}

/**
 * @param path of the file, which may be absent
 * @param env of the gateway
 * @param used variables that the catalogue already names: each is sent to one address only
 * @throws GatewayError unprocessable for a file with a mistake
 */
export function planVariables(
  path: string,
  env: Environment,
  { providers }: Pick<MoveIn, 'providers'>,
  used: ReadonlySet<string>,
): PlannedVariables {
  const values: Record<string, string | undefined> = { ...env }
  if (existsSync(path)) addEnvFile(path, values)
  const names = new Map<string, string>()
  const added = new Map<string, string>()
  const missing: string[] = []
  for (const { variable, value } of providers.flatMap(secretsOf)) {
    if (value === null) {
      names.set(variable, variable)
      if (!values[variable]) missing.push(variable)
      continue
    }
    let name = variable
    const isTaken = () => used.has(name) || (values[name] ?? value) !== value
    for (let number = 2; isTaken(); number += 1) name = `${variable}_${number}`
    names.set(variable, name)
    if (values[name] === undefined) added.set(name, value)
    values[name] = value
  }
  return { names, added, missing, values }
}

export const secretsOf = ({ api_keys, headers = {} }: IncomingProvider): readonly Secret[] => [
  ...api_keys,
  ...Object.values(headers),
]

/** Adds all lines to the file, or none. */
export function writeVariables(path: string, added: ReadonlyMap<string, string>, source: string): void {
  if (added.size === 0) return
  const before = existsSync(path) ? readFileSync(path, 'utf8').trimEnd() : ''
  const heading = `# Keys of providers, imported from ${source}. Start the gateway with --env-file and this file.`
  const lines = [...added].map(([name, value]) => `${name}=${quoted(value)}`)
  replaceForOwner(path, `${[...(before === '' ? [] : [before]), heading, ...lines].join('\n')}\n`)
}

/** Quotes a value for systemd and `--env-file`. */
const quoted = (value: string): string =>
  /^[A-Za-z0-9_./:@%+=,-]*$/.test(value) ? value : `"${value.replace(/["\\`$]/g, (sign) => `\\${sign}`)}"`
