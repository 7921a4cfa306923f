// The scene of identity providers: a gateway with some of them, and browsers without a screen that sign in.
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { freePort } from '../support/free-port.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts'

/** The future address of a gateway, which its providers need before it starts. */
export const gatewayAddress = (): { listen: string; url: string } => {
  const listen = `127.0.0.1:${freePort()}`
  return { listen, url: `http://${listen}` }
}

/** @param lines blocks of [[sign_in.oidc]] */
export const catalogueWith = (public_url: string, lines: string): string =>
  `${FIRST_CATALOGUE.replace('[server]', `[server]\npublic_url = "${public_url}"\ntrusted_proxies = ["127.0.0.1"]`)}\n${lines}`

export const gatewayWith = (
  { listen, url }: { listen: string; url: string },
  lines: string,
  options: TestGatewayOptions = {},
): Promise<TestGateway> => startTestGateway({ listen, catalogue: catalogueWith(url, lines), ...options })

interface SendOptions {
  headers?: Record<string, string>
}

let browsers = 0

/** A browser that keeps cookies, and sends them with requests of pages of the gateway. */
export function browserAt({ url }: Pick<TestGateway, 'url'>) {
  const cookies = new Map<string, string>([['__Host-tollgate-probe', '1']])
  browsers += 1
  // Each browser has its own address, because failed attempts are counted by address.
  const address = `203.0.113.${browsers % 250}`
  const send = async (method: string, path: string, body?: unknown, { headers = {} }: SendOptions = {}) => {
    const answer = await fetch(new URL(`/console/api${path}`, url), {
      method,
      headers: {
        'x-forwarded-for': address,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'GET' ? {} : { origin: url.origin }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields that it needs
    return { status: answer.status, body: (await answer.json()) as any }
  }
  const self = {
    cookies,
    send,
    /** Presses the button of a provider. @returns its address */
    async start(provider: string, next?: string): Promise<URL> {
      const { status, body } = await send('POST', '/identity-providers/start', {
        provider,
        ...(next === undefined ? {} : { next }),
      })
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return new URL(body.url)
    },
    /** Opens the page to which the provider redirects people back. */
    finish: (provider: string, return_url: URL | string) =>
      send('POST', '/identity-providers/finish', {
        provider,
        query: typeof return_url === 'string' ? return_url : return_url.search,
      }),
    /** The person who is signed in. */
    viewer: async () => (await send('GET', '/session')).body.viewer,
  }
  return self
}

export type TestBrowser = ReturnType<typeof browserAt>

/** Creates the owner of an account, with an address that is verified on request. */
export async function ownerWith(
  { store }: Pick<TestGateway, 'store'>,
  { account, email, is_verified }: { account: string; email: string; is_verified: boolean },
): Promise<number> {
  const { accountByName } = await import('../../src/access/accounts.ts')
  const { personAtConsole } = await import('../support/people.ts')
  const { claimEmail, setUnverifiedEmail } = await import('../../src/access/emails.ts')
  const { id } = await accountByName(store, account)
  const person_id = await personAtConsole(store, id)
  await store.begin(async (tx) => {
    if (is_verified) await claimEmail(tx, { person_id, email, now_ms: Date.now() })
    else await setUnverifiedEmail(tx, { person_id, email })
  })
  return person_id
}
