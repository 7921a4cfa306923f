// The review before a save names every section that changes, and so do the history and the audit log after it.
import { describe, expect, test } from 'bun:test'
import { settingSections } from '../../../plugins/catalogue/setting-fields.ts'
import { changedTables } from '../../../src/catalogue/changed-parts.ts'
import type { SECTION_SCHEMAS } from '../../../src/catalogue/section-schemas.ts'
import { signedIn } from '../../support/console-session.ts'
import { fileScene } from '../../support/scene.ts'

const { gateway } = await fileScene()
const operator = await signedIn(gateway, 'operator')

/** Changed values of each section: the compiler names a missing section. */
const CHANGES: Record<
  | keyof typeof SECTION_SCHEMAS
  | 'alerts'
  | 'backup'
  | 'catalogue'
  | 'mail'
  | 'metrics'
  | 'native'
  | 'site'
  | 'telemetry',
  [path: string[], value: unknown][]
> = {
  server: [
    [['log_level'], 'warn'],
    [['cors_origins'], ['https://shop.example']],
  ],
  limits: [
    [['account', 'requests_per_minute'], 77],
    [['refuse_negative_margin'], true],
  ],
  billing: [[['interrupted'], 'free']],
  brand: [[['name'], 'Acme AI']],
  site: [[['enabled'], true]],
  console: [[['session_hours'], 12]],
  responses: [[['days'], 3]],
  retention: [[['traces'], 7]],
  native: [[['extra_methods'], true]],
  metrics: [[['token'], 'metrics-token-0123456789']],
  telemetry: [
    [['endpoint'], 'https://collector.example'],
    [['headers'], { authorization: 'Bearer of-telemetry-0123456789' }],
  ],
  alerts: [[['account_daily_usd'], 5]],
  mail: [[['from'], 'Example AI <noreply@example.com>']],
  // Changed on the server only.
  catalogue: [[['markup'], 25]],
  backup: [],
  storage: [],
}
const EVERY = Object.entries(CHANGES).flatMap(([section, changes]) =>
  changes.map(([path, value]): [name: string, path: string[], value: unknown] => [
    `${section}.${path[0]}`,
    [section, ...path],
    value,
  ]),
)

const namesIn = (changes: { kind: string; name: string }[]): string[] =>
  changes.map(({ kind, name }) => `${kind} ${name}`)

describe('a change of a section', () => {
  test.each(EVERY)(
    '%s is in the review, the history and the audit log, by the same name',
    async (name, path, value) => {
      const edits = [{ op: 'set', path, value }]
      const { changes } = await operator.json('POST', '/catalogue/previews', { edits })
      expect(namesIn(changes)).toEqual([`setting ${name}`])
      const checked = await operator.json('POST', '/catalogue/check', { edits })
      expect(namesIn(checked.changes)).toEqual([`setting ${name}`])
      const { hash } = await operator.json('GET', '/catalogue')
      await operator.json('POST', '/catalogue/save', { edits, hash })
      const [version] = (await operator.json('GET', '/catalogue/versions')).versions
      expect(version.changed.map((part: { name: string }) => part.name)).toEqual([name])
      const [action] = (await operator.json('GET', '/audit-log')).actions
      expect(action).toMatchObject({ action: 'setting.changed', subject: name })
      expect((await operator.json('POST', '/catalogue/previews', {})).changes).toEqual([])
    },
  )

  test('a section taken out whole, and a second change beside it, are named', async () => {
    const edits = [
      { op: 'remove', path: ['telemetry'] },
      { op: 'set', path: ['retention', 'traces'], value: 8 },
    ]
    const { changes } = await operator.json('POST', '/catalogue/previews', { edits })
    expect(namesIn(changes).sort()).toEqual([
      'setting retention.traces',
      'setting telemetry.endpoint',
      'setting telemetry.headers',
    ])
  })

  test('a section without a field is named', async () => {
    const { text } = await operator.json('GET', '/catalogue')
    const { changes } = await operator.json('POST', '/catalogue/previews', {
      text: text.replace(/\[native\]\n.*\n/, '').concat('\n[native]\n'),
    })
    expect(namesIn(changes)).toEqual(['setting native.extra_methods'])
    expect(changedTables({}, { native: {} }).map(({ name }) => name)).toEqual(['native'])
  })

  test('a comment alone is no change', async () => {
    const { text } = await operator.json('GET', '/catalogue')
    const { changes } = await operator.json('POST', '/catalogue/previews', { text: `# Ours.\n${text}` })
    expect(changes).toEqual([])
  })
})

const FIELDS = settingSections().flatMap(({ name, fields }) => fields.map(({ path }) => [name, ...path]))

test.each(FIELDS.map((path): [string, string[]] => [path.join('.'), path]))(
  'each setting of the schema is named: %s',
  (_, path) => {
    const table = path.reduceRight<unknown>((value, name) => ({ [name]: value }), 'a value')
    const changed = path.reduceRight<unknown>((value, name) => ({ [name]: value }), 'another')
    const name = `${path[0]}.${path[1]}`
    for (const [before, after] of [
      [{}, table],
      [table, changed],
      [table, {}],
    ])
      expect(changedTables(before as object as never, after as never)).toEqual([
        { kind: 'setting', name, change: 'changed', fields: [] },
      ])
  },
)

describe('an added model', () => {
  const add = (price: unknown) => ({
    edits: [
      {
        op: 'add',
        path: ['models'],
        value: { id: 'second', kind: 'text', routes: [{ provider: 'acme', model: 'up' }], price },
      },
    ],
  })

  test('is reviewed with its whole price', async () => {
    const { values } = await operator.json('GET', '/catalogue')
    const { edits } = add({ input: '0.30', output: '2.50' })
    const [edit] = edits
    if (edit) edit.value.routes = [{ provider: values.providers[0].name, model: 'up' }]
    const { changes } = await operator.json('POST', '/catalogue/previews', { edits })
    const [model] = changes
    expect(model).toMatchObject({ kind: 'model', name: 'second', change: 'added' })
    const prices = model.prices.map((line: { name: string; before_nanos: null; after_nanos: number }) => [
      line.name,
      line.before_nanos,
      line.after_nanos,
    ])
    expect(prices).toContainEqual(['input', null, 300_000_000])
    expect(prices).toContainEqual(['output', null, 2_500_000_000])
    expect(prices).toContainEqual(['cache_read', null, 30_000_000])
  })

  test.each([{}, { input: '', output: '' }, { input: '0.30' }])(
    'without a price is a mistake at its field: %p',
    async (price) => {
      const { changes, mistakes } = await operator.json('POST', '/catalogue/check', add(price))
      expect(changes).toBeNull()
      const fields = mistakes.map(({ path }: { path: string }) => path)
      expect(fields).toContainEqual(expect.stringMatching(/^models\[\d+\]\.price\.output$/))
    },
  )
})
