// The list of long runs in test/README.md: it names every file with more tests in a long run, and the command runs all of them.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const section = read('test/README.md').split('\n## Long runs\n')[1]?.split('\n## ')[0] ?? ''
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
const parts = scripts['test:long']?.split(' ').filter((part) => part.startsWith('test/')) ?? []

/** The marks of files whose tests depend on the environment. */
const LOOKS =
  /from '[./\w]*\/long\.ts'|process\.env\.TOLLGATE_(?:LONG|SIMULATION_OPERATIONS|CRASH_CYCLES|FUZZ_REQUESTS)/
const files = [...new Bun.Glob('test/**/*.ts').scanSync(ROOT)]
  .filter((file) => !/^test\/(?:support\/long|tools)/.test(file) && LOOKS.test(read(file)))
  .toSorted()

test('files with longer tests are found', () => expect(files.length).toBeGreaterThan(20))

test.each(files)('%s is in the list', (file) => {
  expect(section).toContain(`\`${file.replace('test/', '')}\``)
})

test.each(files.filter((file) => file.endsWith('.test.ts')))('a long run has %s', (file) => {
  expect(parts.some((part) => file === part || file.startsWith(`${part}/`))).toBeTrue()
})
