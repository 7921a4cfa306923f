// A console session without a browser: signs in as any person and calls console routes with the cookie.
import { randomBytes } from 'node:crypto'
import { accountQueries, keyQueries } from '../../src/access/queries.ts'
import { hashKey } from '../../src/access/secret.ts'
import { openSession, type SessionOwner } from '../../src/access/session-rows.ts'
import type { MembershipRow, StaffRow } from '../../src/store/schema.ts'
import type { TestGateway } from './gateway.ts'
import { newPerson, ownerAtConsole } from './people.ts'

/** The signed-in viewer: the operator, an account by name, a new person of the staff or of an account, or a key by its text. */
export type ConsoleUser =
  | 'operator'
  | { staff: StaffRow['role'] }
  | { account: string; role?: MembershipRow['role'] }
  | { key: string }
  | { person_id: number; account_id: number | null }

export interface ConsoleRequest {
  body?: unknown
  /** The `Origin` header. Default: the gateway's own origin; null for none. */
  origin?: string | null
  headers?: Record<string, string>
}

export interface ConsoleClient {
  /** The value of the `Cookie` header. */
  cookie: string
  /** Calls a route below /console/api. A body is sent as JSON. */
  send(method: string, path: string, sent?: ConsoleRequest): Promise<Response>
  /** Calls a route, asserts success, and returns its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever fields it needs
  json(method: string, path: string, body?: unknown): Promise<any>
}

const SETTINGS = { enabled: true, insecure_http: false, session_hours: 168, idle_hours: 24 }
const VISITOR = { address: '127.0.0.1', user_agent: 'test' }

/** Opens a session without the forms and their limits. @param now_ms the gateway's clock */
export async function signedIn(
  gateway: Pick<TestGateway, 'store' | 'url'>,
  who: ConsoleUser,
  now_ms = Date.now(),
): Promise<ConsoleClient> {
  const token = randomBytes(32).toString('base64url')
  const owner = await ownerOf(gateway, who)
  await openSession(gateway.store, owner, { token, visitor: VISITOR, now_ms, settings: SETTINGS })
  return clientOf(gateway, `__Host-tollgate=${token}`)
}

/** The cookies of a browser that has loaded the sign-in form. */
export const PROBES = '__Host-tollgate-probe=1; tollgate-probe=1'

/** Makes a caller of routes with this cookie, or without a session. */
export function clientOf(gateway: Pick<TestGateway, 'url'>, cookie = PROBES): ConsoleClient {
  const send: ConsoleClient['send'] = (
    method,
    path,
    { body, origin = gateway.url.origin, headers = {} } = {},
  ) =>
    fetch(new URL(`/console/api${path}`, gateway.url), {
      method,
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        ...(origin === null || method === 'GET' ? {} : { origin }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  return {
    cookie,
    send,
    async json(method, path, body) {
      const answer = await send(method, path, body === undefined ? {} : { body })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return await answer.json()
    },
  }
}

/** Reads all pages of a list. @param read reads one page; the cursor is a query part such as `&cursor=7`, empty for the first page */
export async function allPages<Page extends { next_cursor: unknown }>(
  read: (cursor: string) => Promise<Page>,
): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor = ''; ; cursor = `&cursor=${pages.at(-1)?.next_cursor}`) {
    const page = await read(cursor)
    pages.push(page)
    if (page.next_cursor === null) return pages
  }
}

export const errorOf = async (answer: Response) => ({
  status: answer.status,
  ...((await answer.json()) as { error: { param: string | null; code: string; message: string } }).error,
})

async function ownerOf({ store: db }: Pick<TestGateway, 'store'>, who: ConsoleUser): Promise<SessionOwner> {
  if (who === 'operator') return await ownerAtConsole(db, null)
  if ('person_id' in who) return { ...who, key_id: null }
  if ('staff' in who) {
    const person_id = await newPerson(db, { account_id: null, role: who.staff })
    return { person_id, account_id: null, key_id: null }
  }
  if ('account' in who) {
    const account = await accountQueries(db).accountByName.get({ name: who.account })
    if (!account) throw new Error(`unknown account ${who.account}`)
    if (who.role === undefined) return await ownerAtConsole(db, account.id)
    const person_id = await newPerson(db, { account_id: account.id, role: who.role })
    return { person_id, account_id: account.id, key_id: null }
  }
  const key = await keyQueries(db).keyByHash.get({ sha256: hashKey(who.key) })
  if (!key) throw new Error('unknown key')
  return { person_id: null, account_id: key.account_id, key_id: key.id }
}
