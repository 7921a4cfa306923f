// The doctor's check of identity providers, and their settings as the operator reads them.
import { afterAll, expect, test } from 'bun:test'
import { checkProviders } from '../../plugins/identity-providers/check.ts'
import { signInSettings } from '../../plugins/identity-providers/settings.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { startHostileProvider } from '../support/hostile-identity-provider.ts'
import { gatewayAddress, gatewayWith } from './scene.ts'

const provider = await startHostileProvider('id')
provider.tellTruth('x')
const address = gatewayAddress()
const gateway = await gatewayWith(address, provider.lines())
afterAll(async () => {
  await gateway.stop()
  await provider[Symbol.asyncDispose]()
})

function catalogueOf(oidc: readonly object[], env: Record<string, string> = {}): Catalogue {
  const server = { listen: '127.0.0.1:1', public_url: 'https://ai.example.com' }
  const settings = signInSettings.read(
    { oidc: oidc.map((each) => ({ for: 'accounts', email_domains: [], client_id: 'c', ...each })) },
    {
      env,
      server,
      file: {},
      report: (path, message) => expect([path, message]).toEqual([]),
      warn: () => undefined,
    },
  )
  return { server, sections: new Map([['sign_in', settings]]) } as unknown as Catalogue
}
const look = (oidc: readonly object[]) => checkProviders({ catalogue: catalogueOf(oidc) })

test('a provider that answers is ok, with the addresses to register there', async () => {
  expect(await look([{ name: 'id', issuer: provider.issuer }])).toMatchObject([
    {
      check: 'identity provider id',
      level: 'ok',
      found: `${provider.issuer} answers; register the redirect URI https://ai.example.com/console/sign-in/id`,
    },
  ])
  provider.lies.metadata = { backchannel_logout_supported: true }
  expect((await look([{ name: 'id', issuer: provider.issuer }]))[0]?.found).toEndWith(
    ', and the back-channel logout URL https://ai.example.com/identity-providers/id/logout',
  )
})

test('a provider with a wrong answer fails, with the reason', async () => {
  provider.lies.answers['/.well-known/openid-configuration'] = () =>
    Response.json({ issuer: 'https://else.example' })
  const [diagnosis] = await look([{ name: 'id', issuer: provider.issuer }])
  expect(diagnosis).toMatchObject({ level: 'fail', advice: expect.stringContaining('to the letter') })
  provider.tellTruth('x')
})

test('a provider without its variable is not checked; without providers the check is ok', async () => {
  expect(await look([{ name: 'id', issuer: provider.issuer, client_secret: 'env:UNSET' }])).toMatchObject([
    { level: 'warn', found: 'not checked: the environment variable UNSET is not set' },
  ])
  expect(await look([])).toMatchObject([{ level: 'ok', found: 'none is configured' }])
})

test('the secret of a client is hidden in the catalogue and in the log', async () => {
  const operator = await signedIn(gateway, 'operator')
  const { text } = await operator.json('GET', '/catalogue')
  expect(text).toContain('[[sign_in.oidc]]')
  expect(text).toContain('client_secret = "hidden:')
  expect(text).not.toContain('another-secret')
  expect(gateway.log.written().join('')).not.toContain('another-secret')
})
