// The architecture as a test: imports go one way, files own one thing and stay short.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '..')
const FILES = [...new Glob('{src,plugins}/**/*.ts').scanSync(ROOT)].sort()

/** What a part may import at run time, besides itself. Types may be taken from further up, they leave no trace. */
const LEAVES = [
  'src/byte-string.ts',
  'src/errors.ts',
  'src/money.ts',
  'src/usage.ts',
  'src/estimate.ts',
  'src/redact.ts',
]
const MIDDLE = [...LEAVES, 'src/db/']
const MAY_IMPORT: Record<string, string[]> = {
  'src/errors.ts': [],
  'src/money.ts': [],
  'src/usage.ts': [],
  'src/estimate.ts': [],
  'src/redact.ts': [],
  'src/db/': LEAVES,
  'src/access/': MIDDLE,
  'src/pricing/': MIDDLE,
  'src/ledger/': MIDDLE,
  'src/upstream/': MIDDLE,
  'src/protocols/': MIDDLE,
  'src/media/': MIDDLE,
  'src/library/': [...MIDDLE, 'src/media/'],
  'src/config/': [...MIDDLE, 'src/pricing/', 'data/tollgate.example.toml'],
  'src/http/': [...MIDDLE, 'src/access/', 'src/protocols/'],
  // The one place that composes the folders of the middle.
  'src/exchange/': [
    ...MIDDLE,
    ...['access', 'pricing', 'ledger', 'upstream', 'protocols', 'media', 'library', 'http'].map(
      (part) => `src/${part}/`,
    ),
  ],
}
const ABOVE_THE_MIDDLE = /^src\/[a-z-]+\.ts$|^src\/(cli|simulator|build)\//

const importsOf = (file: string): { path: string; typeOnly: boolean }[] =>
  [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(
      /^(?:import|export)\s+(type\s)?[^'"]*?from\s+['"](\.[^'"]+)['"]/gm,
    ),
  ].map(([, type, path = '']) => ({
    path: relative(ROOT, join(ROOT, dirname(file), path)),
    typeOnly: Boolean(type),
  }))

const partOf = (file: string): string | undefined =>
  Object.keys(MAY_IMPORT).find((part) => file === part || (part.endsWith('/') && file.startsWith(part)))

describe('imports go one way', () => {
  for (const file of FILES) {
    const part = partOf(file)
    if (!part) continue
    test(`${file} imports nothing above or beside ${part}`, () => {
      const allowed = [part, ...(MAY_IMPORT[part] ?? [])]
      const wrong = importsOf(file)
        .filter(({ typeOnly }) => !typeOnly)
        .filter(({ path }) => !allowed.some((prefix) => path === prefix || path.startsWith(prefix)))
      expect(wrong).toEqual([])
    })
  }

  test('only src/main.ts imports plugins/ from within src/', () => {
    const offenders = FILES.filter((file) => file.startsWith('src/') && file !== 'src/main.ts').filter(
      (file) => importsOf(file).some(({ path }) => path.startsWith('plugins/')),
    )
    expect(offenders).toEqual([])
  })

  test('every file of src/ belongs to a part whose imports are ruled, or stands above the middle layer', () => {
    const strays = FILES.filter(
      (file) => file.startsWith('src/') && !partOf(file) && !ABOVE_THE_MIDDLE.test(file),
    )
    expect(strays).toEqual([])
  })
})

describe('files', () => {
  test.each(FILES)('%s says first what it owns, and has at most 400 lines', (file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
    expect(lines[0]).toStartWith('// ')
    expect(lines.length).toBeLessThanOrEqual(400)
  })
})
