// Sessions of the console that send requests by whole paths, for tests of the portal: JSON, forms, and requests that can be aborted.
import { type ConsoleUser, clientOf, signedIn } from '../support/console-session.ts'
import type { TestGateway } from '../support/gateway.ts'

interface AskOptions {
  method?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

interface Portal {
  /** An object as the body is sent as JSON, by POST unless `method` says else. */
  ask(path: string, body?: object, options?: AskOptions): Promise<Response>
  /** Sends a form unchanged. */
  askRaw(path: string, body: FormData, headers?: Record<string, string>): Promise<Response>
}

export const consoleSession = async (gateway: TestGateway, who: ConsoleUser): Promise<Portal> =>
  portalOf(gateway, (await signedIn(gateway, who)).cookie)

/** Sessions of the new accounts alice and bob, with 5 USD each, and of the operator. */
export async function sessionsOf(
  gateway: TestGateway,
): Promise<Record<'alice' | 'bob' | 'operator', Portal>> {
  const of = async (account: string) => {
    await gateway.account(account, { balance_usd: '5' })
    return consoleSession(gateway, { account })
  }
  const operator = await consoleSession(gateway, 'operator')
  return { alice: await of('alice'), bob: await of('bob'), operator }
}

/** A visitor without a session. */
export const withoutSession = (gateway: TestGateway): Portal => portalOf(gateway, clientOf(gateway).cookie)

export type ConsoleSession = Portal

function portalOf({ url }: TestGateway, cookie: string): Portal {
  const own = { ...(cookie === '' ? {} : { cookie }), origin: url.origin }
  return {
    ask: (path, body, { method = body ? 'POST' : 'GET', headers = {}, signal } = {}) =>
      fetch(new URL(path, url), {
        method,
        headers: { ...own, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
        ...(signal ? { signal } : {}),
      }),
    askRaw: (path, body, headers = {}) =>
      fetch(new URL(path, url), { method: 'POST', headers: { ...own, ...headers }, body }),
  }
}
