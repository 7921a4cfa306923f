// The one list of what only a long run has, in test/README.md: it names every file that looks whether this is a long run, and the command runs them.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const section = read('test/README.md').split('\n## Long runs\n')[1]?.split('\n## ')[0] ?? ''
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
const parts = scripts['test:long']?.split(' ').filter((part) => part.startsWith('test/')) ?? []

/** Those whose tests are others, or more, by what the environment says. */
const LOOKS =
  /from '[./\w]*\/long\.ts'|process\.env\.TOLLGATE_(?:LONG|SIMULATION_OPERATIONS|CRASH_CYCLES|FUZZ_REQUESTS)/
const files = [...new Bun.Glob('test/**/*.ts').scanSync(ROOT)]
  .filter((file) => !/^test\/(?:support\/long|tools)/.test(file) && LOOKS.test(read(file)))
  .toSorted()

test('there are some', () => expect(files.length).toBeGreaterThan(20))

test.each(files)('%s is in the list', (file) => {
  expect(section).toContain(`\`${file.replace('test/', '')}\``)
})

test.each(files.filter((file) => file.endsWith('.test.ts')))('a long run has %s', (file) => {
  expect(parts.some((part) => file === part || file.startsWith(`${part}/`))).toBeTrue()
})
