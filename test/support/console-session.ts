// A session of the console over the socket, without a browser: for tests of its routes.
import { accountByName } from '../../src/access/accounts.ts'
import { createPasswords, setPassword } from '../../src/access/passwords.ts'
import type { TestGateway } from './gateway.ts'

const PASSWORD = 'one gate, many tolls'

/** Who looks: the operator, an account by its name, a key by its text. */
export type SessionOf = 'operator' | { account: string } | { key: string }

export interface ConsoleSession {
  /** Asks a route as the console's pages do. An object as the body is sent as JSON, by POST unless `method` says else. */
  ask(path: string, body?: object, init?: { method?: string; headers?: Record<string, string> }): Promise<Response>
}

let hashed: Promise<string> | undefined

/** Signs in as the console's own form does. The operator or the account is given a password for it. */
export async function consoleSession(gateway: TestGateway, as: SessionOf): Promise<ConsoleSession> {
  const nobody = askingWith(gateway, {})
  const answer = await nobody.ask('/console/api/session', await credentialsOf(gateway, as))
  const cookie = answer.headers.get('set-cookie')?.split(';')[0]
  if (answer.status !== 200 || cookie === undefined)
    throw new Error(`the sign-in was answered ${answer.status}: ${await answer.text()}`)
  return askingWith(gateway, { cookie })
}

/** Asks without a session. */
export const withoutSession = (gateway: TestGateway): ConsoleSession => askingWith(gateway, {})

function askingWith({ url }: TestGateway, own: Record<string, string>): ConsoleSession {
  return {
    ask: (path, body, { method = body ? 'POST' : 'GET', headers = {} } = {}) =>
      fetch(new URL(path, url), {
        method,
        headers: {
          ...own,
          ...(method === 'GET' ? {} : { origin: url.origin }),
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
  }
}

async function credentialsOf({ db }: TestGateway, as: SessionOf): Promise<object> {
  if (as !== 'operator' && 'key' in as) return as
  hashed ??= createPasswords().hash(PASSWORD)
  const account_id = as === 'operator' ? null : accountByName(db, as.account).id
  setPassword(db, { account_id, hash: await hashed, now_ms: Date.now() })
  return as === 'operator' ? { password: PASSWORD } : { account: as.account, password: PASSWORD }
}
