// Where `migrate` moves a database to, as it is written on the command line.

import type { Environment } from '../config/providers.ts'
import { readDatabase } from '../config/storage.ts'
import { invalidRequest } from '../domain/errors.ts'

export type Target = Server | { folder: string }

export interface Server {
  url: string
  /** What [storage] `database` may say: never a password. */
  setting: string
}

/** A database on a server, or a folder. */
const OF_SERVER = /^(env:|postgres(ql)?:)/

/** @param env where `env:NAME` is looked up @throws GatewayError invalid_request that says what to write */
export function readTarget(text: string, env: Environment): Target {
  if (/^[a-z][a-z0-9+]+:\/\//.test(text) && !OF_SERVER.test(text))
    throw invalidRequest(
      `--to: ${text} must be a PostgreSQL database ("postgres://USER@HOST/NAME") or a folder.`,
    )
  if (!OF_SERVER.test(text)) return { folder: text }
  const mistakes: string[] = []
  const url = readDatabase({ database: text }, { env, report: (_, message) => void mistakes.push(message) })
  if (mistakes.length > 0 || url === undefined) throw invalidRequest(`--to: ${mistakes.join('; ')}.`)
  return { url, setting: text.startsWith('env:') ? text : withoutPassword(url) }
}

/** An address with a password belongs into the environment. */
const withoutPassword = (url: string): string => (new URL(url).password === '' ? url : 'env:DATABASE_URL')
