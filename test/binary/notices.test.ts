// Third-party notices: complete for the executable, each with its text or the reason for a missing text.
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { WEB_FOLDER } from '../../plugins/console/bundle.ts'
import { scalarFile } from '../../plugins/docs/scalar.ts'
import { GATEWAY } from '../../src/build/binary.ts'
import { libvipsFolders } from '../../src/build/notices/native.ts'
import { gatherNotices } from '../../src/build/notices/notices.ts'
import { packageNotices } from '../../src/build/notices/packages.ts'
import { createScene } from '../app/commands/scene.ts'

const ROOT = join(import.meta.dir, '../..')
const { notices, texts } = gatherNotices()
const names = new Set(notices.map(({ name }) => name))
const versioned = new Set(notices.map(({ name, version }) => `${name}@${version}`))
const LAST_PACKAGE = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/

/** The packages that a bundle is made of, with their versions. */
async function bundled(options: Bun.BuildConfig): Promise<string[]> {
  const { metafile } = await Bun.build({ ...options, metafile: true })
  const folders = Object.keys(metafile?.inputs ?? {}).flatMap((path) => LAST_PACKAGE.exec(path)?.[0] ?? [])
  return [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
    return `${name}@${version}`
  })
}

describe('complete', () => {
  test('for every package of the program', async () => {
    const found = await bundled({
      entrypoints: [...GATEWAY.entrypoints],
      target: 'bun',
      splitting: true,
      naming: { entry: '[name].[ext]' },
    })
    expect(found.length).toBeGreaterThan(40)
    expect(found.filter((one) => !versioned.has(one))).toEqual([])
  })

  test('for every package of the console', async () => {
    const found = await bundled({ entrypoints: [join(WEB_FOLDER, 'index.html')], target: 'browser' })
    expect(found.some((one) => one.startsWith('react@'))).toBe(true)
    expect(found.filter((one) => !versioned.has(one))).toEqual([])
  })

  test('for every package in the bundled file of the API reference', () => {
    const { sources } = JSON.parse(readFileSync(`${scalarFile()}.map`, 'utf8')) as { sources: string[] }
    // Scalar's own packages stand beside each other, named without their scope.
    const found = new Set(
      sources.map(
        (source) =>
          LAST_PACKAGE.exec(source)?.[1] ?? `@scalar/${source.replace(/^(\.\.\/)+/, '').split('/')[0]}`,
      ),
    )
    found.delete('@scalar/src')
    expect(found.size).toBeGreaterThan(100)
    expect([...found].filter((one) => !names.has(one))).toEqual([])
  })

  test('for every library inside libvips', () => {
    const folders = libvipsFolders(ROOT)
    expect(folders.length).toBeGreaterThan(0)
    for (const folder of folders) {
      const versions: Record<string, string> = JSON.parse(readFileSync(join(folder, 'versions.json'), 'utf8'))
      const known = notices.filter(({ name }) => name.endsWith(' (in libvips)')).map(({ version }) => version)
      expect(Object.entries(versions).filter(([, version]) => !known.includes(version))).toEqual([])
    }
  })

  test('for every part that Bun’s documents name', () => {
    const path = join(dirname(Bun.resolveSync('bun-types/package.json', ROOT)), 'docs/project/license.mdx')
    const named = [...readFileSync(path, 'utf8').matchAll(/^\| [^|]*?\[(?:`|)([\w.' -]+?)`?\]\(/gm)].map(
      ([, name = '']) => name.replace(/'s .*/, ''),
    )
    expect(named.length).toBeGreaterThan(40)
    expect(named.filter((name) => !names.has(`${name} (in Bun)`))).toEqual([])
    expect(names.has('JavaScriptCore (in Bun)')).toBe(true)
  })
})

test.each(notices.map(({ name, version, ...notice }) => [`${name}@${version}`, notice] as const))(
  '%s has a licence, and its text or the reason for a missing text',
  (_, { license, text, remark }) => {
    expect(license).not.toMatch(/^(not stated|UNLICENSED|SEE .*|)$/i)
    expect((text ?? remark ?? '').length).toBeGreaterThan(20)
  },
)

describe('texts that no package includes', () => {
  test.each([
    ['LGPL-3.0', 'GNU LESSER GENERAL PUBLIC LICENSE', /LGPL-?v?3/],
    ['GPL-3.0', 'GNU GENERAL PUBLIC LICENSE', /LGPL-?v?3/],
    ['LGPL-2.1', 'GNU LESSER GENERAL PUBLIC LICENSE', /LGPL-2\.1/],
    ['LGPL-2.0', 'GNU LIBRARY GENERAL PUBLIC LICENSE', /LGPL-2\.0/],
    ['MPL-1.1', 'MOZILLA PUBLIC LICENSE', /Mozilla Public License 1\.1/],
    ['Apache-2.0', 'Apache License', /Apache-2\.0/],
    ['MIT', 'Permission is hereby granted', /MIT/],
  ])('%s', (name, begins, needed_by) => {
    expect(texts[name]).toContain(begins)
    expect(notices.some(({ license, text }) => text === null && needed_by.test(license))).toBe(true)
  })
  test('are seven in all', () => expect(Object.keys(texts)).toHaveLength(7))
})

describe('the notices of a tree of packages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-notices-'))
  const put = (path: string, content: object | string) =>
    Bun.write(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  test('include nested packages with their own versions, but not those of development or other platforms', async () => {
    await put('package.json', {
      dependencies: { a: '1', b: '1' },
      devDependencies: { tool: '1' },
      optionalDependencies: { elsewhere: '1' },
    })
    await put('node_modules/a/package.json', {
      name: 'a',
      version: '1.0.0',
      license: 'MIT',
      dependencies: { b: '2' },
    })
    await put('node_modules/a/LICENSE.md', 'Copyright a')
    await put('node_modules/a/license.js', 'export default 1')
    await put('node_modules/a/node_modules/b/package.json', {
      name: 'b',
      version: '2.0.0',
      license: { type: 'ISC' },
    })
    await put('node_modules/b/package.json', { name: 'b', version: '1.0.0', license: 'ISC', author: 'Bea' })
    await put('node_modules/b/COPYING', 'Copyright b')
    await put('node_modules/b/NOTICE', 'Notice of b')
    await put('node_modules/tool/package.json', { name: 'tool', version: '1.0.0' })
    const found = packageNotices(folder)
    expect(found.map(({ name, version, license, text }) => [name, version, license, text])).toEqual([
      ['a', '1.0.0', 'MIT', 'Copyright a'],
      expect.arrayContaining(['b']),
      expect.arrayContaining(['b']),
    ])
    expect(found.find(({ version }) => version === '2.0.0')?.remark).toContain('no license text')
    expect(found.find(({ name, version }) => name === 'b' && version === '1.0.0')?.text).toContain(
      'Notice of b',
    )
  })
  test('fail with the name of a package that is not installed', () => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { lost: '1' } }))
    expect(() => packageNotices(folder)).toThrow(/lost, which .* needs, is not installed/)
    rmSync(folder, { recursive: true })
  })
})

test('`tollgate licenses` prints all notices and texts', async () => {
  const scene = createScene()
  const { status, out } = await scene.run('licenses')
  expect(status).toBe(0)
  for (const { name, version } of notices)
    expect(out).toContain(version === null ? name : `${name} ${version}`)
  for (const text of Object.values(texts)) expect(out).toContain(text.replaceAll('\f', ''))
  const { out: json } = await scene.run('licenses', '--json')
  expect(JSON.parse(json)).toEqual({ notices, texts })
  scene.remove()
})
