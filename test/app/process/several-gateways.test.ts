// The files of data/several, a set-up of several gateways: they fit together, and nginx accepts its configuration.
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'
import { storageIn } from '../../../src/catalogue/storage.ts'
import { temporary } from '../../support/temporary.ts'
import { findTool, NGINX } from '../../support/tools.ts'

const FOLDER = join(import.meta.dir, '../../../data/several')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

interface Service {
  environment?: Record<string, string>
  volumes: string[]
  build?: { context: string; dockerfile: string }
}
/** With a password filled in, as from the environment. */
const compose = read('compose.yaml').replaceAll(/\$\{TOLLGATE_PASSWORD[^}]*\}/g, 'secret')
const { services, volumes } = YAML.parse(compose) as {
  services: Record<string, Service>
  volumes: Record<string, null>
}
const gateways = Object.entries(services).filter(([name]) => name.startsWith('gateway-'))

describe('the compose file', () => {
  test('every file and volume that it mounts exists', () => {
    const sources = Object.values(services).flatMap((service) =>
      service.volumes.map((volume) => volume.split(':')[0] ?? ''),
    )
    expect(sources.length).toBeGreaterThan(5)
    for (const source of sources)
      expect([source, source.startsWith('.') ? existsSync(join(FOLDER, source)) : source in volumes]).toEqual(
        [source, true],
      )
  })

  test('the gateways are built from the Dockerfile, and each has a data folder of its own', () => {
    expect(gateways.map(([name]) => name)).toEqual(['gateway-1', 'gateway-2'])
    for (const [name, { build, volumes: mounted }] of gateways) {
      expect(existsSync(join(FOLDER, build?.context ?? '', build?.dockerfile ?? ''))).toBeTrue()
      expect(mounted).toContain(`${name}:/data`)
    }
  })

  test('its variables give [storage] the database and the bucket that it starts', async () => {
    for (const [, { environment = {} }] of gateways) {
      const { database, files } = await storageIn(join(FOLDER, 'tollgate.toml'), environment)
      expect(new URL(database ?? '').hostname in services).toBeTrue()
      expect(new URL(files?.endpoint ?? '').hostname in services).toBeTrue()
      expect(files).toMatchObject({ bucket: 'tollgate-files', prefix: 'gateway/' })
    }
  })
})

const nginx = findTool(NGINX)

test.skipIf(nginx === undefined)('nginx accepts its configuration, which never repeats a request', () => {
  using folder = temporary()
  const text = read('nginx.conf').replaceAll(/gateway-\d:8080/g, '127.0.0.1:8080')
  expect(text).not.toMatch(/^\s*proxy_next_upstream .*non_idempotent/m)
  const path = folder.at('nginx.conf')
  // They replace the folders of nginx's package, which are missing if only the program is installed.
  const folders = [
    ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder.at(name)};`,
    ),
    `access_log ${folder.at('access.log')};`,
  ]
  writeFileSync(path, `pid ${folder.at('pid')};\n${text.replace('http {', `http {\n${folders.join('\n')}`)}`)
  const command = [nginx ?? '', '-t', '-q', '-e', 'stderr', '-p', folder.path, '-c', path]
  const { exitCode, stderr } = Bun.spawnSync(command)
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
})
