// Changes between two versions in a changelog: steps before the upgrade first, then the rest, without those for contributors.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { changesBetween } from '../../plugins/upgrade/changes.ts'

const CHANGELOG = `# Changelog

The newest version first.

## Unreleased

Operators

- Not yet.

## 0.10.0 (2026-12-02)

Callers

- A new field,
  on two lines.

Operators

- Settings moved. Before you upgrade: rename
  one of them.
- More alerts.

Contributors

- A test. Before you upgrade nothing.

## 0.9.1 (2026-12-01)

Operators

- Before you upgrade: stop it.

## 0.9.0 (2026-11-30)

Callers

- Old.
`

const ten = {
  version: '0.10.0',
  before_you_upgrade: ['Settings moved. Before you upgrade: rename one of them.'],
  others: [
    { of: 'Callers', items: ['A new field, on two lines.'] },
    { of: 'Operators', items: ['More alerts.'] },
  ],
}
const nine = { version: '0.9.1', before_you_upgrade: ['Before you upgrade: stop it.'], others: [] }

test.each([
  ['0.9.0', '0.10.0', [ten, nine]],
  ['0.9.0', '0.9.1', [nine]],
  ['0.9.1', '0.10.0', [ten]],
  ['0.9.1', '0.9.5', []],
  ['0.10.0', '0.10.0', []],
  ['0.10.0', '0.9.0', []],
])('from %s to %s', (from, to, changes) => {
  expect(changesBetween(CHANGELOG, from, to)).toEqual(changes)
})

test('an empty changelog has no changes', () => {
  expect(changesBetween('', '0.1.0', '0.2.0')).toEqual([])
})

test("the project's own changelog: every line with a step before the upgrade is found", () => {
  const text = readFileSync(join(import.meta.dir, '../../src/CHANGELOG.md'), 'utf8')
  const released = text.slice(text.indexOf('\n## 0.'))
  const found = changesBetween(text, '0.0.1', '99.0.0')
  expect(found.map(({ version }) => version)).toContain('0.1.0')
  const to_do = found.flatMap(({ before_you_upgrade }) => before_you_upgrade).join('\n')
  expect(to_do.match(/Before you upgrade/g)).toHaveLength(released.match(/Before you upgrade/g)?.length ?? 0)
  expect(found.flatMap(({ others }) => others.map(({ of }) => of))).not.toContain('Contributors')
})
