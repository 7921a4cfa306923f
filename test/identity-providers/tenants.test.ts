// Microsoft's addresses for several tenants, faked: a token counts only for the tenant that it names.
import { describe, expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { readProvider } from '../../plugins/identity-providers/directory.ts'
import { authorizationUrl, exchangeCode, newSecrets } from '../../plugins/identity-providers/exchange.ts'
import type { ProviderFetch } from '../../plugins/identity-providers/provider-fetch.ts'
import { type IdentityProvider, isOfProvider } from '../../plugins/identity-providers/settings.ts'
import { GatewayError } from '../../src/domain/errors.ts'

const HOST = 'https://login.microsoftonline.com'
const CONTOSO = 'aaaabbbb-0000-cccc-1111-dddd2222eeee'
const FABRIKAM = 'bbbbcccc-1111-dddd-2222-eeee3333ffff'
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'
const issuerOf = (tenant: string) => `${HOST}/${tenant}/v2.0`
const TEMPLATE = issuerOf('{tenantid}')

const provider = (tenant: string): IdentityProvider => ({
  name: 'microsoft',
  title: 'Microsoft',
  is_github: false,
  issuer: issuerOf(tenant),
  client_id: 'client-at-microsoft',
  client_secret: 'secret-at-microsoft',
  scopes: ['openid', 'email', 'profile'],
  for: 'accounts',
  email_domains: [],
  staff_role: undefined,
  email_trust: 'microsoft',
})

/** The published keys, with the issuer of each. */
const KEYS = {
  shared: TEMPLATE,
  personal: issuerOf(PERSONAL),
  contoso: issuerOf(CONTOSO),
  unnamed: undefined,
}
type KeyName = keyof typeof KEYS
const pairs = new Map(
  await Promise.all(
    (Object.keys(KEYS) as KeyName[]).map(async (kid) => [kid, await generateKeyPair('RS256')] as const),
  ),
)
const jwks = {
  keys: await Promise.all(
    [...pairs].map(async ([kid, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      kid,
      use: 'sig',
      ...(KEYS[kid] === undefined ? {} : { issuer: KEYS[kid] }),
    })),
  ),
}

interface SignedToken {
  claims: Record<string, unknown>
  key: KeyName
}

/** @param published the issuer in the configuration of that tenant's address */
function microsoft(tenant: string, published: string, token: () => Promise<string>): ProviderFetch {
  const answers: Record<string, () => object | Promise<object>> = {
    [`${issuerOf(tenant)}/.well-known/openid-configuration`]: () => ({
      issuer: published,
      authorization_endpoint: `${HOST}/${tenant}/oauth2/v2.0/authorize`,
      token_endpoint: `${HOST}/${tenant}/oauth2/v2.0/token`,
      jwks_uri: `${HOST}/${tenant}/discovery/v2.0/keys`,
      userinfo_endpoint: 'https://graph.microsoft.com/oidc/userinfo',
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
      response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    [`${HOST}/${tenant}/oauth2/v2.0/token`]: async () => ({
      access_token: 'a',
      token_type: 'Bearer',
      expires_in: 3_600,
      id_token: await token(),
    }),
    [`${HOST}/${tenant}/discovery/v2.0/keys`]: () => jwks,
  }
  return async (url) => {
    const answer = answers[url]
    return answer ? Response.json(await answer()) : new Response('{}', { status: 404 })
  }
}

async function signIn(tenant: string, published: string, { claims, key }: SignedToken) {
  const one = provider(tenant)
  const secrets = await newSecrets()
  const known = await readProvider(
    one,
    microsoft(tenant, published, async () => {
      const pair = pairs.get(key)
      if (!pair) throw new Error(`no key ${key}`)
      return await new SignJWT({
        sub: 'anna',
        nonce: secrets.nonce,
        email: 'anna@contoso.example',
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key })
        .setAudience('client-at-microsoft')
        .setIssuedAt()
        .setExpirationTime('1 hour')
        .sign(pair.privateKey)
    }),
  )
  const redirect_uri = 'https://ai.example.com/console/sign-in/microsoft'
  const url = await authorizationUrl(known, one, { redirect_uri, secrets, purpose: 'sign_in' })
  const callback_url = new URL(`${redirect_uri}?${new URLSearchParams({ code: 'c', state: secrets.state })}`)
  return { url, ...(await exchangeCode(known, one, { callback_url, secrets, purpose: 'sign_in' })) }
}

const of = (tid: string, iss = issuerOf(tid)) => ({ tid, iss })

describe('a person signs in', () => {
  test.each([
    ['of one tenant by "common"', 'common', TEMPLATE, { claims: of(CONTOSO), key: 'shared' }],
    ['of another tenant by "common"', 'common', TEMPLATE, { claims: of(FABRIKAM), key: 'shared' }],
    ['of a tenant with its own key by "common"', 'common', TEMPLATE, { claims: of(CONTOSO), key: 'contoso' }],
    ['with a personal account by "common"', 'common', TEMPLATE, { claims: of(PERSONAL), key: 'personal' }],
    ['by a key without an issuer', 'common', TEMPLATE, { claims: of(CONTOSO), key: 'unnamed' }],
    ['by "organizations"', 'organizations', TEMPLATE, { claims: of(FABRIKAM), key: 'shared' }],
    ['by "consumers"', 'consumers', issuerOf(PERSONAL), { claims: of(PERSONAL), key: 'personal' }],
    ['by the ID of a tenant', CONTOSO, issuerOf(CONTOSO), { claims: of(CONTOSO), key: 'shared' }],
    [
      'by the domain of a tenant',
      'contoso.example',
      issuerOf(CONTOSO),
      { claims: of(CONTOSO), key: 'shared' },
    ],
  ] as const)('%s, with the issuer of their own tenant', async (_, tenant, published, signed) => {
    const { url, issuer, subject, verified_email } = await signIn(tenant, published, signed)
    expect(url).toStartWith(`${HOST}/${tenant}/oauth2/v2.0/authorize?`)
    expect({ issuer, subject, verified_email }).toEqual({
      issuer: signed.claims.iss,
      subject: 'anna',
      verified_email: undefined,
    })
    expect(isOfProvider({ issuer, provider: 'microsoft' }, provider(tenant))).toBe(true)
  })
})

describe('a token is refused', () => {
  test.each([
    [
      'of one tenant that names another',
      'common',
      TEMPLATE,
      { claims: of(CONTOSO, issuerOf(FABRIKAM)), key: 'shared' },
    ],
    ['with the template as its issuer', 'common', TEMPLATE, { claims: of(CONTOSO, TEMPLATE), key: 'shared' }],
    [
      'with "common" as its issuer',
      'common',
      TEMPLATE,
      { claims: of(CONTOSO, issuerOf('common')), key: 'shared' },
    ],
    ['without a tenant', 'common', TEMPLATE, { claims: { iss: issuerOf('undefined') }, key: 'shared' }],
    ['with the template as its tenant', 'common', TEMPLATE, { claims: of('{tenantid}'), key: 'shared' }],
    ['with a path as its tenant', 'common', TEMPLATE, { claims: of('a/../b'), key: 'shared' }],
    [
      'of another host',
      'common',
      TEMPLATE,
      { claims: of(CONTOSO, `https://evil.example/${CONTOSO}/v2.0`), key: 'shared' },
    ],
    [
      'of an older form',
      'common',
      TEMPLATE,
      { claims: of(CONTOSO, `https://sts.windows.net/${CONTOSO}/`), key: 'shared' },
    ],
    ['by the key of another tenant', 'common', TEMPLATE, { claims: of(FABRIKAM), key: 'contoso' }],
    [
      'of an organization by the key of personal accounts',
      'common',
      TEMPLATE,
      { claims: of(CONTOSO), key: 'personal' },
    ],
    [
      'of a personal account by "organizations"',
      'organizations',
      TEMPLATE,
      { claims: of(PERSONAL), key: 'personal' },
    ],
    [
      'of an organization by "consumers"',
      'consumers',
      issuerOf(PERSONAL),
      { claims: of(CONTOSO), key: 'shared' },
    ],
    [
      'of another tenant by the ID of one',
      CONTOSO,
      issuerOf(CONTOSO),
      { claims: of(FABRIKAM), key: 'shared' },
    ],
    [
      'of a tenant by the ID of one, with its key',
      FABRIKAM,
      issuerOf(FABRIKAM),
      { claims: of(FABRIKAM), key: 'contoso' },
    ],
  ] as const)('%s', async (_, tenant, published, signed) => {
    const refusal = await signIn(tenant, published, signed).catch((thrown: unknown) => thrown)
    expect(refusal).toBeInstanceOf(GatewayError)
    expect(refusal).toMatchObject({ kind: 'unauthenticated', code: 'identity_not_confirmed' })
  })
})
