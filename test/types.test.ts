// The suite's check of types and of promises without await: files of the server and pages of the console, each with their own globals.
import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { folderOfFile } from './support/test-folder.ts'

const ROOT = join(import.meta.dir, '..')
const WEB = 'plugins/console/web'
/** The folders that `bun run test` checks. */
const CHECKED = ['src', 'plugins', 'test']
const folder = folderOfFile()

/** Runs the linter. @returns its output */
async function lint(cwd: string, ...more: string[]): Promise<string> {
  const command = ['x', '--no-install', 'oxlint', '-c', join(ROOT, '.oxlintrc.json'), ...more]
  const child = Bun.spawn([process.execPath, ...command], { cwd, stdout: 'pipe', stderr: 'inherit' })
  return child.stdout.text()
}

test('the linter checks every file of the server, the tests and the pages', async () => {
  const files = [...new Bun.Glob(`{${CHECKED}}/**/*.{ts,tsx}`).scanSync(ROOT)]
  expect(files.filter((file) => /^plugins\/[^/]+\/web\//.test(file)).length).toBeGreaterThan(200)
  const checked = new Set((await lint(ROOT, '--debug=files', ...CHECKED)).split('\n'))
  const isChecked = (file: string) => checked.has(file) || checked.has(join(ROOT, file))
  expect(files.filter((file) => !isChecked(file))).toEqual([])
})

test('the linter finds wrong types, browser globals on the server, and promises without await', async () => {
  symlinkSync(join(ROOT, 'node_modules'), folder.at('node_modules'))
  mkdirSync(folder.at('pages'))
  const writing = (name: string, text: string) => Bun.write(folder.at(name), text)
  const extending = (config: string) =>
    JSON.stringify({ extends: join(ROOT, config), include: ['*.ts'], exclude: [] })
  await writing('tsconfig.json', extending('tsconfig.json'))
  await writing('pages/tsconfig.json', extending(join(WEB, 'tsconfig.json')))
  const lines = ["export const id: number = 'a'", 'Promise.resolve(id)', 'document.title.trim()']
  await writing('server.ts', lines.join('\n'))
  await writing('pages/page.ts', lines.join('\n'))

  const found = (await lint(folder.path, '-f', 'unix', 'server.ts', 'pages/page.ts')).matchAll(
    /^(\S+?):(\d+):.*\((.+)\)\]$/gm,
  )
  expect([...found].map(([, ...finding]) => finding.join(' ')).toSorted()).toEqual([
    'pages/page.ts 1 TS2322',
    'pages/page.ts 2 no-floating-promises',
    'server.ts 1 TS2322',
    'server.ts 2 no-floating-promises',
    'server.ts 3 TS2584',
  ])
})
