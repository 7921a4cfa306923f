// A hostile identity provider: a test can replace each of its answers.
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

type Answer = (request: Request) => Response | Promise<Response>

export interface HostileProvider extends AsyncDisposable {
  issuer: string
  /** @param known_as a further name, under which a gateway reads its configuration again */
  lines(more?: string, known_as?: string): string
  /** Replacements of its metadata, of the token's claims, and of whole answers by path. */
  lies: {
    metadata: Record<string, unknown>
    claims: JWTPayload & Record<string, unknown>
    /** In place of the signed token. */
    id_token: ((claims: JWTPayload) => string | Promise<string>) | undefined
    answers: Record<string, Answer>
  }
  /** Removes all lies. The next sign-in has this subject. */
  tellTruth(sub: string, claims?: Record<string, unknown>): void
  /** The address that it sends a person back to, with a new code. */
  backFrom(url: URL, more?: Record<string, string>): URL
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>
  readonly requests: string[]
}

export const CLIENT_ID = 'tollgate'
const SECRET = 'another-secret-of-the-gateway-0123456789'

/** Keys of providers that have stopped: making a key takes longer than most sign-ins. */
const unused: GenerateKeyPairResult[] = []

export async function startHostileProvider(name: string): Promise<HostileProvider> {
  const keys = unused.pop() ?? (await generateKeyPair('RS256'))
  const { privateKey, publicKey } = keys
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] }
  const nonces = new Map<string, string>()
  const used = new Set<string>()
  const requests: string[] = []
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => answer(request) })
  const issuer = `http://127.0.0.1:${server.port}`
  const lies: HostileProvider['lies'] = { metadata: {}, claims: {}, id_token: undefined, answers: {} }

  const sign: HostileProvider['sign'] = (claims, header = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k', ...header }).sign(privateKey)

  async function token(request: Request): Promise<Response> {
    const code = new URLSearchParams(await request.text()).get('code') ?? ''
    if (used.has(code) || !nonces.has(code)) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    used.add(code)
    const now_s = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: issuer,
      aud: CLIENT_ID,
      iat: now_s,
      exp: now_s + 300,
      nonce: nonces.get(code),
      ...lies.claims,
    } as JWTPayload
    const id_token = lies.id_token ? await lies.id_token(claims) : await sign(claims)
    return Response.json({ access_token: 'a', token_type: 'bearer', expires_in: 60, id_token })
  }

  const truths: Record<string, Answer> = {
    '/.well-known/openid-configuration': () =>
      Response.json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        ...lies.metadata,
      }),
    '/token': token,
    '/jwks': () => Response.json(jwks),
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    requests.push(pathname)
    const by = lies.answers[pathname] ?? truths[pathname]
    return by ? await by(request) : new Response('nothing here', { status: 404 })
  }

  return {
    issuer,
    lies,
    sign,
    requests,
    lines: (more = '', known_as = name) => `
[[sign_in.oidc]]
name = "${known_as}"
issuer = "${issuer}"
client_id = "${CLIENT_ID}"
client_secret = "${SECRET}"
${more}`,
    tellTruth(sub, claims = {}) {
      Object.assign(lies, { metadata: {}, claims: { sub, ...claims }, id_token: undefined, answers: {} })
    },
    backFrom(url, more = {}) {
      const code = crypto.randomUUID()
      nonces.set(code, url.searchParams.get('nonce') ?? '')
      const back = new URL(url.searchParams.get('redirect_uri') ?? '')
      const state = url.searchParams.get('state') ?? ''
      for (const [field, value] of Object.entries({ code, state, ...more }))
        back.searchParams.set(field, value)
      return back
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
      unused.push(keys)
    },
  }
}
