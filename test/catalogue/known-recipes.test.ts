// Entries of known servers in plugins/catalogue/providers.md: taken literally, they are read without a mistake or a warning.
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCatalogueFile } from '../../src/catalogue/load-file.ts'
import { protocolsOf } from '../../src/domain/servers/lookup.ts'
import { KNOWN_SERVERS } from '../../src/domain/servers/table.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { accountFile } from '../support/google.ts'
import { folderOfFile } from '../support/test-folder.ts'

const README = readFileSync(join(import.meta.dir, '../../plugins/catalogue/providers.md'), 'utf8')
const [section = ''] = README.split('### Known servers').slice(1).join('').split(/^## /m)
const blocks = [...section.matchAll(/^( *)```toml\n([\s\S]*?)^ *```/gm)].flatMap(([, , text = '']) =>
  text.split(/^(?= *\[\[providers\]\])/m),
)

const folder = folderOfFile()
writeFileSync(folder.at('vertex.json'), accountFile('https://oauth2.googleapis.com'))
const env = new Proxy({}, { get: () => 'key-of-the-operator' })

async function read(entry: string, model = 'm') {
  const path = folder.at('tollgate.toml')
  const name = /name = "([^"]+)"/.exec(entry)?.[1]
  const routes = `[{ provider = "${name}", model = "${model}" }]`
  writeFileSync(
    path,
    `${entry}\n[[models]]\nid = "m"\nkind = "text"\nroutes = ${routes}\nprice = { input = 1, output = 1 }\n`,
  )
  return await readCatalogueFile(path, { env, protocols: BUILT_IN_REGISTRY })
}

describe('an entry of plugins/catalogue/providers.md', () => {
  test('is found: there are more than six', () => expect(blocks.length).toBeGreaterThan(6))
  test.each(blocks.map((block) => [block.trim().replace(/\s*\n\s*/g, ', '), block] as const))(
    '%s',
    async (_, block) => {
      expect(await read(block)).toMatchObject({ ok: true, warnings: [] })
    },
  )
})

describe('a row of its table', () => {
  const rows = [...section.matchAll(/^\| (`[^|]+) \| ([^|]*)\| ([^|]+) \|/gm)].flatMap(
    ([, names = '', needs = '', protocols = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, needs, protocols] as const),
  )
  const ticked = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word)

  test('exists for each known server', () => {
    expect(rows.flatMap(([name]) => (name === 'server' ? [] : name)).sort()).toEqual(
      [...KNOWN_SERVERS.keys()].sort(),
    )
  })
  test.each(rows.filter(([name]) => name !== 'server'))(
    '%s: needs %p, speaks %s',
    (name, needs, protocols) => {
      const row = KNOWN_SERVERS.get(name)
      expect(ticked(needs)).toEqual([...(row?.needs ?? [])])
      expect(ticked(protocols)).toEqual(row ? [...protocolsOf(row)] : [])
    },
  )
})
