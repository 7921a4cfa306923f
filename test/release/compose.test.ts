// data/compose.yaml: one gateway from the loaded image, behind Caddy.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'

const read = (path: string): string => readFileSync(join(import.meta.dir, '../../data', path), 'utf8')
const { services, volumes, networks } = YAML.parse(read('compose.yaml')) as {
  services: Record<string, Record<string, unknown>>
  volumes: Record<string, unknown>
  networks: { default: { ipam: { config: { subnet: string }[] } } }
}
const { gateway, caddy } = services

test('uses only a loaded image, of the version that the operator names', () => {
  const name = /^localhost\/tollgate:\$\{TOLLGATE_VERSION:\?[^}]+\}$/
  expect(gateway).toMatchObject({ image: expect.stringMatching(name), pull_policy: 'never' })
  expect(read('several/compose.yaml')).toMatch(/\n {2}image: localhost\/tollgate:\$\{TOLLGATE_VERSION:\?/)
  for (const file of ['compose.yaml', 'several/compose.yaml']) expect(read(file)).not.toContain('build:')
})

test('exposes only Caddy, and lets the gateway write only to its volume', () => {
  expect(Object.keys(services)).toEqual(['gateway', 'caddy'])
  expect(gateway).not.toHaveProperty('ports')
  expect(caddy?.ports).toEqual(['80:80', '443:443', '443:443/udp'])
  expect(gateway).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: ['data:/data'] })
  expect(Object.keys(volumes)).toEqual(['data', 'caddy'])
})

test('gives running calls a minute to finish at a stop', () => {
  for (const service of [gateway, caddy]) expect(service?.stop_grace_period).toBe('60s')
})

test('has the network that the guide trusts', () => {
  const [{ subnet } = { subnet: '' }] = networks.default.ipam.config
  expect(read('deployment.md')).toContain(`\`trusted_proxies\` to \`${subnet}\``)
})
