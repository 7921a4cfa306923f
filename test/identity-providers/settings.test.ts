// The settings of identity providers: presets, refusals with their messages, and hidden secrets.
import { describe, expect, test } from 'bun:test'
import {
  logoutUriOf,
  NEEDS_PUBLIC_URL,
  redirectUriOf,
  signInSettings,
} from '../../plugins/identity-providers/settings.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { readCatalogue } from '../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import '../support/plugin-sections.ts'

const PUBLIC = 'https://gateway.example.com'
const GOOGLE = 'name = "google"\npreset = "google"\nclient_id = "c"\nclient_secret = "env:GOOGLE"'

/** Reads blocks of [[sign_in.oidc]] as a start does. */
function read(
  blocks: readonly string[],
  { env = { GOOGLE: 'secret-of-google' }, public_url = PUBLIC as string | null } = {},
) {
  const server = public_url === null ? '[server]' : `[server]\npublic_url = "${public_url}"`
  const text = FIRST_CATALOGUE.replace('[server]', server)
  const lines = blocks.map((block) => `\n[[sign_in.oidc]]\n${block}\n`).join('')
  const reading = readCatalogue(text + lines, { env, protocols: BUILT_IN_REGISTRY })
  const { catalogue, warnings, mistakes } = reading.ok
    ? { ...reading, mistakes: [] }
    : { ...reading, catalogue: undefined, warnings: [] }
  return {
    providers: catalogue ? signInSettings.of(catalogue).providers : [],
    unavailable: catalogue ? signInSettings.of(catalogue).unavailable : [],
    secrets: catalogue?.section_secrets ?? [],
    mistakes: mistakes.map(({ path, message }) => `${path} ${message}`),
    warnings: warnings.map(({ message }) => message),
  }
}

test('a preset has its address, its name and its scopes', () => {
  const { providers, mistakes, secrets } = read([GOOGLE])
  expect(mistakes).toEqual([])
  expect(providers).toMatchObject([
    {
      name: 'google',
      title: 'Google',
      issuer: 'https://accounts.google.com',
      client_secret: 'secret-of-google',
      scopes: ['openid', 'email', 'profile'],
      for: 'accounts',
      email_domains: [],
      email_trust: 'google',
    },
  ])
  expect(secrets).toContain('secret-of-google')
})

test('without the section no provider is offered; a provider without its variable is left out', () => {
  expect(read([]).providers).toEqual([])
  const { providers, unavailable, mistakes, warnings } = read([GOOGLE], { env: {} as never })
  expect([providers, mistakes, unavailable]).toEqual([[], [], [{ name: 'google', variable: 'GOOGLE' }]])
  expect(warnings.join()).toContain('nobody signs in with "google"')
})

test('without public_url a start is refused with the advice to set it', () => {
  expect(read([GOOGLE], { public_url: null }).mistakes).toEqual([`sign_in.oidc ${NEEDS_PUBLIC_URL}`])
})

const at = (field: string) => `sign_in.oidc[0].${field}`
const KEYCLOAK = 'name = "id"\npreset = "keycloak"\nclient_id = "c"'

describe('the catalogue is refused for', () => {
  test.each([
    ['a provider without an address', KEYCLOAK, at('issuer')],
    ['Microsoft without a tenant', 'name = "m"\npreset = "microsoft"\nclient_id = "c"', at('issuer')],
    [
      'Microsoft for several tenants at another cloud',
      'name = "m"\npreset = "microsoft"\nclient_id = "c"\nissuer = "https://login.microsoftonline.us/common/v2.0"',
      at('issuer'),
    ],
    ['an address without TLS', `${KEYCLOAK}\nissuer = "http://id.example.com"`, at('issuer')],
    ['an address with a query', `${KEYCLOAK}\nissuer = "https://id.example.com?x"`, at('issuer')],
    ['an address with a password', `${KEYCLOAK}\nissuer = "https://a:b@id.example.com"`, at('issuer')],
    ['a text that is no address', `${KEYCLOAK}\nissuer = "id"`, at('issuer')],
    ['another preset', 'name = "x"\npreset = "yahoo"\nclient_id = "c"', at('preset')],
    [
      'a name that does not fit into an address',
      'name = "my id"\npreset = "google"\nclient_id = "c"',
      at('name'),
    ],
    ['a provider without a client', 'name = "x"\npreset = "google"', at('client_id')],
    ['GitHub without a secret', 'name = "g"\npreset = "github"\nclient_id = "c"', at('client_secret')],
    [
      'a role for accounts',
      `${GOOGLE}\nstaff_role = "support"\nemail_domains = ["example.com"]`,
      at('staff_role'),
    ],
    ['a role for everybody', `${GOOGLE}\nfor = "staff"\nstaff_role = "operator"`, at('staff_role')],
    ['another role', `${GOOGLE}\nfor = "staff"\nstaff_role = "owner"`, at('staff_role')],
    ['a domain that is an address', `${GOOGLE}\nemail_domains = ["a@example.com"]`, at('email_domains[0]')],
    ['an unknown field', `${GOOGLE}\nsecret = "x"`, at('secret')],
  ])('%s', (_, block, path) => {
    const { mistakes, providers } = read([block])
    expect(providers).toEqual([])
    expect(mistakes.map((mistake) => mistake.split(' ')[0])).toContain(path)
  })

  test('a repeated name', () => {
    expect(read([GOOGLE, GOOGLE]).mistakes).toEqual([
      'sign_in.oidc[1].name "google" is the name of another provider, too',
    ])
  })
})

test('an address on this machine may be without TLS, for tests', () => {
  for (const host of ['localhost:8080', '127.0.0.1:1', '[::1]:1'])
    expect(read([`${KEYCLOAK}\nissuer = "http://${host}/realms/main"`]).mistakes).toEqual([])
})

test('the addresses to register are built from public_url, below its path, too', () => {
  expect(redirectUriOf('https://example.com/tollgate/', { name: 'google' })).toBe(
    'https://example.com/tollgate/console/sign-in/google',
  )
  expect(logoutUriOf('https://example.com/tollgate', { name: 'id' })).toBe(
    'https://example.com/tollgate/identity-providers/id/logout',
  )
})

test.each([
  [
    '[sign_in.oidc]\nname = "google"',
    'sign_in.oidc must be a list of tables: begin each of them with [[sign_in.oidc]]',
  ],
  [
    '[sign_in.oidc.google]\npreset = "google"',
    'sign_in.oidc must be a list of tables: begin each of them with [[sign_in.oidc]]',
  ],
  [`[[sign_in.oidc]]\n${GOOGLE}\nemail_domains = { a = 1 }`, 'sign_in.oidc[0].email_domains must be a list'],
])('a table in place of a list is a mistake: %p', (lines, mistake) => {
  const text = FIRST_CATALOGUE.replace('[server]', `[server]\npublic_url = "${PUBLIC}"`)
  const reading = readCatalogue(`${text}\n${lines}\n`, {
    env: { GOOGLE: 'secret-of-google' },
    protocols: BUILT_IN_REGISTRY,
  })
  expect(reading.ok ? [] : reading.mistakes.map(({ path, message }) => `${path} ${message}`)).toEqual([
    mistake,
  ])
})
