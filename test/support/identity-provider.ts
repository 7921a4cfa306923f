// A real OpenID provider on this machine, and sign-ins to it without a browser.

import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK } from 'jose'

/** The claims of people at the provider, by their subjects. */
type People = Record<string, Record<string, unknown>>

interface RealProvider extends AsyncDisposable {
  issuer: string
  people: People
  /** Lines of [[sign_in.oidc]] for it. */
  lines(more?: string): string
  /** Signs a person out at the provider, which notifies the gateway. */
  signOutThere(person: Person): Promise<void>
  /** The paths of its requests. */
  requests: string[]
}

const CLIENT = { client_id: 'tollgate', client_secret: 'a-secret-of-the-gateway-0123456789' }

/** @param gateway_url the gateway that it sends people back to */
/** One key for the files of a process: making it takes longer than most sign-ins. */
let privateKey: KeyObject | undefined

export async function startProvider(
  gateway_url: string,
  { name = 'real', people = {} }: { name?: string; people?: People } = {},
): Promise<RealProvider> {
  const { Provider } = await quietly(() => import('oidc-provider'))
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  privateKey ??= generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey
  const key = { ...(await exportJWK(privateKey)), kid: 'test-key', alg: 'RS256', use: 'sig' }
  const requests: string[] = []
  const provider = await quietly(
    () =>
      new Provider(issuer, {
        clients: [
          {
            ...CLIENT,
            redirect_uris: [`${gateway_url}/console/sign-in/${name}`],
            post_logout_redirect_uris: [`${gateway_url}/console`],
            backchannel_logout_uri: `${gateway_url}/identity-providers/${name}/logout`,
            backchannel_logout_session_required: true,
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        jwks: { keys: [key] },
        cookies: { keys: ['test'] },
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
        // Its own fetch would refuse addresses of this machine.
        fetch: (url: string | URL, init: RequestInit) => fetch(url, init),
        pkce: { required: () => true },
        findAccount: (_: unknown, sub: string) =>
          people[sub] && { accountId: sub, claims: () => ({ sub, ...people[sub] }) },
      }),
  )
  provider.use((context: { path: string }, next: () => Promise<void>) => {
    requests.push(context.path)
    return next()
  })
  server.on('request', provider.callback())
  return {
    issuer,
    people,
    requests,
    lines: (more = '') => `
[[sign_in.oidc]]
name = "${name}"
title = "Example ID"
issuer = "${issuer}"
client_id = "${CLIENT.client_id}"
client_secret = "${CLIENT.client_secret}"
${more}`,
    async signOutThere(person) {
      const page = await person.get(`${issuer}/session/end`)
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
      await person.post(`${issuer}/session/end/confirm`, { xsrf, logout: 'yes' })
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Hides warnings about features for development. */
async function quietly<T>(make: () => T | Promise<T>): Promise<T> {
  const { warn, info } = console
  console.warn = () => undefined
  console.info = () => undefined
  try {
    return await make()
  } finally {
    console.warn = warn
    console.info = info
  }
}

/** A person with cookies at a provider. */
interface Person {
  /** The body of a page. */
  get(url: string): Promise<string>
  post(url: string, form: Record<string, string>): Promise<string>
  /** Opens an address, signs in as a subject, and consents. @returns the address that the provider sends them back to */
  signIn(url: string, sub: string): Promise<URL>
}

export function personAt(issuer: string): Person {
  const cookies = new Map<string, string>()
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { cookie, ...init.headers } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  const post = (url: string, form: Record<string, string>) =>
    send(url, { method: 'POST', body: new URLSearchParams(form) })
  return {
    get: async (url) => await (await send(url)).text(),
    post: async (url, form) => await (await post(url, form)).text(),
    async signIn(start, sub) {
      let answer = await send(start)
      for (let steps = 0; steps < 12; steps += 1) {
        const to = answer.headers.get('location')
        if (to === null) {
          const page = await answer.text()
          const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
          if (prompt === '') throw new Error(`the provider shows no form: ${page.slice(0, 500)}`)
          answer = await post(answer.url, { prompt, login: sub, password: 'x' })
          continue
        }
        const next = new URL(to, issuer)
        if (next.origin !== new URL(issuer).origin) return next
        answer = await send(next.href)
      }
      throw new Error('the sign-in does not end')
    },
  }
}
