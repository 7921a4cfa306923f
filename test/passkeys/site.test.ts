// The site of passkeys, derived from the settings.
import { expect, test } from 'bun:test'
import { passkeySite } from '../../plugins/passkeys/site.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'

const siteOf = (server: { public_url?: string; listen?: string; tls_certificate?: string }) =>
  passkeySite({ server: { listen: '127.0.0.1:8080', ...server } } as Pick<Catalogue, 'server'>)

test.each([
  ['https://gateway.example.com', { id: 'gateway.example.com', origin: 'https://gateway.example.com' }],
  [
    'https://gateway.example.com:8443/tollgate',
    { id: 'gateway.example.com', origin: 'https://gateway.example.com:8443' },
  ],
  ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://tollgate.localhost', { id: 'tollgate.localhost', origin: 'http://tollgate.localhost' }],
  // Browsers have no passkeys here.
  ['http://gateway.example.com', undefined],
  ['http://localhost.example.com', undefined],
  ['https://203.0.113.7', undefined],
  ['https://[2001:db8::1]', undefined],
  ['http://127.0.0.1:8080', undefined],
])('the site of %s', (public_url, site) => {
  expect(siteOf({ public_url })).toEqual(site)
})

test('without public_url the site is localhost, at the port of the gateway', () => {
  expect(siteOf({})).toEqual({ id: 'localhost', origin: 'http://localhost:8080' })
  expect(siteOf({ listen: '0.0.0.0:443', tls_certificate: 'a.pem' })).toEqual({
    id: 'localhost',
    origin: 'https://localhost',
  })
})
