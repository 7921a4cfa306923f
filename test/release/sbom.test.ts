// The bill of materials of a release: valid by CycloneDX's own schema, complete by the notices, and with the lock file's hashes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Schema, Validator } from '@cfworker/json-schema'
import { gatherNotices } from '../../src/build/notices/notices.ts'
import { ownPlatform } from '../../src/build/release/platforms.ts'
import { writeBillOfMaterials } from '../../src/build/release/sbom.ts'
import { temporary } from '../support/temporary.ts'

const ROOT = join(import.meta.dir, '../..')
const SCHEMAS = join(
  dirname(Bun.resolveSync('@cyclonedx/cyclonedx-library/package.json', ROOT)),
  'res/schema',
)

interface Component {
  readonly name: string
  readonly version?: string
  readonly 'bom-ref': string
  readonly purl: string
  readonly hashes?: readonly { alg: string; content: string }[]
  readonly licenses: readonly object[]
  readonly components?: readonly Component[]
}

const schemaOf = (name: string): Schema =>
  JSON.parse(readFileSync(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`), 'utf8'))

const schema = new Validator(schemaOf('bom-1.6'), '7', false)
for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
  const referenced = schemaOf(name)
  schema.addSchema(referenced, `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
}

const folder = temporary()
afterAll(() => folder[Symbol.dispose]())
const notices = gatherNotices()

async function make(): Promise<string> {
  const [path = ''] = await writeBillOfMaterials({
    version: '1.2.3',
    folder: folder.path,
    platforms: [ownPlatform()],
    source_date: new Date('2026-11-20T10:00:00Z'),
    notices: () => notices,
    executable: () => '',
  })
  return readFileSync(path, 'utf8')
}

let text: string
let bill: { components: readonly Component[]; dependencies: readonly { dependsOn: readonly string[] }[] }
let all: readonly Component[]

beforeAll(async () => {
  text = await make()
  bill = JSON.parse(text)
  all = bill.components.flatMap((component) => [component, ...(component.components ?? [])])
})

const named = (name: string) => all.find((component) => component.purl.startsWith(`pkg:npm/${name}@`))

describe('the bill of materials', () => {
  test('is valid by the schema of CycloneDX 1.6', () => {
    const { valid, errors } = schema.validate(bill)
    expect(errors.slice(0, 5)).toEqual([])
    expect(valid).toBe(true)
  })

  test.each([
    [
      'a licence that SPDX does not have',
      (component: Component) => ({ ...component, licenses: [{ license: { id: 'LGPLv3' } }] }),
    ],
    [
      'an invalid hash',
      (component: Component) => ({ ...component, hashes: [{ alg: 'SHA-512', content: 'abc' }] }),
    ],
    ['a component without a name', ({ name: _, ...component }: Component) => component],
  ])('is invalid with %s', (_, change) => {
    const [first, ...others] = bill.components
    if (!first) throw new Error('no components')
    expect(schema.validate({ ...bill, components: [change(first), ...others] }).valid).toBe(false)
  })

  test('has each package, library and runtime of the notices once, and no other', () => {
    expect(all).toHaveLength(notices.notices.length)
    expect(new Set(all.map((component) => component['bom-ref'])).size).toBe(all.length)
    expect(bill.dependencies[0]?.dependsOn).toHaveLength(bill.components.length)
  })

  test('has no package that only development needs', () => {
    expect(named('elysia')).toBeDefined()
    for (const name of ['openai', 'playwright-core', '%40biomejs/biome']) expect(named(name)).toBeUndefined()
  })

  test('has the hash of each package of npm by the lock file', () => {
    const lock = readFileSync(join(ROOT, 'bun.lock'), 'utf8')
    const without = all.filter(({ purl, hashes }) => purl.startsWith('pkg:npm/') && !hashes)
    // This one comes inside a file of another package.
    expect(without.map(({ name }) => name)).toEqual(['unist-util-find-after'])
    const { hashes, version } = named('sharp') ?? {}
    const base64 = Buffer.from(hashes?.[0]?.content ?? '', 'hex').toString('base64')
    expect(lock.split('\n').find((line) => line.includes(`"sharp@${version}"`))).toContain(
      `"sha512-${base64}"`,
    )
  })

  test('has Bun with its libraries, and the libraries of libvips', () => {
    const bun = bill.components.find(({ name }) => name === 'Bun')
    expect(bun).toMatchObject({ type: 'platform', version: Bun.version })
    expect(bun?.components?.map(({ name }) => name)).toContain('JavaScriptCore')
    expect(all.find(({ name }) => name === 'libvips')).toMatchObject({
      version: expect.stringMatching(/^8\./),
    })
  })

  test('is the same in a second build', async () => {
    expect(await make()).toBe(text)
  })
})
